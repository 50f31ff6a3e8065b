import { EMPTY_LIST, type List, listAppend, listAt, listWith } from '../collections/list.ts'
import {
  mapDelete,
  mapGet,
  mapLastKey,
  mapSet,
  mapSize,
  type SortedMap,
  type SortedSet,
} from '../collections/sorted-map.ts'
import type { Frame } from '../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { Event, EventType } from '../protocol/event.ts'
import type { Item, ItemType } from '../protocol/item.ts'
import type { Bag } from '../protocol/json.ts'
import type { ResponseStatus } from '../protocol/response.ts'
import { isObject, isText, parseJson, wordOf } from '../text/json.ts'
import { beta } from './beta.ts'
import type { Dialect } from './dialect.ts'
import { vocabularyOf } from './event-names.ts'
import { perDialect } from './memoize.ts'
import { type Begun, owedEvents, owedRun, placeOf, wholeOf } from './missing-events.ts'
import { openai } from './openai.ts'
import { columnsOf, READ_COLUMNS } from './read-columns.ts'
import { toBag, toCount, toItem, toResponse } from './read-objects.ts'

export interface ReadState {
  readonly id: string
  readonly model: string
  readonly items: List<Begun>
  /** Positions in `items`: the last item of each index and of each id, and the open items of each type. */
  readonly byIndex: SortedMap<number, number>
  readonly byId: SortedMap<string, number>
  readonly openOf: SortedMap<string, SortedSet<number>>
  /** Whole arguments without an address, while several calls are open. They belong to the call that ends next. */
  readonly loose: { readonly type: EventType; readonly bag: Bag } | null
  readonly over: boolean
}

/**
 * Frames of a Responses stream → its events: the tables of the dialects, applied backwards. The names of the given
 * dialect count first, then those of the other dialects and of Open Responses. Fields that an event omits are taken
 * from earlier events. Deltas and citations that a dialect carries only in the finished item are emitted as events
 * before its end. Information that the stream does not contain stays missing: `beta` has one text of reasoning for
 * several parts of a summary.
 * A frame costs O(log n) for n items so far, and its own size.
 */
export function read(dialect: Dialect): Machine<ReadState, Frame, Event> {
  const meaning = meaningOf(dialect)
  return {
    initial: NOTHING_READ,
    step(state, { event: name, data }) {
      const bag = parseJson(data)
      if (!isObject(bag)) return { state, events: NOTHING }
      const type = meaning.get(isText(bag.type) ? bag.type : name)
      return type === undefined ? { state, events: NOTHING } : hear(state, type, bag)
    },
    end: () => NOTHING,
  }
}

const NOTHING_READ: ReadState = {
  id: '',
  model: '',
  items: EMPTY_LIST,
  byIndex: null,
  byId: null,
  openOf: null,
  loose: null,
  over: false,
}

type Meaning = EventType | 'recap'

/** Names of Open Responses that no dialect of this service has. */
const OPEN_RESPONSES: readonly (readonly [string, EventType])[] = [
  ['response.reasoning.delta', 'reasoning_text.delta'],
  ['response.reasoning.done', 'reasoning_text.done'],
]

const isOurs = (type: string): type is EventType => Object.hasOwn(openai.events, type)

function wordsOf(dialect: Dialect): readonly (readonly [string, Meaning])[] {
  const words = [...vocabularyOf(dialect).words]
  return words.flatMap(([name, { type }]) => (type === 'recap' || isOurs(type) ? [[name, type] as const] : []))
}

/** If a name has two meanings, the later one counts: the standard distinguishes more events. */
const SHARED = [...wordsOf(beta), ...OPEN_RESPONSES, ...wordsOf(openai)]

const meaningOf = perDialect((dialect): ReadonlyMap<string, Meaning> => new Map([...SHARED, ...wordsOf(dialect)]))

const STATUS_OF: Partial<Record<EventType, ResponseStatus>> = {
  created: 'in_progress',
  in_progress: 'in_progress',
  completed: 'completed',
  incomplete: 'incomplete',
  failed: 'failed',
}

const ENDINGS: readonly EventType[] = ['completed', 'incomplete', 'failed']

function hear(state: ReadState, type: Meaning, bag: Bag): Step<ReadState, Event> {
  if (state.over) return { state, events: NOTHING }
  if (type === 'recap') return hearRecap(state, bag)
  switch (type) {
    case 'created':
    case 'in_progress':
    case 'completed':
    case 'incomplete':
    case 'failed':
      return hearResponse(state, type, bag)
    case 'error':
      return { state, events: [toError(bag)] }
    case 'output_item.added':
      return hearAdded(state, bag)
    case 'output_item.done':
      return hearDone(state, bag)
    default:
      return hearInside(state, type, bag)
  }
}

function hearResponse(state: ReadState, type: EventType, bag: Bag): Step<ReadState, Event> {
  const response = toResponse(bag.response, STATUS_OF[type] ?? 'in_progress', state.model)
  const id = response.id || state.id
  const event = { type, response: { ...response, id } } as Event
  return { state: { ...state, id, model: response.model, over: ENDINGS.includes(type) }, events: [event] }
}

/** A server may end its stream with the short terminal event alone. */
function hearRecap(state: ReadState, bag: Bag): Step<ReadState, Event> {
  const status = wordOf(toBag(bag.response).status)
  const type = ENDINGS.find((ending) => ending === status) ?? 'completed'
  return hearResponse(state, type, bag)
}

/** Accepts a flat or a nested error. */
function toError(bag: Bag): Event {
  const inner = toBag(bag.error)
  const code = wordOf(bag.code) || wordOf(inner.code) || wordOf(inner.type) || 'server_error'
  const message = wordOf(bag.message) || wordOf(inner.message)
  const place = bag.param ?? inner.param
  const param = isText(place) ? place : null
  return { type: 'error', code, message, param, error: { type: wordOf(inner.type) || code, code, message, param } }
}

function hearAdded(state: ReadState, bag: Bag): Step<ReadState, Event> {
  const item = toItem(bag.item, 'in_progress')
  if (item === null) return { state, events: NOTHING }
  const index = toCount(bag.output_index) ?? state.items.length
  const begun: Begun = { index, item, said: null, cited: null, done: false }
  const at = state.items.length
  const open = mapSet(mapGet(state.openOf, item.type) ?? null, at, true)
  return {
    state: {
      ...state,
      items: listAppend(state.items, begun),
      byIndex: mapSet(state.byIndex, index, at),
      byId: mapSet(state.byId, item.id, at),
      openOf: mapSet(state.openOf, item.type, open),
    },
    events: [{ type: 'output_item.added', response_id: state.id, output_index: index, item }],
  }
}

function hearDone(state: ReadState, bag: Bag): Step<ReadState, Event> {
  const item = toItem(bag.item, 'completed')
  if (item === null) return { state, events: NOTHING }
  const at = findItem(state, bag, [item.type], item.id)
  if (at >= 0) return finish(state, at, item)
  const added = hearAdded(state, { ...bag, item: { ...toBag(bag.item), ...NOTHING_SAID } })
  const done = finish(added.state, added.state.items.length - 1, item)
  return { state: done.state, events: [...added.events, ...done.events] }
}

const NOTHING_SAID = { status: 'in_progress', content: [], summary: [], arguments: '', input: '' }

function finish(before: ReadState, at: number, item: Item): Step<ReadState, Event> {
  const { index } = listAt(before.items, at) as Begun
  const { loose } = before
  const settled =
    loose === null
      ? { state: before, events: NOTHING }
      : hearInside({ ...before, loose: null }, loose.type, { ...loose.bag, output_index: index })
  const { state } = settled
  const begun = listAt(state.items, at) as Begun
  const owed = owedEvents(state.id, begun, item)
  const done: Event = { type: 'output_item.done', response_id: state.id, output_index: begun.index, item }
  const ended = withItem(state, at, { ...begun, item, done: true })
  const { type } = begun.item
  const open = mapDelete(mapGet(state.openOf, type) ?? null, at)
  const openOf = open === null ? mapDelete(state.openOf, type) : mapSet(state.openOf, type, open)
  return { state: { ...ended, openOf }, events: [...settled.events, ...owed, done] }
}

const withItem = (state: ReadState, at: number, item: Begun): ReadState => ({
  ...state,
  items: listWith(state.items, at, item),
})

/**
 * Returns the item of an event: by index, else by id, else the last open item of a matching type; -1 if there is none.
 */
function findItem(state: ReadState, bag: Bag, types: readonly ItemType[], id = wordOf(bag.item_id)): number {
  const fitting = (at = -1): number => {
    const begun = listAt(state.items, at)
    return begun !== undefined && types.includes(begun.item.type) && !begun.done ? at : -1
  }
  const index = toCount(bag.output_index)
  if (index !== null) return fitting(mapGet(state.byIndex, index))
  const named = id === '' ? -1 : fitting(mapGet(state.byId, id))
  return named >= 0 ? named : Math.max(...types.map((type) => mapLastKey(mapGet(state.openOf, type) ?? null) ?? -1), -1)
}

/** The types of items to which an event can belong, by the beginning of its name. */
const OWNERS: readonly (readonly [string, readonly ItemType[]])[] = [
  ['output_text.', ['message']],
  ['refusal.', ['message']],
  ['content_part.', ['message', 'reasoning']],
  ['reasoning_', ['reasoning']],
  ['function_call_', ['function_call']],
  ['custom_tool_', ['custom_tool_call']],
  ['web_search_', ['web_search_call']],
]

const ownersOf = (type: EventType): readonly ItemType[] => OWNERS.find(([start]) => type.startsWith(start))?.[1] ?? []

function hearInside(state: ReadState, type: EventType, bag: Bag): Step<ReadState, Event> {
  const owners = ownersOf(type)
  if (wholeIsLoose(state, bag, type, owners)) return { state: { ...state, loose: { type, bag } }, events: NOTHING }
  const at = findItem(state, bag, owners)
  const begun = listAt(state.items, at)
  if (begun === undefined) return { state, events: NOTHING }
  const fields = columnsOf(type).map(
    (column) => [column, READ_COLUMNS[column]?.(bag, { begun, type }) ?? null] as const,
  )
  if (fields.some(([column, value]) => value === null && column !== 'logprobs')) return { state, events: NOTHING }
  const event = { type, response_id: state.id, ...Object.fromEntries(fields) } as unknown as Event
  const before = wholeOf(event).flatMap((whole) => owedRun(state.id, begun, whole))
  const told = [...before, event].reduce(count, begun)
  return { state: told === begun ? state : withItem(state, at, told), events: [...before, event] }
}

/** Returns whether an event has no address, although several open items could own it. */
const wholeIsLoose = ({ openOf }: ReadState, bag: Bag, type: EventType, owners: readonly ItemType[]): boolean =>
  type === 'function_call_arguments.done' &&
  toCount(bag.output_index) === null &&
  !isText(bag.item_id) &&
  owners.reduce((sum, type) => sum + mapSize(mapGet(openOf, type) ?? null), 0) > 1

function count(begun: Begun, event: Event): Begun {
  if ('delta' in event) {
    const place = placeOf(event)
    return { ...begun, said: mapSet(begun.said, place, (mapGet(begun.said, place) ?? 0) + event.delta.length) }
  }
  if (event.type !== 'output_text.annotation.added') return begun
  const { content_index: index } = event
  return { ...begun, cited: mapSet(begun.cited, index, (mapGet(begun.cited, index) ?? 0) + 1) }
}
