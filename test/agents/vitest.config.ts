import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The tests with the real agents: `npm run test:agents`. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: ['test/agents/*.agents.ts'],
    // A session consists of five programs.
    testTimeout: 600_000,
    maxWorkers: 2,
    setupFiles: ['test/host/close-after-each.ts'],
  },
})
