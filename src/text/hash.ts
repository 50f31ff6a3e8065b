const PRIME = 0x01000193

/** FNV-1a of the UTF-16 units of a text: 32 bits, unsigned. */
export function fnv1a(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return hash >>> 0
}

/** Hashes a text to 32 bits, each of which depends on the whole text: FNV-1a, then the final step of MurmurHash3. */
export function hash32(text: string, seed = 0): number {
  let hash = fnv1a(text, seed)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
