import { listAt } from '../../../collections/list.ts'
import type { ContentKind } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { StreamEvent } from '../../passthrough-contract.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { ITEM_OF, PART_KINDS, PARTS, PIECES, partKindOf, TRANSCRIPTS, WHOLES } from '../terms.ts'
import { isCall } from '../upstream/deltas.ts'
import {
  type DecoderProgress,
  findItem,
  findRun,
  findShifted,
  ITEM_NAMES,
  innerIndex,
  kindInItem,
  lastOf,
  lastOpenOf,
  listOfPart,
  type PartRun,
  type ReceivedItem,
  type ResponsesState,
  receivedItemAt,
  toIndex,
} from '../upstream/state.ts'
import { asShown, itemAsReceived, NEW_ITEMS, withLists, withOwn } from './close.ts'

/**
 * Gives items and parts the events, names and indices that OpenAI's libraries require: they fail at a piece of a part
 * that has not begun.
 */

type PartEvent = StreamEvent<ResponsesState>

/**
 * OpenAI's library for JavaScript fails at an event that it does not know, as it does at these older names. `terms.ts` has
 * each of them, too, because only events with a place get another name.
 */
const USUAL_NAMES: Readonly<Record<string, string>> = {
  'response.content_part.delta': 'response.output_text.delta',
  'response.reasoning.delta': 'response.reasoning_text.delta',
  'response.reasoning.done': 'response.reasoning_text.done',
  'response.reasoning_part.added': 'response.content_part.added',
  'response.reasoning_part.done': 'response.content_part.done',
  'response.reasoning_summary.delta': 'response.reasoning_summary_text.delta',
  'response.reasoning_summary.done': 'response.reasoning_summary_text.done',
}

const ITEM_ADDED = 'response.output_item.added'
const ITEM_DONE = 'response.output_item.done'
const ANNOTATION_ADDED = 'response.output_text.annotation.added'

/** The kind of the part, or of the call, that an event belongs to; undefined for other events. */
function kindOf(value: JsonObject, type: string, { before }: PartEvent): PartRun['of'] | undefined {
  if (TRANSCRIPTS.has(type)) return undefined
  const given = lookup(PARTS, type)
  if (given !== undefined) {
    const named = partKindOf(value.part, given.of)
    return named === undefined ? undefined : kindInItem(before.progress, value, named)
  }
  return type === ANNOTATION_ADDED ? 'text' : (lookup(PIECES, type) ?? lookup(WHOLES, type)?.of)
}

/** The item and the part of an event: the position of the item, and the members of both in events. */
interface Place {
  readonly item: number
  readonly of: PartRun['of']
  readonly received: ReceivedItem
  readonly members: JsonObject
}

const indexName = (of: PartRun['of']) => `${listOfPart(of)}_index` as const

function placeOf(value: JsonObject, type: string, event: PartEvent): Place | null {
  const of = kindOf(value, type, event)
  if (of === undefined) return null
  const item = event.after.live?.item ?? positionOf(value, value.item_id, ITEM_OF[of], event)
  if (item < 0) return null
  const received = receivedItemAt(event.after.progress, item)
  const id = received.id === '' ? {} : { item_id: received.id }
  const inner = isCall(of) ? {} : { [indexName(of)]: placeIn(value, type, of, item, event) }
  return { item, of, received, members: { ...id, output_index: received.place, ...inner } }
}

/** The position of an event's item, which was open before under another index where servers count too early. */
function positionOf(value: JsonObject, id: Json | undefined, type: string, { before, after }: PartEvent): number {
  const found = findItem(after.progress, value, id, type, false)
  return found >= 0 ? found : findShifted(before.progress, value, id, type, '')
}

/** The place of an event's part among those of its item. The end of a part closes it, so that the state before has it. */
function placeIn(value: JsonObject, type: string, of: PartRun['of'], item: number, event: PartEvent): number {
  const { live, progress } = event.after
  if (live !== null) return live.place
  const index = innerIndex(value, of)
  const isPiece = lookup(PIECES, type) !== undefined
  const find = ({ items }: DecoderProgress): PartRun | undefined => {
    const received = listAt(items, item)
    const run = received === undefined ? -1 : findRun(received, of, index, isPiece)
    return received === undefined || run < 0 ? undefined : listAt(received.runs, run)
  }
  const closed = lookup(PARTS, type)?.edge === 'done' ? find(event.before.progress) : undefined
  return (closed ?? find(progress))?.place ?? index ?? 0
}

const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null

const USUAL_PIECES = new Set(Object.keys(PIECES).filter((type) => lookup(USUAL_NAMES, type) === undefined))

/** Whether an event is a piece that lacks nothing: nearly all are, and need no further reading. */
export function isUsualPiece(value: JsonObject, { after: { live } }: PartEvent): boolean {
  const { type, delta, error, output_index, item_id } = value
  if (live === null || typeof delta !== 'string' || error || !USUAL_PIECES.has(type as string)) return false
  const isIn = isCall(live.of) || value[indexName(live.of)] === live.place
  const isOfItem = live.itemId === '' ? !isAbsent(item_id) : item_id === live.itemId
  return isIn && isOfItem && output_index === live.itemPlace
}

/**
 * Gives the events of items and parts their usual names, their indices and the ids that clients have seen; and an item
 * the lists of its parts.
 */
export function withPlace(value: JsonObject, event: PartEvent): JsonObject {
  const { type } = value
  if (!isNonEmptyString(type)) return value
  if (type === ITEM_ADDED || type === ITEM_DONE) return withItem(value, event)
  const place = placeOf(value, type, event)
  if (place === null) return withHostedId(value, event)
  return Object.entries(place.members).reduce(
    (now, [name, member]) => withMember(now, name, member),
    withMember(withPart(value, type, place, event), 'type', lookup(USUAL_NAMES, type) ?? type),
  )
}

/**
 * Gives a part of reasoning its type, without which OpenAI's libraries look for a message; and a usual part the text that
 * they add pieces to, which servers in Go leave out while it is empty.
 */
function withPart(value: JsonObject, type: string, place: Place, event: PartEvent): JsonObject {
  const { part } = value
  const { of } = place
  if (!isObject(part) || isCall(of)) return value
  const usual = NEW_PARTS[of]
  const isNamedText = of === 'reasoning' && lookup(PART_KINDS, scalarToString(part.type)) === 'text'
  const name = of === 'refusal' ? 'refusal' : 'text'
  const isBare = isAbsent(part[name] as Json)
  if (!isNamedText && (part.type !== usual.type || !isBare)) return value
  const text = isBare ? endedText(value, type, place, event) : scalarToString(part[name])
  return withMember(value, 'part', { ...usual, ...(isNamedText ? {} : (part as JsonObject)), [name]: text })
}

/** The text of the part that an event ends. A second end has none, or each would repeat the whole. */
function endedText(value: JsonObject, type: string, { item, of, received }: Place, event: PartEvent): string {
  const earlier = lookup(PARTS, type)?.edge === 'done' ? earlierItem(event, item) : undefined
  const run = earlier === undefined ? -1 : findRun(earlier, of, innerIndex(value, of), false)
  const isOpen = earlier !== undefined && listAt(earlier.runs, run)?.done === false
  return isOpen ? (listAt(received.runs, run)?.text ?? '') : ''
}

/** Gives an event of an item that the upstream runs, such as a search, the id that clients have seen. */
function withHostedId(value: JsonObject, { before: { progress } }: PartEvent): JsonObject {
  const index = toIndex(value.output_index)
  const at = index === null ? -1 : lastOf(progress.positions, ITEM_NAMES.untyped(index))
  const { id = '', hosted = null } = listAt(progress.items, at) ?? {}
  return hosted === null || id === '' || value.item_id === undefined ? value : withMember(value, 'item_id', id)
}

function withItem(value: JsonObject, event: PartEvent): JsonObject {
  const { item, type } = value
  const { progress } = event.after
  if (!isObject(item)) return withEndedItem(value, event)
  const own = item as JsonObject
  const at = announcedItem(value, own.id, scalarToString(own.type), event)
  const received = at < 0 ? null : receivedItemAt(progress, at)
  const isFirst = type === ITEM_ADDED || received === null
  const shown = isFirst ? withOwn(withLists(own, null), own) : asShown(own, received)
  const edited = withMember(value, 'item', shown)
  return received === null ? edited : withMember(edited, 'output_index', received.place)
}

/** Open Responses allows an item to be null when it is done. */
function withEndedItem(value: JsonObject, { before, after }: PartEvent): JsonObject {
  const index = value.type === ITEM_DONE ? toIndex(value.output_index) : null
  const at = index === null ? -1 : lastOpenOf(before.progress.positions, ITEM_NAMES.untyped(index))
  return at < 0 ? value : withMember(value, 'item', itemAsReceived(receivedItemAt(after.progress, at), 'completed'))
}

/** The item that the decoder has announced or ended. Some servers give several calls one call id. */
function announcedItem(value: JsonObject, id: Json | undefined, type: string, event: PartEvent): number {
  const { before, after } = event
  const name = ITEM_NAMES.idAt(scalarToString(id), type, toIndex(value.output_index))
  const exact = isNonEmptyString(id) ? lastOf(after.progress.positions, name) : -1
  if (exact >= 0) return exact
  const ended = value.type === ITEM_DONE ? findItem(before.progress, value, id, type, true) : -1
  return ended >= 0 ? ended : positionOf(value, id, type, event)
}

const NEW_PARTS: Readonly<Record<ContentKind, JsonObject>> = {
  text: { type: 'output_text', text: '', annotations: [], logprobs: [] },
  refusal: { type: 'refusal', refusal: '' },
  reasoning: { type: 'reasoning_text', text: '' },
  summary: { type: 'summary_text', text: '' },
}

const NONE: readonly JsonObject[] = []

const earlierItem = ({ before }: PartEvent, item: number) => listAt(before.progress.items, item)

/** Whether the part of an event is new to clients. */
const isNew = ({ item, of, received }: Place, event: PartEvent): boolean =>
  received.shown[listOfPart(of)] > (earlierItem(event, item)?.shown[listOfPart(of)] ?? 0)

/** Whether an event repeats the beginning of an item or of a part, which OpenAI's libraries would add twice. */
export function repeatsStart(value: JsonObject, event: PartEvent): boolean {
  const type = isNonEmptyString(value.type) ? value.type : event.name
  if (type === ITEM_ADDED)
    return isObject(value.item) && event.after.progress.items.length === event.before.progress.items.length
  if (lookup(PARTS, type)?.edge !== 'added') return false
  const place = placeOf(value, type, event)
  return place !== null && !isNew(place, event)
}

/** Some local servers leave out the beginning of a part, and some the one of its item. */
export function omittedStarts(value: JsonObject, event: PartEvent): readonly JsonObject[] {
  if (event.after.progress === event.before.progress) return NONE
  const type = isNonEmptyString(value.type) ? value.type : event.name
  const number = isAbsent(value.sequence_number) ? {} : { sequence_number: value.sequence_number as Json }
  if (type === ITEM_DONE) return omittedItem(event, event.before.progress.items.length, number)
  const place = placeOf(value, type, event)
  if (place === null || isCall(place.of) || !isNew(place, event)) return NONE
  const { item, of, members } = place
  if (isKnown(event, item)) return NONE
  const begins = of === 'summary' ? 'response.reasoning_summary_part.added' : 'response.content_part.added'
  const part = { type: begins, ...number, ...members, part: NEW_PARTS[of] }
  return [...omittedItem(event, item, number), ...(lookup(PARTS, type)?.edge === 'added' ? [] : [part])]
}

/** Whether clients know the item as one of another type, or as one that has ended. */
function isKnown({ before, after }: PartEvent, at: number): boolean {
  const { id, index } = receivedItemAt(after.progress, at)
  const known = lastOf(before.progress.positions, ITEM_NAMES.untyped(index))
  const isNewItem = at >= before.progress.items.length && id !== '' && known >= 0
  return isNewItem && receivedItemAt(before.progress, known).id === id
}

/** The beginning of an item, if it is new. That of a call would need texts of the upstream. */
function omittedItem(event: PartEvent, at: number, number: JsonObject): readonly JsonObject[] {
  const received = listAt(event.after.progress.items, at)
  if (received === undefined || received.id === '' || earlierItem(event, at) !== undefined) return NONE
  const { id, type, place } = received
  const lists = lookup(NEW_ITEMS, type)
  if (lists === undefined) return NONE
  const item = { id, type, status: 'in_progress', ...lists }
  return [{ type: ITEM_ADDED, ...number, output_index: place, item }]
}
