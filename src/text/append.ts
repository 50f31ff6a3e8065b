/** Characters after which a text is put together, to begin with. */
const OFTEN = 1024

/**
 * One text behind another. What grows by a few characters again and again is kept by V8 as a chain of all its pieces,
 * which costs more the longer it gets: to collect garbage around, and in the end to read. So it is put together from time
 * to time, so seldom that each character is copied about six times, however long the text becomes.
 */
export function append(text: string, piece: string): string {
  const all = text + piece
  const { length } = text
  const step = length < 4 * OFTEN ? OFTEN : 1 << (29 - Math.clz32(length))
  return (length & -step) === (all.length & -step) ? all : whole(all)
}

/** To look at a character is what makes one piece of a chain. */
const whole = (text: string): string => (text.charCodeAt(0) === -1 ? '' : text)
