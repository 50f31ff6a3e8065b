// btoa and atob see one character a byte; more than this many arguments at once overflow the stack of some engines.
const CHUNK = 8192

function toBinary(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return binary
}

export const bytesToBase64 = (bytes: Uint8Array): string => btoa(toBinary(bytes))

/** The UTF-8 of a text, as data URLs have it (RFC 4648, 4). */
export const toBase64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))

/** Node's Buffer, where there is one. */
interface BufferLike {
  from(text: string): { toString(encoding: 'base64url'): string }
}

const native = (globalThis as unknown as { readonly Buffer?: BufferLike }).Buffer

/** With what every runtime has; the other must equal it (`test/text/base64.test.ts`). */
export const standardBase64Url = (text: string): string =>
  toBase64(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** A text as letters, digits, `-` and `_` (RFC 4648, 5), by its UTF-8. */
export const toBase64Url: (text: string) => string =
  native === undefined ? standardBase64Url : (text) => native.from(text).toString('base64url')

/** The way back; undefined where it is nothing of the kind. */
export function fromBase64Url(letters: string): string | undefined {
  try {
    const binary = atob(letters.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
