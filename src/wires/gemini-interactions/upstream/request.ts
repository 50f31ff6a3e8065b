import type { EffortStep, ModelFacts } from '../../../models/facts.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { NO_REASONING, NO_TIER } from '../../../protocol/loss.ts'
import { EFFORT_LEVELS, type Effort, type Request } from '../../../protocol/request.ts'
import type { Steps } from '../../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../contract.ts'
import { formatSchema } from '../../shared/google/requests.ts'
import { logprobsField } from '../../shared/upstream/logprobs.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { isEmptyConversation, NO_MESSAGES } from '../../shared/upstream/no-messages.ts'
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
import { withoutCollection } from '../terms.ts'
import { encodeInput } from './input.ts'
import { encodeTools } from './tools.ts'

/** Fields of a Responses request that `generation_config` has under the same names. */
const SAME = ['max_output_tokens', 'temperature', 'top_p'] as const

const sampling = (request: Request): RequestFields =>
  requestFields(Object.fromEntries(SAME.flatMap((name) => (request[name] === null ? [] : [[name, request[name]]]))))

/** Fields of a request for which this protocol has no counterpart. */
const UNKNOWN = [
  'frequency_penalty',
  'max_tool_calls',
  'metadata',
  'plugins',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'text.verbosity',
  'truncation',
  'user',
  'x_search_filter',
] as const

const NOTHING_LIKE_IT = 'the Interactions API has no equivalent'

function logprobs(request: Request): RequestFields {
  const { top_logprobs: top, include } = request
  return (top ?? 0) > 0 || include.includes('message.output_text.logprobs')
    ? droppedField(logprobsField(request), NOTHING_LIKE_IT)
    : NO_FIELDS
}

function format({ text }: Request): RequestFields {
  const wanted = text?.format ?? null
  if (wanted === null || wanted.type === 'text') return NO_FIELDS
  const base = { type: 'text', mime_type: 'application/json' }
  if (wanted.type === 'json_object') return requestFields({ response_format: base })
  return formatSchema(wanted, (schema) => ({ response_format: { ...base, schema } }))
}

const TIERS: readonly string[] = ['flex', 'priority']

/** The usual tier needs no field. */
function tier({ service_tier: wanted }: Request): RequestFields {
  if (wanted === null || wanted === 'auto' || wanted === 'default') return NO_FIELDS
  return TIERS.includes(wanted) ? requestFields({ service_tier: wanted }) : droppedField('service_tier', NO_TIER)
}

/** Nothing is stored: each request has the whole conversation. */
const PATH = '/interactions'

export const address: Wire['address'] = () => ({ path: PATH })

/** The levels of a model whose own are unknown, or which has budgets in Google's older protocol. */
const LEVELS: readonly EffortStep[] = ['minimal', 'low', 'medium', 'high']

/** Returns the lowest level that is not below the effort, or else the highest level. */
const levelOf = (effort: Effort, levels: readonly string[]): string | undefined =>
  EFFORT_LEVELS.slice(EFFORT_LEVELS.indexOf(effort)).find((step) => levels.includes(step)) ?? levels.at(-1)

/**
 * Google summarizes thoughts only if `thinking_summaries` is set. A request with an effort or a summary sets it, because
 * its client expects to see reasoning. Its levels have none: the effort `none` is sent as the lowest one, unless the model
 * reasons only on request.
 */
function encodeReasoning(
  { reasoning }: Request,
  { reasons, efforts = LEVELS, defaultEffort }: ModelFacts,
): RequestFields {
  const effort = reasoning?.effort ?? null
  const summary = reasoning?.summary ?? null
  if (effort === null && summary === null) return NO_FIELDS
  if (effort === 'none' && defaultEffort === 'none') return NO_FIELDS
  if (reasons === 'never') return effort === 'none' ? NO_FIELDS : droppedField('reasoning', NO_REASONING)
  const shown = effort === 'none' || reasoning?.hidden === true ? {} : { thinking_summaries: 'auto' }
  if (effort === null) return requestFields(shown)
  const level = levelOf(effort, efforts) ?? 'high'
  const fields = { thinking_level: level, ...shown }
  return level === effort
    ? requestFields(fields)
    : mappedField(fields, 'reasoning.effort', `${effort} sent as the nearest supported effort`)
}

/** Encodes a Responses request (docs/wires/gemini-interactions.md, 9.1 to 9.5). */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const { model } = target
  const facts = factsOf(target, 'gemini-interactions')
  const tools = encodeTools(request, facts, target.origins)
  if (!tools.ok) return tools
  const input = yield* encodeInput(request, target)
  if (!input.ok) return input
  if (isEmptyConversation(input.fields.input)) return NO_MESSAGES
  const config = mergeFields([
    sampling(request),
    stopField(request, 'stop_sequences'),
    encodeReasoning(request, facts),
    requestFields(tools.config),
  ])
  const others = mergeFields([format(request), tier(request), logprobs(request)])
  const body: JsonObject = {
    model: withoutCollection(model),
    ...input.fields,
    ...tools.fields,
    ...(Object.keys(config.fields).length === 0 ? {} : { generation_config: config.fields }),
    ...others.fields,
    store: false,
    stream: request.stream,
  }
  return {
    ok: true,
    body,
    losses: [
      ...others.losses,
      ...input.losses,
      ...tools.losses,
      ...config.losses,
      ...dropUnsupported(request, UNKNOWN, NOTHING_LIKE_IT),
      // Answers always have the outputs of code.
      ...dropIncludes(request, NOTHING_LIKE_IT, ['code_interpreter_call.outputs']),
    ],
  }
}
