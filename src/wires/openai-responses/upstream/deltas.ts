import { listToArray } from '../../../collections/list.ts'
import type { CallDelta, ContentDelta } from '../../../protocol/delta.ts'
import { toOrigin } from '../../../protocol/item.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { DIFFERENT } from '../../../responses/final-values.ts'
import { isCompleteJson, isDeeperThan, isNonEmptyString, isObject } from '../../../text/json.ts'
import { emitWrongKind, readCallId, readText } from '../../shared/upstream/answers/answer-values.ts'
import { shortWord } from '../../shared/upstream/answers/finish-reasons.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import {
  type DecoderProgress,
  NO_POSITIONS,
  type PartRun,
  partRunOf,
  receivedItemAt,
  withReceivedItem,
  withRun,
  withText,
} from './state.ts'

export const isCall = (of: PartRun['of']): of is CallDelta['type'] =>
  of === 'function_call' || of === 'custom_tool_call'

/** Creates the delta for a piece of text or arguments. `key` and `part` are the decoder's own names. */
export const pieceOf = (
  of: PartRun['of'],
  key: string,
  part: string,
  text: string,
  logprobs: readonly Logprob[] | null,
): CallDelta | ContentDelta =>
  isCall(of)
    ? { kind: 'call', key, type: of, callId: null, name: null, arguments: text }
    : { kind: of, key, part, text, logprobs }

/** Emits more text of a part that is not active. */
export function emitMore(
  progress: DecoderProgress,
  item: number,
  run: number,
  text: string,
  logprobs: readonly Logprob[] | null,
  deltas: Deltas,
): DecoderProgress {
  const part = partRunOf(progress, item, run)
  const { of, name } = part
  const received = receivedItemAt(progress, item)
  if (text === '' || received.hosted !== null) return progress
  const held = progress.whole ? isHeldWhole(part, logprobs) : isHeld(part, text)
  if (!held) deltas.push(pieceOf(of, received.key, name, part.held ? part.text + text : text, logprobs))
  const more = withText(progress, item, run, text)
  return held === part.held ? more : withRun(more, item, run, { held })
}

/** The beginning of an object, up to its first member or its end. */
const BEGINS_OBJECT = /^\s*\{\s*["}]/

const LONGEST_START = 64

/**
 * Arguments that do not begin an object are held back until their final value: GitHub Copilot scrambles the pieces, and
 * only the events at the end have the arguments (docs/wires/openai-responses.md, 10).
 */
function isHeld({ of, text, held }: PartRun, piece: string): boolean {
  if (of !== 'function_call' || (text !== '' && !held)) return false
  return !BEGINS_OBJECT.test((text.length < LONGEST_START ? text + piece : text).slice(0, LONGEST_START * 2))
}

/** The tokens of a text have probabilities only in its pieces. */
const isHeldWhole = ({ text, held }: PartRun, logprobs: readonly Logprob[] | null): boolean =>
  logprobs === null && (held || text === '')

/**
 * Emits a text that was held back: its final value, which for a call must be JSON, else the text itself. Arguments that
 * are whole stay, as in a stream.
 */
export function settleRun(
  progress: DecoderProgress,
  item: number,
  run: number,
  final: string,
  deltas: Deltas,
): DecoderProgress {
  const { of, name, text } = partRunOf(progress, item, run)
  const wins = final.startsWith(text) || (isCall(of) ? !isCompleteJson(text) && isCompleteJson(final) : final !== '')
  const whole = wins ? final : text
  if (wins ? !final.startsWith(text) && text.trim() !== '' : final !== '') emitLoss(DIFFERENT, deltas)
  if (whole !== '') deltas.push(pieceOf(of, receivedItemAt(progress, item).key, name, whole, null))
  return withRun(progress, item, run, { text: whole, held: false })
}

/** Emits all texts of an item that were held back. */
export const settleItem = (progress: DecoderProgress, item: number, deltas: Deltas): DecoderProgress =>
  listToArray(receivedItemAt(progress, item).runs).reduce(
    (now, { held }, run) => (held ? settleRun(now, item, run, '', deltas) : now),
    progress,
  )

function detailsOf({ namespace, caller, async }: JsonRecord): Pick<CallDelta, 'namespace' | 'origin'> {
  const by = isObject(caller) && !isDeeperThan(MAX_LENGTHS.nesting, caller) ? (caller as JsonObject) : null
  const origin = toOrigin({ caller: by, async: async === true ? true : null })
  return {
    ...(isNonEmptyString(namespace) ? { namespace } : {}),
    ...(Object.keys(origin).length === 0 ? {} : { origin }),
  }
}

/** Emits the name and the id of a call, once. */
export function emitName(progress: DecoderProgress, item: number, call: JsonRecord, deltas: Deltas): DecoderProgress {
  const { key, type, named, hosted } = receivedItemAt(progress, item)
  const { name, call_id } = call
  if (
    named ||
    hosted !== null ||
    !isNonEmptyString(name) ||
    !(type === 'function_call' || type === 'custom_tool_call')
  ) {
    return progress
  }
  const callId = readCallId(call_id)
  deltas.push({ kind: 'call', key, type, callId, name, arguments: '', ...detailsOf(call) })
  return withReceivedItem(progress, item, { named: true })
}

/** Emits the phase of a message, once. */
export function emitPhase(
  progress: DecoderProgress,
  item: number,
  { phase }: JsonRecord,
  deltas: Deltas,
): DecoderProgress {
  const received = receivedItemAt(progress, item)
  if (received.type !== 'message' || !isNonEmptyString(phase) || phase === received.phase) return progress
  deltas.push({ kind: 'phase', key: received.key, phase })
  return withReceivedItem(progress, item, { phase })
}

/** The text of a piece. Some servers send an object with the text, or the arguments themselves, in its place. */
export function pieceText(of: PartRun['of'], delta: unknown, deltas: Deltas): string {
  if (typeof delta === 'string') return delta
  return isCall(of) ? wholeText(delta, deltas) : readText(delta)
}

/** Returns a text. Arguments are JSON text, but some servers send the object itself. */
export function wholeText(value: unknown, deltas: Deltas): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : formatArguments(value, deltas)
}

/**
 * A second response of another id means that a proxy retried in the middle of an answer: indices start again, and the
 * text so far cannot be taken back.
 */
export function applyStart(progress: DecoderProgress, { id }: JsonRecord, deltas: Deltas): DecoderProgress {
  if (!isNonEmptyString(id) || id === progress.response) return progress
  if (progress.response === '') return { ...progress, response: id }
  emitLoss('an answer that the upstream restarted', deltas)
  return { ...progress, response: id, positions: NO_POSITIONS }
}

export const emitWrongDelta = (delta: unknown, deltas: Deltas): void => emitWrongKind('delta', delta, deltas)

/** Adds the loss of an event of an unknown type. */
export const emitUnknown = (type: string, deltas: Deltas): void =>
  emitLoss(type === '' ? 'an event without a type' : `event ${shortWord(type)}`, deltas)
