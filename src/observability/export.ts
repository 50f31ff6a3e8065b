import type { Destination, DestinationConfig } from './destination.ts'
import type { ConfigOf, DestinationType } from './destination-types.ts'
import { clickhouse } from './exporters/clickhouse.ts'
import { datadog } from './exporters/datadog.ts'
import type { Exporter, HttpRequest } from './exporters/http-request.ts'
import { otlpExporter } from './exporters/otlp-http.ts'
import { posthog } from './exporters/posthog.ts'
import { s3 } from './exporters/s3.ts'
import { snowflake } from './exporters/snowflake.ts'
import { webhook } from './exporters/webhook.ts'
import type { Trace } from './trace.ts'

type Exporters = { readonly [T in DestinationType]: Exporter<ConfigOf<T>> | null }

/**
 * The exporter for each type of destination. With null nothing is sent, because the vendor's protocol document was not
 * available.
 */
const EXPORTERS: Exporters = {
  arize: otlpExporter('arize'),
  braintrust: otlpExporter('braintrust'),
  clickhouse,
  datadog,
  grafana: otlpExporter('grafana'),
  langfuse: otlpExporter('langfuse'),
  langsmith: otlpExporter('langsmith'),
  newrelic: otlpExporter('newrelic'),
  opik: otlpExporter('opik'),
  'otel-collector': otlpExporter('otel-collector'),
  posthog,
  ramp: null,
  s3,
  sentry: otlpExporter('sentry'),
  snowflake,
  weave: otlpExporter('weave'),
  webhook,
}

export const isForwarded = (type: DestinationType): boolean => EXPORTERS[type] !== null

/**
 * Creates the requests that deliver these traces to a destination. Headers of the destination override those of the
 * exporter.
 */
export function toHttpRequests({ type, config }: Destination, traces: readonly Trace[]): readonly HttpRequest[] {
  // The store has validated the config against the fields of its type.
  const exporter = EXPORTERS[type] as Exporter<DestinationConfig> | null
  const own = Object.entries(config.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  return (exporter?.(traces, config) ?? []).map((outgoing) => ({
    ...outgoing,
    headers: { ...outgoing.headers, ...Object.fromEntries(own) },
  }))
}
