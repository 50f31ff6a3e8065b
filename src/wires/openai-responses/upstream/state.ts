import { EMPTY_LIST, type List, listAppend, listAt, listToArray, listWith } from '../../../collections/list.ts'
import {
  mapDelete,
  mapGet,
  mapLastKey,
  mapSet,
  mapSize,
  type SortedMap,
  type SortedSet,
} from '../../../collections/sorted-map.ts'
import type { ContentKind } from '../../../protocol/delta.ts'
import type { CallType, HostedItemType } from '../../../protocol/item.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { type MeasuredText, measureMore } from '../../../responses/measured-text.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import type { Quirks } from '../../quirks.ts'
import { upstreamErrorOf } from '../errors.ts'
import { ITEM_OF, TRANSCRIPTS } from '../terms.ts'

/** A part of a message or of reasoning, or the arguments of a call, as received so far. */
export interface PartRun {
  readonly of: ContentKind | CallType
  /** The decoder's own name, emitted as `part`. */
  readonly name: string
  /** The upstream's `content_index` or `summary_index`; null if there is none. */
  readonly index: number | null
  /** Its place among the parts of its item, which the upstream's index may differ from (vLLM). */
  readonly place: number
  /** The text, without the pending text of the active part. */
  readonly text: string
  /** The same text, measured; null until it is cited. */
  readonly measured: MeasuredText | null
  /** How often each annotation was emitted, by its identity. */
  readonly cited: SortedMap<string, number>
  /** The annotations, as received. */
  readonly annotations: List<Json>
  /** The text was not emitted yet: its final value may be another one. */
  readonly held: boolean
  /** An event with its whole text was received. */
  readonly whole: boolean
  readonly done: boolean
}

/**
 * An index of items or parts by their names: the last one of a name, and the last one of it that is not finished. Each
 * lookup costs O(log n).
 */
interface Positions {
  readonly last: SortedMap<string, number>
  readonly open: SortedMap<string, SortedSet<number>>
}

export const NO_POSITIONS: Positions = { last: null, open: null }

/** Adds a position that is not finished, under all of its names. */
function withPosition({ last, open }: Positions, at: number, names: readonly string[]): Positions {
  return {
    last: names.reduce((now, name) => mapSet(now, name, at), last),
    open: names.reduce((now, name) => mapSet(now, name, mapSet(mapGet(now, name) ?? null, at, true)), open),
  }
}

/** Marks a position as finished. */
function closePosition({ last, open }: Positions, at: number, names: readonly string[]): Positions {
  const left = names.reduce((now, name) => {
    const others = mapDelete(mapGet(now, name) ?? null, at)
    return others === null ? mapDelete(now, name) : mapSet(now, name, others)
  }, open)
  return { last, open: left }
}

/** Returns the last position of a name; -1 if there is none. */
export const lastOf = ({ last }: Positions, name: string): number => mapGet(last, name) ?? -1

/** Returns the last position of a name that is not finished; -1 if there is none. */
export const lastOpenOf = ({ open }: Positions, name: string): number => mapLastKey(mapGet(open, name) ?? null) ?? -1

/** The item that began without an index, which only its pieces have; -1 if there are several. */
const onlyOpenOf = (positions: Positions, name: string): number =>
  mapSize(mapGet(positions.open, name) ?? null) > 1 ? -1 : lastOpenOf(positions, name)

/** The lists of an item that have its parts. */
export type PartsIn = 'content' | 'summary'

export const listOfPart = (of: PartRun['of']): PartsIn => (of === 'summary' ? 'summary' : 'content')

/** An output item, as received so far. */
export interface ReceivedItem {
  /** The decoder's own key: ids change from event to event at some vendors, and an index may be used again. */
  readonly key: string
  readonly index: number | null
  /** The index under which clients have seen it begin: its content may come under another one. */
  readonly place: number
  readonly id: string
  /** The id of a call; empty if it has none. */
  readonly callId: string
  readonly type: string
  /** The type under which the item is emitted, if the upstream runs it. */
  readonly hosted: HostedItemType | null
  readonly runs: List<PartRun>
  readonly positions: Positions
  /** How many parts have begun in each list, also those of unknown types and those of the announced item. */
  readonly shown: Readonly<Record<PartsIn, number>>
  /** The name of the call was emitted. */
  readonly named: boolean
  /** The last `encrypted_content`: that of the finished item differs from the earlier one. */
  readonly sealed: string
  /** The last phase of a message that was emitted. */
  readonly phase: string
  /** The item as it was announced, and then as it was done. Null if it was not announced. */
  readonly item: JsonObject | null
  readonly done: boolean
}

/** The active part, to which the last piece belonged: the next piece of it is applied without a lookup. */
export interface LiveRun {
  readonly event: string
  readonly index: number
  readonly inner: number | null
  /** Positions in `progress`. */
  readonly item: number
  readonly run: number
  readonly of: ContentKind | CallType
  readonly key: string
  readonly part: string
  readonly place: number
  readonly itemPlace: number
  readonly itemId: string
  readonly held: boolean
  /** The ids in the event of a call, which several calls under one index differ in. */
  readonly ids: string
}

/** The fields that change seldom, so that a piece of text does not copy them. */
export interface DecoderProgress {
  readonly model: string
  /** The upstream's id of the response; empty before its first event. */
  readonly response: string
  /** The response of the first event, without its output, its instructions and its tools; null before it. */
  readonly created: JsonObject | null
  readonly items: List<ReceivedItem>
  readonly positions: Positions
  /** The client receives the answer whole: texts are held back until their final value. */
  readonly whole: boolean
  readonly over: boolean
  /** The number of frames that could not be read. */
  readonly noise: number
}

/** A flat object: every piece of text creates a new state, in which only `text` differs. */
export interface ResponsesState {
  readonly live: LiveRun | null
  /** The pending text of the active part: all that came since it became active. */
  readonly text: string
  readonly progress: DecoderProgress
}

const OPENING: DecoderProgress = {
  model: '',
  response: '',
  created: null,
  items: EMPTY_LIST,
  positions: NO_POSITIONS,
  whole: false,
  over: false,
  noise: 0,
}

export const INITIAL: ResponsesState = { live: null, text: '', progress: OPENING }

export const initialState = ({ wholeAnswer = false }: Quirks): ResponsesState =>
  wholeAnswer ? { ...INITIAL, progress: { ...OPENING, whole: true } } : INITIAL

export const toState = (progress: DecoderProgress, live: LiveRun | null = null): ResponsesState => ({
  live,
  text: '',
  progress,
})

export const receivedItemAt = (progress: DecoderProgress, item: number): ReceivedItem =>
  listAt(progress.items, item) as ReceivedItem

export const partRunOf = (progress: DecoderProgress, item: number, run: number): PartRun =>
  listAt(receivedItemAt(progress, item).runs, run) as PartRun

// ---------------------------------------------------------------- names of items and parts

/**
 * Items are found by index and type, by id and type, by id, type and index, by type, by index, or by the id of a call.
 * An id or a type may be any text, so that only the last part of a name has no length before it.
 */
export const ITEM_NAMES = {
  index: (index: number | null, type: string): string => `index ${index} ${type}`,
  id: (id: string, type: string): string => `id ${type.length} ${type}${id}`,
  idAt: (id: string, type: string, index: number | null): string => `id at ${index} ${type.length} ${type}${id}`,
  type: (type: string): string => `type ${type}`,
  call: (callId: string): string => `call ${callId}`,
  untyped: (index: number | null): string => `untyped ${index}`,
} as const

const namesOfItem = ({
  index,
  id,
  type,
  callId,
}: Pick<ReceivedItem, 'index' | 'id' | 'type' | 'callId'>): readonly string[] => [
  ITEM_NAMES.index(index, type),
  ITEM_NAMES.id(id, type),
  ITEM_NAMES.idAt(id, type, index),
  ITEM_NAMES.type(type),
  ITEM_NAMES.untyped(index),
  ...(callId === '' ? [] : [ITEM_NAMES.call(callId)]),
]

export const runName = (of: PartRun['of'], index: number | null): string => `${of} ${index}`

const namesOfRun = ({ of, index }: Pick<PartRun, 'of' | 'index'>): readonly string[] => [runName(of, index), of]

// ---------------------------------------------------------------- changes of one item

type ItemChange = Partial<
  Pick<ReceivedItem, 'runs' | 'positions' | 'shown' | 'named' | 'sealed' | 'phase' | 'item' | 'done'>
>
type RunChange = Partial<Pick<PartRun, 'text' | 'measured' | 'cited' | 'annotations' | 'held' | 'whole' | 'done'>>

/** Changes one item, in O(log n). Uses no spread, which is slow where V8 has seen objects of many shapes. */
export function withReceivedItem(progress: DecoderProgress, at: number, change: ItemChange): DecoderProgress {
  const old = receivedItemAt(progress, at)
  const { key, index, place, id, callId, type, hosted } = old
  const item: ReceivedItem = {
    key,
    index,
    place,
    id,
    callId,
    type,
    hosted,
    runs: change.runs ?? old.runs,
    positions: change.positions ?? old.positions,
    shown: change.shown ?? old.shown,
    named: change.named ?? old.named,
    sealed: change.sealed ?? old.sealed,
    phase: change.phase ?? old.phase,
    item: change.item ?? old.item,
    done: change.done ?? old.done,
  }
  const isOver = item.done && !old.done
  const positions = isOver ? closePosition(progress.positions, at, namesOfItem(old)) : progress.positions
  return {
    model: progress.model,
    response: progress.response,
    created: progress.created,
    items: listWith(progress.items, at, item),
    positions,
    whole: progress.whole,
    over: progress.over,
    noise: progress.noise,
  }
}

/** Changes one part. Uses no spread, for the same reason. */
export function withRun(progress: DecoderProgress, item: number, run: number, change: RunChange): DecoderProgress {
  const { runs, positions } = receivedItemAt(progress, item)
  const old = listAt(runs, run) as PartRun
  const { of, name, index, place } = old
  const changed: PartRun = {
    of,
    name,
    index,
    place,
    text: change.text ?? old.text,
    measured: change.measured ?? old.measured,
    cited: change.cited ?? old.cited,
    annotations: change.annotations ?? old.annotations,
    held: change.held ?? old.held,
    whole: change.whole ?? old.whole,
    done: change.done ?? old.done,
  }
  const isOver = changed.done && !old.done
  return withReceivedItem(progress, item, {
    runs: listWith(runs, run, changed),
    positions: isOver ? closePosition(positions, run, namesOfRun(old)) : positions,
  })
}

/**
 * Moves an item that was announced under another index to that of its content. Only an item without content moves.
 * O(log n).
 */
function moveItem(progress: DecoderProgress, at: number, index: number): DecoderProgress {
  const old = receivedItemAt(progress, at)
  const item = { ...old, index }
  const left = closePosition(progress.positions, at, namesOfItem(old))
  return {
    ...progress,
    items: listWith(progress.items, at, item),
    positions: withPosition(left, at, namesOfItem(item)),
  }
}

/** Appends text to one part. O(k) for k characters. */
export function withText(progress: DecoderProgress, item: number, run: number, piece: string): DecoderProgress {
  const { text, measured } = partRunOf(progress, item, run)
  const more = { text: appendFlat(text, piece) }
  return withRun(progress, item, run, measured === null ? more : { ...more, measured: measureMore(measured, piece) })
}

/** Moves the pending text into its part. */
export const commitText = ({ live, text, progress }: ResponsesState): DecoderProgress =>
  live === null || text === '' ? progress : withText(progress, live.item, live.run, text)

export const toIndex = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null

/** The count of unreadable frames, and the failure that such a frame may name. */
export const NOISE = {
  noiseOf: ({ progress }: ResponsesState): number => progress.noise,
  withNoise: ({ live, text, progress }: ResponsesState, noise: number): ResponsesState => ({
    live,
    text,
    progress: { ...progress, noise },
  }),
  toError: upstreamErrorOf,
}

// ---------------------------------------------------------------- items and parts by the indices and ids of events

/** The state with the positions of an item and a part, which are created if they are missing. */
interface IndexStep {
  readonly progress: DecoderProgress
  readonly item: number
  readonly run: number
}

const partsIn = (parts: unknown): number => (Array.isArray(parts) ? parts.length : 0)

type ItemFields = Pick<ReceivedItem, 'index' | 'id' | 'type'> &
  Partial<Pick<ReceivedItem, 'callId' | 'hosted' | 'sealed' | 'item'>>

export function addReceivedItem(
  { model, response, created, items, positions, whole, over, noise }: DecoderProgress,
  { index, id, type, callId = '', hosted = null, sealed = '', item: announced = null }: ItemFields,
): DecoderProgress {
  const at = items.length
  const item: ReceivedItem = {
    key: `${at}`,
    index,
    place: index ?? at,
    id,
    callId,
    type,
    hosted,
    runs: EMPTY_LIST,
    positions: NO_POSITIONS,
    shown: { content: partsIn(announced?.content), summary: partsIn(announced?.summary) },
    named: false,
    sealed,
    phase: '',
    item: announced,
    done: false,
  }
  return {
    model,
    response,
    created,
    items: listAppend(items, item),
    positions: withPosition(positions, at, namesOfItem(item)),
    whole,
    over,
    noise,
  }
}

export const isCallType = (type: string): boolean => type === 'function_call' || type === 'custom_tool_call'

/** The id of the call of an event, which is in the event or in its item. */
function callIdOf({ call_id, item }: JsonRecord): string | null {
  const id = call_id ?? (isObject(item) ? item.call_id : null)
  return isNonEmptyString(id) ? id : null
}

/**
 * Returns the position of the call that the ids of an event name; -1 if they name none. Some servers have the id of the
 * call in place of that of its item.
 */
function findCall(positions: Positions, event: JsonRecord, id: unknown, type: string, open: boolean): number {
  const find = open ? lastOpenOf : lastOf
  const callId = callIdOf(event)
  const byCall = callId === null ? -1 : find(positions, ITEM_NAMES.call(callId))
  if (byCall >= 0 || !isNonEmptyString(id)) return byCall
  const byId = find(positions, ITEM_NAMES.id(id, type))
  return byId >= 0 ? byId : find(positions, ITEM_NAMES.call(id))
}

/**
 * Returns the position of the item of an event; -1 if there is none. A call is found by its ids first. For other items,
 * the index takes precedence over the id. GitHub Copilot sends another id with every event, which names nothing then.
 * `open`: finished items do not count. O(log n).
 */
export function findItem(
  { positions }: DecoderProgress,
  event: JsonRecord,
  id: unknown,
  type: string,
  open: boolean,
): number {
  const find = open ? lastOpenOf : lastOf
  const index = toIndex(event.output_index)
  const call = isCallType(type) ? findCall(positions, event, id, type, open) : -1
  if (call >= 0) return call
  if (index !== null) {
    const at = find(positions, ITEM_NAMES.index(index, type))
    return at >= 0 || isNonEmptyString(id) ? at : onlyOpenOf(positions, ITEM_NAMES.index(null, type))
  }
  const named = isNonEmptyString(id) ? find(positions, ITEM_NAMES.id(id, type)) : -1
  return named >= 0 ? named : lastOpenOf(positions, ITEM_NAMES.type(type))
}

/**
 * Returns the open item of an event that names an index without an item of its type: servers of gpt-oss count up before
 * they end an item (vLLM, docs/wires/openai-responses.md, 10). Its id identifies it, else its text, which is the
 * beginning of `whole`; -1 if there is none.
 */
export function findShifted(
  { positions, items }: DecoderProgress,
  { output_index }: JsonRecord,
  id: unknown,
  type: string,
  whole: string,
): number {
  const named = isNonEmptyString(id) ? lastOpenOf(positions, ITEM_NAMES.id(id, type)) : -1
  const last = named >= 0 ? named : lastOpenOf(positions, ITEM_NAMES.type(type))
  const item = last < 0 ? undefined : listAt(items, last)
  if (named >= 0 || item === undefined) return named
  const text = listToArray(item.runs)
    .map((run) => run.text)
    .join('')
  const isNext = item.index !== null && output_index === item.index + 1
  return (text === '' ? isNext : whole.startsWith(text)) ? last : -1
}

/**
 * Returns the position of the only open call, to which arguments under the index of no item belong; -1 if there is none,
 * or if they begin anew.
 */
function onlyCall({ positions, items }: DecoderProgress, type: string, piece: unknown): number {
  const open = isCallType(type) ? (mapGet(positions.open, ITEM_NAMES.type(type)) ?? null) : null
  const at = mapSize(open) === 1 ? (mapLastKey(open) ?? -1) : -1
  const item = at < 0 ? undefined : listAt(items, at)
  if (item === undefined || !item.named) return -1
  const hasStarted = listToArray(item.runs).some(({ text }) => text !== '')
  return hasStarted && isNonEmptyString(piece) && piece.trimStart().startsWith('{') ? -1 : at
}

/** Like `findItem`, but opens an item that was not announced. `whole`: the text of an event that repeats all of it. */
export function ensureReceivedItem(
  progress: DecoderProgress,
  event: JsonRecord,
  type: string,
  open: boolean,
  whole = '',
): { readonly progress: DecoderProgress; readonly item: number } {
  const found = findItem(progress, event, event.item_id, type, open)
  if (found >= 0) return { progress, item: found }
  const shifted = findShifted(progress, event, event.item_id, type, whole)
  const index = toIndex(event.output_index)
  if (shifted >= 0) {
    const isEmpty = receivedItemAt(progress, shifted).runs.length === 0
    return {
      progress: open && isEmpty && index !== null ? moveItem(progress, shifted, index) : progress,
      item: shifted,
    }
  }
  const only = onlyCall(progress, type, whole === '' ? event.delta : whole)
  if (only >= 0) return { progress, item: only }
  const id = isNonEmptyString(event.item_id) ? event.item_id : ''
  return {
    progress: addReceivedItem(progress, { index, id, type, callId: callIdOf(event) ?? '' }),
    item: progress.items.length,
  }
}

/** The ids that an event of a call names it by, as one value. Those of other events are not read. */
export const idsOf = (event: JsonRecord, of: PartRun['of']): string =>
  isCallType(of) ? `${scalarToString(event.item_id)} ${scalarToString(event.call_id)}` : ''

export const innerIndex = (event: JsonRecord, of: PartRun['of']): number | null =>
  of === 'summary' ? toIndex(event.summary_index) : of === 'function_call' ? null : toIndex(event.content_index)

/**
 * Returns the position of the part of an event; -1 if there is none. A new index alone does not begin a part, because
 * vLLM increases the index with every token; one behind the whole text of a part does. `open`: the event has a piece,
 * and finished parts do not count. O(log n).
 */
export function findRun(
  { positions, runs }: ReceivedItem,
  of: PartRun['of'],
  index: number | null,
  open: boolean,
): number {
  const exact = (open ? lastOpenOf : lastOf)(positions, runName(of, index))
  // Parts of a summary, which vLLM does not send, may differ by their index alone.
  if (exact >= 0 || (of === 'summary' && index !== null)) return exact
  const last = lastOpenOf(positions, of)
  return open && index !== null && last >= 0 && listAt(runs, last)?.whole === true ? -1 : last
}

/** The kind of an event's part. vLLM calls the parts of reasoning text, so a text part of an open reasoning item is one. */
export function kindInItem(progress: DecoderProgress, event: JsonRecord, of: ContentKind): ContentKind {
  const { item_id: id, output_index: index } = event
  if (of !== 'text' || findItem(progress, event, id, 'message', false) >= 0) return of
  const at = findItem(progress, event, id, 'reasoning', true)
  const own = at < 0 ? null : receivedItemAt(progress, at).id
  return own === scalarToString(id) && (own !== '' || toIndex(index) !== null) ? 'reasoning' : of
}

const MESSAGE_KINDS = ['text', 'refusal'] as const

/** Whether an index is that of an earlier part of the other kind in a message. */
const isTaken = (positions: Positions, of: PartRun['of'], index: number): boolean =>
  MESSAGE_KINDS.some((other) => other !== of && lastOf(positions, runName(other, index)) >= 0)

/** Adds a part. `begins`: clients see it begin, unless its index is that of an earlier one. */
export function addRun(
  progress: DecoderProgress,
  item: number,
  of: PartRun['of'],
  index: number | null,
  begins = true,
): IndexStep {
  const { runs, positions, shown } = receivedItemAt(progress, item)
  const run = runs.length
  const list = listOfPart(of)
  const next = shown[list]
  const place = index !== null && index < next && !isTaken(positions, of, index) ? index : next
  const added: PartRun = {
    of,
    name: `${run}`,
    index,
    place,
    text: '',
    measured: null,
    cited: null,
    annotations: EMPTY_LIST,
    held: false,
    whole: false,
    done: false,
  }
  const change = {
    runs: listAppend(runs, added),
    positions: withPosition(positions, run, namesOfRun(added)),
    shown: begins && place === next ? { ...shown, [list]: next + 1 } : shown,
  }
  return { progress: withReceivedItem(progress, item, change), item, run }
}

export function ensureRun(
  progress: DecoderProgress,
  event: JsonRecord,
  of: ContentKind | CallType,
  open: boolean,
  whole = '',
): IndexStep {
  const placed = ensureReceivedItem(progress, event, ITEM_OF[of], open, whole)
  const index = innerIndex(event, of)
  const run = findRun(receivedItemAt(placed.progress, placed.item), of, index, open)
  return run >= 0
    ? { progress: placed.progress, item: placed.item, run }
    : addRun(placed.progress, placed.item, of, index, !TRANSCRIPTS.has(String(event.type)))
}
