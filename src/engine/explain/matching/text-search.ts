/** The characters that every text that is searched has at least. */
export const SHORTEST = 16

/** Characters that are compared where the beginnings are equal, which bounds the time for texts of equal words. */
const MOST_COMPARED = 8_000_000

const BASE = 31

/** 31^15 modulo 2^32: what the first character of a window counts. */
const FIRST_FACTOR = Array.from({ length: SHORTEST - 1 }).reduce<number>((product) => Math.imul(product, BASE), 1)

const hashOf = (text: string): number => {
  let hash = 0
  for (let at = 0; at < SHORTEST; at += 1) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0
  return hash
}

/**
 * Finds texts inside others: for each of `parts` (of at least `SHORTEST` characters) the position in `texts` of the
 * first longer one that contains it, and its offset there, or null. Linear in the sizes of all texts (Rabin and Karp).
 */
export function findInside(
  parts: readonly string[],
  texts: readonly string[],
): readonly ({ readonly text: number; readonly offset: number } | null)[] {
  const found: ({ text: number; offset: number } | null)[] = parts.map(() => null)
  const searched = new Map<number, number[]>()
  parts.forEach((part, at) => {
    const hash = hashOf(part)
    const same = searched.get(hash)
    if (same === undefined) searched.set(hash, [at])
    else same.push(at)
  })
  let compared = 0
  const visit = (text: string, at: number, offset: number, hash: number): void => {
    const same = searched.get(hash)
    if (same === undefined) return
    for (const part of same) {
      if (compared > MOST_COMPARED) return
      const sought = parts[part] as string
      compared += SHORTEST
      if (found[part] !== null || sought.length >= text.length) continue
      compared += sought.length
      if (text.startsWith(sought, offset)) found[part] = { text: at, offset }
    }
  }
  texts.forEach((text, at) => {
    if (text.length <= SHORTEST) return
    let hash = hashOf(text)
    visit(text, at, 0, hash)
    for (let end = SHORTEST; end < text.length; end += 1) {
      const gone = Math.imul(text.charCodeAt(end - SHORTEST), FIRST_FACTOR)
      hash = (Math.imul(hash - gone, BASE) + text.charCodeAt(end)) | 0
      visit(text, at, end - SHORTEST + 1, hash)
    }
  })
  return found
}
