/**
 * Installs the agents if they are absent, and runs their tests: `npm run test:agents`. Arguments go to vitest. Where
 * the system allows it, the tests run in a network namespace of their own, in which there is only loopback. With
 * `--latest`, the newest versions are installed in a temporary folder and run in the same way, and what differs from
 * the results of the pinned ones is printed. An interrupted run changes no results.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compareResults } from './compare-results.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = fileURLToPath(new URL('./', import.meta.url))

/** Returns the exit code, or null if a signal ended the program. */
const runHere = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number | null =>
  spawnSync(program, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } }).status

const NPM = ['--ignore-scripts', '--no-fund', '--no-audit']

/** Installs the newest version of every agent in a folder of its own. */
function installLatest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-agents-'))
  const pinned = JSON.parse(readFileSync(`${FOLDER}package.json`, 'utf8'))
  const newest = (names: object): object => Object.fromEntries(Object.keys(names).map((name) => [name, 'latest']))
  const { dependencies, optionalDependencies } = pinned
  const packages = {
    ...pinned,
    dependencies: newest(dependencies),
    optionalDependencies: newest(optionalDependencies),
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(packages))
  if (runHere('npm', ['install', '--prefix', folder, ...NPM]) !== 0) throw new Error('npm install has failed')
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const file = join(folder, 'node_modules', name, 'package.json')
    const version = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : 'not installed'
    process.stdout.write(`${name}: ${dependencies[name] ?? optionalDependencies[name]} pinned, ${version} newest\n`)
  }
  return folder
}

/** A command that runs another one without any network but loopback; empty where that is not possible. */
function isolation(): readonly string[] {
  const user = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const command = ['unshare', ...user, '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const [program = '', ...args] = [...command, 'true']
  return spawnSync(program, args).status === 0 ? command : []
}

const args = process.argv.slice(2)
const latest = args.includes('--latest') ? installLatest() : null
if (latest === null && !existsSync(`${FOLDER}node_modules`)) {
  const status = runHere('npm', ['ci', '--prefix', FOLDER, ...NPM])
  if (status !== 0) process.exit(status ?? 1)
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
const [program = '', ...others] = [...isolated, ...vitest, ...args.filter((arg) => arg !== '--latest')]
const copy = mkdtempSync(join(tmpdir(), 'millrace-results-'))
cpSync(`${FOLDER}results`, copy, { recursive: true })
const status = runHere(program, others, latest === null ? { AGENT_RESULTS: copy } : { AGENTS: latest })
process.exitCode = status ?? 1
// 0 and 1: all tests have run.
if (latest === null && (status === 0 || status === 1)) cpSync(copy, `${FOLDER}results`, { recursive: true })
rmSync(copy, { recursive: true })
if (latest !== null) {
  for (const line of compareResults(`${FOLDER}results`, join(latest, 'results'))) process.stdout.write(`${line}\n`)
  rmSync(latest, { recursive: true, force: true })
}
