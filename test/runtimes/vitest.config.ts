import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The tests with other runtimes: `npm run test:runtimes`. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: ['test/runtimes/*.runtimes.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine, a process takes longer to end than the ten seconds after which Vitest reports it.
    teardownTimeout: 120_000,
    maxWorkers: 2,
    globalSetup: ['test/runtimes/room.ts'],
    setupFiles: ['test/host/close-after-each.ts'],
  },
})
