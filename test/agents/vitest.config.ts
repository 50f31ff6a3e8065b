import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Measured while no other agent runs. */
const TIMED = ['test/agents/first-answer.agents.ts']

/** The tests with the real agents: `npm run test:agents`. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    // A session consists of five programs.
    testTimeout: 600_000,
    maxWorkers: 2,
    setupFiles: ['test/host/close-after-each.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'sessions', include: ['test/agents/*.agents.ts'], exclude: TIMED, sequence: { groupOrder: 0 } },
      },
      { extends: true, test: { name: 'timed', include: TIMED, sequence: { groupOrder: 1 } } },
    ],
  },
})
