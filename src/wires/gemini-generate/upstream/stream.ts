import { type Frame, isDone, jsonOf } from '../../../framing/frame.ts'
import { emitSteps } from '../../../machine/emit-all.ts'
import { type LongStep, type Machine, NOTHING, type Remainder, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { SERVED_MEMBERS, type Served } from '../../../protocol/served.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { runSteps as finishSteps, type Steps } from '../../../text/steps.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import { hasTooManyUnreadable, readUnreadable } from '../../shared/upstream/answers/unreadable-frames.ts'
import { type Deltas, emitLoss, emitWords } from '../../shared/upstream/deltas.ts'
import { upstreamErrorIn, upstreamErrorOf } from '../errors.ts'
import { readLogprobsResult } from '../logprobs.ts'
import { continuationIn, servedIn, toUsage } from '../usage.ts'
import { applyCall, applyText, goesOn, interruptForCall } from './content.ts'
import { emitFinishLoss, finish, hasFinish, hasOpenCandidates, withCandidate } from './finish.ts'
import { applyGrounding, applyPages, expectCitations } from './grounding.ts'
import { applyData, areOpen, beginStep, endStep } from './server-tools.ts'
import { begin, type GeminiState, INITIAL, updateProgress } from './state.ts'

/**
 * Decodes chunks of `generateContent` (docs/wires/gemini-generate.md, 2). Parts are increments, and an item ends when
 * the kind of the parts changes. The protocol has no terminal event: a `finishReason` may be followed by more of the
 * answer and by a second `finishReason`.
 *
 * O(k) for a chunk of k characters, and O(log n) more for each of its parts after n others. For citations, see
 * `grounding.ts`.
 */
export const decodeStream = ({
  passedAnswer = false,
}: {
  readonly passedAnswer?: boolean
} = {}): Machine<GeminiState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<GeminiState, Delta> {
    if (isOver(state)) return { state, events: NOTHING }
    const value = jsonOf(frame)
    if (frame.event === 'error') return { state, events: [errorDelta(value ?? frame.data)] }
    if (isObject(value)) return applyChunk(state, value)
    if (Array.isArray(value)) return applyChunks(state, value)
    // Google sends no `[DONE]`, but proxies do. Before any of the answer, it ends nothing.
    if (isDone(frame)) return { state: state.progress.started ? updateProgress(state, ENDED) : state, events: NOTHING }
    return readUnreadable({ decoder: this, ...NOISE }, state, frame)
  },

  stepInSlices(state, frame): LongStep<GeminiState, Delta> | null {
    const value = frame.value === undefined || isOver(state) || frame.event === 'error' ? null : frame.value
    return isObject(value) ? applyLongChunk(state, value) : null
  },

  remainder(state): Remainder {
    const { progress } = state
    if (isOver(state)) return 'nothing'
    if (progress.finish === '') return progress.blocked ? 'details' : 'more'
    // The finish reason may be in the same chunk as the call of a tool that the upstream runs.
    return areOpen(progress) || progress.resumed || (passedAnswer && hasOpenCandidates(progress)) ? 'more' : 'details'
  },

  end: (state) => finish(state, passedAnswer && hasOpenCandidates(state.progress)),
})

const NOISE = {
  noiseOf: ({ progress }: GeminiState): number => progress.noise,
  withNoise: (state: GeminiState, noise: number): GeminiState => updateProgress(state, { noise }),
  toError: upstreamErrorOf,
}

const ENDED = { ended: true, over: true }

const isOver = ({ progress }: GeminiState): boolean => progress.over || hasTooManyUnreadable(progress.noise)

function* applyLongChunk(state: GeminiState, chunk: JsonRecord): LongStep<GeminiState, Delta> {
  const step = yield* emitSteps(chunkSteps(state, chunk))
  yield* step.events
  return step.state
}

/** Decodes a body: one chunk, whose end is that of the answer, or the list of all chunks of a stream. */
export function decodeBody(body: unknown): readonly Delta[] {
  if (!isObject(body) && !Array.isArray(body)) return failed(body)
  const { state, events } = applyChunks(INITIAL, Array.isArray(body) ? body : [body])
  return [...events, ...finish(Array.isArray(body) ? state : updateProgress(state, { ended: true }), false)]
}

function applyChunks(state: GeminiState, chunks: readonly unknown[]): Step<GeminiState, Delta> {
  const events: Delta[] = []
  const last = chunks.filter(isObject).reduce<GeminiState>((now, chunk) => {
    const step = applyChunk(now, chunk)
    for (const event of step.events) events.push(event)
    return step.state
  }, state)
  return { state: last, events }
}

const applyChunk = (state: GeminiState, chunk: JsonRecord): Step<GeminiState, Delta> =>
  finishSteps(chunkSteps(state, chunk))

function* chunkSteps(state: GeminiState, chunk: JsonRecord): Steps<Step<GeminiState, Delta>> {
  const deltas: Delta[] = []
  const candidates = [chunk.candidates].flat().filter(isObject)
  if (chunk.error) deltas.push(errorDelta(chunk.error))
  else if (candidates.length === 0) deltas.push(...failed(chunk))
  const count = (now: GeminiState): GeminiState => applyUsage(now, chunk.usageMetadata, candidates.length === 0, deltas)
  // The usage of the first chunk is emitted before the start, so that the start of an answer can include it.
  const begins = state.progress.model === ''
  const named = applyModel(begins ? count(state) : state, chunk, deltas)
  const checked = isObject(chunk.promptFeedback) ? applyFeedback(named, chunk.promptFeedback, deltas) : named
  let next = checked
  for (const candidate of candidates) next = yield* candidateSteps(next, candidate, deltas)
  return { state: begin(begins ? next : count(next), chunk), events: deltas }
}

const errorDelta = (error: unknown): Delta => ({ kind: 'error', error: upstreamErrorOf(error) })

/** The failure of a chunk or a body without candidates. */
function failed(found: unknown): readonly Delta[] {
  const error = upstreamErrorIn(found)
  return error === null ? NOTHING : [{ kind: 'error', error }]
}

function applyModel(state: GeminiState, chunk: JsonRecord, deltas: Deltas): GeminiState {
  const { modelVersion: model } = chunk
  if (!isNonEmptyString(model) || model === state.progress.model) return state
  // Each chunk repeats the id: reading it in each of them would keep them off the fast path.
  emitWords({ id: chunk.responseId }, deltas)
  deltas.push({ kind: 'start', model })
  return updateProgress(state, { model })
}

/** A blocked prompt has no candidates; only `promptFeedback` reports it. */
function applyFeedback(state: GeminiState, { blockReason }: JsonRecord, deltas: Deltas): GeminiState {
  const reason = scalarToString(blockReason)
  if (reason === '' || state.progress.blocked) return state
  if (reason !== 'BLOCKED_REASON_UNSPECIFIED') emitLoss('promptFeedback.blockReason', deltas)
  return updateProgress(state, { blocked: true })
}

/** Whether a candidate is the first one. Google omits an index of 0. Requests want one candidate only. */
const isFirst = ({ index }: JsonRecord): boolean => index === undefined || index === null || index === 0

/** The number of parts that are decoded between two yields. */
const PARTS = 256

function* candidateSteps(state: GeminiState, candidate: JsonRecord, deltas: Deltas): Steps<GeminiState> {
  if (!isFirst(candidate)) {
    emitLoss('candidates', deltas)
    return withCandidate(state, candidate)
  }
  const { content, groundingMetadata, urlContextMetadata, logprobsResult } = candidate
  const expecting = isObject(groundingMetadata) ? expectCitations(state, deltas) : state
  const ready = urlContextMetadata ? applyPages(expecting, urlContextMetadata, deltas) : expecting
  const parts = partsOf(content)
  const logprobs = isObject(logprobsResult) ? readLogprobsResult(logprobsResult) : null
  let next = ready
  for (const [at, part] of parts.entries()) {
    next = applyPart(next, part, deltas, at === 0 ? logprobs : null)
    if (at % PARTS === PARTS - 1) yield
  }
  const grounded = applyGrounding(next, candidate, deltas)
  return applyFinish(applyServed(grounded, continuationIn(candidate), deltas), candidate, deltas)
}

/** Returns the list of parts. Some proxies send a single part, or a text, in place of the list. */
function partsOf(content: unknown): readonly JsonRecord[] {
  const parts = isObject(content) ? (content.parts ?? content.text) : content
  if (Array.isArray(parts)) return parts.filter(isObject)
  if (isNonEmptyString(parts)) return [{ text: parts }]
  return isObject(parts) ? [parts] : NO_PARTS
}

const NO_PARTS: readonly JsonRecord[] = []

function applyPart(
  state: GeminiState,
  part: JsonRecord,
  deltas: Deltas,
  logprobs: readonly Logprob[] | null,
): GeminiState {
  if (hasTwoKinds(part)) return singleParts(part).reduce((now, one) => applyPart(now, one, deltas, logprobs), state)
  if (typeof part.text === 'string') return hold(state, applyText(state, part, deltas, logprobs), deltas)
  if (isObject(part.functionCall)) return applyFunctionCall(state, part.functionCall, part.thoughtSignature, deltas)
  if (isObject(part.executableCode) || isObject(part.toolCall)) return beginStep(state, part, deltas)
  if (isObject(part.codeExecutionResult) || isObject(part.toolResponse)) return endStep(state, part, deltas)
  if (isObject(part.inlineData) || isObject(part.fileData)) return applyData(state, part, deltas)
  if (isNonEmptyString(part.thoughtSignature)) return applyText(state, part, deltas, null)
  const unknown = Object.keys(part).find((field) => field !== 'thought' && field !== 'thoughtSignature')
  if (unknown !== undefined) emitLoss(`part ${unknown}`, deltas)
  return state
}

/** The kinds of parts beside text, in the order in which they are applied if a part has several. */
const KINDS = [
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'inlineData',
  'fileData',
  'functionCall',
] as const

/** Whether a part has more than one kind of content: some proxies join a text and a call. */
function hasTwoKinds(part: JsonRecord): boolean {
  let count = typeof part.text === 'string' ? 1 : 0
  for (const kind of KINDS) if (isObject(part[kind])) count += 1
  return count > 1
}

/** Returns a part for each kind of content. The signature belongs to the first one that is no text. */
function singleParts({ text, thought, thoughtSignature, ...part }: JsonRecord): readonly JsonRecord[] {
  const marks = thought === undefined ? {} : { thought }
  const others = KINDS.filter((kind) => isObject(part[kind])).map((kind, at) => ({
    [kind]: part[kind],
    ...marks,
    ...(at === 0 ? { thoughtSignature } : {}),
  }))
  return isNonEmptyString(text) ? [{ text, ...marks }, ...others] : others
}

/** Holds a text open that has just begun in a grounded answer, because its citations come later. */
function hold(before: GeminiState, after: GeminiState, deltas: Deltas): GeminiState {
  const { run, grounded } = after.progress
  if (grounded && run !== null && run.kind === 'text' && run.key !== before.progress.run?.key) {
    deltas.push({ kind: 'hold', key: run.key })
  }
  return after
}

/** A part that continues the open call does not close the open items; a new call does. */
function applyFunctionCall(state: GeminiState, found: JsonRecord, signature: unknown, deltas: Deltas): GeminiState {
  if (goesOn(state.progress, found)) return applyCall(state, found, { signature, key: '' }, deltas)
  const { run, keys } = state.progress
  // Signed reasoning has an item of its own. Unsigned reasoning shares its item with the signature of the next call.
  const key = run?.kind === 'summary' && run.marks.length === 0 ? run.key : `signature ${keys}`
  return applyCall(interruptForCall(state, deltas), found, { signature, key }, deltas)
}

const isBlocked = (rating: unknown): boolean => isObject(rating) && rating.blocked === true

function applyFinish(state: GeminiState, candidate: JsonRecord, deltas: Deltas): GeminiState {
  const { finishReason, finishMessage, safetyRatings } = candidate
  if (!hasFinish(candidate)) return state
  const finish = scalarToString(finishReason)
  emitFinishLoss(finish, deltas)
  if (toArray(safetyRatings).some(isBlocked)) emitLoss('safetyRatings', deltas)
  const message = isNonEmptyString(finishMessage) ? finishMessage : ''
  const { progress } = state
  return finish === progress.finish && message === progress.finishMessage && !progress.resumed
    ? state
    : updateProgress(state, { finish, finishMessage: message, resumed: false })
}

// ---------------------------------------------------------------- usage

/** Google repeats these members in every chunk. */
function applyServed(state: GeminiState, found: Served, deltas: Deltas): GeminiState {
  const served = { ...state.progress.served, ...found }
  if (SERVED_MEMBERS.every((name) => served[name] === state.progress.served[name])) return state
  deltas.push({ kind: 'served', served })
  return updateProgress(state, { served })
}

/** Some answers without a finish reason end with a chunk that has usage and no candidates. */
function applyUsage(state: GeminiState, found: unknown, alone: boolean, deltas: Deltas): GeminiState {
  const reported = isObject(found) ? applyServed(state, servedIn(found), deltas) : state
  if (!isObject(found)) emitWrongKind('usageMetadata', found, deltas)
  const usage = isObject(found) ? toUsage(found) : null
  if (usage === null) return reported
  deltas.push({ kind: 'usage', usage })
  const { hasContent, ended } = reported.progress
  return alone && hasContent && !ended ? updateProgress(reported, { ended: true }) : reported
}
