const FITS = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Converts a call id to the form that Bedrock accepts. Equal ids stay equal, so that calls and outputs can still be
 * matched (FNV-1a, 64 bit).
 */
export function toToolUseId(id: string): string {
  if (FITS.test(id)) return id
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < id.length; at += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(id.charCodeAt(at))) * 0x100000001b3n)
  }
  return `call_${hash.toString(36)}`
}
