import { describe, expect, it } from 'vitest'
import { Lookout } from '../../src/fast-path/backoff.ts'
import type { Live } from '../../src/responses/state.ts'

const run = {} as Live
const other = {} as Live

/** Returns the chunks that are compared with their predecessor. The comparison itself is not tested here. */
const compared = (lookout: Lookout, chunks: readonly string[], live: Live | null = run): readonly string[] =>
  chunks.filter((chunk) => lookout.hear(chunk, live, false) !== '')

describe('the backoff of learning a template', () => {
  it('compares chunks from the fourth chunk of a part on', () => {
    const lookout = new Lookout()
    expect(compared(lookout, ['a', 'b', 'c', 'd', 'e'])).toEqual(['d', 'e'])
    expect(compared(lookout, ['f', 'g', 'h', 'i'], other)).toEqual(['i'])
  })

  it('compares only consecutive chunks that have text', () => {
    const lookout = new Lookout()
    compared(lookout, ['a', 'b', 'c', 'd'])
    expect(lookout.hear('e', run, false)).toBe('d')
    expect(lookout.hear('f', run, true)).toBe('')
    expect(lookout.hear('g', run, false)).toBe('f')
    expect(lookout.hear('', run, false)).toBe('')
    expect(lookout.hear('h', run, false)).toBe('')
    lookout.miss(1)
    expect(lookout.hear('i', run, false)).toBe('')
    expect(lookout.hear('j', run, false)).toBe('i')
  })

  it('waits longer after each failure, and resets after a template that paid off', () => {
    const lookout = new Lookout()
    const waits = Array.from({ length: 8 }, () => {
      lookout.lose()
      return lookout.wait
    })
    expect(waits).toEqual([0, 3, 15, 63, 255, 1023, 1023, 1023])
    compared(lookout, ['a', 'b', 'c', 'd'])
    expect(compared(lookout, ['e', 'f'])).toEqual([])
    lookout.miss(1023)
    expect(compared(lookout, ['g', 'h'])).toEqual(['h'])
    lookout.worth = 24
    lookout.lose()
    expect(lookout.wait).toBe(0)
    lookout.worth = 23
    lookout.lose()
    lookout.lose()
    expect(lookout.wait).toBe(3)
  })
})
