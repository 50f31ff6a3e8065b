import { EMPTY_LIST, listAppend, listToArray } from '../../../collections/list.ts'
import { mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Frame } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import { pipe } from '../../../machine/pipe.ts'
import type { ContentDelta, Delta, FinishReason } from '../../../protocol/delta.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import type { EncodeContext } from '../../client-contract.ts'
import { PART_BORDER } from '../../shared/client/part-border.ts'
import { errorOf } from '../errors.ts'
import type { Candidate, GenerateContentResponse, ResponsePart, UsageMetadata } from '../json.ts'
import { toLogprobsResult } from '../logprobs.ts'
import { FINISH_WORDS } from '../terms.ts'
import { toContinuation, toUsageFields, toUsageMetadata } from '../usage.ts'
import { addCall, applySeal, finishBufferedItem, loosePart, release } from './buffered-parts.ts'
import { addCitation, expectGrounding, groundingOf, partName } from './grounding.ts'
import { allSeals, takeSeals } from './pending-signatures.ts'
import { addHosted } from './server-tools.ts'
import { type EncoderProgress, type EncoderState, INITIAL, updateEncoder } from './state.ts'

type ChunkStep = Step<EncoderState, GenerateContentResponse>

/**
 * Encodes deltas as chunks. The last chunk has the finish reason, the usage and the grounding; no chunk follows it.
 * O(1) for more of the same text or reasoning, O(log n) for any other delta; held parts and grounding are written once.
 */
export const encodeChunks = (context: EncodeContext): Machine<EncoderState, Delta, GenerateContentResponse> => ({
  initial: INITIAL,

  step(state, delta): ChunkStep {
    switch (delta.kind) {
      case 'text':
      case 'refusal':
        return writeText(state, delta, context)
      case 'reasoning':
      case 'summary':
        return context.settings.reasoning === false ? silent(withOutput(state)) : writeReasoning(state, delta, context)
      case 'call':
        return silent(addCall(state, delta))
      case 'stop':
        return silent(finishBufferedItem(state, delta))
      case 'opaque':
        return silent(typeof delta.payload === 'string' ? applySeal(state, delta.payload, context) : state)
      case 'citation':
        return silent(addCitation(state, delta))
      case 'hosted':
        return silent(delta.done ? addHosted(state, delta.item, context) : expectSearch(state, delta.item.type))
      case 'start':
        return silent(updateEncoder(state, { model: delta.model }))
      case 'usage':
        return silent(updateEncoder(state, { usage: toUsageMetadata(delta.usage) }))
      case 'served':
        return silent(updateEncoder(state, { served: { ...state.progress.served, ...delta.served } }))
      case 'finish':
        return { state, events: [lastChunk(state, delta.reason, context)] }
      case 'error':
        return { state, events: failure(state, delta.error, context) }
      default:
        return silent(state)
    }
  },

  end: () => NOTHING,
})

/** Drops reasoning that the client declined, and records that there was output. */
const withOutput = (state: EncoderState): EncoderState =>
  state.progress.hasOutput ? state : updateEncoder(state, { hasOutput: true })

const silent = (state: EncoderState): ChunkStep => ({ state, events: NOTHING })

const expectSearch = (state: EncoderState, type: string): EncoderState =>
  type === 'web_search_call' ? expectGrounding(state) : state

/** Returns the upstream's name of the model; the client's until the upstream has sent it. */
const modelOf = ({ model }: EncoderProgress, context: EncodeContext): string => (model === '' ? context.model : model)

/** Creates a chunk with nothing but one part, the most frequent kind of chunk. */
function pieceOf(part: ResponsePart, { progress }: EncoderState, context: EncodeContext): GenerateContentResponse {
  return {
    candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }],
    modelVersion: modelOf(progress, context),
    responseId: context.id,
  }
}

function chunkOf(
  parts: readonly ResponsePart[],
  more: Partial<Candidate>,
  { progress }: EncoderState,
  context: EncodeContext,
): GenerateContentResponse {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...more, index: 0 }],
    modelVersion: modelOf(progress, context),
    responseId: context.id,
  }
}

function writeText(state: EncoderState, delta: ContentDelta, context: EncodeContext): ChunkStep {
  const { key, part, text, logprobs } = delta
  if (text === '') return silent(state)
  const { run } = state.progress
  const goesOn = run !== null && run.kind === 'text' && run.key === key && run.part === part
  const ready = goesOn ? { ...NO_ROOM, state } : makeRoom(state)
  const open = goesOn ? state : withStretch(ready.state, key, part)
  const next: EncoderState = { text: appendFlat(open.text, text), args: open.args, progress: open.progress }
  if (goesOn && logprobs === null) return { state: next, events: [pieceOf({ text }, next, context)] }
  const own = ready.signature === null ? { text } : { text, thoughtSignature: ready.signature }
  const more = logprobs === null ? ready.more : { ...ready.more, logprobsResult: toLogprobsResult(logprobs) }
  return { state: next, events: [chunkOf([...ready.parts, own], more, next, context)] }
}

function writeReasoning(state: EncoderState, delta: ContentDelta, context: EncodeContext): ChunkStep {
  const { kind, key, text } = delta
  if (text === '') return silent(state)
  const { run } = state.progress
  // Raw reasoning and a summary of it are parts of their own.
  const part = `${kind} ${delta.part}`
  if (run !== null && run.kind === 'thought' && run.key === key && run.part === part) {
    return { state, events: [pieceOf({ text, thought: true }, state, context)] }
  }
  const ready = makeRoom(state)
  const isNext = run !== null && run.kind === 'thought' && run.key === key
  const own = { text: isNext ? PART_BORDER + text : text, thought: true }
  const signed = ready.signature === null ? own : { ...own, thoughtSignature: ready.signature }
  const next = updateEncoder(ready.state, { run: { kind: 'thought', key, part } })
  return { state: next, events: [chunkOf([...ready.parts, signed], ready.more, next, context)] }
}

interface Room {
  /** Parts that must be emitted before the next part. */
  readonly parts: readonly ResponsePart[]
  readonly state: EncoderState
  /** The signature of the next part. */
  readonly signature: string | null
  readonly more: Partial<Candidate>
}

const NO_ROOM: Omit<Room, 'state'> = { parts: [], signature: null, more: {} }

function makeRoom(before: EncoderState): Room {
  const { parts, state } = release(before)
  const { signature, others, left } = takeSeals(state.progress.seals, null)
  const { hint } = state.progress
  return {
    parts: [...parts, ...others.map(loosePart)],
    state: updateEncoder(state, { hasOutput: true, seals: left, hint: hint === 'due' ? 'given' : hint }),
    signature,
    more: hint === 'due' ? { groundingMetadata: {} } : {},
  }
}

/** Begins a stretch, for a text that begins or that continues after other output. */
function withStretch(state: EncoderState, key: string, part: string): EncoderState {
  const { stretches, lengths, last } = state.progress
  const run = { kind: 'text', key, part } as const
  const name = partName(key, part)
  if (last?.name === name) return updateEncoder(state, { run })
  const at = state.text.length
  const nextLengths =
    last === null ? lengths : mapSet(lengths, last.name, (mapGet(lengths, last.name) ?? 0) + at - last.at)
  const own = listAppend(mapGet(stretches, name) ?? EMPTY_LIST, { at, from: mapGet(nextLengths, name) ?? 0 })
  return updateEncoder(state, {
    run,
    stretches: mapSet(stretches, name, own),
    lengths: nextLengths,
    last: { name, at },
  })
}

/** Returns all parts that are still held, and an empty part for every signature that has no part yet. */
function remainder(before: EncoderState): { readonly parts: readonly ResponsePart[]; readonly state: EncoderState } {
  const { parts, state } = release(before, true)
  return { parts: [...parts, ...allSeals(state.progress.seals).map(loosePart)], state }
}

/** Whether the answer was filtered before any output. Google reports that as a blocked prompt without candidates. */
const isBlocked = ({ progress }: EncoderState, parts: readonly ResponsePart[], reason: FinishReason): boolean =>
  reason === 'content_filter' &&
  parts.length === 0 &&
  !progress.hasOutput &&
  progress.queries.values.length + progress.pages.length === 0

/** Returns the finish reason. An answer with unusable calls is incomplete, even if its upstream completed it. */
function finishWord(reason: FinishReason, isBroken: boolean, called: boolean): string {
  if (!isBroken || reason !== 'stop') return FINISH_WORDS[reason]
  return called ? FINISH_WORDS.max_output_tokens : 'MALFORMED_FUNCTION_CALL'
}

/** Returns the counts, and how the request was served; null if nothing is known. */
function usageOf({ usage, served }: EncoderProgress): UsageMetadata | null {
  const fields = toUsageFields(served)
  return usage === null && Object.keys(fields).length === 0 ? null : { ...usage, ...fields }
}

/** The content of the last chunk is never empty: clients discard the whole answer if one chunk has no content. */
function lastChunk(before: EncoderState, reason: FinishReason, context: EncodeContext): GenerateContentResponse {
  const { parts, state } = remainder(before)
  if (isBlocked(state, parts, reason)) return blockedChunk(state, context)
  const { broken, called, pages, served } = state.progress
  const usage = usageOf(state.progress)
  const grounding = groundingOf(state)
  const more: Candidate = {
    finishReason: finishWord(reason, broken.length > 0, called),
    ...(reason === 'max_output_tokens' ? toContinuation(served) : {}),
    ...(broken.length === 0 ? {} : { finishMessage: `Malformed function call: ${listToArray(broken).join(', ')}` }),
    ...(grounding === null ? {} : { groundingMetadata: grounding }),
    ...(pages.length === 0 ? {} : { urlContextMetadata: { urlMetadata: listToArray(pages) } }),
  }
  const chunk = chunkOf(parts.length === 0 ? [{ text: '' }] : parts, more, state, context)
  return usage === null ? chunk : { ...chunk, usageMetadata: usage }
}

function blockedChunk({ progress }: EncoderState, context: EncodeContext): GenerateContentResponse {
  const usage = usageOf(progress)
  return {
    promptFeedback: { blockReason: FINISH_WORDS.content_filter },
    ...(usage === null ? {} : { usageMetadata: usage }),
    modelVersion: modelOf(progress, context),
    responseId: context.id,
  }
}

function failure(
  before: EncoderState,
  error: GatewayError,
  context: EncodeContext,
): readonly GenerateContentResponse[] {
  const { parts, state } = remainder(before)
  const usage = usageOf(state.progress)
  const rest = parts.length === 0 ? [] : [chunkOf(parts, {}, state, context)]
  const paid =
    usage === null
      ? []
      : [{ usageMetadata: usage, modelVersion: modelOf(state.progress, context), responseId: context.id }]
  return [...rest, ...paid, { error: errorOf(error) }]
}

/** The form with `alt=sse`: one event for each chunk, without a name. No frame marks the end. */
const asEvents: Machine<null, GenerateContentResponse, Frame> = {
  initial: null,
  step: (state, chunk) => ({ state, events: [{ event: '', data: JSON.stringify(chunk) }] }),
  end: () => NOTHING,
}

/**
 * The form without `alt=sse`: one array. The joined data of all frames is the body. The state: whether it has begun.
 */
const asArray: Machine<boolean, GenerateContentResponse, Frame> = {
  initial: false,
  step: (started, chunk): Step<boolean, Frame> => ({
    state: true,
    events: [{ event: '', data: `${started ? ',\r\n' : '['}${JSON.stringify(chunk)}` }],
  }),
  end: (started) => [{ event: '', data: started ? ']' : '[]' }],
}

/** Encodes deltas as frames. `settings.array` selects the form without events. */
export const encodeStream = (context: EncodeContext): Machine<unknown, Delta, Frame> =>
  context.settings.array === true
    ? (pipe(encodeChunks(context), asArray) as Machine<unknown, Delta, Frame>)
    : (pipe(encodeChunks(context), asEvents) as Machine<unknown, Delta, Frame>)
