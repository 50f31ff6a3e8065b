import type { ContentKind } from '../../../protocol/delta.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import { PROGRESS_EVENTS, type ProgressName, progressFields } from '../../../protocol/progress.ts'
import { isDeeperThan, isNonEmptyString, isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import { ITEM_OF, PART_KINDS, type PARTS } from '../terms.ts'
import { cite, citeRest } from './citations.ts'
import { emitMore, emitName, isCall, settleRun, wholeText } from './deltas.ts'
import { addRun, ensureReceivedItem, ensureRun, findItem, findRun, innerIndex } from './index-map.ts'
import {
  type DecoderProgress,
  lastOpenOf,
  type PartRun,
  partRunOf,
  receivedItemAt,
  runName,
  toIndex,
  withRun,
} from './state.ts'

/**
 * A whole text counts only if none of its pieces came (LM Studio). Otherwise, the finished item adds what is missing.
 */
export function applyWhole(
  progress: DecoderProgress,
  event: JsonRecord,
  of: PartRun['of'],
  whole: unknown,
  logprobs: unknown,
  deltas: Deltas,
): DecoderProgress {
  const text = wholeText(whole, deltas)
  const placed = ensureRun(progress, event, of, false, text)
  const { item, run } = placed
  if (receivedItemAt(placed.progress, item).done) return progress
  const named = isCall(of) ? emitName(placed.progress, item, event, deltas) : placed.progress
  const received = partRunOf(named, item, run)
  // The finished item decides about a text, because this event and the item may differ.
  if (received.held) return isCall(of) ? settleRun(named, item, run, text, deltas) : named
  return received.text === '' ? emitMore(named, item, run, text, toLogprobs(logprobs), deltas) : named
}

export function applyPart(
  progress: DecoderProgress,
  event: JsonRecord,
  { edge, of: usual }: (typeof PARTS)[string],
  deltas: Deltas,
): DecoderProgress {
  const part: JsonRecord = isObject(event.part) ? event.part : {}
  const of = (isNonEmptyString(part.type) ? lookup(PART_KINDS, part.type) : usual) ?? null
  if (of === null) return progress
  if (edge === 'added') return openPart(progress, event, of)
  const whole = of === 'refusal' ? part.refusal : (part.text ?? part.transcript)
  const applied = applyWhole(progress, event, of, whole, part.logprobs, deltas)
  const { progress: placed, item, run } = ensureRun(applied, event, of, false, wholeText(whole, deltas))
  if (receivedItemAt(placed, item).done) return progress
  return withRun(citeRest(placed, item, run, part.annotations, deltas), item, run, { done: true })
}

/** Opens a part that the upstream announces. */
function openPart(progress: DecoderProgress, event: JsonRecord, of: ContentKind): DecoderProgress {
  const { progress: placed, item } = ensureReceivedItem(progress, event, ITEM_OF[of], true)
  const index = innerIndex(event, of)
  const known = lastOpenOf(receivedItemAt(placed, item).positions, runName(of, index)) >= 0
  return known ? placed : addRun(placed, item, of, index).progress
}

export function applyAnnotation(progress: DecoderProgress, event: JsonRecord, deltas: Deltas): DecoderProgress {
  const placed = ensureReceivedItem(progress, event, 'message', false)
  const found = findRun(receivedItemAt(placed.progress, placed.item), 'text', innerIndex(event, 'text'), false)
  if (found >= 0) return cite(placed.progress, placed.item, found, event.annotation, deltas)
  const { progress: ready, item, run } = ensureRun(placed.progress, event, 'text', false)
  return cite(ready, item, run, event.annotation, deltas)
}

const isProgress = (name: string): name is ProgressName => Object.hasOwn(PROGRESS_EVENTS, name)

/** Emits an event of an item that the upstream runs itself; returns false for events of another type. */
export function emitProgress(progress: DecoderProgress, event: JsonRecord, type: string, deltas: Deltas): boolean {
  const name = type.startsWith('response.') ? type.slice('response.'.length) : ''
  if (!isProgress(name)) return false
  const { of } = PROGRESS_EVENTS[name]
  const at = findItem(progress, event, event.item_id, of, true)
  const item = at < 0 ? null : receivedItemAt(progress, at)
  if (item === null || item.hosted !== of) {
    emitLoss(`${name} outside its item`, deltas)
    return true
  }
  if (isDeeperThan(MAX_LENGTHS.nesting, event)) {
    emitLoss('a field that is nested too deeply', deltas)
    return true
  }
  const fields = progressFields(event) as JsonObject
  // Clients require the index of a command of a shell.
  const index = name.startsWith('shell_call') ? { command_index: toIndex(event.command_index) ?? 0 } : {}
  deltas.push({ kind: 'progress', key: item.key, name, fields: { ...fields, ...index } })
  return true
}
