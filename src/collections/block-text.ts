import { EMPTY_LIST, type List, listAppend, listAt } from './list.ts'

/** UTF-16 code units of a block. */
const BLOCK = 1024

/**
 * A growing text of which slices are read in between, as plain JSON. Reading or appending k characters costs O(k). A
 * string built from many pieces would have to be flattened as a whole before each read.
 */
export interface BlockText {
  /** All of length `BLOCK`. */
  readonly blocks: List<string>
  /** The text after the blocks, shorter than a block. */
  readonly tail: string
}

export const NO_TEXT: BlockText = { blocks: EMPTY_LIST, tail: '' }

/** In UTF-16 code units. */
export const textLength = ({ blocks, tail }: BlockText): number => blocks.length * BLOCK + tail.length

export function appendText(text: BlockText, piece: string): BlockText {
  const all = text.tail + piece
  if (all.length < BLOCK) return { blocks: text.blocks, tail: all }
  let { blocks } = text
  let at = 0
  for (; all.length - at >= BLOCK; at += BLOCK) blocks = listAppend(blocks, all.slice(at, at + BLOCK))
  return { blocks, tail: all.slice(at) }
}

/** The text between two offsets, which must lie within the text. */
export function sliceText({ blocks, tail }: BlockText, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; ) {
    const block = listAt(blocks, Math.floor(at / BLOCK)) ?? tail
    const inside = at % BLOCK
    const part = block.slice(inside, inside + end - at)
    if (part === '') return text
    text += part
    at += part.length
  }
  return text
}
