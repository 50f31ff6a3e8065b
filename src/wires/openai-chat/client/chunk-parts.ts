import { EMPTY_LIST, listAppend, listLast, listToArray, listWith } from '../../../collections/list.ts'
import { mapDelete, mapGet, mapSet, mapSize, type SortedMap } from '../../../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type {
  CallDelta,
  CitationDelta,
  ContentDelta,
  Delta,
  FinishReason,
  HostedDelta,
} from '../../../protocol/delta.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import type { Logprob } from '../../../protocol/part.ts'
import type { Served } from '../../../protocol/served.ts'
import type { Usage } from '../../../protocol/usage.ts'
import { isNonEmptyString, scalarToString } from '../../../text/json.ts'
import type { EncryptedContentCodec } from '../../client-contract.ts'
import { PART_BORDER } from '../../shared/client/part-border.ts'
import type { ChatAnnotation, ChatDelta } from '../json.ts'
import { finishWord } from '../terms.ts'
import { callSignatureOf, takeSignature, withSignature } from './call-signatures.ts'
import { closingEntries, type ReasoningRun, type ReasoningRuns, toEntry } from './reasoning-stream.ts'
import { BLANK, type EncoderProgress, type EncoderState, withProgress } from './state.ts'
import type { StreamSettings } from './stream-settings.ts'

/** One output of the encoder, before it is written as a chunk or into a body. */
export type ChunkPart =
  | { readonly kind: 'delta'; readonly delta: ChatDelta; readonly logprobs: readonly Logprob[] | null }
  | { readonly kind: 'finish'; readonly word: string; readonly served: Served }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'error'; readonly error: GatewayError }

type ChunkParts = ChunkPart[]

const deltaPart = (delta: ChatDelta, logprobs: readonly Logprob[] | null = null): ChunkPart => ({
  kind: 'delta',
  delta,
  logprobs,
})

/**
 * Encodes deltas as the outputs of a chat answer, streamed or whole. The finish reason is emitted at the end only: the
 * last one counts. An answer that was cut off has none.
 *
 * O(1) for more of the same text, O(log n) for anything else after n items. Citations and the closing entries of
 * reasoning are emitted once, at the end of their item.
 */
export function encodeParts(
  codec: EncryptedContentCodec,
  settings: StreamSettings,
): Machine<EncoderState, Delta, ChunkPart> {
  return {
    initial: { progress: BLANK, length: 0, reasoning: '' },

    step(state, delta): Step<EncoderState, ChunkPart> {
      if (state.progress.failed) return { state, events: NOTHING }
      const parts: ChunkParts = []
      const next = apply(state, delta, parts, codec, settings)
      return { state: next, events: parts }
    },

    end({ progress }) {
      if (progress.failed || progress.finish === null) return NOTHING
      const parts: ChunkParts = []
      // A filtered answer without content has `content: null`; a completed answer may be empty.
      begin(progress, progress.finish === 'content_filter' ? null : '', parts)
      parts.push({
        kind: 'finish',
        word: finishWord(finishOf(progress, progress.finish), progress.calls !== null, settings.legacy),
        served: progress.served,
      })
      if (progress.usage !== null) parts.push({ kind: 'usage', usage: progress.usage })
      return parts
    },
  }
}

function apply(
  state: EncoderState,
  delta: Delta,
  parts: ChunkParts,
  codec: EncryptedContentCodec,
  settings: StreamSettings,
): EncoderState {
  const { progress } = state
  switch (delta.kind) {
    case 'text':
      return applyText(state, delta, parts)
    case 'refusal':
      return applyRefusal(state, delta, parts)
    case 'reasoning':
    case 'summary':
      return settings.hidden ? state : applyReasoning(state, delta, parts)
    case 'opaque':
      return applyOpaque(state, delta.key, delta.payload, parts, codec)
    case 'call':
      return withProgress(state, applyCall(progress, delta, parts, settings))
    case 'citation':
      return withProgress(state, { ...progress, cited: withCited(progress.cited, delta) })
    case 'hosted':
      return withProgress(state, applyHosted(progress, delta, parts))
    case 'stop':
      return applyStop(delta.cut === true ? withBroken(state, delta.key) : state, delta.key, parts, codec)
    case 'start':
      return withProgress(state, { ...progress, model: delta.model })
    case 'usage':
      return withProgress(state, { ...progress, usage: delta.usage })
    case 'served':
      return withProgress(state, { ...progress, served: { ...progress.served, ...delta.served } })
    case 'finish':
      return withProgress(state, { ...progress, finish: delta.reason })
    case 'error':
      parts.push({ kind: 'error', error: delta.error })
      return withProgress(state, { ...progress, failed: true })
    default:
      return state
  }
}

/** Emits the role before anything else. `content` is null if the first output is not text. */
function begin(progress: EncoderProgress, content: string | null, parts: ChunkParts): EncoderProgress {
  if (progress.started) return progress
  parts.push(deltaPart({ role: 'assistant', content }))
  return { ...progress, started: true }
}

function applyText(state: EncoderState, { key, part, text, logprobs }: ContentDelta, parts: ChunkParts): EncoderState {
  const started = begin(state.progress, '', parts)
  const goesOn = started.part !== null && started.part.key === key && started.part.name === part
  const progress = goesOn
    ? started
    : { ...started, part: { key, name: part }, bases: withBase(started.bases, key, part, state.length) }
  parts.push(deltaPart({ content: text }, logprobs))
  return { progress, length: state.length + text.length, reasoning: state.reasoning }
}

/** For a part that is continued, the first offset counts. */
function withBase(bases: EncoderProgress['bases'], key: string, part: string, at: number): EncoderProgress['bases'] {
  const own = mapGet(bases, key) ?? null
  return mapGet(own, part) === undefined ? mapSet(bases, key, mapSet(own, part, at)) : bases
}

const withCited = (cited: EncoderProgress['cited'], delta: CitationDelta): EncoderProgress['cited'] =>
  mapSet(cited, delta.key, listAppend(mapGet(cited, delta.key) ?? EMPTY_LIST, delta))

function applyRefusal(state: EncoderState, { text }: ContentDelta, parts: ChunkParts): EncoderState {
  const progress = begin(state.progress, null, parts)
  parts.push(deltaPart({ refusal: text }))
  return progress === state.progress ? state : withProgress(state, progress)
}

function toAnnotation({ part, citation }: CitationDelta, bases: SortedMap<string, number>): readonly ChatAnnotation[] {
  const { url, title, content, span } = citation
  const base = mapGet(bases, part)
  // Chat Completions has no annotation for a cited file.
  if (citation.file !== undefined || base === undefined || span === null) return []
  const cited = { start_index: base + span.start, end_index: base + span.end, url, title: title ?? '' }
  return [{ type: 'url_citation', url_citation: content === null ? cited : { ...cited, content } }]
}

/**
 * Emits all citations of a message at once when its text has ended, as OpenAI does: in the official client, a chunk
 * with `annotations` replaces the earlier ones.
 */
function writeCitations(progress: EncoderProgress, key: string, parts: ChunkParts): EncoderProgress {
  const bases = mapGet(progress.bases, key)
  const own = mapGet(progress.cited, key)
  if (bases === undefined && own === undefined) return progress
  const annotations = listToArray(own ?? EMPTY_LIST).flatMap((delta) => toAnnotation(delta, bases ?? null))
  if (annotations.length > 0) parts.push(deltaPart({ annotations }))
  return {
    ...progress,
    part: progress.part?.key === key ? null : progress.part,
    bases: mapDelete(progress.bases, key),
    cited: mapDelete(progress.cited, key),
  }
}

const TYPES = { reasoning: 'reasoning.text', summary: 'reasoning.summary' } as const

function applyReasoning(state: EncoderState, delta: ContentDelta, parts: ChunkParts): EncoderState {
  const type = TYPES[delta.kind as keyof typeof TYPES]
  const before = begin(state.progress, null, parts)
  const { progress, run, reasoning } = openRun(before, state.reasoning, delta, type)
  const isNext = progress !== before && before.train?.key === delta.key && before.train.runs.length > 0
  const reasoning_content = isNext ? PART_BORDER + delta.text : delta.text
  parts.push(deltaPart({ reasoning_content, reasoning_details: [toEntry(run, delta.text)] }))
  return { progress, length: state.length, reasoning: reasoning + delta.text }
}

interface OpenRun {
  readonly progress: EncoderProgress
  readonly run: ReasoningRun
  readonly reasoning: string
}

/** Returns the last run of the item if it has this part and type, otherwise a new run. */
function openRun(
  progress: EncoderProgress,
  reasoning: string,
  { key, part }: ContentDelta,
  type: ReasoningRun['type'],
): OpenRun {
  const open = progress.train?.key === key ? progress.train : null
  const last = open === null ? undefined : listLast(open.runs)
  if (last !== undefined && last.part === part && last.type === type) return { progress, run: last, reasoning }
  const train = open === null ? { key, runs: EMPTY_LIST, sealed: null } : settled(open, reasoning)
  const run: ReasoningRun = { type, part, index: progress.details, text: '' }
  const next = {
    ...progress,
    train: { ...train, runs: listAppend<ReasoningRun>(train.runs, run) },
    details: progress.details + 1,
  }
  return { progress: next, run, reasoning: '' }
}

/** The item with the text of its last run filled in. */
function settled(train: ReasoningRuns, reasoning: string): ReasoningRuns {
  const last = listLast(train.runs)
  return last === undefined
    ? train
    : { ...train, runs: listWith(train.runs, train.runs.length - 1, { ...last, text: reasoning }) }
}

function applyOpaque(
  state: EncoderState,
  key: string,
  payload: unknown,
  parts: ChunkParts,
  codec: EncryptedContentCodec,
): EncoderState {
  if (!isNonEmptyString(payload)) return state
  const progress = applyCallSignature(state.progress, payload, parts, codec)
  const train = progress.train?.key === key ? progress.train : { key, runs: EMPTY_LIST }
  return withProgress(state, { ...progress, train: { ...train, sealed: payload } })
}

/** The signature of a call goes with its first chunk, or in a chunk of its own behind it. */
function applyCallSignature(
  progress: EncoderProgress,
  payload: string,
  parts: ChunkParts,
  codec: EncryptedContentCodec,
): EncoderProgress {
  const signature = callSignatureOf(payload, codec)
  if (signature === null) return progress
  const index = mapGet(progress.callsById, signature.id)
  if (index === undefined) return { ...progress, signatures: withSignature(progress.signatures, signature) }
  parts.push(deltaPart({ tool_calls: [{ index, ...signature.members }] }))
  return progress
}

function applyStop(state: EncoderState, key: string, parts: ChunkParts, codec: EncryptedContentCodec): EncoderState {
  const { progress, reasoning } = state
  if (progress.train?.key !== key) return withProgress(state, writeCitations(progress, key, parts))
  const train = settled(progress.train, reasoning)
  const reasoning_details = closingEntries(train, progress.details, codec)
  const started = begin(progress, null, parts)
  parts.push(deltaPart({ reasoning_details }))
  const details = progress.details + (train.sealed === null ? 0 : 1)
  return { progress: { ...started, train: null, details }, length: state.length, reasoning: '' }
}

const withBroken = (state: EncoderState, key: string): EncoderState =>
  mapGet(state.progress.calls, key) !== undefined ? withProgress(state, { ...state.progress, broken: true }) : state

/**
 * Clients execute the calls of an answer that ended normally. An answer with an incomplete call therefore ends with
 * `length`.
 */
const finishOf = ({ broken }: EncoderProgress, finish: FinishReason): FinishReason =>
  broken && finish === 'stop' ? 'max_output_tokens' : finish

/**
 * The first chunk of a call has its name, later chunks only arguments. A client with the older `functions` receives the
 * first call only.
 */
function applyCall(
  progress: EncoderProgress,
  delta: CallDelta,
  parts: ChunkParts,
  { legacy }: StreamSettings,
): EncoderProgress {
  const { key, name, callId } = delta
  const known = mapGet(progress.calls, key)
  const isNew = known === undefined
  const index = known ?? mapSize(progress.calls)
  const started = begin(progress, null, parts)
  const { members, left } = isNew
    ? takeSignature(progress.signatures, callId)
    : { members: {}, left: progress.signatures }
  if (!legacy)
    parts.push(
      deltaPart({ tool_calls: [{ index, ...(isNew ? { id: callId } : {}), ...callOf(delta, isNew), ...members }] }),
    )
  else if (index === 0) parts.push(deltaPart({ function_call: named(name, isNew, { arguments: delta.arguments }) }))
  if (!isNew) return started
  const callsById = callId === null || legacy ? started.callsById : mapSet(started.callsById, callId, index)
  return { ...started, calls: mapSet(started.calls, key, index), callsById, signatures: left }
}

const named = <Body extends object>(name: string | null, isNew: boolean, body: Body): Body & { name?: string } =>
  isNew ? { name: name ?? '', ...body } : body

function callOf({ type, name, arguments: text }: CallDelta, isNew: boolean) {
  return type === 'function_call'
    ? { ...(isNew ? { type: 'function' } : {}), function: named(name, isNew, { arguments: text }) }
    : { ...(isNew ? { type: 'custom' } : {}), custom: named(name, isNew, { input: text }) }
}

/** Emits an image in OpenRouter's format. Chat Completions has no form for searches and other hosted tools. */
function applyHosted(progress: EncoderProgress, { item, done }: HostedDelta, parts: ChunkParts): EncoderProgress {
  const { result, url: address, output_format: format } = item.fields
  const isImage = isNonEmptyString(result) || isNonEmptyString(address)
  if (!done || item.type !== 'image_generation_call' || !isImage) return progress
  const started = begin(progress, null, parts)
  const data = `data:image/${isNonEmptyString(format) ? format : 'png'};base64,${scalarToString(result)}`
  const url = isNonEmptyString(address) ? address : data
  parts.push(deltaPart({ images: [{ type: 'image_url', index: progress.images, image_url: { url } }] }))
  return { ...started, images: progress.images + 1 }
}
