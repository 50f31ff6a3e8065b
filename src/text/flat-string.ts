/** A short text is flattened each time it has grown by this many characters. */
const OFTEN = 1024

/** A piece of this many UTF-16 units may be a link of the chain by itself. */
export const BLOCK = 64 * 1024

/**
 * Appends a piece to a text. V8 stores a text that grows by a few characters at a time as a chain of all its pieces.
 * The longer the chain, the more it costs: for garbage collection, and when the text is finally read. The text is
 * therefore flattened from time to time, so rarely that each character is copied about six times, however long the text
 * becomes. Callers that collect blocks first, and append those, avoid the copies of a long text, because a chain of
 * blocks is short.
 */
export function appendFlat(text: string, piece: string): string {
  // A much longer piece was not built from a few characters at a time, and is flat already.
  if (piece.length >= BLOCK) return text + (piece.length < 2 * BLOCK ? whole(piece) : piece)
  const all = text + piece
  const { length } = text
  const step = length < 4 * OFTEN ? OFTEN : 1 << (29 - Math.clz32(length))
  return (length & -step) === (all.length & -step) ? all : whole(all)
}

/** The same text in one piece: reading a character makes V8 flatten a chain. O(n), with as much new memory. */
export const whole = (text: string): string => (text.charCodeAt(0) === -1 ? '' : text)
