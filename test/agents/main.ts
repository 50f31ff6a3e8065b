/**
 * Installs the agents if they are absent, and runs their tests: `npm run test:agents`. Arguments go to vitest. Where
 * the system allows it, the tests run in a network namespace of their own, in which there is only loopback.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = fileURLToPath(new URL('./', import.meta.url))

const runHere = (program: string, args: readonly string[]): number =>
  spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1

/** A command that runs another one without any network but loopback; empty where that is not possible. */
function isolation(): readonly string[] {
  const user = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const command = ['unshare', ...user, '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const [program = '', ...args] = [...command, 'true']
  return spawnSync(program, args).status === 0 ? command : []
}

if (!existsSync(`${FOLDER}node_modules`)) {
  const status = runHere('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-fund', '--no-audit'])
  if (status !== 0) process.exit(status)
}
const isolated = isolation()
if (isolated.length === 0) process.stderr.write('No network namespace: the agents run with proxies that refuse.\n')
const vitest = [
  process.execPath,
  `${ROOT}node_modules/vitest/vitest.mjs`,
  'run',
  '--config',
  `${FOLDER}vitest.config.ts`,
]
const [program = '', ...args] = [...isolated, ...vitest, ...process.argv.slice(2)]
process.exitCode = runHere(program, args)
