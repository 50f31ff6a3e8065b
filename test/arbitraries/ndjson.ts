import fc from 'fast-check'

export interface Formatting {
  readonly eol: '\n' | '\r\n'
  readonly bom: boolean
  readonly blanks: boolean
  /** Whether the last line has a line end. */
  readonly closed: boolean
}

/** Every way to write the same lines. */
export const formattings: fc.Arbitrary<Formatting> = fc.record({
  eol: fc.constantFrom('\n', '\n', '\r\n'),
  bom: fc.boolean(),
  blanks: fc.boolean(),
  closed: fc.boolean(),
})

export function toNdjson(payloads: readonly string[], { eol, bom, blanks, closed }: Formatting): string {
  const lines = payloads.join(blanks ? `${eol} ${eol}${eol}` : eol)
  return `${bom ? '\ufeff' : ''}${lines}${closed ? eol : ''}`
}
