import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkEvents } from '../../src/conformance/check.ts'
import { ALL_EVENTS, EVENT_TABLE, type ReceivedType } from '../../src/conformance/event-table.ts'
import { RULES, type Rule } from '../../src/conformance/rules.ts'
import type { ReceivedEvent } from '../../src/conformance/state.ts'
import { feed, run } from '../../src/machine/run.ts'
import { check } from '../property.ts'
import { KINDS, type Kind, toEventList, toReceived } from '../responses/response-events.ts'
import { OWN_EVENTS } from './own-events.ts'

const machine = checkEvents(OWN_EVENTS)
const rulesOf = (events: readonly ReceivedEvent[]): readonly Rule[] => run(machine, events).map(({ rule }) => rule)

/** The fields of an event, for tests that break them. */
// biome-ignore lint/suspicious/noExplicitAny: tests break these fields in arbitrary ways
type Loose = any

const ALL: readonly Kind[] = ['reasoning', 'search', 'refused', 'call', 'custom', 'raw-reasoning']
/** The output indices of the items of these kinds. */
const [SEARCH, MESSAGE, CALL] = [1, 2, 3]

const find = (events: readonly ReceivedEvent[], type: string, nth = 0): number =>
  events.map((one, i) => [one.type, i] as const).filter(([name]) => name === type)[nth]?.[1] ?? -1

const at = (events: readonly ReceivedEvent[], type: string, nth = 0): Loose => events[find(events, type, nth)]?.fields
const last = (events: readonly ReceivedEvent[]): Loose => events.at(-1)?.fields
const copy = (events: ReceivedEvent[], from: number, to: number) =>
  events.splice(to, 0, structuredClone(events[from] as ReceivedEvent))
const move = (events: ReceivedEvent[], from: number, to: number) => events.splice(to, 0, ...events.splice(from, 1))
const rename = (events: ReceivedEvent[], type: string, name: string) =>
  events.splice(find(events, type), 1, { type: name as ReceivedType, fields: at(events, type) })

type Spoil = (events: ReceivedEvent[]) => unknown

/** One row for each way to break a rule. */
const SPOILT: readonly (readonly [rule: Rule, what: string, spoil: Spoil])[] = [
  ['event', 'an event of another vocabulary', (s) => rename(s, 'output_text.delta', 'toString')],
  ['columns', 'a delta that is missing', (s) => delete at(s, 'output_text.delta').delta],
  ['columns', 'an index that is a string', (s) => (at(s, 'output_text.delta').content_index = '0')],
  ['columns', 'a response that is a list', (s) => (last(s).response = [])],
  ['opening', 'no created', (s) => s.splice(0, 1)],
  ['opening', 'no in_progress', (s) => s.splice(1, 1)],
  ['opening', 'response.created twice', (s) => copy(s, 0, 1)],
  ['opening', 'in_progress again', (s) => copy(s, 1, 5)],
  ['opening', 'no events at all', (s) => s.splice(0)],
  ['response', 'a key of the response is missing', (s) => delete at(s, 'created').response.truncation],
  ['response', 'a temperature of null', (s) => (last(s).response.temperature = null)],
  ['response', 'output before the first item', (s) => (at(s, 'in_progress').response.output = [{}])],
  ['status', 'created as completed', (s) => (at(s, 'created').response.status = 'completed')],
  ['status', 'completed as incomplete', (s) => (last(s).response.status = 'incomplete')],
  ['status', 'completed with an error', (s) => (last(s).response.error = { code: 'x', message: 'y' })],
  [
    'status',
    'completed with a reason to be incomplete',
    (s) => (last(s).response.incomplete_details = { reason: 'x' }),
  ],
  [
    'status',
    'completed with an incomplete item',
    (s) => {
      at(s, 'output_item.done', MESSAGE).item.status = 'incomplete'
      last(s).response.output[MESSAGE].status = 'incomplete'
    },
  ],
  ['identity', 'another response at the end', (s) => (last(s).response.id = 'resp_2')],
  ['identity', 'another response in between', (s) => (at(s, 'output_text.delta').response_id = 'resp_2')],
  ['identity', 'another time at the end', (s) => (last(s).response.created_at = 1)],
  ['identity', 'a delta for another item', (s) => (at(s, 'output_text.delta').item_id = 'msg_9')],
  ['identity', 'another id when done', (s) => (at(s, 'output_item.done', MESSAGE).item.id = 'msg_9')],
  ['identity', 'another type when done', (s) => (at(s, 'output_item.done', MESSAGE).item.type = 'reasoning')],
  ['identity', 'another call id when done', (s) => (at(s, 'output_item.done', CALL).item.call_id = 'call_9')],
  ['unique', 'an id twice', (s) => (at(s, 'output_item.added', CALL).item.id = 'msg_2')],
  ['unique', 'a call id twice', (s) => (at(s, 'output_item.added', CALL + 1).item.call_id = 'call_3')],
  ['index', 'an output index with a hole', (s) => (at(s, 'output_item.added', 5).output_index = 6)],
  ['index', 'an output index twice', (s) => (at(s, 'output_item.added', 1).output_index = 0)],
  ['index', 'a part that begins at 1', (s) => (at(s, 'content_part.added').content_index = 1)],
  ['index', 'an annotation that begins at 1', (s) => (at(s, 'output_text.annotation.added').annotation_index = 1)],
  ['added', 'a message with content', (s) => (at(s, 'output_item.added', MESSAGE).item.content = [{}])],
  ['added', 'a call with arguments', (s) => (at(s, 'output_item.added', CALL).item.arguments = '{}')],
  ['added', 'a message that is completed', (s) => (at(s, 'output_item.added', MESSAGE).item.status = 'completed')],
  ['added', 'a part with text', (s) => (at(s, 'content_part.added').part.text = 'x')],
  ['added', 'a summary with text', (s) => (at(s, 'reasoning_summary_part.added').part.text = 'x')],
  ['scope', 'a delta in an item to come', (s) => (at(s, 'output_text.delta').output_index = 9)],
  ['scope', 'a delta in a part to come', (s) => (at(s, 'output_text.delta').content_index = 1)],
  ['scope', 'a delta after its whole text', (s) => copy(s, find(s, 'refusal.delta'), find(s, 'refusal.done') + 1)],
  ['scope', 'a delta after its part', (s) => copy(s, find(s, 'refusal.delta'), find(s, 'content_part.done', 1) + 1)],
  ['scope', 'a delta after its item', (s) => copy(s, find(s, 'refusal.delta'), s.length - 1)],
  ['scope', 'an item that is done twice', (s) => copy(s, find(s, 'output_item.done'), s.length - 1)],
  ['scope', 'an item that is not added', (s) => s.splice(find(s, 'output_item.added', SEARCH), 1)],
  ['place', 'a search in a message', (s) => rename(s, 'refusal.delta', 'web_search_call.searching')],
  ['place', 'text in a refusal', (s) => rename(s, 'refusal.delta', 'output_text.delta')],
  ['place', 'a part that is done as another kind', (s) => (at(s, 'content_part.done').part.type = 'refusal')],
  ['item', 'an item without a type', (s) => delete at(s, 'output_item.added').item.type],
  ['item', 'a message without a role', (s) => delete at(s, 'output_item.done', MESSAGE).item.role],
  ['item', 'a done message in progress', (s) => (at(s, 'output_item.done', MESSAGE).item.status = 'in_progress')],
  ['part', 'a part of no known type', (s) => (at(s, 'output_item.done', MESSAGE).item.content[1].type = 'constructor')],
  ['part', 'reasoning in a message', (s) => (at(s, 'content_part.added').part.type = 'reasoning_text')],
  ['part', 'a summary of strings', (s) => (at(s, 'output_item.done').item.summary = ['Think 0 first.'])],
  ['annotation', 'beyond the text', (s) => (at(s, 'content_part.done').part.annotations[0].end_index = 99)],
  ['annotation', 'backwards', (s) => (at(s, 'content_part.done').part.annotations[0].start_index = 6)],
  ['annotation', 'inside a character', (s) => (at(s, 'content_part.done').part.annotations[0].start_index = 4)],
  ['annotation', 'without a page', (s) => delete at(s, 'content_part.done').part.annotations[0].url],
  ['usage', 'a negative count', (s) => (last(s).response.usage.input_tokens = -1)],
  ['usage', 'with only one count', (s) => delete last(s).response.usage.output_tokens],
  ['text', 'deltas in another order', (s) => move(s, find(s, 'output_text.delta'), find(s, 'output_text.delta') + 1)],
  ['text', 'other text in the done event', (s) => (at(s, 'output_text.done').text += '!')],
  ['text', 'another text in the part', (s) => (at(s, 'content_part.done').part.text += '!')],
  ['text', 'another text in the item', (s) => (at(s, 'output_item.done', MESSAGE).item.content[1].refusal += '!')],
  ['text', 'another summary', (s) => (at(s, 'reasoning_summary_text.done').text = '')],
  ['text', 'one part less in the item', (s) => at(s, 'output_item.done', MESSAGE).item.content.pop()],
  ['arguments', 'one delta less', (s) => s.splice(find(s, 'function_call_arguments.delta'), 1)],
  ['arguments', 'never done', (s) => s.splice(find(s, 'function_call_arguments.done'), 1)],
  ['arguments', 'done twice', (s) => copy(s, find(s, 'custom_tool_call_input.done'), find(s, 'output_item.done', 4))],
  ['arguments', 'other arguments in the item', (s) => (at(s, 'output_item.done', CALL + 1).item.input = '')],
  [
    'arguments',
    'arguments that are not JSON in a completed call',
    (s) => {
      const cut = '{"at"'
      s.splice(find(s, 'function_call_arguments.delta', 1), 1)
      at(s, 'function_call_arguments.delta').delta = cut
      at(s, 'function_call_arguments.done').arguments = cut
      at(s, 'output_item.done', CALL).item.arguments = cut
      last(s).response.output[CALL].arguments = cut
    },
  ],
  ['annotations', 'no annotation event', (s) => s.splice(find(s, 'output_text.annotation.added'), 1)],
  [
    'annotations',
    'no annotation in the item',
    (s) => (at(s, 'output_item.done', MESSAGE).item.content[0].annotations = []),
  ],
  ['phase', 'backwards', (s) => move(s, find(s, 'web_search_call.searching'), find(s, 'output_item.done', SEARCH) - 1)],
  [
    'phase',
    'completed twice',
    (s) => copy(s, find(s, 'web_search_call.completed'), find(s, 'output_item.done', SEARCH)),
  ],
  ['open', 'an item that is never done', (s) => s.splice(find(s, 'output_item.done'), 1)],
  ['open', 'a part that is never done', (s) => s.splice(find(s, 'content_part.done', 1), 1)],
  ['open', 'a text that is never done', (s) => s.splice(find(s, 'output_text.done'), 1)],
  ['output', 'one item less', (s) => last(s).response.output.pop()],
  ['output', 'another order', (s) => last(s).response.output.reverse()],
  ['output', 'another text', (s) => (last(s).response.output[MESSAGE].content[0].text += '!')],
  ['terminal', 'no terminal event', (s) => s.pop()],
  ['terminal', 'two terminal events', (s) => copy(s, s.length - 1, s.length)],
  ['terminal', 'an item after it', (s) => move(s, find(s, 'output_item.done', 5), s.length)],
  ['error', 'in a completed response', (s) => s.splice(-1, 0, { type: 'error', fields: { message: 'x' } })],
  ['error', 'without a message', (s) => s.splice(-1, 0, { type: 'error', fields: { message: '' } })],
]

describe('the grammar of internal events', () => {
  it.each(['completed', 'incomplete', 'failed'] as const)('reports no violation in a correct %s stream', (status) => {
    expect(run(machine, toReceived(toEventList(ALL, status)))).toEqual([])
    expect(run(machine, toReceived(toEventList([], status)))).toEqual([])
  })

  it.each(SPOILT)('reports a violation of the rule %s: %s', (rule, _, spoil) => {
    const events = toReceived(toEventList(ALL))
    spoil(events)
    expect(rulesOf(events)).toContain(rule)
  })

  it('has a test case for every rule', () => {
    expect([...new Set(SPOILT.map(([rule]) => rule))].sort()).toEqual(Object.keys(RULES).sort())
  })

  it('accepts items that overlap in time', () => {
    const events = toReceived(toEventList(['call', 'call']))
    const [first, second] = [find(events, 'output_item.done'), find(events, 'output_item.added', 1)]
    events.splice(first, 0, ...events.splice(second, 1))
    expect(rulesOf(events)).toEqual([])
  })

  it('accepts an annotation before and after the rest of its text', () => {
    for (const to of [find(toReceived(toEventList(['message'])), 'output_text.delta'), -1]) {
      const events = toReceived(toEventList(['message']))
      const from = find(events, 'output_text.annotation.added')
      move(events, from, to < 0 ? from + 1 : to)
      expect(rulesOf(events)).toEqual([])
    }
  })

  it('accepts an incomplete call in a completed response if its status is incomplete', () => {
    const events = toReceived(toEventList(['call']))
    events.splice(find(events, 'function_call_arguments.delta', 1), 1)
    at(events, 'function_call_arguments.done').arguments = '{"a'
    for (const item of [at(events, 'output_item.done').item, last(events).response.output[0]]) {
      item.arguments = '{"a'
      item.status = 'incomplete'
    }
    expect(rulesOf(events)).toEqual([])
  })
})

describe('properties of the grammar', () => {
  const kinds = fc.array(fc.constantFrom(...KINDS), { maxLength: 5 })
  const status = fc.constantFrom('completed' as const, 'incomplete' as const, 'failed' as const)
  const correct = fc.tuple(kinds, status).map(([list, end]) => toReceived(toEventList(list, end)))

  /** Events that a stream may omit: an error before its failed response, and the phases of a hosted call. */
  const isFree = ({ type }: ReceivedEvent): boolean => type === 'error' || ALL_EVENTS[type].does === 'work'

  it('reports a violation for every missing event', () => {
    check(
      fc.property(correct, fc.nat(), (events, pick) => {
        const gone = events[pick % events.length] as ReceivedEvent
        const rest = events.filter((one) => one !== gone)
        expect(rulesOf(rest).length > 0).toBe(!isFree(gone))
      }),
    )
  })

  it('reports a violation for every duplicate event', () => {
    check(
      fc.property(correct, fc.nat(), (events, pick) => {
        const i = pick % events.length
        const again = events[i] as ReceivedEvent
        const free = isFree(again) && again.type !== 'error' && !again.type.endsWith('completed')
        expect(rulesOf(events.toSpliced(i, 0, again)).length > 0).toBe(!free)
      }),
    )
  })

  it('gives the same result if it is stopped, stored and resumed anywhere', () => {
    check(
      fc.property(correct, fc.nat(), fc.nat(), (events, cut, drop) => {
        const spoilt = events.toSpliced(drop % events.length, 1)
        const first = feed(machine, machine.initial, spoilt.slice(0, cut % events.length))
        const stored = JSON.parse(JSON.stringify(first.state))
        const second = feed(machine, stored, spoilt.slice(cut % events.length))
        const pieces = [...first.events, ...second.events, ...machine.end(second.state)]
        expect(pieces).toEqual(run(machine, spoilt))
      }),
    )
  })

  it('never throws, even for events with arbitrary fields', () => {
    const hostile = fc.constantFrom<unknown>(
      { toString: 1, valueOf: 1 },
      { type: { toString: 1 } },
      [[]],
      'constructor',
    )
    const value = fc.oneof({ weight: 1, arbitrary: fc.jsonValue() }, { weight: 1, arbitrary: hostile })
    const column = fc.constantFrom(...new Set(Object.values(EVENT_TABLE).flatMap(({ columns }) => columns)))
    const change = fc.tuple(fc.nat(), column, fc.constantFrom('', 'id', 'type', 'content', 'output', 'status'), value)
    check(
      fc.property(correct, fc.array(change, { minLength: 1, maxLength: 4 }), (events, changes) => {
        for (const [pick, key, inner, what] of changes) {
          const fields: Loose = events[pick % events.length]?.fields
          if (inner === '' || typeof fields[key] !== 'object' || fields[key] === null) fields[key] = what
          else fields[key][inner] = what
        }
        expect(() => run(machine, events)).not.toThrow()
      }),
      2000,
    )
  })

  it('compares values that are nested a hundred thousand levels deep', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const events = toReceived(toEventList(['search']))
    const action = { type: 'search' }
    at(events, 'output_item.done').item.fields = { action, deep }
    last(events).response.output[0].fields = { action, deep }
    expect(rulesOf(events)).toEqual([])
    last(events).response.output[0].fields = { action, deep: [[deep]] }
    expect(rulesOf(events)).toEqual(['output'])
  })
})
