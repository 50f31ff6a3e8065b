import { defineConfig } from 'vitest/config'

/** Times of the page in a browser: a machine with other work changes them, so that no suite of tests has them. */
export default defineConfig({
  test: {
    include: ['bench/page/*.test.ts'],
    setupFiles: ['test/host/close-after-each.ts', 'test/host/use-node-door.ts'],
    testTimeout: 200_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
})
