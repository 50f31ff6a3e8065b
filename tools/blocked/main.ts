import { ANSWER_ROWS } from './answer-rows.ts'
import { type Measured, measure, measureApart, type Row } from './blocked.ts'
import { BURST_ROWS } from './burst-rows.ts'
import { CONNECTION_ROWS } from './connection-rows.ts'
import { PASSED_ROWS } from './passed-rows.ts'
import { REQUEST_ROWS } from './request-rows.ts'
import { largestParseMs } from './thread-time.ts'

/**
 * `npm run test:blocked [WORDS]` measures how long each load blocks `/healthz`, how much memory it takes, and whether
 * the process survives. Each row has its own server, and up to three runs until it is within the bounds; `--together` runs
 * all rows against one. WORDS select rows by name. The exit code is 1 if a row exceeds a bound, or the process ended.
 */
const ROWS: readonly Row[] = [...REQUEST_ROWS, ...ANSWER_ROWS, ...PASSED_ROWS, ...CONNECTION_ROWS, ...BURST_ROWS]

const args = process.argv.slice(2)
const words = args.filter((arg) => !arg.startsWith('--')).join(' ')
const rows = ROWS.filter(({ name }) => name.includes(words))

const toLine = ({ name, blockedMs, workMs, rssMiB, alive, outcome }: Measured): string =>
  `| ${name} | ${blockedMs} ms | ${workMs} ms | ${rssMiB ?? '?'} MiB | ${alive ? 'alive' : 'DEAD'} | ${outcome} |\n`

/**
 * The bounds of one row: the longest turn of the event loop in processor time, and the peak memory of the server. On a
 * slow machine a turn may take one and a half times what `JSON.parse` alone takes there for the largest body.
 */
const MOST_WORK_MS = Math.round(Math.max(100, 1.5 * largestParseMs()))
const MOST_RSS_MIB = 400

const excessOf = ({ name, workMs, rssMiB, alive }: Measured): readonly string[] => [
  ...(workMs > MOST_WORK_MS ? [`${name}: ${workMs} ms`] : []),
  ...((rssMiB ?? 0) > MOST_RSS_MIB ? [`${name}: ${rssMiB} MiB`] : []),
  ...(alive ? [] : [`${name}: ended`]),
]

/** The least of three runs of a row, because one run may have a collection of the whole heap in its longest turn. */
async function measureAlone(row: Row): Promise<readonly Measured[]> {
  let least: Measured | undefined
  for (let run = 0; run < 3; run += 1) {
    const [measured] = await measureApart([row])
    if (measured === undefined) break
    if (least === undefined || !measured.alive || measured.workMs < least.workMs) least = measured
    if (excessOf(least).length === 0 || !least.alive) break
  }
  return least === undefined ? [] : [least]
}

const excesses: string[] = []
const write = (one: Measured): void => {
  excesses.push(...excessOf(one))
  process.stdout.write(toLine(one))
}

process.stdout.write('| load | blocked | processor | memory | process | answer |\n|---|---|---|---|---|---|\n')
if (args.includes('--together')) for (const one of await measure(rows)) write(one)
else for (const row of rows) for (const one of await measureAlone(row)) write(one)
process.stdout.write(
  `${rows.length} rows, beyond ${MOST_WORK_MS} ms or ${MOST_RSS_MIB} MiB: ${excesses.join('; ') || 'none'}\n`,
)
if (excesses.length > 0) process.exitCode = 1
