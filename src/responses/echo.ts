import type { Json, JsonObject } from '../protocol/json.ts'
import type { GivenChoice, GivenTool, Request, TextFormat } from '../protocol/request.ts'
import type { Echo } from '../protocol/response.ts'

const PLAIN_TEXT: TextFormat = { type: 'text' }

function echoTool(tool: GivenTool): JsonObject {
  switch (tool.type) {
    case 'function': {
      const { name, description, parameters, strict } = tool
      return { type: 'function', name, description, parameters, strict }
    }
    case 'custom': {
      const { name, description, format } = tool
      // No known client requires these two fields, and one rejects null in them.
      return {
        type: 'custom',
        name,
        ...(description === null ? {} : { description }),
        ...(format === null ? {} : { format }),
      }
    }
    case 'namespace': {
      const { name, description, tools } = tool
      return { type: 'namespace', name, description, tools: tools.map(echoTool) }
    }
    case 'hosted':
      return { ...tool.fields, type: tool.name }
  }
}

function echoToolChoice(choice: GivenChoice | null): Json {
  if (choice === null) return 'auto'
  if (typeof choice === 'string') return choice
  switch (choice.type) {
    case 'hosted':
      return { type: choice.name, ...choice.fields }
    case 'allowed_tools':
      return { ...choice }
    default: {
      const { type, name, namespace } = choice
      return namespace === null ? { type, name } : { type, name, namespace }
    }
  }
}

/** One client's schema requires all five fields, another rejects null for a text. */
const echoFormat = (format: TextFormat): JsonObject =>
  format.type === 'json_schema'
    ? { ...format, description: format.description ?? '', strict: format.strict ?? false }
    : { ...format }

function echoText(text: Request['text']): JsonObject {
  if (text === null) return NO_OPTIONS.text
  const format = echoFormat(text.format ?? PLAIN_TEXT)
  return text.verbosity === null ? { format } : { format, verbosity: text.verbosity }
}

/** Shared by all answers, because each open stream keeps its echo. */
const NO_OPTIONS = { tools: [], text: { format: PLAIN_TEXT }, metadata: {} } as const satisfies Partial<Echo>

/** Returns the fields of a response that repeat its request, with the service's defaults for omitted ones. */
export function toEcho(request: Request): Echo {
  return {
    instructions: request.instructions,
    max_output_tokens: request.max_output_tokens,
    max_tool_calls: request.max_tool_calls,
    tools: request.given.tools.length === 0 ? NO_OPTIONS.tools : request.given.tools.map(echoTool),
    tool_choice: echoToolChoice(request.given.tool_choice),
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    presence_penalty: request.presence_penalty ?? 0,
    frequency_penalty: request.frequency_penalty ?? 0,
    top_logprobs: request.top_logprobs ?? 0,
    text: echoText(request.text),
    reasoning: request.reasoning === null ? null : { ...request.reasoning },
    truncation: request.truncation ?? 'disabled',
    // `auto` leaves the choice to the service; this gateway's choice is `default`.
    service_tier: request.service_tier === null || request.service_tier === 'auto' ? 'default' : request.service_tier,
    metadata: request.metadata ?? NO_OPTIONS.metadata,
    user: request.user,
    safety_identifier: request.safety_identifier,
    prompt_cache_key: request.prompt_cache_key,
  }
}

/** The echo of a request without any options, for streams that are translated without their request. */
export const EMPTY_ECHO: Echo = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  tools: NO_OPTIONS.tools,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  text: NO_OPTIONS.text,
  reasoning: null,
  truncation: 'disabled',
  service_tier: 'default',
  metadata: NO_OPTIONS.metadata,
  user: null,
  safety_identifier: null,
  prompt_cache_key: null,
}
