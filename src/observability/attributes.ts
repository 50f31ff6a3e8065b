import type { Response } from '../protocol/response.ts'
import { formatJson } from '../text/json.ts'
import type { ContentMessage } from './content.ts'
import { type KeyValue, type Maybe, present, said } from './otlp.ts'
import type { Plain, Trace } from './trace.ts'

/** Vendors whose name in the OpenTelemetry conventions differs; any other keeps the name that it has here. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['bedrock-mantle', 'aws.bedrock'],
  ['google', 'gcp.gemini'],
  ['gemini', 'gcp.gemini'],
  ['vertex', 'gcp.vertex_ai'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
])

/**
 * Converts a trace into attributes of the OpenTelemetry conventions for generative AI. Facts that the conventions do
 * not cover are `millrace.*`.
 */
export function toAttributes(trace: Trace): readonly KeyValue[] {
  const { vendor, usage } = trace
  return present([
    said.text('gen_ai.operation.name', 'chat'),
    said.text('gen_ai.provider.name', vendor === null ? null : (PROVIDERS.get(vendor) ?? vendor)),
    said.text('gen_ai.request.model', trace.requestModel),
    said.text('gen_ai.response.model', trace.responseModel),
    said.text('gen_ai.response.id', trace.responseId),
    said.list('gen_ai.response.finish_reasons', [trace.finishReason]),
    said.number('gen_ai.response.time_to_first_chunk', toSeconds(trace.firstTokenMs)),
    said.text('gen_ai.conversation.id', trace.sessionId),
    said.count('gen_ai.usage.input_tokens', usage?.input_tokens ?? null),
    said.count('gen_ai.usage.output_tokens', usage?.output_tokens ?? null),
    said.count('gen_ai.usage.total_tokens', usage?.total_tokens ?? null),
    said.count('gen_ai.usage.cache_read.input_tokens', usage?.cached_tokens ?? null),
    said.count('gen_ai.usage.reasoning.output_tokens', usage?.reasoning_tokens ?? null),
    ...Object.entries(trace.parameters).map(([name, value]) => parameter(name, value)),
    ...contentAttributes(trace),
    said.text('error.type', trace.error),
    said.count('http.response.status_code', trace.status),
    said.text('user.id', trace.user),
    said.text('session.id', trace.sessionId),
    said.text('millrace.request_id', trace.requestId),
    said.text('millrace.vendor', vendor),
    said.text('millrace.wire', trace.wire),
    said.text('millrace.dialect', trace.dialect),
    said.text('millrace.api_key_name', trace.keyName),
    said.text('millrace.outcome', trace.outcome),
    said.number('millrace.upstream_ms', trace.upstreamMs),
    said.truth('millrace.stream', trace.stream),
    ...Object.entries(trace.metadata).map(([name, value]) => plain(`trace.metadata.${name}`, value)),
  ])
}

const toSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

function plain(key: string, value: Plain): Maybe {
  if (typeof value === 'string') return said.text(key, value)
  return typeof value === 'number' ? said.number(key, value) : said.truth(key, value)
}

/** The conventions count tokens in integers, and name their limit `max_tokens`. */
const parameter = (name: string, value: Plain): Maybe =>
  name === 'max_output_tokens' && typeof value === 'number'
    ? said.count('gen_ai.request.max_tokens', value)
    : plain(`gen_ai.request.${name}`, value)

function contentAttributes({ content, contentLeftOut }: Trace): readonly Maybe[] {
  if (content === null) return contentLeftOut ? [said.truth('millrace.content_left_out', true)] : []
  const { instructions, input, output } = content
  return [
    said.text('gen_ai.system_instructions', instructions === null ? null : writeParts(instructions)),
    said.text('gen_ai.input.messages', writeMessages(input)),
    said.text('gen_ai.output.messages', writeMessages(output)),
  ]
}

const writeParts = (instructions: string): string => formatJson([{ type: 'text', content: instructions }])

/** Empty if there are no messages. */
export const writeMessages = (messages: readonly ContentMessage[]): string =>
  messages.length === 0 ? '' : formatJson(messages)

const CALLS: readonly string[] = ['function_call', 'custom_tool_call']

/** Returns how an answer ended, in the terms of the GenAI conventions; null stands for no answer. */
export function toFinishReason(answer: Response | null): string {
  if (answer === null || answer.status === 'failed' || answer.status === 'in_progress') return 'error'
  if (answer.status === 'incomplete') {
    return answer.incomplete_details?.reason === 'content_filter' ? 'content_filter' : 'length'
  }
  return answer.output.some(({ type }) => CALLS.includes(type)) ? 'tool_calls' : 'stop'
}
