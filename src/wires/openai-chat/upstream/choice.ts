import type { JsonRecord } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { emitWrongKind, readObjects, readText, readTextField } from '../../shared/upstream/answers/answer-values.ts'
import { readFinishReason, stoppedWith } from '../../shared/upstream/answers/finish-reasons.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import { splitThinkTags } from '../../shared/upstream/think-tags.ts'
import { CALL_REASONS, FINISH_REASONS } from '../terms.ts'
import { applyAnnotations } from './citations.ts'
import { applyPiece, seal } from './reasoning.ts'
import { type ChatState, contentDelta } from './state.ts'

/**
 * Returns the object of a choice that holds its content: the `delta` of a stream, the `message` of a whole answer;
 * completion servers write `text`. Perplexity writes both into one choice. In a stream its message repeats all earlier
 * text, so it is read only until the first content; in a whole answer its delta is empty.
 */
export function messageOf(choice: JsonRecord, { hasContent: hasEarlier, whole }: ChatState): JsonRecord {
  const delta = isNonEmptyString(choice.delta) ? { content: choice.delta } : choice.delta
  // Returns before the other fields are read: the fast path accepts only chunks whose other fields decide nothing.
  if (isObject(delta) && (hasEarlier || (!whole && hasContent(delta)))) return delta
  const { text } = choice
  const message = isNonEmptyString(choice.message) ? { content: choice.message } : choice.message
  const [first, second] = whole ? [message, delta] : [delta, hasEarlier ? null : message]
  if (hasContent(first)) return first
  if (hasContent(second)) return second
  return isNonEmptyString(text) ? { content: text } : ([first, second].find(isObject) ?? {})
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const hasContent = (record: unknown): record is JsonRecord =>
  isObject(record) && Object.entries(record).some(([field, value]) => field !== 'role' && !isNothing(value))

/**
 * Decodes text, citations, reasoning inside the text and refusals. Content that a Responses stream cannot express is a
 * recorded loss.
 */
export function applyChoiceContent(state: ChatState, delta: JsonRecord, choice: JsonRecord, deltas: Deltas): ChatState {
  const next = applyText(state, contentOf(delta), choice, deltas)
  // Citations follow the text of their own delta, so that their place in it can be found at once.
  if (delta.annotations) applyAnnotations(delta.annotations, deltas)
  if (isNonEmptyString(delta.refusal)) deltas.push(contentDelta('refusal', delta.refusal))
  else emitWrongKind('refusal', delta.refusal, deltas)
  if ((state.whole || delta.refusal) && isObject(choice.logprobs) && toArray(choice.logprobs.refusal).length > 0)
    emitLoss('logprobs of a refusal', deltas)
  if (delta.images) applyImages(delta.images, deltas)
  if (delta.audio) applyAudio(delta, deltas)
  if (toArray(delta.executed_tools).length > 0) emitLoss('executed_tools', deltas)
  return next
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
    default:
      emitLoss(`content part ${scalarToString(part.type)}`.trimEnd(), deltas)
      return state
  }
}

function applyImages(images: unknown, deltas: Deltas): void {
  for (const image of readObjects(images, 'images', deltas)) {
    const url = isObject(image.image_url) ? image.image_url.url : image.image_url
    if (!isNonEmptyString(url)) continue
    deltas.push({
      kind: 'hosted',
      key: `image ${scalarToString(image.index) || url.slice(0, 64)}`,
      item: {
        type: 'image_generation_call',
        id: '',
        status: 'completed',
        fields: { result: url.replace(/^data:[^,]*,/, '') },
      },
      done: true,
    })
  }
}

/** `place` is empty for the first choice, whose finish reason counts for an answer over several choices. */
export function applyFinish(
  state: ChatState,
  { finish_reason: word }: JsonRecord,
  place: string,
  deltas: Deltas,
): ChatState {
  if (!isNonEmptyString(word)) {
    emitWrongKind('finish_reason', word, deltas)
    return state
  }
  const reason = readFinishReason(FINISH_REASONS, word, 'finish_reason', deltas)
  // A later reason does not take back that calls were announced.
  const endsWithCalls = state.endsWithCalls || CALL_REASONS.has(word)
  if (reason === null) deltas.push(stoppedWith(word))
  else if (place === '' || !state.finished || reason !== 'stop')
    deltas.push({ kind: 'finish', reason, ...(endsWithCalls ? { called: true } : {}) })
  return state.finished && endsWithCalls === state.endsWithCalls ? state : { ...state, finished: true, endsWithCalls }
}
