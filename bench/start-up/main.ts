/**
 * Measures how long the compiled program takes for `--version` and for a help, next to Node without a program.
 *
 *     npm run bench:start-up
 *     npm run bench:start-up -- --in DIR --in OTHER
 *
 * With `--in`, it measures the processor time of importing each entry point of the package, for the package that is
 * installed in each folder: two releases, for example.
 *
 * Exits with 1 if the median of `--version` is more than 40 ms above that of an empty Node, unless the figures are printed as JSON.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Figure, openReport } from '../figure.ts'
import { inTurns, median, quantile } from '../measure.ts'
import { reportImports } from './imports.ts'
import { ABOVE_EMPTY, MOST_MS, PROGRAMS } from './programs.ts'

const RUNS = 40

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url))

const CASES = [
  { name: PROGRAMS.empty, words: ['-e', ''] },
  { name: PROGRAMS.version, words: [MAIN, '--version'] },
  { name: PROGRAMS.help, words: [MAIN, '--help'] },
  { name: PROGRAMS.commandHelp, words: [MAIN, 'translate', '--help'] },
]

/** Milliseconds from the start of the process to its end. */
function measure(args: readonly string[]): number {
  const startedAt = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with exit code ${status}`)
  return performance.now() - startedAt
}

function reportCommands(report: (figure: Figure) => void, isJson: boolean): void {
  const times = CASES.map((one) => ({ ...one, took: [] as number[] }))
  for (const { words } of times) measure(words)
  for (let round = 0; round < RUNS; round += 1) {
    for (const { words, took } of inTurns(times, round)) took.push(measure(words))
  }
  for (const { name, took } of times) {
    report({ case: `${name}, median`, value: median(took), unit: 'ms' })
    report({ case: `${name}, 95th percentile`, value: quantile(took, 0.95), unit: 'ms' })
  }
  const [empty = [], version = []] = [PROGRAMS.empty, PROGRAMS.version].map(
    (one) => times.find(({ name }) => name === one)?.took,
  )
  const above = median(version.map((ms, round) => ms - (empty[round] as number)))
  report({ case: ABOVE_EMPTY, value: above, unit: 'ms' })
  if (!isJson && above > MOST_MS) process.exitCode = 1
}

const { values } = parseArgs({ options: { json: { type: 'boolean' }, in: { type: 'string', multiple: true } } })
const report = openReport('lower is better')
if (values.in === undefined) reportCommands(report, values.json === true)
else reportImports(values.in, report)
