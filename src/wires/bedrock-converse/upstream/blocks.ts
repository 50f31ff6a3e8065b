import { listToArray } from '../../../collections/list.ts'
import { EMPTY_QUEUE, queueAppend, queueFirst, queueShift, queueSize } from '../../../collections/queue.ts'
import { mapDelete, mapGet, mapSet } from '../../../collections/sorted-map.ts'
import { joinBase64 } from '../../../text/base64.ts'
import { emitImage } from '../../shared/upstream/answers/generated-image.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { hostedDelta } from './server-tools.ts'
import {
  type Block,
  type BlockRange,
  type ConverseState,
  callKey,
  type DecoderProgress,
  interrupted,
  messageKey,
  reasoningKey,
  type ServerCall,
  updateProgress,
} from './state.ts'

type Of<Kind extends Block['kind']> = Extract<Block, { readonly kind: Kind }>

/** Returns the open block if it has this kind and index, otherwise null. */
export function openBlockOf<Kind extends Block['kind']>(
  { progress: { block } }: ConverseState,
  kind: Kind,
  index: string,
): Of<Kind> | null {
  return block !== null && block.kind === kind && block.index === index ? (block as Of<Kind>) : null
}

/**
 * Opens a block. The previous block ends, whether the upstream sent its stop event or not, but a call: calls may take
 * turns, and only a stop event ends one.
 */
export function openBlock(state: ConverseState, block: Block, deltas: Deltas): ConverseState {
  const isCall = state.progress.block?.kind === 'call'
  const closed = isCall ? updateProgress(state, { block: null }) : closeBlock(state, deltas)
  const isText = block.kind === 'text' || block.kind === 'server result'
  const ready = isText ? closed : interrupted(closed)
  return updateProgress(ready, { block: block.kind === 'text' ? { ...block, start: ready.length } : block })
}

/** Closes the open block, and emits the deltas that depend on its whole content. */
export function closeBlock(state: ConverseState, deltas: Deltas): ConverseState {
  const { block } = state.progress
  switch (block?.kind) {
    case undefined:
      return state
    case 'text':
      return closeText(state, block, deltas)
    case 'thought':
      return closeReasoning(state, block, deltas)
    case 'call':
      deltas.push({ kind: 'stop', key: callKey(block.index) })
      return updateProgress(state, { block: null })
    case 'server call':
      deltas.push(hostedDelta(block.call, null))
      return updateProgress(state, { block: null, waiting: withCall(state.progress.waiting, block.call) })
    case 'server result':
      return closeResult(state, block, deltas)
    case 'image':
      closeImage(block, deltas)
      return updateProgress(state, { block: null })
  }
}

/** A citation refers to its whole block. A block with only citations (Nova) refers to the text block before it. */
function closeText(state: ConverseState, { start, citations }: Of<'text'>, deltas: Deltas): ConverseState {
  const { message, last } = state.progress
  const own: BlockRange | null = state.length > start ? { start, end: state.length } : last
  const span = own === null ? null : { start: own.start, end: own.end, unit: 'utf16' as const }
  for (const citation of listToArray(citations)) {
    deltas.push({ kind: 'citation', key: messageKey(message), part: '', citation: { ...citation, span } })
  }
  return updateProgress(state, { block: null, last: own })
}

/**
 * Emits the payload that has to be returned to Bedrock unchanged. Reasoning without a signature is not taken back, so
 * it needs none. The encrypted content of a block may come in pieces.
 */
function closeReasoning(
  state: ConverseState,
  { index, signature, redacted }: Of<'thought'>,
  deltas: Deltas,
): ConverseState {
  const key = reasoningKey(index)
  if (redacted.length > 0 || signature !== '') {
    deltas.push({
      kind: 'opaque',
      key,
      payload: { text: state.reasoning, signature, redacted: joinBase64(listToArray(redacted)) },
    })
  }
  deltas.push({ kind: 'stop', key })
  return { length: state.length, reasoning: '', progress: { ...state.progress, block: null } }
}

const withCall = (waiting: DecoderProgress['waiting'], call: ServerCall): DecoderProgress['waiting'] =>
  mapSet(waiting, call.id, queueAppend(mapGet(waiting, call.id) ?? EMPTY_QUEUE, call))

/** The result belongs to the first waiting call with its id. */
function closeResult(state: ConverseState, { id, parts, failed }: Of<'server result'>, deltas: Deltas): ConverseState {
  const { waiting } = state.progress
  const calls = mapGet(waiting, id) ?? EMPTY_QUEUE
  const call = queueFirst(calls)
  if (call === null) emitLoss('the result of an unknown tool', deltas)
  else deltas.push(hostedDelta(call, { parts: listToArray(parts), failed }))
  const left = queueShift(calls)
  return updateProgress(state, {
    block: null,
    waiting: queueSize(left) === 0 ? mapDelete(waiting, id) : mapSet(waiting, id, left),
  })
}

function closeImage({ index, format, bytes }: Of<'image'>, deltas: Deltas): void {
  if (bytes === '') emitLoss('an image without content', deltas)
  else emitImage(`image ${index}`, bytes, format, deltas)
}
