const PRIME = 0x01000193

/** 32 bits of a text, each of them depending on all of it: FNV-1a, then the last step of MurmurHash3. */
export function hash32(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Whether this share of all traces takes in this one: the same answer for the same word, always and everywhere. */
export const isSampled = (rate: number, word: string): boolean => hash32(word) < rate * 2 ** 32
