import { parseJson } from './json.ts'
import { type Excess, JsonCost, type JsonLimits } from './json-cost.ts'
import type { parseTextPieces } from './json-pieces.ts'
import type { Steps } from './steps.ts'

/** A text of more UTF-16 units is parsed in slices. */
export const LONG_JSON = 64 * 1024

/** Bytes counted per slice. */
const PART = 256 * 1024

/** `value`: null if the text is not JSON. */
export type LongJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly excess: Excess }

const encoder = new TextEncoder()

/**
 * Parses a JSON text of any length. A text that exceeds the limits is not parsed. `inPieces`: does so in slices; left
 * out, only the counting is in slices. O(n).
 */
export function* parseLong(text: string, limits: JsonLimits, inPieces?: typeof parseTextPieces): Steps<LongJson> {
  const bytes = encoder.encode(text)
  const cost = new JsonCost(limits)
  for (let at = 0; at < bytes.length; at += PART) {
    cost.add(bytes.subarray(at, at + PART))
    if (cost.excess !== null) return { ok: false, excess: cost.excess }
    yield
  }
  if (cost.malformed) return { ok: true, value: null }
  if (inPieces === undefined) return { ok: true, value: parseJson(text.replace(/^\ufeff/, '')) ?? null }
  const read = yield* inPieces(text, bytes, cost.cuts)
  return { ok: true, value: read.ok ? read.value : null }
}
