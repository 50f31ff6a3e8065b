import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byField } from '../../src/validation/by-field.ts'
import type { History } from '../../src/validation/items.ts'
import { bodyOf } from '../../src/validation/request.ts'
import { BODIES, familiar, mutated } from '../arbitraries/bodies.ts'
import { check } from '../property.ts'

const HISTORIES: readonly History[] = ['lenient', 'strict']

describe.each(HISTORIES)('a %s body, read field by field', (history) => {
  const schema = bodyOf(history)
  const read = byField(schema, [])

  /** What the whole schema makes of it; both make nothing of the same bodies. */
  const told = (value: unknown): boolean => {
    const whole = schema.safeParse(value)
    const fields = read(value)
    expect(fields).toEqual(whole.success ? whole.data : null)
    if (fields !== null) expect(Object.keys(fields)).toEqual(Object.keys(whole.data ?? {}))
    return whole.success
  }

  it('is what the schema makes of it', () => {
    const right = BODIES.filter(told)
    expect(right.length).toBeGreaterThan(BODIES.length / 3)
    for (const value of [undefined, null, [], 'a', 1, {}, { model: 'm' }, { model: '', input: 'a' }]) {
      expect(told(value)).toBe(false)
    }
  })

  it('without the fields that are only checked', () => {
    const short = byField(schema, ['store', 'stream'])
    const body = { model: 'm', input: 'a', store: false, stream: true }
    const { store, stream, ...rest } = read(body) ?? {}
    expect([store, stream]).toEqual([false, true])
    expect(short(body)).toEqual(rest)
    expect(short({ ...body, store: true })).toBeNull()
    expect(short({ ...body, stream: 1 })).toBeNull()
  })

  it('and so are bodies with a few places changed, and any JSON', () => {
    const counts = { right: 0, wrong: 0 }
    check(
      fc.property(mutated, (value) => {
        counts[told(value) ? 'right' : 'wrong'] += 1
      }),
      4_000,
    )
    if (history === 'lenient') expect(counts.right).toBeGreaterThan(100)
    expect(counts.wrong).toBeGreaterThan(100)
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(schema.shape)), familiar, { maxKeys: 4 })
    check(
      fc.property(fields, (some) => void told({ model: 'm', input: 'a', ...some })),
      2_000,
    )
    check(
      fc.property(fc.jsonValue(), (value) => void told(value)),
      1_000,
    )
  })
})
