import { listAppend } from '../../../collections/list.ts'
import { mapGet, mapSet, mapSize } from '../../../collections/sorted-map.ts'
import type { CallDelta, Citation } from '../../../protocol/delta.ts'
import type { CallType } from '../../../protocol/item.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import { NO_KEY } from '../../../responses/join-calls.ts'
import { formatJson, isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import type { Quirks } from '../../quirks.ts'
import {
  emitWrongKind,
  readCallId,
  readObjects,
  readText,
  readTextField,
} from '../../shared/upstream/answers/answer-values.ts'
import { finishReasonOf, readFinishReason, stoppedWith } from '../../shared/upstream/answers/finish-reasons.ts'
import { emitImage } from '../../shared/upstream/answers/generated-image.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import { splitThinkTags } from '../../shared/upstream/think-tags.ts'
import { readSignature } from '../sealed-reasoning.ts'
import { CALL_REASONS, FINISH_REASONS } from '../terms.ts'
import { hasContent, hasDelta, isNothing, type ReadSoFar, repeatedIn, toRecord } from './content-members.ts'
import { applyPiece, seal } from './reasoning.ts'
import { type ChatState, contentDelta, hasSomeCall, MESSAGE } from './state.ts'

/**
 * Returns the object of a choice that holds its content: the `delta` of a stream, the `message` of a whole answer;
 * completion servers write `text`. Perplexity writes both into one choice. In a stream its message repeats all earlier
 * text, so it is read only until the first content; in a whole answer its delta is empty.
 */
export function messageOf(choice: JsonRecord, read: ReadSoFar, whole = false): JsonRecord {
  const delta = toRecord(choice.delta)
  // Returns before the other fields are read: the fast path accepts only chunks whose other fields decide nothing.
  if (!whole && isObject(delta) && hasDelta(read, choice)) return delta
  const message = whole || repeatedIn(choice, read) === null ? toRecord(choice.message) : null
  const found = [message, delta].find(hasContent)
  if (found !== undefined) return found
  return isNonEmptyString(choice.text) ? { content: choice.text } : ([delta, message].find(isObject) ?? {})
}

/**
 * Decodes text, citations, reasoning inside the text and refusals. Content that a Responses stream cannot express is a
 * recorded loss.
 */
export function applyChoiceContent(state: ChatState, delta: JsonRecord, choice: JsonRecord, deltas: Deltas): ChatState {
  const next = applyText(state, contentOf(delta), choice, deltas)
  // Citations follow the text of their own delta, so that their place in it can be found at once.
  const cited = delta.annotations ? applyAnnotations(next, delta.annotations, deltas) : next
  if (isNonEmptyString(delta.refusal)) deltas.push(contentDelta('refusal', delta.refusal))
  else emitWrongKind('refusal', delta.refusal, deltas)
  if ((state.whole || delta.refusal) && isObject(choice.logprobs) && toArray(choice.logprobs.refusal).length > 0)
    emitLoss('logprobs of a refusal', deltas)
  if (delta.images) applyImages(delta.images, deltas)
  if (delta.audio) applyAudio(delta, deltas)
  if (toArray(delta.executed_tools).length > 0) emitLoss('executed_tools', deltas)
  return cited
}

/** Images, sound and citations of a message that repeats pieces have no final value. `beside`: what the pieces lack. */
export function applyLateContent(state: ChatState, beside: JsonRecord, deltas: Deltas): ChatState {
  const { images, audio, annotations } = beside
  // Its transcript is a final value of the text.
  const sound = isObject(audio) ? { ...audio, transcript: undefined } : audio
  const hasToolCalls = state.hasToolCalls || toArray(beside.tool_calls).length > 0
  const called = hasSomeCall(beside) ? { ...state, called: true, hasToolCalls } : state
  return applyChoiceContent(called, { images, audio: sound, annotations }, {}, deltas)
}

/** The content of a message. Portkey may have the text in its blocks only; a stream has their pieces in `delta`. */
export const contentOf = ({ content, content_blocks: blocks }: JsonRecord): unknown =>
  isNothing(content) && Array.isArray(blocks) ? blocks.map(textOfBlock).join('') : content

const textOfBlock = (block: unknown): string =>
  isObject(block) ? readText(isObject(block.delta) ? block.delta.text : block.text) : ''

/** The transcript of an answer in audio is its text. No event carries the sound. */
function applyAudio({ audio, content }: JsonRecord, deltas: Deltas): void {
  if (!isObject(audio)) {
    emitWrongKind('audio', audio, deltas)
    return
  }
  const transcript = readText(audio.transcript)
  if (transcript !== '' && !isNonEmptyString(content)) deltas.push(contentDelta('text', transcript))
  if (isNonEmptyString(audio.data) || (transcript !== '' && isNonEmptyString(content))) emitLoss('audio', deltas)
}

function applyText(state: ChatState, content: unknown, choice: JsonRecord, deltas: Deltas): ChatState {
  if (typeof content === 'string') return applyString(state, content, choice, deltas)
  if (content === undefined || content === null) return state
  if (Array.isArray(content) && (!state.json || content.every(isPart))) {
    return content.reduce<ChatState>((now, part) => applyPart(now, part, choice, deltas), state)
  }
  return isPart(content) && !state.json
    ? applyPart(state, content, choice, deltas)
    : readValue(state, content, choice, deltas)
}

const isPart = (part: unknown): boolean => isObject(part) && isNonEmptyString(part.type)

/**
 * Cloudflare parses JSON output that the request asked for and sends the value. Without such a request, the meaning of
 * an object is unknown, and it is dropped.
 */
function readValue(state: ChatState, value: unknown, choice: JsonRecord, deltas: Deltas): ChatState {
  const text = state.json ? formatJson(value) : isObject(value) && isNonEmptyString(value.text) ? value.text : ''
  if (text !== '') return applyString(state, text, choice, deltas)
  emitLoss(`content that is a JSON ${isObject(value) ? 'object' : typeof value}`, deltas)
  return state
}

function applyString(state: ChatState, text: string, choice: JsonRecord, deltas: Deltas): ChatState {
  if (text === '') return state
  if (state.think.mode === 'text') {
    deltas.push(contentDelta('text', text, isObject(choice.logprobs) ? toLogprobs(choice.logprobs.content) : null))
    return state
  }
  const { state: think, pieces } = splitThinkTags(state.think, text)
  // A piece that is the whole text keeps its tokens; those of a text with a tag belong to no single piece.
  const logprobs = isObject(choice.logprobs) ? toLogprobs(choice.logprobs.content) : null
  const isWhole = pieces.length === 1 && pieces[0]?.text === text
  if (logprobs !== null && !isWhole) emitLoss('logprobs', deltas)
  for (const piece of pieces) deltas.push(contentDelta(piece.kind, piece.text, isWhole ? logprobs : null))
  return think === state.think ? state : { ...state, think }
}

/** Mistral sends `thinking` and `text` as parts of one content array, Databricks `reasoning` and `text`. */
function applyPart(state: ChatState, part: unknown, choice: JsonRecord, deltas: Deltas): ChatState {
  if (typeof part === 'string') return applyString(state, part, choice, deltas)
  if (isObject(part)) return readTypedPart(state, part, choice, deltas)
  if (!isNothing(part)) emitLoss('content part', deltas)
  return state
}

function readTypedPart(state: ChatState, part: JsonRecord, choice: JsonRecord, deltas: Deltas): ChatState {
  switch (part.type) {
    case 'text':
    case 'output_text':
      return applyString(seal(state, deltas), readTextField(part.text, 'text', deltas), choice, deltas)
    case 'thinking':
      return applyPiece(
        state,
        'reasoning',
        { place: 'thinking', text: readText(part.thinking), signature: part.signature, data: part.data },
        deltas,
      )
    case 'reasoning':
      return readObjects(part.summary, 'reasoning.summary', deltas).reduce<ChatState>(
        (now, { text, signature, data }) =>
          applyPiece(now, 'summary', { place: 'reasoning', text: readText(text), signature, data }, deltas),
        state,
      )
    case 'image_url':
      applyImage(part, 'content part image_url', deltas)
      return state
    default:
      emitLoss(`content part ${scalarToString(part.type)}`.trimEnd(), deltas)
      return state
  }
}

function applyImages(images: unknown, deltas: Deltas): void {
  if (!Array.isArray(images)) emitWrongKind('images', images, deltas)
  for (const image of toArray(images)) applyImage(isObject(image) ? image : { image_url: image }, 'images', deltas)
}

/** An image has an address or a data URL, in an object or as it is, or its base64. */
function applyImage(image: JsonRecord, place: string, deltas: Deltas): void {
  const { image_url: given, url, b64_json: data, index } = image
  const source = [isObject(given) ? given.url : given, url, data].find(isNonEmptyString)
  if (source === undefined) emitLoss(place, deltas)
  else emitImage(`image ${scalarToString(index) || source.slice(0, 64)}`, source, '', deltas)
}

/** `place` is empty for the first choice, whose finish reason counts for an answer over several choices. */
export function applyFinish(
  state: ChatState,
  { finish_reason: given, native_finish_reason: native }: JsonRecord,
  place: string,
  deltas: Deltas,
): ChatState {
  if (!isNonEmptyString(given)) {
    emitWrongKind('finish_reason', given, deltas)
    return state
  }
  // OpenRouter reports some failures of the vendor behind it only in the vendor's own word.
  const word = isNonEmptyString(native) && finishReasonOf(FINISH_REASONS, native) === null ? native : given
  const reason = readFinishReason(FINISH_REASONS, word, 'finish_reason', deltas)
  // A later reason does not take back that calls were announced.
  const endsWithCalls = state.endsWithCalls || CALL_REASONS.has(word)
  const counts = place === '' || !state.finished || reason !== 'stop'
  const finish = { kind: 'finish', reason: reason ?? 'stop', ...(endsWithCalls ? { called: true } : {}) } as const
  if (reason === null) deltas.push(stoppedWith(word))
  else if (counts && state.passed) return { ...state, finished: true, endsWithCalls, finish }
  else if (counts) deltas.push(finish)
  return state.finished && endsWithCalls === state.endsWithCalls ? state : { ...state, finished: true, endsWithCalls }
}

// ---------------------------------------------------------------- calls

const LEGACY = 'function_call'

/**
 * Decodes fragments of tool calls, under the vendor's index if there is one. `choice` begins the keys of a choice, and is
 * empty for the first one.
 */
export function applyCalls(state: ChatState, delta: JsonRecord, choice: string, deltas: Deltas): ChatState {
  const found = readObjects(delta.tool_calls, 'tool_calls', deltas)
  const calls = found.reduce<ChatState>((now, call) => applyCall(now, call, choice, deltas), state)
  const old = delta.function_call
  const legacy = isObject(old) && (isNonEmptyString(old.name) || Boolean(old.arguments))
  if (legacy) deltas.push(callDelta(`${choice}${LEGACY}`, 'function_call', null, old, deltas))
  else if (!isObject(old)) emitWrongKind(LEGACY, old, deltas)
  return !calls.called && (found.length > 0 || legacy) ? { ...calls, called: true } : calls
}

function applyCall(state: ChatState, call: JsonRecord, choice: string, deltas: Deltas): ChatState {
  const key = keyOfCall(call, choice)
  const body = bodyOf(call)
  if (body === null) emitWrongKind('tool_calls.function', isCustomCall(call) ? call.custom : call.function, deltas)
  const signed = applySignature(withNames(state, call, key), call, body ?? {}, deltas)
  deltas.push(toCall(call, key, deltas))
  return signed
}

export const isCustomCall = (call: JsonRecord): boolean =>
  call.type === 'custom' || (call.function === undefined && isObject(call.custom))

/** The object with the name and the arguments of a fragment; null if it has none. */
function bodyOf(call: JsonRecord): JsonRecord | null {
  const body = isCustomCall(call) ? call.custom : call.function
  if (isObject(body)) return body
  return body === undefined && isNonEmptyString(call.name) ? call : null
}

/** Decodes a fragment of a call. */
export function toCall(call: JsonRecord, key: string, deltas: Deltas): CallDelta {
  const type = isCustomCall(call) ? 'custom_tool_call' : 'function_call'
  return callDelta(key, type, call.id, bodyOf(call) ?? {}, deltas)
}

/**
 * Applies the signature of a call. It is emitted before its call, so that its reasoning item precedes the item of the
 * call, and at the end of the answer if it comes later.
 */
function applySignature(state: ChatState, call: JsonRecord, body: JsonRecord, deltas: Deltas): ChatState {
  const found = readSignature(call) ?? readSignature(body)
  if (found === null || mapGet(state.signatures, found.signature) === true) return state
  const payload: Json = { on: 'call', id: readCallId(call.id) ?? state.callId, ...found }
  const signatures = mapSet<string, true>(state.signatures, found.signature, true)
  if (!isNonEmptyString(body.name)) return { ...state, signatures, later: listAppend<Json>(state.later, payload) }
  deltas.push({ kind: 'opaque', key: `signature ${mapSize(signatures)}`, payload })
  return { ...state, signatures }
}

/** The key of a fragment: the upstream's index of its call. */
export const keyOfCall = ({ index }: JsonRecord, choice: string): string =>
  index === undefined || index === null ? NO_KEY : `${choice}index ${scalarToString(index)}`

/** Notes the key and the id of a fragment. The id counts for signatures until another one comes, or another key. */
function withNames(state: ChatState, call: JsonRecord, key: string): ChatState {
  const id = readCallId(call.id) ?? ''
  const callId = id !== '' || key !== state.call ? id : state.callId
  const isSame = key === state.call && callId === state.callId && state.hasToolCalls
  return isSame ? state : { ...state, call: key, callId, hasToolCalls: true }
}

/** An index of a choice or of a call, which one vendor sends as a string; null if it is none. */
export function toIndex(index: unknown): number | null {
  const number = typeof index === 'string' && index.trim() !== '' ? Number(index) : index
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null
}

/** Llama's own format has them in `parameters`, in which TGI repeats the schema of the tool. */
export function argumentsIn({ arguments: args, parameters }: JsonRecord): unknown {
  const isSchema = isObject(parameters) && isObject(parameters.properties)
  return args ?? (isSchema ? undefined : parameters)
}

function callDelta(key: string, type: CallType, id: unknown, body: JsonRecord, deltas: Deltas): CallDelta {
  const { name, input } = body
  const given = type === 'function_call' ? argumentsIn(body) : input
  const text = toText(given, deltas)
  if (text === '' && given !== '' && given !== undefined && given !== null)
    emitLoss('arguments that are nested too deeply', deltas)
  if (typeof name !== 'string') emitWrongKind('the name of a call', name, deltas)
  return {
    kind: 'call',
    key,
    type,
    callId: readCallId(id),
    name: isNonEmptyString(name) ? name : null,
    arguments: text,
  }
}

/** Arguments are JSON text; some servers send the object itself. */
function toText(args: unknown, deltas: Deltas): string {
  if (typeof args === 'string') return args
  return args === undefined || args === null ? '' : formatArguments(args, deltas)
}

// ---------------------------------------------------------------- citations and sources

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const textOf = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

const emitCitation = (citation: Citation, deltas: Deltas): void => {
  deltas.push({ kind: 'citation', key: MESSAGE, part: '', citation })
}

/**
 * Decodes `annotations[]` of a delta. OpenAI's search models send spans; OpenRouter sends the span 0..0 and an excerpt.
 * Some servers send all annotations so far with each piece.
 */
function applyAnnotations(state: ChatState, annotations: unknown, deltas: Deltas): ChatState {
  let { cited: known } = state
  for (const annotation of readObjects(annotations, 'annotations', deltas)) {
    const cited = isObject(annotation.url_citation) ? annotation.url_citation : annotation
    if (annotation.type !== 'url_citation' || !isNonEmptyString(cited.url)) {
      emitLoss(`annotation ${scalarToString(annotation.type)}`, deltas)
      continue
    }
    const { start_index: start, end_index: end } = cited
    const span = isOffset(start) && isOffset(end) ? ({ start, end, unit: 'utf16' } as const) : null
    const citation = { url: cited.url, title: textOf(cited.title), content: textOf(cited.content), span, marker: null }
    const identity = formatJson([citation.url, citation.title, citation.content, start ?? null, end ?? null])
    if (mapGet(known, identity) !== true) emitCitation(citation, deltas)
    known = mapSet<string, true>(known, identity, true)
  }
  return known === state.cited ? state : { ...state, cited: known }
}

/** The lists of sources of vendors whose text has no markers for them: Alibaba and Tencent, Volcengine, Z.ai. */
function listedSources({ search_info: info, references, web_search: found }: JsonRecord): readonly JsonRecord[] {
  // Every chunk is asked, and hardly any has them.
  if (!info && !references && !found) return NONE
  return [isObject(info) ? info.search_results : null, references, found].flatMap(toArray).filter(isObject)
}

const NONE: readonly JsonRecord[] = []

/**
 * Decodes the numbered sources at the top of chunks, which each chunk repeats. Perplexity cites the n-th source as
 * `[n]` in the text; xAI lists its sources without markers (docs/wires/openai-chat.md, 7).
 */
export function applySources(state: ChatState, chunk: JsonRecord, deltas: Deltas, quirks: Quirks): ChatState {
  if (!chunk.citations && !chunk.search_results) return applyListed(state, listedSources(chunk), deltas)
  const results = toArray(chunk.search_results).filter(isObject)
  const listed = toArray(chunk.citations)
  const sources = listed.length > 0 ? listed : results
  if (sources.length <= state.sources) return state
  const byUrl = new Map(results.map((one) => [one.url, one] as const).reverse())
  sources.slice(state.sources).forEach((source, i) => {
    const url = isObject(source) ? source.url : source
    if (!isNonEmptyString(url)) return
    const result = byUrl.get(url) ?? (isObject(source) ? source : {})
    const marker = quirks.unmarkedSources === true ? null : `[${state.sources + i + 1}]`
    emitCitation({ url, title: textOf(result.title), content: textOf(result.snippet), span: null, marker }, deltas)
  })
  return { ...state, sources: sources.length }
}

function applyListed(state: ChatState, sources: readonly JsonRecord[], deltas: Deltas): ChatState {
  if (sources.length <= state.sources) return state
  for (const { url, link, title, snippet, summary, content } of sources.slice(state.sources)) {
    const page = textOf(url) ?? textOf(link)
    const excerpt = textOf(snippet) ?? textOf(summary) ?? textOf(content)
    if (page !== null)
      emitCitation({ url: page, title: textOf(title), content: excerpt, span: null, marker: null }, deltas)
  }
  return { ...state, sources: sources.length }
}
