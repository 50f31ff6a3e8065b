import { EMPTY_LIST, listAppend, listAt, listToArray } from '../../../collections/list.ts'
import type { ContentKind } from '../../../protocol/delta.ts'
import type { CallType } from '../../../protocol/item.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import { ITEM_OF } from '../terms.ts'
import {
  type DecoderProgress,
  ITEM_NAMES,
  lastOf,
  lastOpenOf,
  moveItem,
  NO_POSITIONS,
  namesOfItem,
  namesOfRun,
  type PartRun,
  type ReceivedItem,
  receivedItemAt,
  runName,
  toIndex,
  withPosition,
  withReceivedItem,
} from './state.ts'

/** The state with the positions of an item and a part, which are created if they are missing. */
export interface IndexStep {
  readonly progress: DecoderProgress
  readonly item: number
  readonly run: number
}

type ItemFields = Pick<ReceivedItem, 'index' | 'id' | 'type'> & Partial<Pick<ReceivedItem, 'hosted' | 'sealed'>>

export function addReceivedItem(
  { model, response, items, positions, whole, over, noise }: DecoderProgress,
  { index, id, type, hosted = null, sealed = '' }: ItemFields,
): DecoderProgress {
  const at = items.length
  const item: ReceivedItem = {
    key: `${at}`,
    index,
    id,
    type,
    hosted,
    runs: EMPTY_LIST,
    positions: NO_POSITIONS,
    named: false,
    sealed,
    phase: '',
    done: false,
  }
  return {
    model,
    response,
    items: listAppend(items, item),
    positions: withPosition(positions, at, namesOfItem(item)),
    whole,
    over,
    noise,
  }
}

/**
 * Returns the position of the item of an event; -1 if there is none. The index takes precedence over the id, because
 * GitHub Copilot sends another id with every event. `open`: finished items do not count. O(log n).
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
  if (index !== null) return find(positions, ITEM_NAMES.index(index, type))
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
  const id = isNonEmptyString(event.item_id) ? event.item_id : ''
  return {
    progress: addReceivedItem(progress, { index, id, type }),
    item: progress.items.length,
  }
}

export const innerIndex = (event: JsonRecord, of: PartRun['of']): number | null =>
  of === 'summary' ? toIndex(event.summary_index) : of === 'function_call' ? null : toIndex(event.content_index)

/**
 * Returns the position of the part of an event; -1 if there is none. A new index alone does not begin a part, because
 * vLLM increases the index with every token. `open`: finished parts do not count. O(log n).
 */
export function findRun({ positions }: ReceivedItem, of: PartRun['of'], index: number | null, open: boolean): number {
  const exact = (open ? lastOpenOf : lastOf)(positions, runName(of, index))
  return exact >= 0 ? exact : lastOpenOf(positions, of)
}

export function addRun(progress: DecoderProgress, item: number, of: PartRun['of'], index: number | null): IndexStep {
  const { runs, positions } = receivedItemAt(progress, item)
  const run = runs.length
  const added: PartRun = { of, name: `${run}`, index, text: '', measured: null, cited: null, held: false, done: false }
  const change = { runs: listAppend(runs, added), positions: withPosition(positions, run, namesOfRun(added)) }
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
    : addRun(placed.progress, placed.item, of, index)
}
