/**
 * Measures how processor time and memory grow with the size of a request or of a whole answer. Each case is a process of
 * its own.
 *
 *     npm run bench:linearity                                   all parts; about ten minutes on an idle machine
 *     npm run bench:linearity -- --only histories,images        some parts
 *     npm run bench:linearity -- --quick                        only clients of the dialect `openai`
 *     npm run bench:linearity -- --json                         an object a line: {"case","value","unit"}
 *     npm run bench:linearity -- --write docs/assets/linearity.svg    also draws a picture
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { openReport } from '../figure.ts'
import { drawSeries } from './picture.ts'
import { measureSeries } from './run.ts'
import { growthOf, PARTS, type PartName, PEAK, type Series, seriesCase, TWICE } from './series.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: PARTS.join(',') },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'string' },
  },
})

const only = values.only.split(',')
const unknown = only.find((name) => !(PARTS as readonly string[]).includes(name))
if (unknown !== undefined) throw new Error(`--only: expected some of ${PARTS.join(', ')}, got ${unknown}`)

const rounded = (value: number): string => String(Number(value.toPrecision(3)))

function printTable(part: PartName, found: readonly Series[]): void {
  const { sizes } = found[0] as Series
  const unit = part.endsWith('histories') ? 'items' : 'MB'
  const heads = ['client', 'upstream', ...sizes.map((size) => `${size} ${unit}`), 'twice the size', 'peak, MiB']
  const rows = found.map((one) => [
    one.client,
    one.wire,
    ...one.ms.map(rounded),
    `× ${growthOf(one).toFixed(2)}`,
    one.peakMiB === null ? '–' : rounded(one.peakMiB),
  ])
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  const title = `\n${part}: ms of processor time, Node ${process.version}\n\n`
  process.stdout.write(title + line(heads) + line(heads.map(() => '---')) + rows.map(line).join(''))
}

function printFigures(found: readonly Series[]): void {
  const report = openReport('ms of processor time')
  for (const one of found) {
    for (const [at, size] of one.sizes.entries()) {
      report({ case: seriesCase(one, size), value: one.ms[at] as number, unit: 'ms' })
    }
    report({ case: seriesCase(one, TWICE), value: growthOf(one), unit: '× the time' })
    if (one.peakMiB !== null) report({ case: seriesCase(one, PEAK), value: one.peakMiB, unit: 'MiB' })
  }
}

const all: Series[] = []
for (const part of PARTS.filter((name) => only.includes(name))) {
  const found = await measureSeries(part, values.quick)
  if (values.json) printFigures(found)
  else printTable(part, found)
  all.push(...found)
}
if (values.write !== undefined) {
  mkdirSync(dirname(values.write), { recursive: true })
  writeFileSync(values.write, drawSeries(all))
}
