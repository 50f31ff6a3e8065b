import { listToArray } from '../../../collections/list.ts'
import { EMPTY_QUEUE, queueAppend, queueFirst, queueShift, queueSize } from '../../../collections/queue.ts'
import { mapDelete, mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { callKey, messageKey, thoughtKey } from './deltas.ts'
import { hostedDelta } from './server-tools.ts'
import {
  type Block,
  type ConverseState,
  interrupted,
  type Place,
  retold,
  type ServerCall,
  type Story,
} from './state.ts'

type Of<Kind extends Block['kind']> = Extract<Block, { readonly kind: Kind }>

/** Returns the open block if it has this kind and index, otherwise null. */
export function openBlockOf<Kind extends Block['kind']>(
  { story: { block } }: ConverseState,
  kind: Kind,
  index: string,
): Of<Kind> | null {
  return block !== null && block.kind === kind && block.index === index ? (block as Of<Kind>) : null
}

/** Opens a block. The previous block ends, whether the upstream sent its stop event or not. */
export function openBlock(state: ConverseState, block: Block, say: Say): ConverseState {
  const closed = closeBlock(state, say)
  const isText = block.kind === 'text' || block.kind === 'server result'
  const ready = isText ? closed : interrupted(closed)
  return retold(ready, { block: block.kind === 'text' ? { ...block, start: ready.length } : block })
}

/** Closes the open block, and emits the deltas that depend on its whole content. */
export function closeBlock(state: ConverseState, say: Say): ConverseState {
  const { block } = state.story
  switch (block?.kind) {
    case undefined:
      return state
    case 'text':
      return closeText(state, block, say)
    case 'thought':
      return closeThought(state, block, say)
    case 'call':
      say.push({ kind: 'stop', key: callKey(block.index) })
      return retold(state, { block: null })
    case 'server call':
      say.push(hostedDelta(block.call, null))
      return retold(state, { block: null, waiting: withCall(state.story.waiting, block.call) })
    case 'server result':
      return closeResult(state, block, say)
    case 'image':
      closeImage(block, say)
      return retold(state, { block: null })
  }
}

/** A citation refers to its whole block. A block with only citations (Nova) refers to the text block before it. */
function closeText(state: ConverseState, { start, citations }: Of<'text'>, say: Say): ConverseState {
  const { message, last } = state.story
  const own: Place | null = state.length > start ? { start, end: state.length } : last
  const span = own === null ? null : { start: own.start, end: own.end, unit: 'utf16' as const }
  for (const citation of listToArray(citations)) {
    say.push({ kind: 'citation', key: messageKey(message), part: '', citation: { ...citation, span } })
  }
  return retold(state, { block: null, last: own })
}

/**
 * Emits the payload that has to be returned to Bedrock unchanged. Reasoning without a signature is not taken back, so
 * it needs none.
 */
function closeThought(state: ConverseState, { index, signature, redacted }: Of<'thought'>, say: Say): ConverseState {
  const key = thoughtKey(index)
  if (redacted.length > 0 || signature !== '') {
    say.push({ kind: 'opaque', key, payload: { text: state.thought, signature, redacted: listToArray(redacted) } })
  }
  say.push({ kind: 'stop', key })
  return { length: state.length, thought: '', story: { ...state.story, block: null } }
}

const withCall = (waiting: Story['waiting'], call: ServerCall): Story['waiting'] =>
  mapSet(waiting, call.id, queueAppend(mapGet(waiting, call.id) ?? EMPTY_QUEUE, call))

/** The result belongs to the first waiting call with its id. */
function closeResult(state: ConverseState, { id, parts, failed }: Of<'server result'>, say: Say): ConverseState {
  const { waiting } = state.story
  const calls = mapGet(waiting, id) ?? EMPTY_QUEUE
  const call = queueFirst(calls)
  if (call === null) loss('the result of an unknown tool', say)
  else say.push(hostedDelta(call, { parts: listToArray(parts), failed }))
  const left = queueShift(calls)
  return retold(state, {
    block: null,
    waiting: queueSize(left) === 0 ? mapDelete(waiting, id) : mapSet(waiting, id, left),
  })
}

function closeImage({ index, format, bytes }: Of<'image'>, say: Say): void {
  const fields: JsonObject = { result: bytes, ...(format === '' ? {} : { output_format: format }) }
  const item = { type: 'image_generation_call' as const, id: '', status: 'completed', fields }
  if (bytes === '') loss('an image without content', say)
  else say.push({ kind: 'hosted', key: `image ${index}`, item, done: true })
}
