/**
 * Installs the runtimes if they are absent, runs their tests, and prints the table of results: `npm run test:runtimes`.
 * `--write` stores the results, of which `npm run docs` writes the table of the documentation. Other arguments go to
 * vitest.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { connectionTable, runtimeTable, workerSize } from '../../docs/sections/runtimes.ts'
import { sourceOf } from '../docs/programs.ts'
import {
  CONNECTIONS,
  type Connection,
  type ConnectionResults,
  DOORS,
  type Door,
  type DoorResult,
  isLimitOf,
  type RuntimeResults,
  writeResults,
} from './results.ts'
import { WORKER_BUNDLE } from './worker-bundle.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = fileURLToPath(new URL('./', import.meta.url))
const OUTPUT = '--outputFile.json='

const run = (program: string, args: readonly string[]): number =>
  spawnSync(program, args, { cwd: ROOT, stdio: 'inherit', env: { VITEST_MAX_WORKERS: '2', ...process.env } }).status ??
  1

/** A report of vitest in JSON, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
    }[]
  }[]
}

/** The tests of a file that have run with this runtime. */
function testsOf({ testResults }: Report, runtime: string, name: string): Report['testResults'][0]['assertionResults'] {
  const file = testResults.find((one) => one.name.endsWith(`/${name}.runtimes.ts`))
  return (file?.assertionResults ?? []).filter(
    ({ ancestorTitles, status }) => ancestorTitles[0] === runtime && (status === 'passed' || status === 'failed'),
  )
}

function connectionsOf(report: Report, runtime: string): { readonly connections?: ConnectionResults } {
  const ran = testsOf(report, runtime, 'connections')
  const cells = (Object.keys(CONNECTIONS) as Connection[]).flatMap((connection) => {
    const found = ran.find(({ title }) => title === CONNECTIONS[connection])
    if (found === undefined) return []
    return [[connection, found.status === 'failed' ? 'failed' : isLimitOf(runtime, connection) ? 'no' : 'yes']]
  })
  return cells.length === 0 ? {} : { connections: Object.fromEntries(cells) }
}

function resultOf(report: Report, runtime: string, door: Door): DoorResult | undefined {
  const ran = testsOf(report, runtime, door)
  if (ran.length === 0) return undefined
  const failed = ran.filter(({ status }) => status === 'failed').map(({ title }) => title)
  return { passed: ran.length - failed.length, failed }
}

async function sizeOfScript(): Promise<RuntimeResults['script']> {
  const { outputFiles } = await build({
    ...WORKER_BUNDLE,
    entryPoints: [join(ROOT, 'examples/fetch-gateway.ts')],
    alias: { 'millrace/fetch': sourceOf('millrace/fetch') },
    write: false,
  })
  const script = outputFiles[0]?.contents ?? new Uint8Array()
  return { minified: Math.round(script.length / 1024), compressed: Math.round(gzipSync(script).length / 1024) }
}

if (!existsSync(`${FOLDER}node_modules`))
  run('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-fund', '--no-audit'])

const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'))
const given = process.argv.slice(2)
const file = given.find((arg) => arg.startsWith(OUTPUT))?.slice(OUTPUT.length) ?? join(folder, 'report.json')
const vitest = [`${ROOT}node_modules/vitest/vitest.mjs`, 'run', '--project', 'runtimes']
const reporters = ['--reporter=default', '--reporter=json', `${OUTPUT}${file}`]
const others = given.filter((arg) => arg !== '--write' && !arg.startsWith(OUTPUT))
const status = run(process.execPath, [...vitest, ...reporters, ...others])
if (existsSync(file)) {
  const report: Report = JSON.parse(readFileSync(file, 'utf8'))
  // Starts each program for its version, so that it is imported after the installation.
  const { RUNTIMES } = await import('./runtimes.ts')
  const runtimes = Object.fromEntries(
    RUNTIMES.map(({ name, version }) => {
      const cells = (Object.keys(DOORS) as Door[]).flatMap((door) => {
        const result = resultOf(report, name, door)
        return result === undefined ? [] : [[door, result]]
      })
      return [name, { version, ...Object.fromEntries(cells), ...connectionsOf(report, name) }]
    }),
  )
  const results: RuntimeResults = { runtimes, script: await sizeOfScript() }
  process.stdout.write(`\n${runtimeTable(results)}\n\n${connectionTable(results)}\n\n${workerSize(results)}\n`)
  if (given.includes('--write')) writeResults(results)
}
rmSync(folder, { recursive: true })
process.exitCode = status
