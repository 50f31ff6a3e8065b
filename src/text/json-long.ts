import { type Excess, JsonCost, type JsonLimits } from './json-cost.ts'
import { parseTextPieces } from './json-pieces.ts'
import type { Steps } from './steps.ts'

/** A text of more UTF-16 units is parsed in slices. */
export const LONG_JSON = 64 * 1024

/** Bytes counted per slice. */
const PART = 256 * 1024

/** `value`: null if the text is not JSON. */
export type LongJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly excess: Excess }

const encoder = new TextEncoder()

/** Parses a JSON text of any length in slices. A text that exceeds the limits is not parsed. O(n). */
export function* parseLong(text: string, limits: JsonLimits): Steps<LongJson> {
  const bytes = encoder.encode(text)
  const cost = new JsonCost(limits)
  for (let at = 0; at < bytes.length; at += PART) {
    cost.add(bytes.subarray(at, at + PART))
    if (cost.excess !== null) return { ok: false, excess: cost.excess }
    yield
  }
  if (cost.malformed) return { ok: true, value: null }
  const read = yield* parseTextPieces(text, bytes, cost.cuts)
  return { ok: true, value: read.ok ? read.value : null }
}
