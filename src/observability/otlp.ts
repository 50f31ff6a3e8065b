/**
 * OTLP in its JSON form (opentelemetry-proto: trace/v1, common/v1): ids are hexadecimal, 64-bit integers are strings.
 */
interface AnyValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: string
  readonly doubleValue?: number
  readonly arrayValue?: { readonly values: readonly AnyValue[] }
}

export interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly KeyValue[]
  readonly status: { readonly code?: number; readonly message?: string }
}

export interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string }
      readonly spans: readonly OtlpSpan[]
    }[]
  }[]
}

/** SPAN_KIND_CLIENT: the kind of a request to a model. */
export const CLIENT = 3
/** STATUS_CODE_ERROR. */
export const FAILED = 2

/** An attribute; null if it has no value. */
export type Maybe = KeyValue | null

export const attribute = {
  text: (key: string, value: string | null): Maybe =>
    value === null || value === '' ? null : { key, value: { stringValue: value } },
  /** Counts of upstreams are untrusted: a value that is not a count is left out. */
  count: (key: string, value: number | null): Maybe => {
    const count = Math.round(value ?? -1)
    return count >= 0 && Number.isSafeInteger(count) ? { key, value: { intValue: String(count) } } : null
  },
  number: (key: string, value: number | null): Maybe =>
    value === null || !Number.isFinite(value) ? null : { key, value: { doubleValue: value } },
  truth: (key: string, value: boolean): Maybe => ({ key, value: { boolValue: value } }),
  list: (key: string, values: readonly string[]): Maybe =>
    values.length === 0
      ? null
      : { key, value: { arrayValue: { values: values.map((stringValue) => ({ stringValue })) } } },
}

export const present = (attributes: readonly Maybe[]): readonly KeyValue[] =>
  attributes.filter((attribute) => attribute !== null)

/** Converts milliseconds since 1970, possibly with a fraction, to nanoseconds. */
export const toNanos = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

/** Converts attributes to a plain object. */
export const plainAttributes = (attributes: readonly KeyValue[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))

const plainValue = ({ stringValue, boolValue, intValue, doubleValue, arrayValue }: AnyValue): unknown =>
  stringValue ??
  boolValue ??
  doubleValue ??
  (intValue === undefined ? arrayValue?.values.map(plainValue) : Number(intValue))
