import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { feed, run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { Item } from '../../src/protocol/item.ts'
import { respond } from '../../src/responses/respond.ts'
import { deltas } from '../arbitraries/deltas.ts'
import { headOf } from '../engine/run-engine.ts'
import { check } from '../property.ts'

const HEAD = headOf('x')
const hub = respond(HEAD, openai)
const plain = respond(HEAD, { ...openai, infersPhases: false })

const text = (key: string): Delta => ({ kind: 'text', key, part: '', text: key, logprobs: null })
const stop = (key: string): Delta => ({ kind: 'stop', key })
const call = (args = '{}'): Delta => ({
  kind: 'call',
  key: 'call',
  type: 'function_call',
  callId: 'c',
  name: 'f',
  arguments: args,
})
const sealed: Delta = { kind: 'opaque', key: 'signature', payload: 'x' }
const reasoning: Delta = { kind: 'summary', key: 'more', part: '', text: 'Hm.', logprobs: null }
const hosted = (type: 'web_search_call' | 'shell_call', done: boolean): Delta => ({
  kind: 'hosted',
  key: type,
  item: { type, id: '', status: 'completed', fields: {} },
  done,
})
const finish = (reason: 'stop' | 'max_output_tokens' = 'stop'): Delta => ({ kind: 'finish', reason })

const doneItems = (events: readonly Event[]): readonly Item[] =>
  events
    .filter((event) => event.type === 'output_item.done')
    .sort((one, other) => one.output_index - other.output_index)
    .map(({ item }) => item)

const responseOf = (events: readonly Event[]) => {
  const last = events.at(-1)
  return last !== undefined && 'response' in last ? last.response : expect.unreachable()
}

/** The phases of the messages in `output_item.done`, and the same in the whole answer. */
function phasesOf(...list: readonly Delta[]): readonly (string | null)[] {
  const events = run(hub, list)
  const { output } = responseOf(events)
  expect(doneItems(events)).toEqual(output)
  return output.flatMap((item) => (item.type === 'message' ? [item.phase ?? null] : []))
}

const COMMENTARY = ['commentary']
const ANSWER = ['final_answer']

describe('the phases of messages, for an upstream that reports none', () => {
  it.each<[string, readonly (string | null)[], readonly Delta[]]>([
    ['the only text', ANSWER, [text('a'), finish()]],
    ['a text that its upstream has ended', ANSWER, [text('a'), stop('a'), finish()]],
    ['a text that a limit cut', ANSWER, [text('a'), finish('max_output_tokens')]],
    ['a text before a call', COMMENTARY, [text('a'), call(), finish()]],
    ['a text that has ended before a call', COMMENTARY, [text('a'), stop('a'), call(), finish()]],
    ['a text before a signed call', COMMENTARY, [text('a'), stop('a'), sealed, call(), finish()]],
    ['a text before a call of a tool of the client', COMMENTARY, [text('a'), hosted('shell_call', true), finish()]],
    ['a text before a call without arguments', COMMENTARY, [text('a'), stop('a'), call(''), finish()]],
    ['a text after a call', ANSWER, [call(), text('a'), finish()]],
    ['a held text before a call', COMMENTARY, [text('a'), { kind: 'hold', key: 'a' }, call(), stop('a'), finish()]],
    ['two texts', ['commentary', 'final_answer'], [text('a'), text('b'), finish()]],
    ['a text before more reasoning', COMMENTARY, [text('a'), reasoning, finish()]],
    ['a text before its signature', ANSWER, [text('a'), sealed, finish()]],
    ['a text before its sources', ANSWER, [text('a'), hosted('web_search_call', true), finish()]],
    ['a text before a search', COMMENTARY, [text('a'), hosted('web_search_call', false), finish()]],
    ['a text of an answer that failed', [null], [text('a'), stop('a')]],
    ['a text before a call of an answer that failed', COMMENTARY, [text('a'), call()]],
    [
      'a text beside a call that is still open',
      COMMENTARY,
      [call('{"x":'), text('a'), stop('a'), { ...call('1}'), name: null } as Delta, finish()],
    ],
  ])('are decided by what follows: %s', (_, phases, list) => expect(phasesOf(...list)).toEqual(phases))

  it('keep the phase that an upstream reports', () => {
    const list: readonly Delta[] = [{ kind: 'phase', key: 'a', phase: 'other' }, text('a'), call(), finish()]
    expect(phasesOf(...list)).toEqual(['other'])
    const own = respond(HEAD, openai, undefined, undefined, true)
    expect(responseOf(run(own, [text('a'), finish()])).output[0]).not.toHaveProperty('phase')
  })

  it('delay the end of a message and what follows it, until the model goes on', () => {
    const { state, events } = feed(hub, hub.initial, [text('a'), stop('a'), sealed])
    expect(events.at(-1)?.type).toBe('content_part.done')
    const next = hub.step(state, reasoning).events
    expect(next.map(({ type }) => type)).toEqual([
      'output_item.done',
      'output_item.added',
      'output_item.done',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
    ])
  })

  it('change nothing but the phases, for any deltas and after any step', () => {
    check(
      fc.property(deltas, fc.nat(24), (list, at) => {
        const { state, events } = feed(hub, hub.initial, list.slice(0, at))
        const stored = JSON.parse(JSON.stringify(state)) as typeof state
        const rest = feed(hub, stored, list.slice(at))
        const inferred = [...events, ...rest.events, ...hub.end(rest.state)]
        expect(inferred).toEqual(run(hub, list))
        const reported = new Set(list.flatMap((delta) => (delta.kind === 'phase' ? [delta.phase] : [])))
        const without = (all: readonly Event[]) =>
          JSON.parse(JSON.stringify(all, (key, value) => (key === 'phase' && !reported.has(value) ? undefined : value)))
        if (!reported.has('commentary') && !reported.has('final_answer')) {
          expect(without(inferred)).toEqual(JSON.parse(JSON.stringify(run(plain, list))))
        }
        const response = responseOf(inferred)
        expect(doneItems(inferred)).toEqual(response.output)
        if (response.status === 'failed') return
        expect(response.output.every((item) => item.type !== 'message' || item.phase !== undefined)).toBe(true)
      }),
      2000,
    )
  })
})
