import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Runs the example of a test with the sources in place of the package. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { alias: { 'millrace/testing': fileURLToPath(new URL('../../src/testing.ts', import.meta.url)) } },
  test: { include: ['examples/testing-vitest.mjs'] },
})
