import type { Json, JsonObject } from '../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'

/**
 * The span of a signed part in its text, in UTF-16 units, and the signature. The span of an empty part has no length.
 */
export type SignatureSpan = readonly [start: number, end: number, signature: string]

/**
 * The content of an envelope: signatures, each with the part that it goes back to. Google accepts a signature only on
 * exactly that part.
 * - `call`: the call of that id, or else the next call after the reasoning item
 * - `text`: pieces of the message before the reasoning item
 * - `thought`: pieces of the summary of the reasoning item itself
 * - `image`: the image before the reasoning item
 * - `parts`: whole parts, for which no other item exists
 */
export type Payload =
  | { readonly on: 'call'; readonly id: string; readonly signature: string }
  | { readonly on: 'text' | 'thought'; readonly marks: readonly SignatureSpan[] }
  | { readonly on: 'image'; readonly mimeType: string; readonly signature: string }
  | { readonly on: 'parts'; readonly parts: readonly JsonObject[] }

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function toMark(value: unknown): SignatureSpan[] {
  const [start, end, signature] = toArray(value)
  return isOffset(start) && isOffset(end) && start <= end && isNonEmptyString(signature)
    ? [[start, end, signature]]
    : []
}

/** Validates an opened payload: clients may have changed an envelope that has no HMAC. */
export function readPayload(payload: Json | undefined): Payload | null {
  if (!isObject(payload)) return null
  const { on, signature } = payload
  switch (on) {
    case 'call':
      return isNonEmptyString(signature) ? { on, id: isNonEmptyString(payload.id) ? payload.id : '', signature } : null
    case 'text':
    case 'thought':
      return { on, marks: toArray(payload.marks).flatMap(toMark) }
    case 'image':
      return isNonEmptyString(signature) && isNonEmptyString(payload.mimeType)
        ? { on, mimeType: payload.mimeType, signature }
        : null
    case 'parts':
      return { on, parts: toArray(payload.parts).filter(isObject) as readonly JsonObject[] }
    default:
      return null
  }
}

/** Splits a text into its original parts, as far as signatures depend on their boundaries. */
export function splitText(text: string, marks: readonly SignatureSpan[], thought: boolean): readonly JsonObject[] {
  const parts: JsonObject[] = []
  const kind = thought ? { thought } : {}
  const plain = (from: number, to: number): void => {
    if (to > from) parts.push({ text: text.slice(from, to), ...kind })
  }
  const at = marks.reduce((from, [start, end, thoughtSignature]) => {
    const first = Math.min(Math.max(start, from), text.length)
    const last = Math.min(Math.max(end, first), text.length)
    plain(from, first)
    parts.push({ text: text.slice(first, last), ...kind, thoughtSignature })
    return last
  }, 0)
  plain(at, text.length)
  return parts
}
