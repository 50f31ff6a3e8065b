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
import type { JsonObject, JsonRecord } from '../protocol/json.ts'
import { PROGRESS_EVENTS, type ProgressName, progressFields } from '../protocol/progress.ts'
import type { ResponseStatus } from '../protocol/response.ts'
import { isNonEmptyString, isObject, parseJson, scalarToString } from '../text/json.ts'
import { beta } from './beta.ts'
import type { Dialect } from './dialect.ts'
import { eventNamesOf } from './event-names.ts'
import { memoizeByDialect } from './memoize.ts'
import { finishedTexts, missingEvents, missingPartEvents, partKey, type StartedItem } from './missing-events.ts'
import { openai } from './openai.ts'
import { columnsOf, READ_COLUMNS } from './read-columns.ts'
import { asRecord, readCount, readItem, readResponse } from './read-objects.ts'

interface ReadState {
  readonly id: string
  readonly model: string
  readonly items: List<StartedItem>
  /** Positions in `items`: the last item of each index and of each id, and the open items of each type. */
  readonly byIndex: SortedMap<number, number>
  readonly byId: SortedMap<string, number>
  readonly openOf: SortedMap<string, SortedSet<number>>
  /** Whole arguments without an address, while several calls are open. They belong to the call that ends next. */
  readonly loose: { readonly type: EventType; readonly record: JsonRecord } | null
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
      const record = parseJson(data)
      if (!isObject(record)) return { state, events: NOTHING }
      const word = isNonEmptyString(record.type) ? record.type : name
      const progress = word.startsWith('response.') ? word.slice('response.'.length) : ''
      if (isProgress(progress)) return readProgress(state, progress, record)
      const type = meaning.get(word)
      return type === undefined ? { state, events: NOTHING } : apply(state, type, record)
    },
    end: () => NOTHING,
  }
}

const isProgress = (name: string): name is ProgressName => Object.hasOwn(PROGRESS_EVENTS, name)

function readProgress(state: ReadState, name: ProgressName, record: JsonRecord): Step<ReadState, Event> {
  const started = listAt(state.items, findItem(state, record, [PROGRESS_EVENTS[name].of]))
  if (state.over || started === undefined) return { state, events: NOTHING }
  const { index, item } = started
  const address = { response_id: state.id, item_id: item.id, output_index: index }
  const event: Event = { type: 'item.progress', ...address, name, fields: progressFields(record) as JsonObject }
  return { state, events: [event] }
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
  const words = [...eventNamesOf(dialect).words]
  return words.flatMap(([name, { type }]) => (type === 'recap' || isOurs(type) ? [[name, type] as const] : []))
}

/** If a name has two meanings, the later one counts: the standard distinguishes more events. */
const SHARED = [...wordsOf(beta), ...OPEN_RESPONSES, ...wordsOf(openai)]

const meaningOf = memoizeByDialect((dialect): ReadonlyMap<string, Meaning> => new Map([...SHARED, ...wordsOf(dialect)]))

const STATUS_OF: Partial<Record<EventType, ResponseStatus>> = {
  created: 'in_progress',
  in_progress: 'in_progress',
  completed: 'completed',
  incomplete: 'incomplete',
  failed: 'failed',
}

const ENDINGS: readonly EventType[] = ['completed', 'incomplete', 'failed']

function apply(state: ReadState, type: Meaning, record: JsonRecord): Step<ReadState, Event> {
  if (state.over) return { state, events: NOTHING }
  if (type === 'recap') return applyRecap(state, record)
  switch (type) {
    case 'created':
    case 'in_progress':
    case 'completed':
    case 'incomplete':
    case 'failed':
      return applyResponse(state, type, record)
    case 'error':
      return { state, events: [toError(record)] }
    case 'output_item.added':
      return applyAdded(state, record)
    case 'output_item.done':
      return applyDone(state, record)
    default:
      return applyInside(state, type, record)
  }
}

function applyResponse(state: ReadState, type: EventType, record: JsonRecord): Step<ReadState, Event> {
  const response = readResponse(record.response, STATUS_OF[type] ?? 'in_progress', state.model)
  const id = response.id || state.id
  const event = { type, response: { ...response, id } } as Event
  return { state: { ...state, id, model: response.model, over: ENDINGS.includes(type) }, events: [event] }
}

/** A server may end its stream with the short terminal event alone. */
function applyRecap(state: ReadState, record: JsonRecord): Step<ReadState, Event> {
  const status = scalarToString(asRecord(record.response).status)
  const type = ENDINGS.find((ending) => ending === status) ?? 'completed'
  return applyResponse(state, type, record)
}

/** Accepts a flat or a nested error. */
function toError(record: JsonRecord): Event {
  const inner = asRecord(record.error)
  const code = scalarToString(record.code) || scalarToString(inner.code) || scalarToString(inner.type) || 'server_error'
  const message = scalarToString(record.message) || scalarToString(inner.message)
  const path = record.param ?? inner.param
  const param = isNonEmptyString(path) ? path : null
  return {
    type: 'error',
    code,
    message,
    param,
    error: { type: scalarToString(inner.type) || code, code, message, param },
  }
}

function applyAdded(state: ReadState, record: JsonRecord): Step<ReadState, Event> {
  const item = readItem(record.item, 'in_progress')
  if (item === null) return { state, events: NOTHING }
  const index = readCount(record.output_index) ?? state.items.length
  const started: StartedItem = { index, item, text: null, cited: null, done: false }
  const at = state.items.length
  const open = mapSet(mapGet(state.openOf, item.type) ?? null, at, true)
  return {
    state: {
      ...state,
      items: listAppend(state.items, started),
      byIndex: mapSet(state.byIndex, index, at),
      byId: mapSet(state.byId, item.id, at),
      openOf: mapSet(state.openOf, item.type, open),
    },
    events: [{ type: 'output_item.added', response_id: state.id, output_index: index, item }],
  }
}

function applyDone(state: ReadState, record: JsonRecord): Step<ReadState, Event> {
  const item = readItem(record.item, 'completed')
  if (item === null) return { state, events: NOTHING }
  const at = findItem(state, record, [item.type], item.id)
  if (at >= 0) return finish(state, at, item)
  const added = applyAdded(state, { ...record, item: { ...asRecord(record.item), ...EMPTY_ITEM } })
  const done = finish(added.state, added.state.items.length - 1, item)
  return { state: done.state, events: [...added.events, ...done.events] }
}

const EMPTY_ITEM = { status: 'in_progress', content: [], summary: [], arguments: '', input: '' }

function finish(before: ReadState, at: number, item: Item): Step<ReadState, Event> {
  const { index } = listAt(before.items, at) as StartedItem
  const { loose } = before
  const settled =
    loose === null
      ? { state: before, events: NOTHING }
      : applyInside({ ...before, loose: null }, loose.type, { ...loose.record, output_index: index })
  const { state } = settled
  const started = listAt(state.items, at) as StartedItem
  const missing = missingEvents(state.id, started, item)
  const done: Event = { type: 'output_item.done', response_id: state.id, output_index: started.index, item }
  const ended = withItem(state, at, { ...started, item, done: true })
  const { type } = started.item
  const open = mapDelete(mapGet(state.openOf, type) ?? null, at)
  const openOf = open === null ? mapDelete(state.openOf, type) : mapSet(state.openOf, type, open)
  return { state: { ...ended, openOf }, events: [...settled.events, ...missing, done] }
}

const withItem = (state: ReadState, at: number, item: StartedItem): ReadState => ({
  ...state,
  items: listWith(state.items, at, item),
})

/**
 * Returns the item of an event: by index, else by id, else the last open item of a matching type; -1 if there is none.
 */
function findItem(
  state: ReadState,
  record: JsonRecord,
  types: readonly ItemType[],
  id = scalarToString(record.item_id),
): number {
  const fitting = (at = -1): number => {
    const started = listAt(state.items, at)
    return started !== undefined && types.includes(started.item.type) && !started.done ? at : -1
  }
  const index = readCount(record.output_index)
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

function applyInside(state: ReadState, type: EventType, record: JsonRecord): Step<ReadState, Event> {
  const owners = ownersOf(type)
  if (wholeIsLoose(state, record, type, owners))
    return { state: { ...state, loose: { type, record } }, events: NOTHING }
  const at = findItem(state, record, owners)
  const started = listAt(state.items, at)
  if (started === undefined) return { state, events: NOTHING }
  const fields = columnsOf(type).map(
    (column) => [column, READ_COLUMNS[column]?.(record, { started, type }) ?? null] as const,
  )
  if (fields.some(([column, value]) => value === null && column !== 'logprobs')) return { state, events: NOTHING }
  const event = { type, response_id: state.id, ...Object.fromEntries(fields) } as unknown as Event
  const before = finishedTexts(event).flatMap((whole) => missingPartEvents(state.id, started, whole))
  const counted = [...before, event].reduce(count, started)
  return { state: counted === started ? state : withItem(state, at, counted), events: [...before, event] }
}

/** Returns whether an event has no address, although several open items could own it. */
const wholeIsLoose = (
  { openOf }: ReadState,
  record: JsonRecord,
  type: EventType,
  owners: readonly ItemType[],
): boolean =>
  type === 'function_call_arguments.done' &&
  readCount(record.output_index) === null &&
  !isNonEmptyString(record.item_id) &&
  owners.reduce((sum, type) => sum + mapSize(mapGet(openOf, type) ?? null), 0) > 1

function count(started: StartedItem, event: Event): StartedItem {
  if ('delta' in event) {
    const key = partKey(event)
    return { ...started, text: mapSet(started.text, key, (mapGet(started.text, key) ?? 0) + event.delta.length) }
  }
  if (event.type !== 'output_text.annotation.added') return started
  const { content_index: index } = event
  return { ...started, cited: mapSet(started.cited, index, (mapGet(started.cited, index) ?? 0) + 1) }
}
