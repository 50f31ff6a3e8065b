/** One measured figure. The name of the case is the same in every run. */
export interface Figure {
  readonly case: string
  readonly value: number
  readonly unit: Unit
}

/** The name of a case of another build, which stands beside the same case of this one. */
export const caseOfBase = (name: string): string => `${name}, base`

/** Whether a case is one of another build: it has no goal. */
export const isOfBase = (name: string): boolean => name.endsWith(caseOfBase(''))

/** For each unit, whether higher or lower is better; `even` is the value at which both sides are equal. */
export const UNITS = {
  '× the floor': { better: 'higher', even: 1 },
  '× as fast': { better: 'higher', even: 1 },
  '× the relay': { better: 'lower', even: 1 },
  '× SSE': { better: 'lower', even: 1 },
  '× translated': { better: 'lower', even: 1 },
  '× the direct call': { better: 'lower', even: 1 },
  '× identity and direct call': { better: 'lower', even: 1 },
  '× by hand': { better: 'lower', even: 1 },
  '× without destinations': { better: 'lower', even: 1 },
  ms: { better: 'lower', even: null },
  'µs a request': { better: 'lower', even: null },
  'µs a message': { better: 'lower', even: null },
  '× the time': { better: 'lower', even: null },
  '× one worker': { better: 'higher', even: 1 },
  'a second': { better: 'higher', even: null },
  'µs a chunk': { better: 'lower', even: null },
  '% of a core': { better: 'lower', even: null },
  streams: { better: 'higher', even: null },
  lost: { better: 'lower', even: null },
  files: { better: 'lower', even: null },
  s: { better: 'lower', even: null },
  KiB: { better: 'lower', even: null },
  MiB: { better: 'lower', even: null },
  MB: { better: 'lower', even: null },
  packages: { better: 'lower', even: null },
  open: { better: 'lower', even: null },
} as const satisfies Readonly<Record<string, UnitRow>>

export type Unit = keyof typeof UNITS

interface UnitRow {
  readonly better: 'higher' | 'lower'
  readonly even: number | null
}

/** Three digits: more than a repetition confirms. */
export const rounded = (value: number): number => Number(value.toPrecision(3))

/**
 * Prints each figure when it is measured: a row of a table, or with `--json` an object a line, which `bench:all` reads.
 */
export function openReport(legend: string): (figure: Figure) => void {
  const isJson = process.argv.includes('--json')
  if (!isJson) process.stdout.write(`Node ${process.version}; ${legend}\n\n| case | value | unit |\n|---|---|---|\n`)
  return (figure) => {
    const value = rounded(figure.value)
    const line = isJson ? JSON.stringify({ ...figure, value }) : `| ${figure.case} | ${value} | ${figure.unit} |`
    process.stdout.write(`${line}\n`)
  }
}
