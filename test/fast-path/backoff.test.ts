import { describe, expect, it } from 'vitest'
import { LearningBackoff } from '../../src/fast-path/backoff.ts'
import type { ActivePart } from '../../src/responses/state.ts'

const run = {} as ActivePart
const other = {} as ActivePart

/** Returns the chunks that are compared with their predecessor. The comparison itself is not tested here. */
const compared = (
  lookout: LearningBackoff,
  chunks: readonly string[],
  live: ActivePart | null = run,
): readonly string[] => chunks.filter((chunk) => lookout.observe(chunk, live, false) !== '')

describe('the backoff of learning a template', () => {
  it('compares chunks from the fourth chunk of a part on', () => {
    const lookout = new LearningBackoff(0)
    expect(compared(lookout, ['a', 'b', 'c', 'd', 'e'])).toEqual(['d', 'e'])
    expect(compared(lookout, ['f', 'g', 'h', 'i'], other)).toEqual(['i'])
  })

  it('compares only consecutive chunks that have text', () => {
    const lookout = new LearningBackoff(0)
    compared(lookout, ['a', 'b', 'c', 'd'])
    expect(lookout.observe('e', run, false)).toBe('d')
    expect(lookout.observe('f', run, true)).toBe('')
    expect(lookout.observe('g', run, false)).toBe('f')
    expect(lookout.observe('', run, false)).toBe('')
    expect(lookout.observe('h', run, false)).toBe('')
    lookout.miss(1, run)
    expect(lookout.observe('i', run, false)).toBe('')
    expect(lookout.observe('j', run, false)).toBe('i')
  })

  it('leaves out the first chunks of each part, and all before it, if it has patience', () => {
    const lookout = new LearningBackoff(3)
    expect(lookout.wait).toBe(3)
    lookout.miss(2, null)
    lookout.miss(1, run)
    expect([lookout.wait, lookout.length]).toEqual([2, 1])
    lookout.miss(2, run)
    expect([lookout.wait, lookout.length]).toEqual([0, 3])
    expect(compared(lookout, ['a', 'b', 'c'])).toEqual(['b', 'c'])
    lookout.observe('d', other, false)
    expect([lookout.wait, lookout.length]).toEqual([2, 1])
  })

  it('waits longer after each failure, and resets after a template that paid off', () => {
    const lookout = new LearningBackoff(0)
    const waits = Array.from({ length: 8 }, () => {
      lookout.fail()
      return lookout.wait
    })
    expect(waits).toEqual([0, 3, 15, 63, 255, 1023, 1023, 1023])
    compared(lookout, ['a', 'b', 'c', 'd'])
    expect(compared(lookout, ['e', 'f'])).toEqual([])
    lookout.miss(1023, run)
    expect(compared(lookout, ['g', 'h'])).toEqual(['h'])
    lookout.worth = 24
    lookout.fail()
    expect(lookout.wait).toBe(0)
    lookout.worth = 23
    lookout.fail()
    lookout.fail()
    expect(lookout.wait).toBe(3)
  })
})
