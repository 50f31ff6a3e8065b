import type { Json } from '../../../protocol/json.ts'
import { ONLY_SCHEMA } from '../../../protocol/loss.ts'
import type { Effort, Request, TextFormat } from '../../../protocol/request.ts'
import type { Steps } from '../../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../contract.ts'
import { logprobsField } from '../../shared/upstream/logprobs.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { NO_MESSAGES } from '../../shared/upstream/no-messages.ts'
import {
  droppedField,
  mappedField,
  mergeFields,
  NO_FIELDS,
  type RequestFields,
  requestFields,
  stopField,
} from '../../shared/upstream/request-fields.ts'
import { dropIncludes, dropUnsupported } from '../../shared/upstream/unsupported.ts'
import { encodeMessages } from './messages.ts'
import { encodeTools } from './tools.ts'

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
  'truncation',
  'user',
  'x_search_filter',
] as const

/** Fields of a Responses request, with Cohere's name, and the least and the greatest value that Cohere accepts. */
const SAMPLING = [
  ['temperature', 'temperature', 0, Number.POSITIVE_INFINITY],
  ['top_p', 'p', 0.01, 0.99],
  ['presence_penalty', 'presence_penalty', 0, 1],
  ['frequency_penalty', 'frequency_penalty', 0, 1],
] as const

function sampling(request: Request): RequestFields[] {
  return SAMPLING.map(([ours, name, least, most]) => {
    const value = request[ours]
    if (value === null) return NO_FIELDS
    const fit = Math.min(Math.max(value, least), most)
    return fit === value
      ? requestFields({ [name]: fit })
      : mappedField({ [name]: fit }, ours, `sent as ${fit}, the nearest supported value`)
  })
}

function encodeFormat(format: TextFormat | null): RequestFields {
  if (format === null || format.type === 'text') return NO_FIELDS
  const type = 'json_object'
  if (format.type === 'json_object') return requestFields({ response_format: { type } })
  const fields = { response_format: { type, json_schema: format.schema } }
  return format.description === null
    ? requestFields(fields)
    : mappedField(fields, 'text.format.description', ONLY_SCHEMA)
}

function droppedFields(request: Request): RequestFields[] {
  const { reasoning, top_logprobs, include } = request
  const wantsLogprobs = include.includes('message.output_text.logprobs') || (top_logprobs !== null && top_logprobs > 0)
  return [
    (reasoning?.summary ?? null) === null
      ? NO_FIELDS
      : droppedField('reasoning.summary', 'this upstream does not summarize its reasoning'),
    wantsLogprobs
      ? droppedField(logprobsField(request), 'this upstream returns log probabilities without their tokens')
      : NO_FIELDS,
  ]
}

const NOTHING_LIKE_IT = 'this upstream has no equivalent'

export const address: Wire['address'] = () => ({ path: '/v2/chat' })

/** Budgets in tokens; null: no limit. */
const BUDGETS = {
  none: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: null,
  xhigh: null,
  max: null,
} as const satisfies Record<Effort, number | null>

/** Reasoning counts as output, so a quarter of the output limit is left for the answer. */
const within = (budget: number, limit: number | null): number =>
  limit === null ? budget : Math.max(1, Math.min(budget, Math.floor(limit * 0.75)))

function encodeEffort(effort: Effort | null, limit: number | null): RequestFields {
  if (effort === null) return NO_FIELDS
  if (effort === 'none') return requestFields({ thinking: { type: 'disabled' } })
  const budget = BUDGETS[effort]
  const type = 'enabled'
  return requestFields({ thinking: budget === null ? { type } : { type, token_budget: within(budget, limit) } })
}

/** Encodes a Responses request as a Cohere chat request (docs/wires/cohere-chat.md, 9.1 to 9.4). */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const { model } = target
  const { reasons } = factsOf(target, 'cohere-chat')
  const tools = encodeTools(request, target.origins)
  if (!tools.ok) return tools
  const { out, documents, losses: messageLosses } = yield* encodeMessages(request, reasons !== 'never', target.origins)
  if (out.length === 0) return NO_MESSAGES
  const { max_output_tokens: limit, stream } = request
  const { fields, losses } = mergeFields([
    documents.length === 0 ? NO_FIELDS : requestFields({ documents }),
    limit === null ? NO_FIELDS : requestFields({ max_tokens: limit }),
    stopField(request, 'stop_sequences'),
    ...sampling(request),
    encodeEffort(request.reasoning?.effort ?? null, limit),
    encodeFormat(request.text?.format ?? null),
    tools,
    ...droppedFields(request),
  ])
  return {
    ok: true,
    // The cast is safe: a `CohereMessage` is plain JSON, but TypeScript does not accept an interface as `Json`.
    body: { model, messages: out as unknown as Json, stream, ...fields },
    losses: [
      ...messageLosses,
      ...losses,
      ...dropUnsupported(request, UNKNOWN, NOTHING_LIKE_IT),
      ...dropIncludes(request, NOTHING_LIKE_IT),
    ],
  }
}

export const authorize = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` })
