/** A short text is flattened each time it has grown by this many characters. */
const OFTEN = 1024

/**
 * A piece of this many UTF-16 units may be a link of the chain by itself. V8 allocates a string of more than 128 KiB in
 * memory that was not in use before, which costs several times as much as its copy: a block must be smaller.
 */
export const BLOCK = 32 * 1024

/** A piece of this length was not built from a few characters at a time. It has no more than a few parts. */
const LARGE = 1.5 * BLOCK

/**
 * Appends a piece to a text. V8 stores a text that grows by a few characters at a time as a chain of all its pieces.
 * The longer the chain, the more it costs: for garbage collection, and when the text is finally read. The text is
 * therefore flattened from time to time, so rarely that each character is copied about six times, however long the text
 * becomes. Callers that collect blocks first, and append those, avoid the copies of a long text, because a chain of
 * blocks is short.
 */
export function appendFlat(text: string, piece: string): string {
  const { length } = text
  const step = length < 4 * OFTEN ? OFTEN : 1 << (29 - Math.clz32(length))
  if (piece.length >= Math.min(step, BLOCK)) return text + (piece.length < LARGE ? whole(piece) : piece)
  const all = text + piece
  return (length & -step) === (all.length & -step) ? all : whole(all)
}

/**
 * Appends a text that `appendFlat` has built. A long one is a link of the chain as it is, so that a text which is never
 * read costs no copy.
 */
export const appendBlock = (text: string, block: string): string =>
  block.length < OFTEN ? appendFlat(text, block) : text + block

/** The same text in one piece: reading a character makes V8 flatten a chain. O(n), with as much new memory. */
export const whole = (text: string): string => (text.charCodeAt(0) === -1 ? '' : text)
