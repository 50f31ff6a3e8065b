/** OTLP in its JSON form (opentelemetry-proto: trace/v1, common/v1): ids are hexadecimal, 64-bit integers are strings. */
export interface AnyValue {
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

export interface Span {
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
      readonly spans: readonly Span[]
    }[]
  }[]
}

/** SPAN_KIND_CLIENT: what asks a model for something. */
export const CLIENT = 3
/** STATUS_CODE_ERROR. */
export const FAILED = 2

type Attributes = readonly KeyValue[]

/** An attribute, or none where there is nothing to say. */
export const said = {
  text: (key: string, value: string | null): Attributes =>
    value === null || value === '' ? [] : [{ key, value: { stringValue: value } }],
  count: (key: string, value: number | null): Attributes =>
    value === null || !Number.isFinite(value) ? [] : [{ key, value: { intValue: String(Math.round(value)) } }],
  number: (key: string, value: number | null): Attributes =>
    value === null || !Number.isFinite(value) ? [] : [{ key, value: { doubleValue: value } }],
  truth: (key: string, value: boolean): Attributes => [{ key, value: { boolValue: value } }],
  list: (key: string, values: readonly string[]): Attributes =>
    values.length === 0
      ? []
      : [{ key, value: { arrayValue: { values: values.map((stringValue) => ({ stringValue })) } } }],
}

/** Milliseconds since 1970, possibly with a fraction, as nanoseconds. */
export const toNanos = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

/** Attributes as a plain object. */
export const plainAttributes = (attributes: Attributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))

const plainValue = ({ stringValue, boolValue, intValue, doubleValue, arrayValue }: AnyValue): unknown =>
  stringValue ??
  boolValue ??
  doubleValue ??
  (intValue === undefined ? arrayValue?.values.map(plainValue) : Number(intValue))
