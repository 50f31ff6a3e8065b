import { listAppend } from '../../../collections/list.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { emitWrongKind, readTextField } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import { compactionFields } from '../encrypted-blocks.ts'
import { emitCall, emitText, openBlock } from './blocks.ts'
import { toCitation } from './citations.ts'
import {
  type Block,
  contentDelta,
  findBlock,
  isTextBlock,
  type MessagesState,
  openBlocks,
  replaceBlock,
  type TextBlock,
  withoutStart,
} from './state.ts'

/** The type of block that a delta opens if its index has no open block: some proxies leave out the start of a block. */
const BLOCK_OF = {
  text_delta: 'text',
  citations_delta: 'text',
  thinking_delta: 'thinking',
  reasoning_delta: 'thinking',
  signature_delta: 'thinking',
} as const

/**
 * Applies one delta of a content block. Text and thinking deltas, which are the most frequent ones, leave `progress`
 * unchanged.
 */
export function applyBlockDelta(state: MessagesState, index: string, delta: JsonRecord, deltas: Deltas): MessagesState {
  switch (delta.type) {
    case 'text_delta':
      return applyPiece(state, index, delta.text, 'text', applyText, deltas)
    case 'thinking_delta':
    case 'reasoning_delta':
      return applyPiece(state, index, delta.thinking ?? delta.reasoning, 'thinking', applyReasoning, deltas)
    case 'signature_delta':
      return applyPiece(state, index, delta.signature, 'signature', applySignature, deltas)
    case 'input_json_delta':
      return applyInputPiece(state, index, delta.partial_json, deltas)
    case 'citations_delta':
      return applyCitation(state, index, delta.citation, deltas)
    case 'compaction_delta':
      return applyCompaction(state, index, delta)
    default:
      emitLoss(`content block delta ${scalarToString(delta.type)}`, deltas)
      return state
  }
}

type ApplyPiece = (state: MessagesState, index: string, piece: string, deltas: Deltas) => MessagesState

function applyPiece(
  state: MessagesState,
  index: string,
  value: unknown,
  field: string,
  apply: ApplyPiece,
  deltas: Deltas,
): MessagesState {
  const piece = typeof value === 'string' ? value : readTextField(value, field, deltas)
  return piece === '' ? afterEmpty(state, index) : apply(state, index, piece, deltas)
}

/** Some servers send the arguments themselves in place of their text. */
function applyInputPiece(state: MessagesState, index: string, value: unknown, deltas: Deltas): MessagesState {
  const piece = isObject(value) ? formatArguments(value, deltas) : value
  if (isNonEmptyString(piece)) return applyInput(state, index, piece, deltas)
  if (piece !== '') emitWrongKind('partial_json', piece, deltas)
  return state
}

/** Whether the first delta of a block repeats the text in the start of the block. */
const repeats = ({ given }: { readonly given: string }, text: string): boolean => given !== '' && given === text

/** Returns the state after the first delta of a block that began with a text. */
const withoutGiven = (state: MessagesState, block: TextBlock): MessagesState =>
  block.given === '' ? state : replaceBlock(state, { ...block, given: '' })

/** An empty delta, too, is the first one of its block: it stands where one that repeats the start was passed on. */
function afterEmpty(state: MessagesState, index: string): MessagesState {
  const block = findBlock(state, index)
  return isTextBlock(block) ? withoutGiven(state, block) : state
}

/** Whether the open block has ended without its stop: some proxies send neither starts nor stops, and only one index. */
const endsWithout = (open: Block, kind: Block['kind'], type: keyof typeof BLOCK_OF): boolean =>
  isTextBlock(open) && open.kind !== kind && (type === 'text_delta' || type === 'thinking_delta')

/** Returns the block of this delta and the state in which it is open; null if the open block is of another kind. */
function blockFor<Kind extends Block['kind']>(
  state: MessagesState,
  index: string,
  kind: Kind,
  type: keyof typeof BLOCK_OF,
  deltas: Deltas,
): { readonly state: MessagesState; readonly block: Extract<Block, { readonly kind: Kind }> } | null {
  const open = findBlock(state, index)
  const known = open !== undefined && endsWithout(open, kind, type) ? undefined : open
  const ready =
    known === undefined ? withoutStart(openBlock(state, index, { type: BLOCK_OF[type] }, deltas), index) : state
  const block = known ?? findBlock(ready, index)
  if (block?.kind === kind) return { state: ready, block: block as Extract<Block, { readonly kind: Kind }> }
  if (block?.kind !== 'other') emitLoss(`${type} in a block of another kind`, deltas)
  return null
}

function applyText(state: MessagesState, index: string, text: string, deltas: Deltas): MessagesState {
  const found = blockFor(state, index, 'text', 'text_delta', deltas)
  if (found === null) return state
  const ready = withoutGiven(found.state, found.block)
  return repeats(found.block, text) ? ready : emitText(ready, found.block.key, text, deltas)
}

function applyReasoning(state: MessagesState, index: string, text: string, deltas: Deltas): MessagesState {
  const found = blockFor(state, index, 'thought', 'thinking_delta', deltas)
  if (found === null) return state
  const ready = withoutGiven(found.state, found.block)
  if (repeats(found.block, text)) return ready
  deltas.push(contentDelta('reasoning', found.block.key, text))
  const { length, reasoning, progress } = ready
  return { length, reasoning: appendFlat(reasoning, text), progress }
}

function applySignature(state: MessagesState, index: string, piece: string, deltas: Deltas): MessagesState {
  const open = findBlock(state, index)
  if (open?.kind === 'compaction') {
    const { signature = '' } = open.fields
    return replaceBlock(state, { ...open, fields: { ...open.fields, signature: `${signature}${piece}` } })
  }
  const found = blockFor(state, index, 'thought', 'signature_delta', deltas)
  if (found === null) return state
  const { block } = found
  return replaceBlock(found.state, { ...block, signature: appendFlat(block.signature, piece) })
}

function applyCitation(state: MessagesState, index: string, cited: unknown, deltas: Deltas): MessagesState {
  const citation = toCitation(cited, state.progress.pages, deltas)
  const found = citation === null ? null : blockFor(state, index, 'text', 'citations_delta', deltas)
  if (citation === null || found === null) return state
  const { block } = found
  return replaceBlock(found.state, { ...block, citations: listAppend(block.citations, citation) })
}

/** The block that input belongs to: under the index of no block it is that of the only open call. */
export function blockOfInput(state: MessagesState, index: string): Block | undefined {
  const found = findBlock(state, index)
  if (found !== undefined || state.progress.openCalls !== 1) return found
  return openBlocks(state).find(({ kind }) => kind === 'call')
}

function applyInput(state: MessagesState, index: string, piece: string, deltas: Deltas): MessagesState {
  const block = blockOfInput(state, index)
  switch (block?.kind) {
    case 'call':
      emitCall(block, piece, deltas)
      return block.emitted ? state : replaceBlock(state, { ...block, emitted: true })
    case 'server':
      return replaceBlock(state, { ...block, tool: { ...block.tool, input: appendFlat(block.tool.input, piece) } })
    default:
      // Without the start of the block, the name of the tool is unknown.
      if (block === undefined) emitLoss('arguments without a call', deltas)
      return state
  }
}

function applyCompaction(state: MessagesState, index: string, delta: JsonRecord): MessagesState {
  const block = findBlock(state, index)
  if (block?.kind !== 'compaction') return state
  const text = isNonEmptyString(delta.content) ? appendFlat(block.text, delta.content) : block.text
  return replaceBlock(state, { ...block, text, fields: { ...block.fields, ...compactionFields(delta) } })
}
