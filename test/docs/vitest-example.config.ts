import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Runs the example of a test. The variable `TESTING` names the file of `millrace/testing`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { alias: { 'millrace/testing': `${process.env.TESTING}` } },
  test: { include: ['examples/testing-vitest.mjs'] },
})
