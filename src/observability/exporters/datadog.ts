import type { JsonObject } from '../../protocol/json.ts'
import { formatJson } from '../../text/json.ts'
import type { ContentMessage, ContentPart } from '../content.ts'
import type { ConfigOf } from '../destination-types.ts'
import { SERVICE } from '../spans.ts'
import type { Trace } from '../trace.ts'
import { type Exporter, JSON_TYPE, post, under } from './http-request.ts'

/** Sends to the spans API of LLM Observability. */
export const datadog: Exporter<ConfigOf<'datadog'>> = (traces, { apiKey, mlApp, url }) => {
  const attributes = { ml_app: mlApp, tags: [`service:${SERVICE}`], spans: traces.map(toSpan) }
  const body = JSON.stringify({ data: { type: 'span', attributes } })
  const headers = { ...JSON_TYPE, 'dd-api-key': apiKey }
  return post(under(url, '/api/intake/llm-obs/v1/trace/spans'), headers, body, traces.length)
}

const toSpan = (trace: Trace): JsonObject => ({
  name: trace.name,
  span_id: trace.spanId,
  trace_id: trace.traceId,
  // Datadog's value for a span without a parent.
  parent_id: trace.parentSpanId ?? 'undefined',
  start_ns: Math.round(trace.startedAt * 1e6),
  duration: Math.round(trace.durationMs * 1e6),
  status: trace.error === null ? 'ok' : 'error',
  ...(trace.sessionId === null ? {} : { session_id: trace.sessionId }),
  tags: toTags(trace),
  meta: {
    kind: 'llm',
    ...(trace.error === null ? {} : { error: { type: trace.error, message: trace.error } }),
    input: { messages: (trace.content?.input ?? []).map(toMessage) },
    output: { messages: (trace.content?.output ?? []).map(toMessage) },
    metadata: {
      model_name: trace.responseModel ?? trace.requestModel,
      model_provider: trace.vendor,
      finish_reason: trace.finishReason,
      ...trace.parameters,
      ...trace.metadata,
    },
  },
  metrics: toMetrics(trace),
})

const toTags = ({ vendor, keyName, user }: Trace): readonly string[] => [
  ...(vendor === null ? [] : [`vendor:${vendor}`]),
  `api_key_name:${keyName}`,
  ...(user === null ? [] : [`user_id:${user}`]),
]

const toMessage = ({ role, parts }: ContentMessage): JsonObject => ({
  role,
  content: parts.map(partText).join('\n'),
})

const partText = (part: ContentPart): string =>
  'content' in part ? part.content : 'response' in part ? part.response : formatJson(part)

/** Metrics are numbers, so unknown values are left out. */
function toMetrics({ usage, firstTokenMs }: Trace): JsonObject {
  const known = {
    input_tokens: usage?.input_tokens,
    output_tokens: usage?.output_tokens,
    total_tokens: usage?.total_tokens,
    total_cost: usage?.cost,
    time_to_first_token: firstTokenMs === null ? null : firstTokenMs / 1000,
  }
  return Object.fromEntries(Object.entries(known).flatMap(([name, value]) => (value == null ? [] : [[name, value]])))
}
