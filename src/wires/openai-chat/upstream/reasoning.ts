import { EMPTY_LIST, listAppend, listToArray } from '../../../collections/list.ts'
import { mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { ContentKind } from '../../../protocol/delta.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { readObjects, readText, readTextField } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { withReasoningField } from '../../shared/upstream/think-tags.ts'
import {
  appendPiece,
  type BlockPiece,
  isWorthSealing,
  mergeDetails,
  NO_ENTRIES,
  readSignature,
  toPayload,
} from '../sealed-reasoning.ts'
import { OTHER_REASONING, READABLE_REASONING } from './content-members.ts'
import { type ChatState, contentDelta, REASONING } from './state.ts'

const hasReasoning = (delta: JsonRecord): boolean =>
  READABLE_REASONING.some((name) => delta[name]) || OTHER_REASONING.some((name) => delta[name])

/** Applies the reasoning of a message, in the fields of any vendor. */
export function applyReasoning(state: ChatState, delta: JsonRecord, deltas: Deltas): ChatState {
  if (!hasReasoning(delta)) return state
  const found = readObjects(delta.reasoning_details, 'reasoning_details', deltas)
  const kind = found.some(({ type }) => type === 'reasoning.summary') ? 'summary' : 'reasoning'
  const readable = readableIn(delta, deltas) || stepsIn(delta, deltas) || found.map(detailText).join('')
  const next = partsOf(readable, found).reduce<ChatState>(
    (now, { text, part }) => emitReasoning(now, kind, text, 'field', deltas, part),
    state,
  )
  const signed = applySignatures(next, delta, deltas)
  if (found.length === 0) return signed
  const details = mergeDetails(signed.details, found)
  if (details.cut && !signed.details.cut) emitLoss('members of reasoning_details', deltas)
  return { ...signed, details }
}

const isSigned = (value: unknown): boolean =>
  isObject(value) && Boolean(value.signature || value.data || value.encrypted_content || value.redactedContent)

function readableIn(delta: JsonRecord, deltas: Deltas): string {
  for (const name of READABLE_REASONING) {
    const value = delta[name]
    if (isNonEmptyString(value)) return value
    if (typeof value !== 'object' || value === null) continue
    if (isSigned(value) || (isObject(value) && isSigned(value.reasoningText)))
      emitLoss(`the signature of ${name}`, deltas)
    const text = readTextField(value, name, deltas)
    if (text !== '') return text
  }
  return ''
}

const detailText = ({ text, summary }: JsonRecord): string =>
  isNonEmptyString(text) ? text : isNonEmptyString(summary) ? summary : ''

/** Readable reasoning, in the parts that the indices of its entries tell apart. */
function partsOf(
  readable: string,
  found: readonly JsonRecord[],
): readonly { readonly text: string; readonly part: string }[] {
  if (readable === '') return []
  const parts = found.flatMap((detail) => {
    const text = detailText(detail)
    return text === '' ? [] : [{ text, part: scalarToString(detail.index) }]
  })
  // A blank line is text then, and no border.
  if (parts.length === 0) return [{ text: readable, part: '' }]
  return isJoined(readable, parts) ? parts : [{ text: readable, part: '' }]
}

/** Gateways such as this one have a blank line before a next part in the readable field, where the entries have none. */
const BORDER = '\n\n'

/** Whether a readable text is that of the parts, with or without a blank line before each of them. */
function isJoined(readable: string, parts: readonly { readonly text: string }[]): boolean {
  let at = 0
  for (const { text } of parts) {
    if (!readable.startsWith(text, at) && readable.startsWith(BORDER + text, at)) at += BORDER.length
    if (!readable.startsWith(text, at)) return false
    at += text.length
  }
  return at === readable.length
}

/** The steps of Perplexity's models: a thought, and what the model did then. */
function stepsIn({ reasoning_steps: steps }: JsonRecord, deltas: Deltas): string {
  return readObjects(steps, 'reasoning_steps', deltas)
    .map((step) => {
      for (const [name, value] of Object.entries(step))
        if (isObject(value) && name !== 'thought') emitLoss(`reasoning_steps.${name}`, deltas)
      const text = readText(step)
      return text === '' ? '' : `${text}\n`
    })
    .join('')
}

/** Emits readable reasoning, unless another place of the answer has it already. */
function emitReasoning(
  state: ChatState,
  kind: ContentKind,
  text: string,
  place: Exclude<ChatState['reasoningIn'], ''>,
  deltas: Deltas,
  part = '',
): ChatState {
  if (state.reasoningIn !== '' && state.reasoningIn !== place) return state
  const think = withReasoningField(state.think)
  if (think === null) return state
  deltas.push(part === '' ? contentDelta(kind, text) : { ...contentDelta(kind, text), part })
  return think === state.think && state.reasoningIn === place ? state : { ...state, think, reasoningIn: place }
}

/** Applies signatures, and reasoning beside its signature. */
function applySignatures(state: ChatState, delta: JsonRecord, deltas: Deltas): ChatState {
  const own = delta.extra_content || delta.provider_specific_fields ? applyMessageFields(state, delta, deltas) : state
  const blocks = delta.thinking_blocks
    ? readObjects(delta.thinking_blocks, 'thinking_blocks', deltas).map((block) => pieceOf('thinking_blocks', block))
    : readObjects(delta.content_blocks, 'content_blocks', deltas)
        // A stream has the pieces of a block in `delta`.
        .map((block) => pieceOf('content_blocks', isObject(block.delta) ? block.delta : block))
  const { reasoning_opaque: opaque } = delta
  const data = readTextField(opaque, 'reasoning_opaque', deltas)
  const signature = readTextField(delta.reasoning_signature, 'reasoning_signature', deltas)
  const signed =
    signature === '' ? blocks : [...blocks, { ...NO_PIECE, place: 'reasoning_signature' as const, signature }]
  const pieces = data === '' ? signed : [...signed, { ...NO_PIECE, data }]
  return pieces.reduce<ChatState>((now, piece) => applyPiece(now, 'reasoning', piece, deltas), own)
}

const NO_PIECE: BlockPiece = { place: 'reasoning_opaque', text: '', signature: '', data: '' }

const pieceOf = (place: 'thinking_blocks' | 'content_blocks', block: JsonRecord): BlockPiece => ({
  place,
  text: readText(block.thinking),
  signature: block.signature,
  data: block.data,
})

/** Applies a piece of a block that may be signed. */
export function applyPiece(
  state: ChatState,
  kind: 'reasoning' | 'summary',
  piece: BlockPiece,
  deltas: Deltas,
): ChatState {
  const ready = piece.place === state.blocks.place ? state : sealBlocks(state, deltas)
  const { blocks, text } = appendPiece(ready.blocks, piece)
  const next = text === '' ? ready : emitReasoning(ready, kind, text, 'blocks', deltas)
  return blocks === ready.blocks ? next : { ...next, blocks }
}

/**
 * A message of Gemini is signed as its calls are; LiteLLM repeats the blocks there. The signature is emitted at the end,
 * because its item would split the text.
 */
function applyMessageFields(state: ChatState, delta: JsonRecord, deltas: Deltas): ChatState {
  const found = readSignature(delta)
  const isNew = found !== null && mapGet(state.signatures, found.signature) !== true
  const signed = isNew
    ? {
        ...state,
        signatures: mapSet<string, true>(state.signatures, found.signature, true),
        later: listAppend<Json>(state.later, { on: 'message', ...found }),
      }
    : state
  const { provider_specific_fields: fields } = delta
  return isObject(fields) && fields.thinking_blocks && !delta.thinking_blocks
    ? applySignatures(signed, { thinking_blocks: fields.thinking_blocks }, deltas)
    : signed
}

/** Encrypted reasoning precedes the content it led to, so it is emitted as soon as other content begins. */
export function seal(state: ChatState, deltas: Deltas): ChatState {
  return sealBlocks(sealDetails(state, deltas), deltas)
}

function sealDetails(state: ChatState, deltas: Deltas): ChatState {
  if (state.details.entries.length === 0) return state
  const payload = listToArray(state.details.entries)
  if (isWorthSealing(payload)) deltas.push({ kind: 'opaque', key: REASONING, payload })
  else if (payload.some(({ type }) => type === 'reasoning.server_tool_call'))
    emitLoss('reasoning.server_tool_call', deltas)
  return { ...state, details: NO_ENTRIES }
}

/** Emits the signatures of messages, and those that came after the beginning of their call. */
export function emitLater({ later }: ChatState, deltas: Deltas): void {
  listToArray(later).forEach((payload, i) => {
    deltas.push({ kind: 'opaque', key: `signature ${i}`, payload })
  })
}

/** A block without a signature is kept, because the signature may come after other content. */
function sealBlocks(state: ChatState, deltas: Deltas): ChatState {
  const payload = toPayload(state.blocks)
  if (payload === null) return state
  deltas.push({ kind: 'opaque', key: REASONING, payload })
  return { ...state, blocks: { ...state.blocks, ended: EMPTY_LIST } }
}
