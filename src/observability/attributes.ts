import type { Response } from '../protocol/response.ts'
import { formatJson } from '../text/json.ts'
import type { ContentMessage } from './content.ts'
import { attribute, type KeyValue, type Maybe, present } from './otlp.ts'
import type { Trace, TraceFieldValue } from './trace.ts'

/** Vendors whose name in the OpenTelemetry conventions differs; any other keeps the name that it has here. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['anthropic-compat', 'anthropic'],
  ['azure', 'azure.ai.openai'],
  ['azure-chat', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['bedrock-mantle', 'aws.bedrock'],
  ['bedrock-mantle-anthropic', 'aws.bedrock'],
  ['bedrock-mantle-responses', 'aws.bedrock'],
  ['deepseek-responses', 'deepseek'],
  ['foundry', 'azure.ai.inference'],
  ['foundry-anthropic', 'azure.ai.inference'],
  ['google', 'gcp.gemini'],
  ['google-compat', 'gcp.gemini'],
  ['google-interactions', 'gcp.gemini'],
  ['gemini', 'gcp.gemini'],
  ['vertex', 'gcp.vertex_ai'],
  ['vertex-anthropic', 'gcp.vertex_ai'],
  ['mistral', 'mistral_ai'],
  ['openai-chat', 'openai'],
  ['xai', 'x_ai'],
  ['xai-chat', 'x_ai'],
])

export const providerName = (vendor: string): string => PROVIDERS.get(vendor) ?? vendor

/**
 * Converts a trace into attributes of the OpenTelemetry conventions for generative AI. Facts that the conventions do
 * not cover are `millrace.*`.
 */
export function toAttributes(trace: Trace): readonly KeyValue[] {
  const { vendor, usage } = trace
  return present([
    attribute.text('gen_ai.operation.name', 'chat'),
    attribute.text('gen_ai.provider.name', vendor === null ? null : providerName(vendor)),
    attribute.text('gen_ai.request.model', trace.requestModel),
    attribute.truth('gen_ai.request.stream', trace.stream),
    attribute.text('gen_ai.response.model', trace.responseModel),
    attribute.text('gen_ai.response.id', trace.responseId),
    attribute.list('gen_ai.response.finish_reasons', [trace.finishReason]),
    attribute.number('gen_ai.response.time_to_first_chunk', toSeconds(trace.firstTokenMs)),
    attribute.text('gen_ai.conversation.id', trace.sessionId),
    attribute.count('gen_ai.usage.input_tokens', usage?.input_tokens ?? null),
    attribute.count('gen_ai.usage.output_tokens', usage?.output_tokens ?? null),
    attribute.count('gen_ai.usage.total_tokens', usage?.total_tokens ?? null),
    attribute.count('gen_ai.usage.cache_read.input_tokens', usage?.cached_tokens ?? null),
    attribute.count('gen_ai.usage.cache_creation.input_tokens', usage?.cache_write_tokens ?? null),
    attribute.count('gen_ai.usage.reasoning.output_tokens', usage?.reasoning_tokens ?? null),
    // The name under which Langfuse and OpenLIT have it; the conventions have none.
    attribute.number('gen_ai.usage.cost', usage?.cost ?? null),
    ...Object.entries(trace.parameters).map(([name, value]) => parameter(name, value)),
    ...contentAttributes(trace),
    attribute.text('error.type', trace.error),
    attribute.count('http.response.status_code', trace.status),
    attribute.text('user.id', trace.user),
    attribute.text('session.id', trace.sessionId),
    attribute.text('millrace.request_id', trace.requestId),
    attribute.text('millrace.vendor', vendor),
    attribute.text('millrace.member', trace.member),
    attribute.text('millrace.wire', trace.wire),
    attribute.text('millrace.dialect', trace.dialect),
    attribute.text('millrace.api_key_name', trace.keyName),
    attribute.text('millrace.outcome', trace.outcome),
    attribute.list('millrace.attempts', trace.attempts),
    attribute.number('millrace.upstream_ms', trace.upstreamMs),
    ...Object.entries(trace.metadata).map(([name, value]) => plain(`trace.metadata.${name}`, value)),
  ])
}

const toSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

function plain(key: string, value: TraceFieldValue): Maybe {
  if (typeof value === 'string') return attribute.text(key, value)
  return typeof value === 'number' ? attribute.number(key, value) : attribute.truth(key, value)
}

/** The conventions count tokens in integers, and name their limit `max_tokens`. */
const parameter = (name: string, value: TraceFieldValue): Maybe =>
  name === 'max_output_tokens' && typeof value === 'number'
    ? attribute.count('gen_ai.request.max_tokens', value)
    : plain(`gen_ai.request.${name}`, value)

function contentAttributes({ content, contentLeftOut }: Trace): readonly Maybe[] {
  if (content === null) return contentLeftOut ? [attribute.truth('millrace.content_left_out', true)] : []
  const { instructions, input, output } = content
  return [
    attribute.text('gen_ai.system_instructions', instructions === null ? null : writeParts(instructions)),
    attribute.text('gen_ai.input.messages', writeMessages(input)),
    attribute.text('gen_ai.output.messages', writeMessages(output)),
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
