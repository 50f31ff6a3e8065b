import type { Json } from '../protocol/json.ts'
import { formatJson, isObject, parseJson } from '../text/json.ts'

/** Version of the envelope: what bears another one is not opened. */
const PREFIX = 'mr1.'

// btoa and atob see one character a byte; more than this many arguments at once overflow the stack of some engines.
const CHUNK = 8192

function toBinary(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return binary
}

const encode = (text: string): string =>
  btoa(toBinary(new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

function decode(letters: string): string | undefined {
  try {
    const binary = atob(letters.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * What an upstream wants back on the next turn, as `encrypted_content`: opaque to the client, and marked with the wire it
 * came from, so that it is never sent to another one. It hides nothing: it only must come back unchanged.
 */
export const sealReasoning = (wire: string, payload: Json): string =>
  PREFIX + encode(formatJson({ w: wire, p: payload }))

/** The payload that this wire sealed; undefined where it is another's, or damaged. */
export function openReasoning(wire: string, sealed: string): Json | undefined {
  if (!sealed.startsWith(PREFIX)) return undefined
  const text = decode(sealed.slice(PREFIX.length))
  const envelope = text === undefined ? undefined : parseJson(text)
  if (!isObject(envelope) || envelope.w !== wire) return undefined
  return envelope.p as Json | undefined
}
