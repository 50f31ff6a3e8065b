import { isObject, isText, toArray, wordOf } from '../../text/json.ts'
import { toLogprobs } from '../logprobs.ts'
import { splitThoughts } from '../think.ts'
import { hearAnnotations } from './citations.ts'
import { content, loss, type Say } from './say.ts'
import type { Bag, ChatState } from './state.ts'

/**
 * What a choice says: its delta. `message` beside a delta repeats everything said so far (Perplexity) and is not read;
 * alone it is a whole answer. Completion servers say `text`.
 */
export function spoken(choice: Bag, spoke: boolean): Bag {
  if (isObject(choice.delta)) return choice.delta
  if (isObject(choice.message) && !spoke) return choice.message
  return isText(choice.text) && choice.message === undefined ? { content: choice.text } : {}
}

/** Text, citations, thoughts inside the text, refusals, and what has no place in a Responses stream. */
export function hearContent(state: ChatState, delta: Bag, choice: Bag, say: Say): ChatState {
  const told = hearText(state, delta.content, choice, say)
  // After the text of its own delta, so that it is told at once where it stands in it.
  if (delta.annotations) hearAnnotations(delta.annotations, say)
  if (isText(delta.refusal)) say.push(content('refusal', delta.refusal))
  if (delta.images) hearImages(delta.images, say)
  if (isObject(delta.audio) && (isText(delta.audio.data) || isText(delta.audio.transcript))) loss('audio', say)
  if (toArray(delta.executed_tools).length > 0) loss('executed_tools', say)
  return told
}

function hearText(state: ChatState, said: unknown, choice: Bag, say: Say): ChatState {
  if (typeof said === 'string') return hearString(state, said, choice, say)
  for (const part of toArray(said).filter(isObject)) hearPart(part, say)
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

/** Mistral: thinking and text as parts of one content array. */
function hearPart(part: Bag, say: Say): void {
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
      loss(`content part ${wordOf(part.type)}`, say)
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
