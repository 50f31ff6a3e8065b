/** Characters after which a text is put together, to begin with. */
const OFTEN = 1024

/** A piece as long as this, in UTF-16 units, is worth a link of its own. */
export const BLOCK = 64 * 1024

/**
 * One text behind another. What grows by a few characters again and again is kept by V8 as a chain of all its pieces,
 * which costs more the longer it gets: to collect garbage around, and in the end to read. So it is put together from time
 * to time, so seldom that each character is copied about six times, however long the text becomes. Whoever gathers blocks
 * first, and appends those, spares a long text its copies: a chain of blocks is short.
 */
export function append(text: string, piece: string): string {
  // What is much longer was not gathered by a few characters.
  if (piece.length >= BLOCK) return text + (piece.length < 2 * BLOCK ? whole(piece) : piece)
  const all = text + piece
  const { length } = text
  const step = length < 4 * OFTEN ? OFTEN : 1 << (29 - Math.clz32(length))
  return (length & -step) === (all.length & -step) ? all : whole(all)
}

/** The same text in one piece: to look at a character is what makes one of a chain. O(n), with as much new memory. */
export const whole = (text: string): string => (text.charCodeAt(0) === -1 ? '' : text)
