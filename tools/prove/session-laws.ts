import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * `node --import tsx tools/prove/session-laws.ts MINUTES` runs the laws and the tests of long sessions, with all their runs:
 * accounts and pauses, returns, continuations, machines, models of keys, drains, workers, recordings, and the counters
 * after all of these. `MINUTES` multiplies the runs of the laws from four on. Prints the figures of Vitest.
 */
const FILES = [
  'test/host/accounts',
  'test/host/held-counters.test.ts',
  'test/host/upstream/pool.test.ts',
  'test/host/upstream/affinity-lab.test.ts',
  'test/gateway/upstream',
  'test/gateway/vendors',
  'test/host/resume.test.ts',
  'test/gateway/resume',
  'test/host/upstream/continuation.test.ts',
  'test/host/hooks.test.ts',
  'test/engine/delta-shapes.test.ts',
  'test/host/auth',
  'test/host/server/drain.test.ts',
  'test/host/server/websocket',
  'test/host/workers',
  'test/host/recording',
] as const

const minutes = Number(process.argv[2] ?? 1)
const env = { ...process.env, RUNS: String(Math.max(1, Math.round(minutes / 4))) }
const projects = ['unit', 'host', 'slow'].map((name) => `--project=${name}`)
const { status } = spawnSync('npx', ['vitest', 'run', ...projects, ...FILES], {
  cwd: fileURLToPath(new URL('../../', import.meta.url)),
  env,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
