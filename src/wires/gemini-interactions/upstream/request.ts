import type { JsonObject } from '../../../protocol/json.ts'
import { dropped } from '../../../protocol/loss.ts'
import type { Request } from '../../../protocol/request.ts'
import type { Steps } from '../../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../contract.ts'
import { logprobsField } from '../../shared/upstream/logprobs.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import {
  droppedField,
  mergeFields,
  NO_FIELDS,
  type RequestFields,
  requestFields,
  stopField,
} from '../../shared/upstream/request-fields.ts'
import { dropIncludes, dropUnsupported } from '../../shared/upstream/unsupported.ts'
import { encodeInput } from './input.ts'
import { encodeReasoning } from './reasoning-config.ts'
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
  const fields = { response_format: { ...base, schema: wanted.schema } }
  return wanted.description === null
    ? requestFields(fields)
    : { fields, losses: [dropped('text.format.description', 'this upstream accepts only the schema')] }
}

const TIERS: readonly string[] = ['flex', 'priority']

/** The usual tier needs no field. */
function tier({ service_tier: wanted }: Request): RequestFields {
  if (wanted === null || wanted === 'auto' || wanted === 'default') return NO_FIELDS
  return TIERS.includes(wanted)
    ? requestFields({ service_tier: wanted })
    : droppedField('service_tier', 'this upstream does not support this tier')
}

/** Nothing is stored: each request has the whole conversation. */
const PATH = '/interactions'

export const address: Wire['address'] = () => ({ path: PATH })

/** Encodes a Responses request (docs/wires/gemini-interactions.md, 9.1 to 9.5). */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const { model } = target
  const facts = factsOf(target, 'gemini-interactions')
  const tools = encodeTools(request, facts, target.origins)
  if (!tools.ok) return tools
  const input = yield* encodeInput(request, target)
  if (!input.ok) return input
  const config = mergeFields([
    sampling(request),
    stopField(request, 'stop_sequences'),
    encodeReasoning(request, facts),
    requestFields(tools.config),
  ])
  const others = mergeFields([format(request), tier(request), logprobs(request)])
  const body: JsonObject = {
    model: model.replace(/^models\//, ''),
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
