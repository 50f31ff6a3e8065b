import { listAt } from '../../../collections/list.ts'
import type { ContentKind } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { StreamEvent } from '../../passthrough-contract.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { ITEM_OF, PART_KINDS, PARTS, PIECES, WHOLES } from '../terms.ts'
import { isCall } from '../upstream/deltas.ts'
import {
  findItem,
  innerIndex,
  lastOf,
  type PartRun,
  type ReceivedItem,
  type ResponsesState,
  receivedItemAt,
  runName,
} from '../upstream/state.ts'

/** The items and the parts of a stream as OpenAI's libraries require them, which fail at a piece of a part that has not begun. */

type PartEvent = StreamEvent<ResponsesState>

/** OpenAI's library for JavaScript fails at an event that it does not know, such as these older names. */
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

/** The kind of the part, or of the call, that an event belongs to; undefined for other events. */
function kindOf({ part }: JsonObject, type: string): PartRun['of'] | undefined {
  const given = lookup(PARTS, type)
  if (given === undefined) return lookup(PIECES, type) ?? lookup(WHOLES, type)?.of
  return isObject(part) && isNonEmptyString(part.type) ? lookup(PART_KINDS, part.type) : given.of
}

/** The item and the part of an event, by their positions, and their members in events. */
interface Place {
  readonly item: number
  readonly of: PartRun['of']
  readonly received: ReceivedItem
  readonly members: JsonObject
}

function indexName(of: PartRun['of']): 'summary_index' | 'content_index' {
  return of === 'summary' ? 'summary_index' : 'content_index'
}

function placeOf(value: JsonObject, type: string, { after: { live, progress } }: PartEvent): Place | null {
  const of = kindOf(value, type)
  if (of === undefined) return null
  const item = live?.item ?? findItem(progress, value, value.item_id, ITEM_OF[of], false)
  if (item < 0) return null
  const received = receivedItemAt(progress, item)
  const id = received.id === '' ? {} : { item_id: received.id }
  const inner = { [indexName(of)]: innerIndex(value, of) ?? 0 }
  return { item, of, received, members: { ...id, output_index: received.index ?? item, ...(isCall(of) ? {} : inner) } }
}

const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null

/** The innermost index of each piece with a usual name. */
const INDEX_OF_PIECE = new Map(
  Object.entries(PIECES).flatMap(([type, of]) =>
    lookup(USUAL_NAMES, type) === undefined ? [[type, isCall(of) ? 'output_index' : indexName(of)] as const] : [],
  ),
)

/** Nearly every piece has all, so that its place need not be found. */
function hasPlace(value: JsonObject, type: string): boolean {
  const name = INDEX_OF_PIECE.get(type)
  return name !== undefined && !isAbsent(value[name]) && !isAbsent(value.output_index) && !isAbsent(value.item_id)
}

/** Gives an event of a part its usual name, and the indices that some servers leave out; and an item the list of its parts. */
export function withPlace(value: JsonObject, event: PartEvent): JsonObject {
  const { type } = value
  if (!isNonEmptyString(type)) return value
  if (hasPlace(value, type)) return value
  if (type === ITEM_ADDED) return withMember(value, 'item', withContent(value.item))
  const place = placeOf(value, type, event)
  if (place === null) return value
  return Object.entries(place.members).reduce(
    (now, [name, member]) => (isAbsent(now[name]) ? withMember(now, name, member) : now),
    withMember(value, 'type', lookup(USUAL_NAMES, type) ?? type),
  )
}

const withContent = (item: Json | undefined): Json | undefined =>
  isObject(item) && item.type === 'message' && !Array.isArray(item.content)
    ? withMember(item as JsonObject, 'content', [])
    : (item as Json | undefined)

const NEW_PARTS: Readonly<Record<ContentKind, JsonObject>> = {
  text: { type: 'output_text', text: '', annotations: [], logprobs: [] },
  refusal: { type: 'refusal', refusal: '' },
  reasoning: { type: 'reasoning_text', text: '' },
  summary: { type: 'summary_text', text: '' },
}

const NONE: readonly JsonObject[] = []

/** Some local servers leave out the beginning of a part, and some the one of its item. */
export function omittedStarts(value: JsonObject, event: PartEvent): readonly JsonObject[] {
  if (event.after.progress === event.before.progress) return NONE
  const type = isNonEmptyString(value.type) ? value.type : event.name
  const place = lookup(PARTS, type)?.edge === 'added' ? null : placeOf(value, type, event)
  if (place === null || isCall(place.of)) return NONE
  const { item, of, received, members } = place
  const earlier = listAt(event.before.progress.items, item)
  if (received.runs.length === (earlier?.runs.length ?? 0)) return NONE
  // More of a part that has ended.
  if (earlier !== undefined && lastOf(earlier.positions, runName(of, innerIndex(value, of))) >= 0) return NONE
  const { sequence_number = null } = value
  const added = of === 'summary' ? 'response.reasoning_summary_part.added' : 'response.content_part.added'
  const number = sequence_number === null ? {} : { sequence_number }
  const part = { type: added, ...number, ...members, part: NEW_PARTS[of] }
  if (item < event.before.progress.items.length || received.id === '') return [part]
  const { output_index = null } = members
  return [{ type: ITEM_ADDED, ...number, output_index, item: newItem(received) }, part]
}

const newItem = ({ id, type }: ReceivedItem): JsonObject =>
  type === 'message'
    ? { id, type, status: 'in_progress', role: 'assistant', content: [] }
    : { id, type, status: 'in_progress', summary: [], content: [] }
