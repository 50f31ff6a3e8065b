import type { ContentMessage } from '../content.ts'
import type { ConfigOf } from '../destination-types.ts'
import type { Trace } from '../trace.ts'
import { type Exporter, JSON_TYPE, post, under } from './http-request.ts'

/** Sends one `$ai_generation` event for each trace to the capture API. */
export const posthog: Exporter<ConfigOf<'posthog'>> = (traces, { apiKey, endpoint }) =>
  post(
    under(endpoint, '/batch/'),
    JSON_TYPE,
    JSON.stringify({ api_key: apiKey, batch: traces.map(toEvent) }),
    traces.length,
  )

const toEvent = (trace: Trace): object => ({
  event: '$ai_generation',
  distinct_id: trace.user ?? trace.traceId,
  timestamp: new Date(trace.startedAt + trace.durationMs).toISOString(),
  properties: {
    ...trace.metadata,
    $ai_trace_id: trace.traceId,
    $ai_span_id: trace.spanId,
    $ai_span_name: trace.name,
    $ai_parent_id: trace.parentSpanId,
    $ai_session_id: trace.sessionId,
    $ai_user: trace.user,
    $ai_model: trace.responseModel ?? trace.requestModel,
    $ai_provider: trace.vendor,
    $ai_http_status: trace.status,
    $ai_is_error: trace.error !== null,
    $ai_error: trace.error,
    $ai_stream: trace.stream,
    $ai_latency: trace.durationMs / 1000,
    $ai_time_to_first_token: trace.firstTokenMs === null ? null : trace.firstTokenMs / 1000,
    $ai_input_tokens: trace.usage?.input_tokens ?? null,
    $ai_output_tokens: trace.usage?.output_tokens ?? null,
    $ai_cache_read_input_tokens: trace.usage?.cached_tokens ?? null,
    $ai_reasoning_tokens: trace.usage?.reasoning_tokens ?? null,
    $ai_total_cost_usd: trace.usage?.cost ?? null,
    $ai_model_parameters: trace.parameters,
    ...(trace.content === null
      ? {}
      : { $ai_input: trace.content.input.map(toMessage), $ai_output_choices: trace.content.output.map(toMessage) }),
    // Without a user, PostHog must not create a person profile.
    ...(trace.user === null ? { $process_person_profile: false } : {}),
    api_key_name: trace.keyName,
    finish_reason: trace.finishReason,
  },
})

const toMessage = ({ role, parts }: ContentMessage): object => ({ role, content: parts.map(toPart) })

const toPart = (part: ContentMessage['parts'][number]): object =>
  'content' in part ? { type: 'text', text: part.content } : part
