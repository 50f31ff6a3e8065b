import { hash32 } from '../text/hash.ts'

interface SpanIds {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
}

/** The trace that a request belongs to, as far as its client names one. */
export interface ParentContext {
  /** `trace.trace_id` of the body: any text. */
  readonly traceId: string | null
  /** `trace.parent_span_id` of the body. */
  readonly parentSpanId: string | null
  /** The header of W3C Trace Context. */
  readonly traceparent: string | null
}

/**
 * Creates the ids of a span. The body takes precedence over the header. A trace id that is not 16 bytes (32 hexadecimal
 * digits, or a UUID) is hashed to 16 bytes, the same for the same text. `random`: at least 48 hexadecimal digits.
 */
export function toSpanIds({ traceId, parentSpanId, traceparent }: ParentContext, random: string): SpanIds {
  const [, headerTrace, headerSpan] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-/.exec(traceparent ?? '') ?? []
  const spanId = random.slice(0, 16)
  if (traceId !== null && traceId !== '')
    return { traceId: toTraceId(traceId), spanId, parentSpanId: toSpan(parentSpanId) }
  if (isId(headerTrace, 32) && isId(headerSpan, 16)) {
    return { traceId: headerTrace, spanId, parentSpanId: toSpan(parentSpanId) ?? headerSpan }
  }
  return { traceId: random.slice(16, 48), spanId, parentSpanId: toSpan(parentSpanId) }
}

/** An id of zeros only is invalid. */
const isId = (word: string | undefined, length: number): word is string =>
  word !== undefined && word.length === length && /^[0-9a-f]+$/.test(word) && /[^0]/.test(word)

function toTraceId(word: string): string {
  const plain = word.toLowerCase().replaceAll('-', '')
  if (isId(plain, 32)) return plain
  return [1, 2, 3, 4].map((seed) => hash32(word, seed).toString(16).padStart(8, '0')).join('')
}

function toSpan(word: string | null): string | null {
  const plain = word?.toLowerCase()
  return isId(plain, 16) ? plain : null
}
