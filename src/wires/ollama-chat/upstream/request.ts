import type { ModelFacts } from '../../../models/facts.ts'
import type { Json } from '../../../protocol/json.ts'
import { ONLY_SCHEMA } from '../../../protocol/loss.ts'
import type { Effort, Request, TextFormat } from '../../../protocol/request.ts'
import type { Steps } from '../../../text/steps.ts'
import { otherMeaning } from '../../absent-members.ts'
import type { Encoded, UpstreamContext, Wire } from '../../contract.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { NO_MESSAGES } from '../../shared/upstream/no-messages.ts'
import {
  droppedField,
  mappedField,
  mergeFields,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'
import { dropIncludes, dropUnsupported } from '../../shared/upstream/unsupported.ts'
import { encodeMessages } from './messages.ts'
import { encodeTools } from './tools.ts'

/** Names of fields in Ollama's `options`, and in a Responses request. */
const OPTIONS = [
  ['num_predict', 'max_output_tokens'],
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['presence_penalty', 'presence_penalty'],
  ['frequency_penalty', 'frequency_penalty'],
  ['stop', 'stop'],
] as const

/** Fields without a counterpart. */
const UNKNOWN = [
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'plugins',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'text.verbosity',
  'user',
  'x_search_filter',
] as const

function options(request: Request): RequestFields {
  const requested = OPTIONS.flatMap(([name, ours]) => (request[ours] === null ? [] : [[name, request[ours]] as const]))
  return requested.length === 0 ? NO_FIELDS : requestFields({ options: Object.fromEntries(requested) })
}

/**
 * Ollama leaves out the beginning of a prompt that is too long, and of a text that grows too long, unless both of these
 * are false (docs/wires/ollama-chat.md, 9).
 */
function truncation({ truncation: requested }: Request, target: UpstreamContext): RequestFields {
  const meant = requested ?? otherMeaning('truncation', 'ollama-chat', target)
  return meant === 'disabled' ? requestFields({ truncate: false, shift: false }) : NO_FIELDS
}

function logprobs({ top_logprobs: top, include }: Request): RequestFields {
  const requested = include.includes('message.output_text.logprobs') || (top !== null && top > 0)
  return requested ? requestFields({ logprobs: true, ...(top === null ? {} : { top_logprobs: top }) }) : NO_FIELDS
}

function encodeReasoning(effort: Effort, { reasoningBy }: ModelFacts): RequestFields {
  if (reasoningBy === 'effort' && effort !== 'none') return requestFields({ think: effort })
  const think = effort !== 'none'
  return think ? mappedField({ think }, 'reasoning.effort', `${effort} sent as ${think}`) : requestFields({ think })
}

function reasoning({ reasoning: wanted }: Request, facts: ModelFacts): RequestFields[] {
  const effort = wanted?.effort ?? null
  const summary = wanted?.summary ?? null
  return [
    effort === null ? NO_FIELDS : encodeReasoning(effort, facts),
    summary === null ? NO_FIELDS : droppedField('reasoning.summary', 'this upstream does not summarize its reasoning'),
  ]
}

function encodeFormat(format: TextFormat | null): RequestFields {
  if (format === null || format.type === 'text') return NO_FIELDS
  if (format.type === 'json_object') return requestFields({ format: 'json' })
  const fields = { format: format.schema }
  return format.description === null
    ? requestFields(fields)
    : mappedField(fields, 'text.format.description', ONLY_SCHEMA)
}

const NOTHING_LIKE_IT = 'this upstream has no equivalent'

export const address: Wire['address'] = () => ({ path: '/api/chat' })

/** Encodes a Responses request as an Ollama chat request (docs/wires/ollama-chat.md, 9.1 to 9.4). */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const { model } = target
  const tools = encodeTools(request, target.origins)
  if (!tools.ok) return tools
  const messages = yield* encodeMessages(request, target)
  if (messages.out.length === 0) return NO_MESSAGES
  const { fields, losses } = mergeFields([
    options(request),
    truncation(request, target),
    logprobs(request),
    ...reasoning(request, factsOf(target, 'ollama-chat')),
    encodeFormat(request.text?.format ?? null),
    tools,
  ])
  return {
    ok: true,
    // `stream` is always sent, because it defaults to true. The cast is safe: an `OllamaMessage` is plain JSON, but
    // TypeScript does not accept an interface as `Json`.
    body: { model, messages: messages.out as unknown as Json, stream: request.stream, ...fields },
    losses: [
      ...messages.losses,
      ...losses,
      ...dropUnsupported(request, UNKNOWN, NOTHING_LIKE_IT),
      ...dropIncludes(request, NOTHING_LIKE_IT),
    ],
  }
}

export const authorize = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` })
