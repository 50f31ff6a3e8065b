import type { Bag } from '../../../protocol/json.ts'
import { formatJson, isObject, isText, toArray, wordOf } from '../../../text/json.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import { splitThoughts } from '../../shared/upstream/think-tags.ts'
import { hearAnnotations } from './citations.ts'
import { content } from './deltas.ts'
import type { ChatState } from './state.ts'

/**
 * Returns the object of a choice that holds its content: the `delta` of a stream, the `message` of a whole answer;
 * completion servers write `text`. Perplexity writes both into one choice. In a stream its message repeats all earlier
 * text, so it is read only until the first content; in a whole answer its delta is empty.
 */
export function spoken(choice: Bag, { spoke, whole }: ChatState): Bag {
  const { delta } = choice
  // Returns before the other fields are read: the fast path accepts only chunks whose other fields decide nothing.
  if (isObject(delta) && (spoke || (!whole && hasContent(delta)))) return delta
  const { message, text } = choice
  const [first, second] = whole ? [message, delta] : [delta, spoke ? null : message]
  if (hasContent(first)) return first
  if (hasContent(second)) return second
  return isText(text) ? { content: text } : ([first, second].find(isObject) ?? {})
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const hasContent = (bag: unknown): bag is Bag =>
  isObject(bag) && Object.entries(bag).some(([field, value]) => field !== 'role' && !isNothing(value))

/**
 * Decodes text, citations, reasoning inside the text and refusals. Content that a Responses stream cannot express is a
 * recorded loss.
 */
export function hearContent(state: ChatState, delta: Bag, choice: Bag, say: Say): ChatState {
  const told = hearText(state, delta.content, choice, say)
  // Citations follow the text of their own delta, so that their place in it can be found at once.
  if (delta.annotations) hearAnnotations(delta.annotations, say)
  if (isText(delta.refusal)) say.push(content('refusal', delta.refusal))
  if (delta.images) hearImages(delta.images, say)
  if (isObject(delta.audio) && (isText(delta.audio.data) || isText(delta.audio.transcript))) loss('audio', say)
  if (toArray(delta.executed_tools).length > 0) loss('executed_tools', say)
  return told
}

function hearText(state: ChatState, said: unknown, choice: Bag, say: Say): ChatState {
  if (typeof said === 'string') return hearString(state, said, choice, say)
  if (said === undefined || said === null) return state
  if (Array.isArray(said) && (!state.json || said.every(isPart))) {
    return said.reduce<ChatState>((now, part) => hearPart(now, part, choice, say), state)
  }
  return readValue(state, said, choice, say)
}

const isPart = (part: unknown): boolean => isObject(part) && isText(part.type)

/**
 * Cloudflare parses JSON output that the request asked for and sends the value. Without such a request, the meaning of
 * an object is unknown, and it is dropped.
 */
function readValue(state: ChatState, value: unknown, choice: Bag, say: Say): ChatState {
  const text = state.json ? formatJson(value) : ''
  if (text !== '') return hearString(state, text, choice, say)
  loss(`content that is a JSON ${isObject(value) ? 'object' : typeof value}`, say)
  return state
}

function hearString(state: ChatState, said: string, choice: Bag, say: Say): ChatState {
  if (said === '') return state
  if (state.think.mode === 'text') {
    say.push(content('text', said, isObject(choice.logprobs) ? toLogprobs(choice.logprobs.content) : null))
    return state
  }
  const { state: think, pieces } = splitThoughts(state.think, said)
  for (const { kind, text } of pieces) say.push(content(kind, text))
  return think === state.think ? state : { ...state, think }
}

/** Mistral sends `thinking` and `text` as parts of one content array. */
function hearPart(state: ChatState, part: unknown, choice: Bag, say: Say): ChatState {
  if (typeof part === 'string') return hearString(state, part, choice, say)
  if (isObject(part)) readTypedPart(part, say)
  else if (!isNothing(part)) loss('content part', say)
  return state
}

function readTypedPart(part: Bag, say: Say): void {
  switch (part.type) {
    case 'text':
      if (isText(part.text)) say.push(content('text', part.text))
      break
    case 'thinking':
      for (const thought of [part.thinking].flat()) {
        const text = isObject(thought) ? thought.text : thought
        if (isText(text)) say.push(content('reasoning', text))
      }
      break
    default:
      loss(`content part ${wordOf(part.type)}`.trimEnd(), say)
  }
}

function hearImages(images: unknown, say: Say): void {
  for (const image of toArray(images).filter(isObject)) {
    const url = isObject(image.image_url) ? image.image_url.url : null
    if (!isText(url)) continue
    say.push({
      kind: 'hosted',
      key: `image ${wordOf(image.index) || url.slice(0, 64)}`,
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
