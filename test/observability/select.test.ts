import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FilterRule, FilterRules } from '../../src/observability/destination.ts'
import { passes, readsContent } from '../../src/observability/filter.ts'
import { destinationsFor, isSampled, viewTrace, wantContent } from '../../src/observability/select.ts'
import { toSpanIds } from '../../src/observability/span-ids.ts'
import { hash32 } from '../../src/text/hash.ts'
import { check } from '../property.ts'
import { destinationOf, traceOf, uuid, WORKSPACE } from './samples.ts'

const TRACE = traceOf()
const rulesOf = (...groups: FilterRules['groups']): FilterRules => ({ enabled: true, groups })
const passesBy = (rule: FilterRule, trace = TRACE): boolean => passes(rulesOf({ logic: 'and', rules: [rule] }), trace)

describe('a filter rule', () => {
  it.each([
    ['model', 'equals', 'parrot-1-2026', true],
    ['model', 'equals', 'parrot-1', false],
    ['model', 'not_equals', 'parrot-1', true],
    // Callers write `<vendor>/<model>`, and an answer has its model in that form.
    ['model', 'equals', 'mistral/parrot-1', true],
    ['model', 'equals', 'mistral/parrot-1-2026', true],
    ['model', 'starts_with', 'mistral/', true],
    ['model', 'regex', '^mistral/parrot', true],
    ['model', 'equals', 'another/parrot-1', false],
    ['model', 'not_equals', 'mistral/parrot-1', false],
    ['model', 'not_equals', 'parrot-1-2026', false],
    ['model', 'not_contains', 'mistral', false],
    ['model', 'exists', undefined, true],
    ['provider', 'contains', 'stra', true],
    ['provider', 'not_contains', 'stra', false],
    ['session_id', 'regex', '^session-\\d$', true],
    ['user_id', 'starts_with', 'ad', true],
    ['user_id', 'ends_with', 'ad', false],
    ['api_key_name', 'equals', 'team/blue', true],
    ['finish_reason', 'equals', 'tool_calls', true],
    ['input', 'contains', 'Oslo', true],
    ['output', 'contains', 'Let me see', true],
    ['total_tokens', 'gt', 17, true],
    ['total_tokens', 'gt', 18, false],
    ['total_tokens', 'gte', '18', true],
    ['prompt_tokens', 'lt', 11, false],
    ['prompt_tokens', 'lte', 11, true],
    ['completion_tokens', 'equals', '7', true],
    ['total_cost', 'exists', undefined, false],
    ['total_cost', 'not_exists', undefined, true],
    ['total_cost', 'lt', 5, false],
    ['total_cost', 'not_equals', 5, true],
    ['user_id', 'exists', undefined, true],
  ] as const)('%s %s %j has the result %s', (field, operator, value, expected) => {
    expect(passesBy({ field, operator, value })).toBe(expected)
  })

  it('about cost compares the price that the upstream reports', () => {
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cached_tokens: null, reasoning_tokens: null }
    const priced = traceOf({ usage: { ...usage, cost: 0.25 } })
    expect(passesBy({ field: 'total_cost', operator: 'exists', value: undefined }, priced)).toBe(true)
    expect(passesBy({ field: 'total_cost', operator: 'gt', value: 0.2 }, priced)).toBe(true)
    expect(passesBy({ field: 'total_cost', operator: 'gt', value: 0.25 }, priced)).toBe(false)
  })

  it('about content does not match if the trace has no content', () => {
    const hidden = traceOf({ content: null })
    expect(passesBy({ field: 'input', operator: 'contains', value: 'Oslo' }, hidden)).toBe(false)
    expect(passesBy({ field: 'input', operator: 'not_contains', value: 'Oslo' }, hidden)).toBe(true)
  })
})

describe('filter rules', () => {
  const yes: FilterRule = { field: 'user_id', operator: 'exists' }
  const no: FilterRule = { field: 'user_id', operator: 'not_exists' }

  it.each([
    ['no rules at all', null, true],
    ['no groups', rulesOf(), true],
    ['a group without rules', rulesOf({ logic: 'or', rules: [] }), true],
    ['every rule of and', rulesOf({ logic: 'and', rules: [yes, yes] }), true],
    ['all but one rule of and', rulesOf({ logic: 'and', rules: [yes, no] }), false],
    ['one rule of or', rulesOf({ logic: 'or', rules: [no, yes] }), true],
    ['no rule of or', rulesOf({ logic: 'or', rules: [no, no] }), false],
    ['every group', rulesOf({ logic: 'and', rules: [yes] }, { logic: 'or', rules: [no, yes] }), true],
    ['one group missing', rulesOf({ logic: 'and', rules: [yes] }, { logic: 'and', rules: [no] }), false],
    ['switched off', { enabled: false, groups: [{ logic: 'and' as const, rules: [no] }] }, true],
  ])('let a trace pass or not by their groups: %s', (_, rules, expected) => {
    expect(passes(rules, TRACE)).toBe(expected)
  })

  it('report whether they need the content of a trace', () => {
    const rules = rulesOf({ logic: 'and', rules: [{ field: 'output', operator: 'exists' }] })
    expect(readsContent(rules)).toBe(true)
    expect(readsContent({ ...rules, enabled: false })).toBe(false)
    expect(readsContent(rulesOf({ logic: 'and', rules: [yes] }))).toBe(false)
  })
})

describe('sampling', () => {
  it('selects about its share of regular session ids', () => {
    for (const rate of [0.0001, 0.01, 0.25, 0.5, 0.99]) {
      const taken = Array.from({ length: 100_000 }, (_, n) => `session-${n}`).filter((word) =>
        isSampled(rate, word),
      ).length
      const spread = 5 * Math.sqrt(100_000 * rate * (1 - rate))
      expect(Math.abs(taken - rate * 100_000)).toBeLessThan(spread)
    }
  })

  it('selects everything at 1, is stable, and a greater rate includes every choice of a smaller one', () => {
    check(
      fc.property(fc.string(), fc.double({ min: 0.0001, max: 1, noNaN: true }), (word, rate) => {
        expect(isSampled(1, word)).toBe(true)
        if (isSampled(rate, word)) expect(isSampled(Math.min(1, rate * 2), word)).toBe(true)
      }),
    )
    expect(hash32('session-1')).toBe(hash32('session-1'))
    expect(hash32('session-1')).not.toBe(hash32('session-1', 1))
  })

  it('depends on the session, or on the trace if there is no session', () => {
    const half = destinationOf('webhook', { sampling_rate: 0.5 })
    const views = (sessionId: string | null) =>
      Array.from({ length: 40 }, (_, n) =>
        viewTrace(half, traceOf({ sessionId, traceId: (n + 1).toString(16).padStart(32, '0') })),
      ).filter((view) => view !== null).length
    expect([0, 40]).toContain(views('one'))
    expect([0, 40]).not.toContain(views(null))
  })
})

describe('a destination', () => {
  const traffic = { workspaceId: WORKSPACE, keyHash: 'a'.repeat(64) }

  it('receives the traces of its workspace and keys while it is enabled', () => {
    const all = [
      destinationOf('webhook'),
      destinationOf('opik', { enabled: false }),
      destinationOf('weave', { workspace_id: uuid(5) }),
      destinationOf('s3', { api_key_hashes: ['b'.repeat(64)] }),
      destinationOf('sentry', { api_key_hashes: ['b'.repeat(64), 'a'.repeat(64)] }),
    ]
    expect(destinationsFor(all, traffic).map(({ type }) => type)).toEqual(['webhook', 'sentry'])
  })

  it('in privacy mode receives no content, but may filter by it', () => {
    const filter_rules = rulesOf({ logic: 'and', rules: [{ field: 'input', operator: 'contains', value: 'Oslo' }] })
    const secret = destinationOf('webhook', { privacy_mode: true, filter_rules })
    const named = traceOf({ name: 'my diagnosis', user: 'ada', sessionId: 's-1', metadata: { topic: 'my diagnosis' } })
    const texts = { content: null, user: null, sessionId: null, metadata: {} }
    expect(viewTrace(secret, named)).toEqual({ ...named, ...texts, name: `chat ${named.requestModel}` })
    expect(viewTrace(secret, traceOf({ content: { instructions: null, input: [], output: [] } }))).toBeNull()
    expect(wantContent([secret])).toBe(true)
    expect(wantContent([{ ...secret, filter_rules: null }])).toBe(false)
    expect(wantContent([destinationOf('webhook')])).toBe(true)
    expect(wantContent([])).toBe(false)
  })
})

describe('the ids of a span', () => {
  const random = '1234567890abcdef'.repeat(3)
  const unset = { traceId: null, parentSpanId: null, traceparent: null }
  const header = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

  it.each([
    ['no id', unset, '1234567890abcdef1234567890abcdef', null],
    ['a header', { ...unset, traceparent: header }, '0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'],
    [
      'a header of zeros',
      { ...unset, traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
      '1234567890abcdef1234567890abcdef',
      null,
    ],
    ['a uuid', { ...unset, traceId: '0AF76519-16cd-43dd-8448-eb211c80319c' }, '0af7651916cd43dd8448eb211c80319c', null],
    [
      'the body before the header',
      { traceId: 'f'.repeat(32), parentSpanId: 'e'.repeat(16), traceparent: header },
      'f'.repeat(32),
      'e'.repeat(16),
    ],
    ['an invalid parent', { ...unset, parentSpanId: 'mother' }, '1234567890abcdef1234567890abcdef', null],
  ])('are derived from the request: %s', (_, ancestry, traceId, parentSpanId) => {
    expect(toSpanIds(ancestry, random)).toEqual({ traceId, spanId: '1234567890abcdef', parentSpanId })
  })

  it('are well-formed for every text, and the same for the same text', () => {
    check(
      fc.property(fc.string({ minLength: 1 }), (word) => {
        const { traceId } = toSpanIds({ ...unset, traceId: word }, random)
        expect(traceId).toMatch(/^[0-9a-f]{32}$/)
        expect(toSpanIds({ ...unset, traceId: word }, 'f'.repeat(48)).traceId).toBe(traceId)
      }),
    )
  })
})
