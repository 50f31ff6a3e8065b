// btoa and atob use one character for each byte. More arguments than this overflow the stack of some engines.
const CHUNK = 8192

function toBinary(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return binary
}

export const bytesToBase64 = (bytes: Uint8Array): string => btoa(toBinary(bytes))

/** The base64 of the UTF-8 of a text, as in data URLs (RFC 4648, 4). */
export const toBase64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))

/** The part of Node's `Buffer` that is used, if the runtime has it. */
interface BufferLike {
  from(text: string): { toString(encoding: 'base64url'): string }
}

const native = (globalThis as unknown as { readonly Buffer?: BufferLike }).Buffer

/** Works in every runtime. `test/text/base64.test.ts` compares it with the native version. */
export const standardBase64Url = (text: string): string =>
  toBase64(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** The base64url of the UTF-8 of a text, without padding: letters, digits, `-` and `_` (RFC 4648, 5). */
export const toBase64Url: (text: string) => string =
  native === undefined ? standardBase64Url : (text) => native.from(text).toString('base64url')

const BEYOND_ASCII = /[^\0-\x7f]/

/**
 * Decodes the base64 of the UTF-8 of a text.
 *
 * @throws if it is invalid or not UTF-8.
 */
export function fromBase64(letters: string): string {
  const binary = atob(letters)
  if (!BEYOND_ASCII.test(binary)) return binary
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at)
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

/** Decodes base64url; undefined if it is invalid or not UTF-8. */
export function fromBase64Url(letters: string): string | undefined {
  try {
    return fromBase64(letters.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}

/** Joins pieces of bytes, each of which is base64, into one; returns them as they are if one is invalid. */
export function joinBase64(pieces: readonly string[]): readonly string[] {
  if (pieces.length < 2) return pieces
  try {
    return [btoa(pieces.map((piece) => atob(piece)).join(''))]
  } catch {
    return pieces
  }
}
