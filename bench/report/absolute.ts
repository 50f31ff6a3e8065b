import { table } from '../../docs/sections/markdown.ts'
import { median } from '../measure.ts'
import type { Results, Values } from '../results.ts'
import { nodeName, toValue } from './tables.ts'

/** A figure that a user gets: from a part and its case, by a conversion of its median. */
interface Row {
  readonly text: string
  readonly part: string
  readonly name: RegExp
  readonly convert?: (value: number) => number
}

const MICROSECONDS = 1_000_000

/** Chunks a second of a stream that a model writes at an ordinary speed. */
const CHUNKS_A_SECOND = 10

const ROWS: readonly Row[] = [
  {
    text: 'added before the first byte, ms',
    part: 'server',
    name: /^time to first byte that the server adds, median$/,
  },
  {
    text: 'processor time of a request, ms',
    part: 'costs',
    name: /^a request: all parts$/,
    convert: (us) => us / 1000,
  },
  {
    text: 'requests a second that a core answers',
    part: 'costs',
    name: /^a request: all parts$/,
    convert: (us) => MICROSECONDS / us,
  },
  {
    text: `streams of ${CHUNKS_A_SECOND} chunks a second that a core holds`,
    part: 'scale',
    name: /: processor time of the server a chunk$/,
    convert: (us) => MICROSECONDS / us / CHUNKS_A_SECOND,
  },
  {
    text: 'memory of an open stream, KiB',
    part: 'server',
    name: /^memory of the server a stream after \d+ chunks/,
  },
]

/** The figures that a user gets of one machine, without another side beside them. */
export function absoluteTable(results: Results, majors: readonly string[]): string {
  const cellOf = ({ part, name, convert = (value) => value }: Row, major: string): string => {
    const figures: Readonly<Record<string, Values>> = results[part]?.[major]?.figures ?? {}
    const found = Object.entries(figures).find(([one]) => name.test(one))?.[1]
    return found === undefined ? '–' : toValue(convert(median(found.values)))
  }
  return table(
    ['what you get', ...majors.map(nodeName)],
    ROWS.map((row) => [row.text, ...majors.map((major) => cellOf(row, major))]),
  )
}
