import { VERSION } from '../protocol/version.ts'
import { toAttributes } from './attributes.ts'
import { attribute, CLIENT, type ExportRequest, FAILED, type Maybe, type OtlpSpan, present, toNanos } from './otlp.ts'
import type { Trace } from './trace.ts'

export const SERVICE = 'millrace'

/** The additional attributes of one kind of destination. */
export interface Extras {
  readonly resource?: readonly Maybe[]
  readonly span?: (trace: Trace) => readonly Maybe[]
}

/** Encodes traces as one OTLP export request. */
export const toExportRequest = (traces: readonly Trace[], { resource = [], span }: Extras = {}): ExportRequest => ({
  resourceSpans: [
    {
      resource: { attributes: present([attribute.text('service.name', SERVICE), ...resource]) },
      scopeSpans: [
        {
          scope: { name: SERVICE, version: VERSION },
          spans: traces.map((trace) => toSpan(trace, span?.(trace) ?? [])),
        },
      ],
    },
  ],
})

const toSpan = (trace: Trace, extras: readonly Maybe[]): OtlpSpan => ({
  traceId: trace.traceId,
  spanId: trace.spanId,
  ...(trace.parentSpanId === null ? {} : { parentSpanId: trace.parentSpanId }),
  name: trace.name,
  kind: CLIENT,
  startTimeUnixNano: toNanos(trace.startedAt),
  endTimeUnixNano: toNanos(trace.startedAt + trace.durationMs),
  attributes: extras.length === 0 ? toAttributes(trace) : [...toAttributes(trace), ...present(extras)],
  status: trace.error === null ? {} : { code: FAILED, message: trace.error },
})
