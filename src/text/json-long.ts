import { type Excess, JsonCost, type JsonLimits } from './json-cost.ts'
import { parsePieces } from './json-pieces.ts'
import type { Steps } from './steps.ts'

/** A longer text, in UTF-16 units, is parsed in slices. */
export const LONG_JSON = 64 * 1024

/** Bytes that are looked through in one go. */
const PART = 256 * 1024

/** `value`: null where the text is no JSON. */
export type LongJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly excess: Excess }

const encoder = new TextEncoder()

/** A JSON text of any length, in slices; what costs more than the limits allow is not parsed. O(n). */
export function* parseLong(text: string, limits: JsonLimits): Steps<LongJson> {
  const bytes = encoder.encode(text)
  const cost = new JsonCost(limits)
  for (let at = 0; at < bytes.length; at += PART) {
    cost.add(bytes.subarray(at, at + PART))
    if (cost.excess !== null) return { ok: false, excess: cost.excess }
    yield
  }
  if (cost.malformed) return { ok: true, value: null }
  const read = yield* parsePieces([bytes], cost.cuts)
  return { ok: true, value: read.ok ? read.value : null }
}
