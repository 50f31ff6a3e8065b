import { EMPTY_LIST, listToArray } from '../collections/list.ts'
import { mapGet, mapSet, mapSize, type SortedSet } from '../collections/sorted-map.ts'
import type { HostedItemType } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { checkSamePart } from './content-rules.ts'
import { BRACKETS, INPUTS, type ListName, TEXT_EVENTS } from './event-table.ts'
import { HOSTED_SCHEMAS } from './hosted-schemas.ts'
import { type Report, show } from './rules.ts'
import { checkFields, checkItem } from './schema.ts'
import {
  type CheckContext,
  type CheckState,
  type DialectEvents,
  type ItemRecord,
  isAddressed,
  nameOf,
  supports,
  withCount,
  withItemRecord,
} from './state.ts'

/** The events that open and close an item. */

const LISTS = ['content', 'summary'] as const

/** Fields of a call that must stay as they were announced: clients find it by them. */
const CONSTANT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(HOSTED_SCHEMAS).flatMap(([type, { fields }]) => ('call_id' in fields ? [[type, ['call_id']]] : [])),
  ),
  function_call: ['call_id', 'name'],
  custom_tool_call: ['call_id', 'name'],
  // Its id is null, or OpenAI's service changes it.
  tool_search_call: [],
  tool_search_output: [],
}

/** Items that answer a call have its id. */
const ANSWERS: ReadonlySet<unknown> = new Set<HostedItemType>([
  'shell_call_output',
  'apply_patch_call_output',
  'tool_search_output',
  'program_output',
])

export function checkItemAdded(state: CheckState, { event, dialect, report }: CheckContext): CheckState {
  const at = event.fields.output_index as number
  const added = event.fields.item as JsonObject
  const expected = mapSize(state.items)
  if (at !== expected) report('index', `an item at output_index ${at}, expected ${expected}`)
  if (mapGet(state.items, at) !== undefined) return state
  checkAdded(added, { event, dialect, report })
  const ids = withUnique(state.ids, 'id', added, report)
  const callIds = ANSWERS.has(added.type) ? state.callIds : withUnique(state.callIds, 'call_id', added, report)
  const type = nameOf(added.type)
  const parts = { content: EMPTY_LIST, summary: EMPTY_LIST }
  const item: ItemRecord = { at, type, added, ...parts, input: '', whole: null, phase: 0, done: null }
  return { ...withItemRecord(state, item), ids, callIds, open: withCount(state.open, type, 1) }
}

function withUnique(known: SortedSet<string>, key: 'id' | 'call_id', added: JsonObject, report: Report) {
  const id = added[key]
  if (!isNonEmptyString(id)) return known
  if (mapGet(known, id) === true) report('unique', `another item already has the ${key} ${show(id)}`)
  return mapSet(known, id, true)
}

function checkAdded(added: JsonObject, { dialect, report }: CheckContext): void {
  if (!isNonEmptyString(added.type)) {
    report('item', 'an item without a type')
    return
  }
  const { shapes } = dialect
  const fields = lookup(shapes.added, added.type) ?? shapes.otherAdded
  if (fields === null) {
    report('item', `an unknown item of type ${show(added.type)}`)
    return
  }
  checkFields(added, fields, `an added ${show(added.type)}`, 'added', report)
}

export function checkItemDone(state: CheckState, turn: CheckContext): CheckState {
  const { event, dialect, report } = turn
  const at = event.fields.output_index as number
  const done = event.fields.item as JsonObject
  const item = mapGet(state.items, at)
  if (item === undefined || item.done !== null) {
    report('scope', `item ${show(at)} is done ${item === undefined ? 'but was never added' : 'twice'}`)
    return state
  }
  checkSameItem(item.added, done, turn)
  checkItem(done, dialect.shapes, report)
  for (const list of LISTS) checkList(item, done, list, turn)
  const ended = withItemRecord(state, { ...item, done })
  return claim({ ...ended, open: withCount(state.open, item.type, -1) }, item, done, turn)
}

function checkSameItem(added: JsonObject, done: JsonObject, { report }: CheckContext): void {
  const constant = isNonEmptyString(done.type) ? (lookup(CONSTANT_FIELDS, done.type) ?? []) : []
  if (done.type !== added.type)
    report('identity', `an item was added with type ${show(added.type)} and is done with type ${show(done.type)}`)
  if (done.id !== added.id)
    report('identity', `an item was added with id ${show(added.id)} and is done with id ${show(done.id)}`)
  for (const key of constant) {
    if (added[key] !== undefined && done[key] !== added[key]) {
      report('identity', `${key} was ${show(added[key])} and is ${show(done[key])}`)
    }
  }
}

/**
 * Checks that the parts of the finished item are those of the stream. Parts that have no events in this stream are not
 * checked.
 */
function checkList(item: ItemRecord, done: JsonObject, list: ListName, turn: CheckContext): void {
  const { dialect, report } = turn
  const { added, done: closed } = BRACKETS[list]
  const streamed = listToArray(item[list])
  if (supports(dialect, closed) && streamed.some((part) => !part.done))
    report('open', `item ${item.at} is done, but not all of its parts are`)
  if (!supports(dialect, added) || (done.type !== 'message' && done.type !== 'reasoning')) return
  const parts = toArray(done[list]).filter((part) => isStreamed(part, dialect))
  if (parts.length !== streamed.length) {
    report('text', `${list} of item ${item.at} has ${parts.length} parts, but the stream has ${streamed.length}`)
  }
  streamed.slice(0, parts.length).forEach((part, i) => {
    checkSamePart(parts[i], part, `${list} ${i} of item ${item.at}`, turn)
  })
}

const isStreamed = (part: unknown, dialect: DialectEvents): boolean => {
  const events = isObject(part) && isNonEmptyString(part.type) ? lookup(TEXT_EVENTS, part.type) : undefined
  return events === undefined || isAddressed(dialect, events.delta)
}

/**
 * Checks that the input of a finished call was sent as a whole before: addressed to this item, or without an address.
 */
function claim(state: CheckState, item: ItemRecord, done: JsonObject, { dialect, report }: CheckContext): CheckState {
  const input = isNonEmptyString(done.type) ? lookup(INPUTS, done.type) : undefined
  if (input === undefined || !supports(dialect, input.event)) return state
  const value = done[input.field]
  if (isAddressed(dialect, input.event)) {
    if (value !== item.whole) {
      const streamed = item.whole === null ? 'no event contains it' : `its event contains ${show(item.whole)}`
      report('arguments', `the input of item ${item.at} is ${show(value)}, but ${streamed}`)
    }
    return state
  }
  if (typeof value === 'string' && mapGet(state.unclaimed, value) !== undefined) {
    return { ...state, unclaimed: withCount(state.unclaimed, value, -1) }
  }
  report('arguments', `the input of item ${item.at} is ${show(value)}, but no event contains it`)
  return state
}
