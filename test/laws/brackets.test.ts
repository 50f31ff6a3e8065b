import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkEvents } from '../../src/conformance/check.ts'
import { beta } from '../../src/dialects/beta.ts'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai, openaiReasoningText } from '../../src/dialects/openai.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { Event } from '../../src/protocol/event.ts'
import { respond } from '../../src/responses/respond.ts'
import { deltas } from '../arbitraries/deltas.ts'
import { OWN_EVENTS } from '../conformance/own-events.ts'
import { write } from '../engine/run-dialect.ts'
import { headOf } from '../engine/run-engine.ts'
import { check, expectEqual, expectNone, expectSame } from '../property.ts'

/** Law 1: any sequence of deltas gives a well-bracketed stream. */

const HEAD = headOf('x')
const DIALECTS = [
  ['beta', beta],
  ['openai', openai],
  ['openai with raw reasoning', openaiReasoningText],
] as const

const toReceived = (events: readonly Event[]) => events.map((event) => ({ type: event.type, fields: { ...event } }))

/** Joins the deltas of each item and part. */
function joined(events: readonly Event[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const event of events) {
    if (!('delta' in event)) continue
    const address = addressOf(event)
    texts[address] = (texts[address] ?? '') + event.delta
  }
  return texts
}

function addressOf(event: Extract<Event, { item_id: string }>): string {
  const index = 'content_index' in event ? event.content_index : 'summary_index' in event ? event.summary_index : 0
  return `${event.type.split('.')[0]} ${event.item_id} ${index}`
}

/** Collects the texts of the `done` events under the same addresses. */
function whole(events: readonly Event[]): Readonly<Record<string, string>> {
  const texts = events.flatMap((event): readonly (readonly [string, string])[] => {
    switch (event.type) {
      case 'output_text.done':
      case 'reasoning_text.done':
      case 'reasoning_summary_text.done':
        return [[addressOf(event), event.text]]
      case 'refusal.done':
        return [[addressOf(event), event.refusal]]
      case 'function_call_arguments.done':
        return [[addressOf(event), event.arguments]]
      case 'custom_tool_call_input.done':
        return [[addressOf(event), event.input]]
      default:
        return []
    }
  })
  return Object.fromEntries(texts)
}

/** A final value repeats what its deltas have, or adds what they lack: `test/responses/final-values.test.ts`. */
const withoutFinals = (list: readonly Delta[]) => list.filter(({ kind }) => kind !== 'final')

const withoutEmpty = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))

describe.each(DIALECTS)('law 1, random deltas: %s', (_, dialect) => {
  const hub = respond(HEAD, dialect)

  it('produces well-bracketed events for any deltas', () => {
    check(
      fc.property(deltas, (list) => {
        expectNone(run(checkEvents(OWN_EVENTS), toReceived(run(hub, list))))
      }),
      2000,
    )
  })

  it('writes a stream without violations of the dialect', () => {
    check(
      fc.property(deltas, (list) => {
        expectNone(checkStream(run(write(dialect), run(hub, list)).join(''), dialect))
      }),
      2000,
    )
  })

  it('repeats the joined deltas in the done events, and the finished items in the terminal output', () => {
    check(
      fc.property(deltas, (list) => {
        const events = run(hub, list)
        expectEqual(withoutEmpty(whole(events)), withoutEmpty(joined(events)))
        const items = events.flatMap((event) => (event.type === 'output_item.done' ? [event] : []))
        const closing = events.at(-1)
        expect(['completed', 'incomplete', 'failed']).toContain(closing?.type)
        expectEqual(
          closing !== undefined && 'response' in closing ? closing.response.output : null,
          items.toSorted((a, b) => a.output_index - b.output_index).map(({ item }) => item),
        )
      }),
      2000,
    )
  })

  it('keeps all text, reasoning, summary and refusal deltas', () => {
    check(
      fc.property(deltas.map(withoutFinals), (list) => {
        const events = run(hub, list)
        const text = (types: readonly string[]) =>
          events.flatMap((event) => ('delta' in event && types.includes(event.type) ? [event.delta] : [])).join('')
        const textOf = (kinds: readonly string[]) =>
          list.flatMap((delta) => ('text' in delta && kinds.includes(delta.kind) ? [delta.text] : [])).join('')
        expectSame(text(['output_text.delta', 'refusal.delta']), textOf(['text', 'refusal']))
        expectSame(text(['reasoning_text.delta', 'reasoning_summary_text.delta']), textOf(['reasoning', 'summary']))
      }),
      2000,
    )
  })
})
