import fc from 'fast-check'

export interface Lines {
  readonly eol: '\n' | '\r\n' | '\r'
  readonly bom: boolean
  readonly space: boolean
  readonly comments: boolean
  /** Whether the last frame ends with a blank line. */
  readonly closed: boolean
}

/** Every way to write the same frames. */
export const lines: fc.Arbitrary<Lines> = fc.record({
  eol: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  bom: fc.boolean(),
  space: fc.boolean(),
  comments: fc.boolean(),
  closed: fc.boolean(),
})

export function toSse(payloads: readonly string[], { eol, bom, space, comments, closed }: Lines): string {
  const frames = payloads.map((data) => {
    const lines = data.split(/\r\n|\r|\n/).map((line) => `data:${space ? ' ' : ''}${line}`)
    return `${comments ? `: ping${eol}` : ''}${lines.join(eol)}`
  })
  return `${bom ? '\ufeff' : ''}${frames.join(eol + eol)}${closed ? eol + eol : ''}`
}
