import { Histogram, type Registry } from 'prom-client'
import type { Summary } from '../../gateway/exchange/journal.ts'
import { providerName } from '../../observability/attributes.ts'

/** In seconds, and in tokens: the boundaries that the conventions recommend. */
const SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power)
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)

const LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name'] as const

/**
 * Adds the client metrics of the OpenTelemetry conventions for generative AI, under the names that Prometheus gives
 * them. They have no label for the model, whose name is text of a client. Returns the function that notes a request
 * with an upstream.
 */
export function addOperationMetrics(registers: Registry[]): (exchange: Summary) => void {
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: readonly L[]) =>
    new Histogram({ name: `gen_ai_client_${name}`, help, labelNames: [...LABELS, ...labelNames], buckets, registers })
  const duration = histogram('operation_duration_seconds', 'Duration of an operation.', SECONDS, 'error_type')
  const firstChunk = histogram(
    'operation_time_to_first_chunk_seconds',
    'Time from the request of a stream to its first chunk.',
    SECONDS,
  )
  const tokens = histogram('token_usage', 'Tokens of an operation.', TOKENS, 'gen_ai_token_type')

  return ({ vendor, duration_ms, first_token_ms, stream, error, usage }) => {
    const labels = { gen_ai_operation_name: 'chat', gen_ai_provider_name: providerName(vendor ?? 'none') }
    duration.observe({ ...labels, ...(error === null ? {} : { error_type: error }) }, (duration_ms ?? 0) / 1000)
    if (stream === true && first_token_ms !== null) firstChunk.observe(labels, first_token_ms / 1000)
    for (const type of ['input', 'output'] as const) {
      const count = usage?.[`${type}_tokens`] ?? null
      if (count !== null) tokens.observe({ ...labels, gen_ai_token_type: type }, count)
    }
  }
}
