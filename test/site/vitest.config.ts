import { defineConfig } from 'vitest/config'

/** The built site in a browser. It installs its own generator, so that no other suite has it. */
export default defineConfig({
  test: {
    include: ['test/site/*.site.ts'],
    setupFiles: ['test/host/close-after-each.ts', 'test/host/use-node-door.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
})
