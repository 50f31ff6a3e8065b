import { openai } from '../../dialects/openai.ts'
import { type ClientProtocol, readClientRequest } from '../../engine/client-request.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { runSteps } from '../../text/steps.ts'
import type { WireName } from '../../wires/contract.ts'
import { WIRES } from '../../wires/registry.ts'
import { brokenBy } from './broken-rules.ts'

/**
 * The members of a request at its top level, from the vendors' documents. A vendor refuses a member that is not in its
 * list; one without a list, as Ollama, ignores it.
 */
const MEMBERS: Readonly<Partial<Record<WireName, readonly string[]>>> = {
  'openai-chat':
    'audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention reasoning reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options'.split(
      ' ',
    ),
  'openai-responses':
    'background conversation context_management include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user frequency_penalty presence_penalty'.split(
      ' ',
    ),
  'anthropic-messages':
    'anthropic_version cache_control container context_management inference_geo max_tokens mcp_servers messages metadata model output_config output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p'.split(
      ' ',
    ),
  'gemini-generate':
    'cachedContent contents generationConfig labels model safetySettings serviceTier store systemInstruction toolConfig tools system_instruction generation_config safety_settings tool_config'.split(
      ' ',
    ),
  'gemini-interactions':
    'agent agent_config background cached_content environment generation_config input labels model previous_interaction_id response_format response_mime_type response_modalities safety_settings service_tier store stream system_instruction tools webhook_config continuation_token'.split(
      ' ',
    ),
  'bedrock-converse':
    'additionalModelRequestFields additionalModelResponseFieldPaths guardrailConfig inferenceConfig messages outputConfig performanceConfig promptVariables requestMetadata serviceTier system toolConfig'.split(
      ' ',
    ),
  'cohere-chat':
    'citation_options documents frequency_penalty k logprobs max_tokens messages model p presence_penalty priority raw_prompting reasoning_effort response_format safety_mode seed stop_sequences stream strict_tools temperature thinking tool_choice tools'.split(
      ' ',
    ),
}

/** Members without which a request is refused. The model of a wire without `model` is in its path. */
const REQUIRED: Readonly<Partial<Record<WireName, readonly string[]>>> = {
  'openai-chat': ['model', 'messages'],
  'openai-responses': ['model', 'input'],
  'anthropic-messages': ['model', 'max_tokens', 'messages'],
  'gemini-generate': ['contents'],
  'gemini-interactions': ['input'],
  'bedrock-converse': ['messages'],
  'cohere-chat': ['model', 'messages'],
  'ollama-chat': ['model', 'messages'],
}

interface Range {
  readonly path: readonly string[]
  readonly least: number
  readonly most: number
}

const range = (path: string, least: number, most: number): Range => ({ path: path.split('.'), least, most })
const ANY = Number.POSITIVE_INFINITY

const RANGES: Readonly<Partial<Record<WireName, readonly Range[]>>> = {
  'openai-chat': [
    range('temperature', 0, 2),
    range('top_p', 0, 1),
    range('max_tokens', 1, ANY),
    range('max_completion_tokens', 1, ANY),
    range('presence_penalty', -2, 2),
    range('frequency_penalty', -2, 2),
    range('n', 1, 128),
  ],
  'openai-responses': [
    range('temperature', 0, 2),
    range('top_p', 0, 1),
    range('max_output_tokens', 16, ANY),
    range('top_logprobs', 0, 20),
  ],
  'anthropic-messages': [range('temperature', 0, 1), range('top_p', 0, 1), range('max_tokens', 1, ANY)],
  'gemini-generate': [
    range('generationConfig.temperature', 0, 2),
    range('generationConfig.topP', 0, 1),
    range('generationConfig.maxOutputTokens', 1, ANY),
  ],
  'gemini-interactions': [
    range('generation_config.temperature', 0, 2),
    range('generation_config.top_p', 0, 1),
    range('generation_config.max_output_tokens', 1, ANY),
  ],
  'bedrock-converse': [
    range('inferenceConfig.temperature', 0, 1),
    range('inferenceConfig.topP', 0, 1),
    range('inferenceConfig.maxTokens', 1, ANY),
  ],
  'cohere-chat': [range('temperature', 0, 2), range('p', 0.01, 0.99), range('max_tokens', 1, ANY)],
}

const refused = (path: string, message: string): GatewayError =>
  clientError('invalid_prompt', `${path}: ${message}`, path)

/** The first member that the vendor would refuse, as its error; null: the request is valid. */
export function faultOfRequest(wire: WireName, body: JsonObject, model: string, stream: boolean): GatewayError | null {
  const members = MEMBERS[wire]
  const unknown = members === undefined ? undefined : Object.keys(body).find((name) => !members.includes(name))
  if (unknown !== undefined) return refused(unknown, 'unknown member')
  const missing = REQUIRED[wire]?.find((name) => body[name] === undefined || body[name] === null)
  if (missing !== undefined) return refused(missing, 'required')
  const conversation = REQUIRED[wire]?.find((name) => name === 'messages' || name === 'contents' || name === 'input')
  const given = body[conversation ?? '']
  if (!Array.isArray(given) && !(conversation === 'input' && (typeof given === 'string' || isObject(given))))
    return refused(conversation ?? '', 'expected a list')
  if (conversation !== 'input' && given.length === 0)
    return refused(conversation ?? '', 'expected at least one message')
  return rangeFault(wire, body) ?? readingFault(wire, body, model, stream) ?? complaintOf(wire, body)
}

function rangeFault(wire: WireName, body: JsonObject): GatewayError | null {
  for (const { path, least, most } of RANGES[wire] ?? []) {
    const value = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), body)
    if (value === undefined || value === null) continue
    if (typeof value !== 'number' || value < least || value > most)
      return refused(
        path.join('.'),
        most === ANY
          ? `expected at least ${least}, got ${String(value)}`
          : `expected ${least} to ${most}, got ${String(value)}`,
      )
  }
  return null
}

/** Messages of wires without a client side, which nothing else reads. */
function messagesFault({ messages }: JsonObject): GatewayError | null {
  if (!Array.isArray(messages) || messages.length === 0) return refused('messages', 'expected a list of messages')
  const at = messages.findIndex((message) => !isObject(message) || typeof message.role !== 'string')
  return at === -1 ? null : refused(`messages[${at}].role`, 'expected a role')
}

function readingFault(wire: WireName, body: JsonObject, model: string, stream: boolean): GatewayError | null {
  const { client, name } = WIRES[wire]
  if (client === undefined && wire !== 'openai-responses') return messagesFault(body)
  const protocol: ClientProtocol =
    client === undefined ? { dialect: openai } : { wire: { name, client }, sealing: null, model, stream }
  const read = runSteps(readClientRequest(body, protocol))
  return read.ok ? null : read.error
}

function complaintOf(wire: WireName, body: JsonObject): GatewayError | null {
  const [first] = brokenBy(body, { shape: WIRES[wire].body, quirks: {} })
  return first === undefined ? null : refused(first.path, first.message)
}
