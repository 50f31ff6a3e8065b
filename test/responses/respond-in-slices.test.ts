import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { respondInSlices } from '../../src/engine/in-slices.ts'
import type { LongStep, Machine } from '../../src/machine/machine.ts'
import { run } from '../../src/machine/run.ts'
import type { Citation, Delta } from '../../src/protocol/delta.ts'
import type { Event } from '../../src/protocol/event.ts'
import { CITATIONS } from '../../src/responses/apply-citations.ts'
import { toRespondContext } from '../../src/responses/capabilities.ts'
import { HOSTED_ITEMS } from '../../src/responses/hosted-tools.ts'
import { respond } from '../../src/responses/respond.ts'
import type { RespondState } from '../../src/responses/state.ts'
import { headOf } from '../engine/run-engine.ts'
import { check } from '../property.ts'

type Hub = Machine<RespondState, Delta, Event>

const seal = (payload: unknown): string => JSON.stringify(payload)
const hub: Hub = respond(headOf('x'), DIALECTS.openai, seal, seal)
const sliced: Hub = respondInSlices(
  headOf('x'),
  toRespondContext(DIALECTS.openai, { seal, sealOwn: seal }, false, CITATIONS, HOSTED_ITEMS),
)

const text = (content: string, key = 'm'): Delta => ({ kind: 'text', key, part: '', text: content, logprobs: null })
const cite = (citation: Partial<Citation>, key = 'm'): Delta => ({
  kind: 'citation',
  key,
  part: '',
  citation: { url: 'https://a.example/', title: null, content: null, span: null, marker: null, ...citation },
})
const REASONING: Delta = { kind: 'reasoning', key: 'r', part: '', text: 'x', logprobs: null }
const CALL: Delta = { kind: 'call', key: 'c', type: 'function_call', callId: 'c', name: 'look', arguments: '' }
const FINISH: Delta = { kind: 'finish', reason: 'stop' }

const WORDS = Array.from({ length: 20_000 }, (_, i) => `word${i} `).join('')

/** Creates citations whose quotes are elsewhere than their spans. Only the whole text determines their positions. */
const quotes = (count: number): readonly Delta[] =>
  Array.from({ length: count }, (_, i) =>
    cite({ span: { start: i, end: i + 2, unit: 'utf16' }, quote: WORDS.slice(i * 40 + 3, i * 40 + 20) }),
  )

interface Emitted {
  readonly events: readonly Event[]
  /** The deltas that were applied in slices, and the end, each with its number of pauses. */
  readonly pauses: readonly (readonly [of: Delta['kind'] | 'end', count: number])[]
}

function follow<State>(
  long: LongStep<State, Event>,
  events: Event[],
): { readonly state: State; readonly count: number } {
  for (let count = 0; ; ) {
    const { done, value } = long.next()
    if (done === true) return { state: value, count }
    if (value === null) count += 1
    else events.push(value)
  }
}

/**
 * Applies the deltas in slices wherever the reducer offers them. Serialises and parses the state after each long step.
 */
function inSlices(deltas: readonly Delta[]): Emitted {
  const events: Event[] = []
  const pauses: (readonly [of: Delta['kind'] | 'end', count: number])[] = []
  let now = sliced.initial
  for (const delta of deltas) {
    const long = sliced.stepInSlices?.(now, delta) ?? null
    if (long === null) {
      const step = sliced.step(now, delta)
      now = step.state
      events.push(...step.events)
      continue
    }
    const { state, count } = follow(long, events)
    now = JSON.parse(JSON.stringify(state))
    pauses.push([delta.kind, count])
  }
  const long = sliced.endInSlices?.(now) ?? null
  if (long === null) events.push(...sliced.end(now))
  else pauses.push(['end', follow(long, events).count])
  return { events, pauses }
}

describe('the reducer in slices', () => {
  it.each<readonly [string, readonly Delta[], Delta['kind'] | 'end']>([
    ['the answer', [], 'end'],
    ['another item', [REASONING], 'reasoning'],
    ['a call whose name is complete', [CALL, { kind: 'stop', key: 'c' }], 'stop'],
    ['the item', [{ kind: 'stop', key: 'm' }], 'stop'],
    ['another part', [{ ...text('b'), part: 'p' } as Delta], 'text'],
  ])('places waiting citations in slices when %s ends their text', (_, ending, kind) => {
    const deltas = [text(WORDS), ...quotes(200), ...ending, FINISH]
    const { events, pauses } = inSlices(deltas)
    expect(events).toEqual(run(hub, deltas))
    const placing = pauses.filter(([of]) => of !== 'citation')
    expect(placing.map(([of]) => of)).toEqual([kind])
    expect(placing[0]?.[1]).toBeGreaterThan(10)
  })

  it('measures a long text in slices for its first citation, and only once', () => {
    const spans = [0, 10, 20].map((start) => cite({ span: { start, end: start + 5, unit: 'utf8' } }))
    const deltas = [text(WORDS), ...spans, text('more'), ...spans, FINISH]
    const { events, pauses } = inSlices(deltas)
    expect(events).toEqual(run(hub, deltas))
    expect(pauses.map(([of]) => of)).toEqual(['citation'])
    expect(pauses[0]?.[1]).toBeGreaterThan(5)
  })

  it('does not repeat work while a text continues', () => {
    const deltas = [text('first'), ...quotes(100), ...Array.from({ length: 50 }, () => text('more')), FINISH]
    expect(inSlices(deltas).pauses.map(([of]) => of)).toEqual(['end'])
  })

  it('produces the same events as the reducer without slices for any deltas', () => {
    const key = fc.constantFrom('m', 'n')
    const delta: fc.Arbitrary<readonly Delta[]> = fc.oneof(
      fc.tuple(fc.constantFrom('a[1] ', 'b', '😀'), key).map(([words, of]) => [text(words, of)]),
      fc
        .record({ quote: fc.constantFrom('a', 'b', 'c'), start: fc.nat(9), count: fc.constantFrom(1, 40), key })
        .map(({ quote, start, count, key: of }) =>
          Array.from({ length: count }, () => cite({ quote, span: { start, end: start + 2, unit: 'utf8' } }, of)),
        ),
      fc.constantFrom(40, 1).map((count) => Array.from({ length: count }, () => cite({ marker: '[1]' }))),
      key.map((of): readonly Delta[] => [{ kind: 'stop', key: of }]),
      key.map((of): readonly Delta[] => [{ kind: 'hold', key: of }]),
      fc.constantFrom<readonly Delta[]>([REASONING], [CALL], [FINISH], [{ kind: 'mark', key: 'm' }]),
    )
    check(
      fc.property(fc.array(delta, { maxLength: 12 }), (lists) => {
        const deltas = lists.flat()
        expect(inSlices(deltas).events).toEqual(run(hub, deltas))
      }),
      300,
    )
  })
})
