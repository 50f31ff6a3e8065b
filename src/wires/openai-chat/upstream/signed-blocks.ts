import { EMPTY_LIST, type List, listAppend, listLast, listToArray } from '../../../collections/list.ts'
import type { Json } from '../../../protocol/json.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import type { BlockPlace, SealedBlock } from '../signatures.ts'

/** Blocks of reasoning that are not sealed yet. A block ends with its signature. */
export interface SignedBlocks {
  readonly place: BlockPlace | ''
  readonly ended: List<SealedBlock>
  /** The text of the block that has no signature yet. */
  readonly text: string
}

export const NO_BLOCKS: SignedBlocks = { place: '', ended: EMPTY_LIST, text: '' }

/** A piece of a block. `text` is empty if the piece has none. */
export interface BlockPiece {
  readonly place: BlockPlace
  readonly text: string
  readonly signature: unknown
  readonly data: unknown
}

interface Appended {
  readonly blocks: SignedBlocks
  /** The text that is new: the last piece of a block may repeat all of it beside the signature (LiteLLM). */
  readonly text: string
}

/** Appends a piece to the open block. O(k) for a piece of k characters, and for a repeated text its length. */
export function appendPiece(known: SignedBlocks, { place, text, signature, data }: BlockPiece): Appended {
  const old = known.place === place ? known : { place, ended: known.ended, text: '' }
  if (isNonEmptyString(data)) return { blocks: withBlock(old, { data }), text: '' }
  if (!isNonEmptyString(signature)) {
    return text === '' ? { blocks: known, text } : { blocks: { ...old, text: appendFlat(old.text, text) }, text }
  }
  const repeats = old.text !== '' && text.startsWith(old.text)
  const last = listLast(old.ended)
  const isAgain = old.text === '' && last !== undefined && 'text' in last && last.signature === signature
  if (isAgain && (text === '' || text === last.text)) return { blocks: known, text: '' }
  const whole = repeats ? text : appendFlat(old.text, text)
  return {
    blocks: withBlock(old, { text: whole, signature }),
    text: repeats ? text.slice(old.text.length) : text,
  }
}

const withBlock = ({ place, ended }: SignedBlocks, block: SealedBlock): SignedBlocks => {
  const last = listLast(ended)
  const isAgain = last !== undefined && 'data' in last && 'data' in block && last.data === block.data
  return { place, ended: isAgain ? ended : listAppend(ended, block), text: '' }
}

/** Returns the payload of the blocks that have ended; null if there are none. */
export const toPayload = ({ place, ended }: SignedBlocks): Json | null =>
  ended.length === 0 ? null : { on: place, blocks: listToArray(ended).map((block): Json => ({ ...block })) }
