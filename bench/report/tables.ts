import { table } from '../../docs/sections/markdown.ts'
import { UNITS } from '../figure.ts'
import { median } from '../measure.ts'
import type { PartResults, Values } from '../results.ts'

/** The major versions of Node that have results, the oldest first. */
export const majorsOf = (results: PartResults): readonly string[] =>
  Object.keys(results).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))

export const nodeName = (major: string): string => `Node ${major.slice(1)}`

const DIGITS = 2

/** Numbers of a page have two digits after the point, or three digits. */
export const toValue = (value: number): string =>
  Math.abs(value) >= 100 ? String(Math.round(value)) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(DIGITS)

/** The median, with the lowest and the highest of several values. */
export function toCell(values: readonly number[] | undefined): string {
  if (values === undefined || values.length === 0) return '–'
  if (values.length === 1) return toValue(values[0] as number)
  return `${toValue(median(values))} <sub>${toValue(Math.min(...values))}–${toValue(Math.max(...values))}</sub>`
}

/** The commits whose builds took turns with the measured tree. */
export const basesOf = (results: PartResults): readonly string[] => [
  ...new Set(Object.values(results).flatMap(({ base }) => (base === undefined ? [] : [`\`${base}\``]))),
]

/** The sentence about the cases of another build; empty if none was measured. */
export function baseSentence(results: PartResults): string {
  const bases = basesOf(results)
  return bases.length === 0 ? '' : ` \`base\` is the last release (commit ${bases.join(', ')}).`
}

/** All cases of a part in rows, the versions of Node side by side. */
export function caseTable(results: PartResults, head: string, isShown: (name: string) => boolean = () => true): string {
  const majors = majorsOf(results)
  const names = [...new Set(majors.flatMap((major) => Object.keys(results[major]?.figures ?? {})))].filter(isShown)
  const valuesOf = (major: string, name: string): Values | undefined => results[major]?.figures[name]
  return table(
    [head, ...majors.map(nodeName), 'unit'],
    names.map((name) => [
      name,
      ...majors.map((major) => toCell(valuesOf(major, name)?.values)),
      majors.map((major) => valuesOf(major, name)?.unit).find((unit) => unit !== undefined) ?? '',
    ]),
  )
}

/** Rows for each name and version of Node, with a column for each of the cases that `caseOf` names. */
export function gridTable(
  results: PartResults,
  head: string,
  rows: readonly string[],
  columns: readonly string[],
  caseOf: (row: string, column: string) => string,
): string {
  const majors = majorsOf(results)
  const cells = (row: string, major: string): readonly string[] =>
    columns.map((column) => toCell(results[major]?.figures[caseOf(row, column)]?.values))
  return table(
    [head, 'Node', ...columns],
    rows.flatMap((row) => majors.map((major) => [`\`${row}\``, major.slice(1), ...cells(row, major)])),
  )
}

/** Whether the median says that millrace is slower, or needs more, than the other side. */
export function isWorse({ unit, values }: Values): boolean {
  const { better, even } = UNITS[unit]
  if (even === null) return false
  const value = median(values)
  return better === 'higher' ? value < even : value > even
}
