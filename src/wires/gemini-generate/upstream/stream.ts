import { listToArray } from '../../../collections/list.ts'
import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { emitSteps } from '../../../machine/emit-all.ts'
import { type LongStep, type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { Bag } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { isObject, isText, toArray, wordOf } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { finish as finishSteps, type Steps } from '../../../text/steps.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { isTooNoisy, noiseAfter } from '../../shared/upstream/unreadable-frames.ts'
import { upstreamErrorOf } from '../errors.ts'
import { toLogprobs } from '../logprobs.ts'
import { FINISH_REASONS } from '../terms.ts'
import { toUsage } from '../usage.ts'
import { endCall, goesOn, hearCall } from './calls.ts'
import { expectCitations, hearGrounding, hearPages } from './grounding.ts'
import { placeRest } from './place-citations.ts'
import { beginStep, endStep, hearData, searchItem } from './server-tools.ts'
import { type GeminiState, INITIAL, type Story, tell } from './state.ts'
import { endRun, hearText, interrupt, sealParts } from './text-parts.ts'

/**
 * Decodes chunks of `generateContent` (docs/wires/gemini-generate.md, 2). Parts are increments, and an item ends when
 * the kind of the parts changes. A stream ends only with its connection: a `finishReason` may be followed by more of
 * the answer and by a second `finishReason`.
 *
 * O(k) for a chunk of k characters, and O(log n) more for each of its parts after n others. For citations, see
 * `place-citations.ts`.
 */
export const decodeStream = (): Machine<GeminiState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<GeminiState, Delta> {
    const { noise } = state.story
    if (isTooNoisy(noise)) return { state, events: NOTHING }
    const value = jsonOf(frame)
    if (frame.event === 'error') return { state, events: [errorDelta(value ?? frame.data)] }
    if (isObject(value)) return hearChunk(state, value)
    if (Array.isArray(value)) return hearChunks(state, value)
    if (frame.data.trim() === '[DONE]') return { state: tell(state, { ended: true }), events: NOTHING }
    return { state: tell(state, { noise: noise + 1 }), events: noiseAfter(noise) }
  },

  stepInSlices(state, frame): LongStep<GeminiState, Delta> | null {
    const value =
      frame.value === undefined || isTooNoisy(state.story.noise) || frame.event === 'error' ? null : frame.value
    return isObject(value) ? hearLongChunk(state, value) : null
  },

  end: finish,
})

function* hearLongChunk(state: GeminiState, chunk: Bag): LongStep<GeminiState, Delta> {
  const step = yield* emitSteps(chunkSteps(state, chunk))
  yield* step.events
  return step.state
}

/** Decodes a body: one chunk, or the list of all chunks of a stream. */
export function decodeBody(body: unknown): readonly Delta[] {
  const { state, events } = hearChunks(INITIAL, Array.isArray(body) ? body : [body])
  return [...events, ...finish(tell(state, { ended: true }))]
}

function hearChunks(state: GeminiState, chunks: readonly unknown[]): Step<GeminiState, Delta> {
  const events: Delta[] = []
  const last = chunks.filter(isObject).reduce<GeminiState>((now, chunk) => {
    const step = hearChunk(now, chunk)
    for (const event of step.events) events.push(event)
    return step.state
  }, state)
  return { state: last, events }
}

const hearChunk = (state: GeminiState, chunk: Bag): Step<GeminiState, Delta> => finishSteps(chunkSteps(state, chunk))

function* chunkSteps(state: GeminiState, chunk: Bag): Steps<Step<GeminiState, Delta>> {
  const say: Delta[] = []
  if (chunk.error) say.push(errorDelta(chunk.error))
  const candidates = toArray(chunk.candidates).filter(isObject)
  const count = (now: GeminiState): GeminiState => hearUsage(now, chunk.usageMetadata, candidates.length === 0, say)
  // The usage of the first chunk is emitted before the start, so that the start of an answer can include it.
  const begins = state.story.model === ''
  const named = hearModel(begins ? count(state) : state, chunk.modelVersion, say)
  const asked = isObject(chunk.promptFeedback) ? hearFeedback(named, chunk.promptFeedback) : named
  let heard = asked
  for (const candidate of candidates) heard = yield* candidateSteps(heard, candidate, say)
  return { state: begins ? heard : count(heard), events: say }
}

const errorDelta = (error: unknown): Delta => ({ kind: 'error', error: upstreamErrorOf(error) })

function hearModel(state: GeminiState, model: unknown, say: Say): GeminiState {
  if (!isText(model) || model === state.story.model) return state
  say.push({ kind: 'start', model })
  return tell(state, { model })
}

/** A blocked prompt has no candidates; only `promptFeedback` reports it. */
function hearFeedback(state: GeminiState, { blockReason }: Bag): GeminiState {
  return wordOf(blockReason) === '' || state.story.blocked ? state : tell(state, { blocked: true })
}

/** Whether a candidate is the first one. Google omits an index of 0. Requests want one candidate only. */
const isFirst = ({ index }: Bag): boolean => index === undefined || index === null || index === 0

/** The number of parts that are decoded between two yields. */
const PARTS = 256

function* candidateSteps(state: GeminiState, candidate: Bag, say: Say): Steps<GeminiState> {
  if (!isFirst(candidate)) {
    loss('candidates', say)
    return state
  }
  const { content, groundingMetadata, urlContextMetadata, logprobsResult } = candidate
  const expecting = isObject(groundingMetadata) ? expectCitations(state, say) : state
  const ready = urlContextMetadata ? hearPages(expecting, urlContextMetadata, say) : expecting
  const parts = partsOf(content)
  const logprobs = isObject(logprobsResult) ? toLogprobs(logprobsResult) : null
  let heard = ready
  for (const [at, part] of parts.entries()) {
    heard = hearPart(heard, part, say, at === 0 ? logprobs : null)
    if (at % PARTS === PARTS - 1) yield
  }
  return hearFinish(hearGrounding(heard, candidate, say), candidate)
}

/** Returns the list of parts. Some proxies send a single part, or a text, in place of the list. */
function partsOf(content: unknown): readonly Bag[] {
  const parts = isObject(content) ? (content.parts ?? content.text) : content
  if (Array.isArray(parts)) return parts.filter(isObject)
  if (isText(parts)) return [{ text: parts }]
  return isObject(parts) ? [parts] : NO_PARTS
}

const NO_PARTS: readonly Bag[] = []

function hearPart(state: GeminiState, part: Bag, say: Say, logprobs: readonly Logprob[] | null): GeminiState {
  if (typeof part.text === 'string') return hold(state, hearText(state, part, say, logprobs), say)
  if (isObject(part.functionCall)) return hearFunctionCall(state, part.functionCall, part.thoughtSignature, say)
  if (isObject(part.executableCode) || isObject(part.toolCall)) return beginStep(state, part, say)
  if (isObject(part.codeExecutionResult) || isObject(part.toolResponse)) return endStep(state, part, say)
  if (isObject(part.inlineData)) return hearData(state, part, say)
  if (isText(part.thoughtSignature)) return hearText(state, part, say, null)
  const unknown = Object.keys(part).find((field) => field !== 'thought')
  if (unknown !== undefined) loss(`part ${unknown}`, say)
  return state
}

/** Holds a text open that has just begun in a grounded answer, because its citations come later. */
function hold(before: GeminiState, after: GeminiState, say: Say): GeminiState {
  const { run, grounded } = after.story
  if (grounded && run !== null && run.kind === 'text' && run.key !== before.story.run?.key) {
    say.push({ kind: 'hold', key: run.key })
  }
  return after
}

/** A part that continues the open call does not close the open items; a new call does. */
function hearFunctionCall(state: GeminiState, found: Bag, signature: unknown, say: Say): GeminiState {
  if (goesOn(state.story, found)) return hearCall(state, found, { signature, key: '' }, say)
  const { run, keys } = state.story
  // Signed reasoning has an item of its own. Unsigned reasoning shares its item with the signature of the next call.
  const key = run?.kind === 'summary' && run.marks.length === 0 ? run.key : `signature ${keys}`
  return hearCall(interrupt(state, say), found, { signature, key }, say)
}

function hearFinish(state: GeminiState, { finishReason, finishMessage }: Bag): GeminiState {
  const finish = wordOf(finishReason)
  if (finish === '' || finish === '0' || finish === 'FINISH_REASON_UNSPECIFIED') return state
  const message = isText(finishMessage) ? finishMessage : ''
  const { story } = state
  return finish === story.finish && message === story.finishMessage
    ? state
    : tell(state, { finish, finishMessage: message })
}

/** Some answers without a finish reason end with a chunk that has usage and no candidates. */
function hearUsage(state: GeminiState, found: unknown, alone: boolean, say: Say): GeminiState {
  const usage = isObject(found) ? toUsage(found) : null
  if (usage === null) return state
  say.push({ kind: 'usage', usage })
  return alone && state.story.spoke && !state.story.ended ? tell(state, { ended: true }) : state
}

// ---------------------------------------------------------------- end of the stream

function finish(state: GeminiState): readonly Delta[] {
  const say: Delta[] = []
  const { story } = state
  const done = verdict(story)
  const called = endCall(state, done?.kind === 'finish' && done.reason === 'stop', say)
  // All citations have arrived. The texts close now, before their signatures are emitted.
  placeRest(called, say)
  if (story.grounded) {
    const open = story.run?.kind === 'text' ? [story.run.key] : []
    for (const key of [...listToArray(story.texts).map((it) => it.key), ...open]) say.push({ kind: 'stop', key })
  }
  sealParts(endRun(called, say), say)
  for (const item of listToArray(story.later)) say.push(item)
  const { queries, sources } = story.search
  if (queries.length > 0 && !story.searched) {
    say.push({ kind: 'hosted', key: 'search', item: searchItem(queries, sources), done: true })
  }
  if (done !== null) say.push(done)
  return say
}

/** Returns how the answer ended, by the last finish reason; null if there was none, nor another sign of the end. */
function verdict({ finish: word, finishMessage, blocked, spoke, ended }: Story): Delta | null {
  if (word === '') {
    if (blocked) return { kind: 'finish', reason: 'content_filter' }
    return ended && spoke ? { kind: 'finish', reason: 'stop' } : null
  }
  const reason = lookup(FINISH_REASONS, word) ?? (Object.hasOwn(FINISH_REASONS, word) || !spoke ? null : 'stop')
  if (reason !== null) return { kind: 'finish', reason }
  const message = finishMessage === '' ? `The upstream stopped with "${word}".` : finishMessage
  return { kind: 'error', error: upstreamError('server_error', message) }
}
