import { EMPTY_LIST, type List, listAppend, listAt } from './list.ts'

/** UTF-16 code units of a block. */
const BLOCK = 1024

/**
 * A text that grows and of which parts are read meanwhile, as plain JSON: to read k characters costs O(k), where a string
 * of many pieces would be put together as a whole. To append k characters costs O(k).
 */
export interface BlockText {
  /** All of the same length. */
  readonly blocks: List<string>
  /** What follows them, shorter than a block. */
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

/** The part between two offsets, which lie in the text. */
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
