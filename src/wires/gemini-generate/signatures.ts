import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject, isText, toArray } from '../../text/json.ts'

/** A piece of a text, from one UTF-16 offset to another, and the signature that its part bore. An empty part has no length. */
export type Mark = readonly [start: number, end: number, signature: string]

/**
 * What is sealed: signatures, each with the part that it goes back to. Google reads them on exactly that part.
 * - `call`: the call of that id, or else the next one after the reasoning item
 * - `text`: pieces of the message before it
 * - `thought`: pieces of its own summary
 * - `image`: the image before it
 * - `parts`: whole parts, which have no other item to stand in
 */
export type Payload =
  | { readonly on: 'call'; readonly id: string; readonly signature: string }
  | { readonly on: 'text' | 'thought'; readonly marks: readonly Mark[] }
  | { readonly on: 'image'; readonly mimeType: string; readonly signature: string }
  | { readonly on: 'parts'; readonly parts: readonly JsonObject[] }

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function toMark(value: unknown): Mark[] {
  const [start, end, signature] = toArray(value)
  return isOffset(start) && isOffset(end) && start <= end && isText(signature) ? [[start, end, signature]] : []
}

/** A payload that was opened: clients may have changed what was not signed. */
export function readPayload(payload: Json | undefined): Payload | null {
  if (!isObject(payload)) return null
  const { on, signature } = payload
  switch (on) {
    case 'call':
      return isText(signature) ? { on, id: isText(payload.id) ? payload.id : '', signature } : null
    case 'text':
    case 'thought':
      return { on, marks: toArray(payload.marks).flatMap(toMark) }
    case 'image':
      return isText(signature) && isText(payload.mimeType) ? { on, mimeType: payload.mimeType, signature } : null
    case 'parts':
      return { on, parts: toArray(payload.parts).filter(isObject) as readonly JsonObject[] }
    default:
      return null
  }
}

/** A text as the parts that it came in, as far as their borders matter. */
export function splitText(text: string, marks: readonly Mark[], thought: boolean): readonly JsonObject[] {
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
