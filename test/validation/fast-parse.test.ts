import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { runSteps } from '../../src/text/steps.ts'
import { bodyOf } from '../../src/validation/body-schema.ts'
import { FIRST_FAULT, fastParse, type LooseReader } from '../../src/validation/fast-parse.ts'
import { describeIssue as inWords } from '../../src/validation/issues.ts'
import type { History } from '../../src/validation/items.ts'
import { quickReaders } from '../../src/validation/quick-fields.ts'
import { BODIES, familiar, mutated } from '../arbitraries/bodies.ts'
import { check, runsOf } from '../property.ts'

const HISTORIES: readonly History[] = ['lenient', 'strict']

const firstOf = (error: z.ZodError | undefined): readonly unknown[] => {
  const [issue] = error?.issues ?? []
  return [issue?.path, issue?.message]
}

describe.each(HISTORIES)('a %s body validated field by field', (history) => {
  const schema = bodyOf(history)
  const LISTS = ['input', 'tools'] as const
  const read = fastParse(schema, [], LISTS, quickReaders(history))

  /** Compares the result with that of the whole schema. Both reject the same bodies. */
  const isAccepted = (value: unknown): boolean => {
    const whole = schema.safeParse(value, { error: inWords })
    const found = runSteps(read(value))
    if (!found.ok) expect([found.fault.path, found.fault.message]).toEqual(firstOf(whole.error))
    else {
      expect(found.fields).toEqual(whole.data)
      expect(Object.keys(found.fields)).toEqual(Object.keys(whole.data ?? {}))
    }
    return whole.success
  }

  it('gives the same result as the whole schema', () => {
    const right = BODIES.filter(isAccepted)
    expect(right.length).toBeGreaterThan(BODIES.length / 3)
    for (const value of [undefined, null, [], 'a', 1, {}, { model: 'm' }, { model: '', input: 'a' }]) {
      expect(isAccepted(value)).toBe(false)
    }
  })

  it('omits the fields that are only checked', () => {
    const short = fastParse(schema, ['store', 'stream'], LISTS, quickReaders(history))
    const fieldsOf = (value: unknown) => {
      const found = runSteps(short(value))
      return found.ok ? found.fields : null
    }
    const body = { model: 'm', input: 'a', store: false, stream: true }
    const { store, stream, ...rest } = schema.parse(body)
    expect([store, stream]).toEqual([false, true])
    expect(fieldsOf(body)).toEqual(rest)
    expect(fieldsOf({ ...body, store: true })).toBeNull()
    expect(fieldsOf({ ...body, stream: 1 })).toBeNull()
  })

  it('gives the same result for bodies with changed values and for any JSON', () => {
    const counts = { right: 0, wrong: 0 }
    check(
      fc.property(mutated, (value) => {
        counts[isAccepted(value) ? 'right' : 'wrong'] += 1
      }),
      4_000,
    )
    if (history === 'lenient') expect(counts.right).toBeGreaterThan(runsOf(4000) / 40)
    expect(counts.wrong).toBeGreaterThan(runsOf(4000) / 40)
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(schema.shape)), familiar, { maxKeys: 4 })
    check(
      fc.property(fields, (some) => void isAccepted({ model: 'm', input: 'a', ...some })),
      2_000,
    )
    check(
      fc.property(fc.jsonValue(), (value) => void isAccepted(value)),
      1_000,
    )
  })

  it('reports a fault far down a long list at its own path', () => {
    const item = { role: 'user', content: 'a' }
    const long = (at: number, wrong: unknown) => Array.from({ length: 1300 }, (_, i) => (i === at ? wrong : item))
    for (const at of [0, 499, 500, 1299]) {
      const found = runSteps(read({ model: 'm', input: long(at, { role: 'nobody', content: 'a' }) }))
      expect(found.ok ? null : found.fault.path).toEqual(['input', at, 'role'])
    }
    const right = { model: 'm', input: long(700, { type: 'reasoning', summary: ['a'] }) }
    expect(runSteps(read(right))).toMatchObject({ ok: true, fields: schema.parse(right) })
  })

  it('creates one issue, however many faults a body has', () => {
    const parts = Array.from({ length: 1000 }, () => ({ type: 'nothing' }))
    const body = {
      model: 'm',
      input: [{ role: 'user', content: parts }, ...parts],
      tools: parts,
      metadata: { a: 1, b: 2 },
    }
    expect(schema.safeParse(body).error?.issues.length).toBeGreaterThan(1000)
    expect(schema.safeParse(body, FIRST_FAULT).error?.issues).toHaveLength(1)
  })
})

it('a value that a loose reader gives has no member if its field is only checked, or if it is undefined', () => {
  const given = new Map<string, unknown>([
    ['kept', 'k'],
    ['checked', 'c'],
  ])
  const loose: LooseReader = {
    *read(name) {
      yield
      return { data: given.get(name), skipped: [] }
    },
  }
  const field = z.string().optional()
  const schema = z.object({ kept: field, absent: field, checked: field })
  const read = fastParse(schema, ['checked'], [], {}, loose)
  expect(runSteps(read({ kept: 1, absent: 2, checked: 3 }))).toStrictEqual({
    ok: true,
    fields: { kept: 'k' },
    skipped: [],
  })
})
