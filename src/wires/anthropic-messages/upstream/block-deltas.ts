import { listAppend } from '../../../collections/list.ts'
import type { Bag } from '../../../protocol/json.ts'
import { append } from '../../../text/flat-string.ts'
import { isText, wordOf } from '../../../text/json.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { openBlock, sayCall, sayText } from './blocks.ts'
import { toCitation } from './citations.ts'
import { content } from './deltas.ts'
import { findBlock, replaceBlock } from './open-blocks.ts'
import type { Block, MessagesState } from './state.ts'

/** The type of block that a delta opens if its index has no open block: some proxies leave out the start of a block. */
const BLOCK_OF = {
  text_delta: 'text',
  citations_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
} as const

/**
 * Applies one delta of a content block. Text and thinking deltas, which are the most frequent ones, leave `story`
 * unchanged.
 */
export function hearDelta(state: MessagesState, index: string, delta: Bag, say: Say): MessagesState {
  switch (delta.type) {
    case 'text_delta':
      return isText(delta.text) ? hearText(state, index, delta.text, say) : state
    case 'thinking_delta':
      return isText(delta.thinking) ? hearThought(state, index, delta.thinking, say) : state
    case 'signature_delta':
      return isText(delta.signature) ? hearSignature(state, index, delta.signature, say) : state
    case 'input_json_delta':
      return isText(delta.partial_json) ? hearInput(state, index, delta.partial_json, say) : state
    case 'citations_delta':
      return hearCitation(state, index, delta.citation, say)
    case 'compaction_delta':
      return isText(delta.content) ? hearCompaction(state, index, delta.content) : state
    default:
      loss(`content block delta ${wordOf(delta.type)}`, say)
      return state
  }
}

/** Returns the block of this delta and the state in which it is open; null if the open block is of another kind. */
function blockFor<Kind extends Block['kind']>(
  state: MessagesState,
  index: string,
  kind: Kind,
  type: keyof typeof BLOCK_OF,
  say: Say,
): { readonly state: MessagesState; readonly block: Extract<Block, { readonly kind: Kind }> } | null {
  const known = findBlock(state, index)
  const ready = known === undefined ? openBlock(state, index, { type: BLOCK_OF[type] }, say) : state
  const block = known ?? findBlock(ready, index)
  if (block?.kind === kind) return { state: ready, block: block as Extract<Block, { readonly kind: Kind }> }
  if (block?.kind !== 'other') loss(`${type} of a block of another kind`, say)
  return null
}

function hearText(state: MessagesState, index: string, text: string, say: Say): MessagesState {
  const found = blockFor(state, index, 'text', 'text_delta', say)
  return found === null ? state : sayText(found.state, found.block.key, text, say)
}

function hearThought(state: MessagesState, index: string, text: string, say: Say): MessagesState {
  const found = blockFor(state, index, 'thought', 'thinking_delta', say)
  if (found === null) return state
  say.push(content('reasoning', found.block.key, text))
  const { length, thought, story } = found.state
  return { length, thought: append(thought, text), story }
}

function hearSignature(state: MessagesState, index: string, piece: string, say: Say): MessagesState {
  const found = blockFor(state, index, 'thought', 'signature_delta', say)
  if (found === null) return state
  const { block } = found
  return replaceBlock(found.state, { ...block, signature: append(block.signature, piece) })
}

function hearCitation(state: MessagesState, index: string, cited: unknown, say: Say): MessagesState {
  const citation = toCitation(cited, say)
  const found = citation === null ? null : blockFor(state, index, 'text', 'citations_delta', say)
  if (citation === null || found === null) return state
  const { block } = found
  return replaceBlock(found.state, { ...block, citations: listAppend(block.citations, citation) })
}

function hearInput(state: MessagesState, index: string, piece: string, say: Say): MessagesState {
  const block = findBlock(state, index)
  switch (block?.kind) {
    case 'call':
      sayCall(block, piece, say)
      return block.told ? state : replaceBlock(state, { ...block, told: true })
    case 'server':
      return replaceBlock(state, { ...block, tool: { ...block.tool, input: append(block.tool.input, piece) } })
    default:
      // Without the start of the block, the name of the tool is unknown.
      if (block === undefined) loss('arguments of no call', say)
      return state
  }
}

function hearCompaction(state: MessagesState, index: string, piece: string): MessagesState {
  const block = findBlock(state, index)
  return block?.kind === 'compaction' ? replaceBlock(state, { ...block, text: append(block.text, piece) }) : state
}
