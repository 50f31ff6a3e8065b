import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BODIES, familiar } from '../arbitraries/bodies.ts'
import { check } from '../property.ts'
import { requestOf } from '../request-bodies.ts'
import { answerTo, RUNS, timeout } from './answer-to.ts'

const FIELDS = Object.keys(requestOf())
const body = (value: unknown): string => JSON.stringify(value) ?? ''

describe('any body gives a request or a refusal with its path', { timeout }, () => {
  it('tests 100,000 bodies, and accepts the valid examples', () => {
    expect(Object.values(RUNS).reduce((sum, runs) => sum + runs)).toBe(100_000)
    for (const right of BODIES) expect(answerTo(body(right))).toBe('accepted')
  })

  it('holds for any JSON value', () => {
    check(
      fc.property(fc.jsonValue(), (value) => void answerTo(body(value))),
      RUNS.random,
    )
  })

  it('holds for known fields with values that the schemas contain', () => {
    const fields = fc.dictionary(fc.constantFrom(...FIELDS, 'store', 'prompt'), familiar, { maxKeys: 5 })
    check(
      fc.property(fields, (some) => void answerTo(body({ model: 'm', input: 'a', ...some }))),
      RUNS.familiar,
    )
  })

  it('holds for items, parts and tools with values that the schemas contain', () => {
    const places = [
      (value: unknown) => ({ model: 'm', input: [value] }),
      (value: unknown) => ({ model: 'm', input: [{ role: 'user', content: [value] }] }),
      (value: unknown) => ({ model: 'm', input: 'a', tools: [value], tool_choice: value }),
    ]
    check(
      fc.property(fc.constantFrom(...places), familiar, (put, value) => void answerTo(body(put(value)))),
      RUNS.items,
    )
  })
})
