import { ANSWER_ROWS } from './answer-rows.ts'
import { type Measured, measure, measureApart, type Row } from './blocked.ts'
import { CONNECTION_ROWS } from './connection-rows.ts'
import { PASSED_ROWS } from './passed-rows.ts'
import { REQUEST_ROWS } from './request-rows.ts'

/**
 * `npm run test:blocked [WORDS]` measures how long each load blocks `/healthz`, how much memory it takes, and whether
 * the process survives. Each row has its own server; `--together` runs all rows against one. WORDS select rows by name.
 */
const ROWS: readonly Row[] = [...REQUEST_ROWS, ...ANSWER_ROWS, ...PASSED_ROWS, ...CONNECTION_ROWS]

const args = process.argv.slice(2)
const words = args.filter((arg) => !arg.startsWith('--')).join(' ')
const rows = ROWS.filter(({ name }) => name.includes(words))

const toLine = ({ name, blockedMs, workMs, rssMiB, alive, outcome }: Measured): string =>
  `| ${name} | ${blockedMs} ms | ${workMs} ms | ${rssMiB ?? '?'} MiB | ${alive ? 'alive' : 'DEAD'} | ${outcome} |\n`

process.stdout.write('| load | blocked | processor | memory | process | answer |\n|---|---|---|---|---|---|\n')
if (args.includes('--together')) for (const one of await measure(rows)) process.stdout.write(toLine(one))
else for (const row of rows) for (const one of await measureApart([row])) process.stdout.write(toLine(one))
