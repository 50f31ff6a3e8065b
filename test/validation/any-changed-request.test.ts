import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { corruptedBodies, mutated } from '../arbitraries/bodies.ts'
import { check, runsOf } from '../property.ts'
import { answerTo, RUNS, timeout } from './answer-to.ts'

/** The other half of `any-body.test.ts`, which is too long for one process. */

describe('any changed request gives a request or a refusal with its path', { timeout }, () => {
  it('holds for valid requests with a few changed values, many of them still valid', () => {
    const counts = { accepted: 0, refused: 0 }
    check(
      fc.property(mutated, (value) => {
        counts[answerTo(JSON.stringify(value))] += 1
      }),
      RUNS.mutated,
    )
    expect(counts.accepted).toBeGreaterThan(runsOf(RUNS.mutated) / 20)
    expect(counts.refused).toBeGreaterThan(runsOf(RUNS.mutated) / 20)
  })

  it('holds for valid requests with a few changed characters', () => {
    check(
      fc.property(corruptedBodies, (text) => void answerTo(text)),
      RUNS.garbled,
    )
  })
})
