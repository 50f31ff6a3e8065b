import type { ContentKind } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import { ITEM_OF, PART_KINDS, type PARTS } from '../terms.ts'
import { cite, citeRest } from './citations.ts'
import { emitMore, emitName, isCall, wholeText } from './deltas.ts'
import { addRun, ensureReceivedItem, ensureRun, findRun, innerIndex } from './index-map.ts'
import { lastOpenOf } from './positions.ts'
import { type DecoderProgress, type PartRun, partRunOf, receivedItemAt, runName, withRun } from './state.ts'

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
  const placed = ensureRun(progress, event, of, false)
  const { item, run } = placed
  if (receivedItemAt(placed.progress, item).done) return progress
  const named = isCall(of) ? emitName(placed.progress, item, event, deltas) : placed.progress
  const silent = partRunOf(named, item, run).text === ''
  return silent ? emitMore(named, item, run, wholeText(whole, deltas), toLogprobs(logprobs), deltas) : named
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
  const applied = applyWhole(progress, event, of, of === 'refusal' ? part.refusal : part.text, part.logprobs, deltas)
  const { progress: placed, item, run } = ensureRun(applied, event, of, false)
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
