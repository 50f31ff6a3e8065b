import type { ModelFacts } from '../../../models/facts.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, NO_TIER } from '../../../protocol/loss.ts'
import type { Request } from '../../../protocol/request.ts'
import { formatJson } from '../../../text/json.ts'
import { escapeSegment } from '../../../text/path-segment.ts'
import type { Steps } from '../../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../contract.ts'
import type { Quirks } from '../../quirks.ts'
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
import { encodeReasoning, type ReasoningFields } from './reasoning-config.ts'
import { encodeTools } from './tools.ts'

/** Fields of a request that Converse does not have. */
const UNKNOWN = [
  'max_tool_calls',
  'presence_penalty',
  'frequency_penalty',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'x_search_filter',
  'truncation',
  'plugins',
  'text.verbosity',
] as const

const NOTHING_LIKE_IT = 'Converse has no equivalent'

const unknownFields = (request: Request): readonly Loss[] => [
  ...dropUnsupported(request, UNKNOWN, NOTHING_LIKE_IT),
  ...dropIncludes(request, NOTHING_LIKE_IT),
  ...(request.top_logprobs || request.include.includes('message.output_text.logprobs')
    ? [dropped(logprobsField(request), NOTHING_LIKE_IT)]
    : []),
]

/** Nova accepts fewer parameters while it reasons. */
const besideReasoning = ({ family }: ModelFacts, { on }: ReasoningFields): string | null =>
  family === 'nova' && on ? 'this model does not support it together with high reasoning effort' : null

function temperature(request: Request, model: ModelFacts, reasoning: ReasoningFields): RequestFields {
  const { temperature: value } = request
  if (value === null) return NO_FIELDS
  const why = besideReasoning(model, reasoning)
  return why === null ? requestFields({ temperature: value }) : droppedField('temperature', why)
}

function topP(request: Request, model: ModelFacts, reasoning: ReasoningFields): RequestFields {
  const { top_p: value } = request
  if (value === null) return NO_FIELDS
  const why = besideReasoning(model, reasoning)
  return why === null ? requestFields({ topP: value }) : droppedField('top_p', why)
}

function maxTokens({ max_output_tokens }: Request, model: ModelFacts, { on, limit }: ReasoningFields): RequestFields {
  if (limit !== null) return limit
  if (max_output_tokens === null) return NO_FIELDS
  if (model.family === 'nova' && on)
    return droppedField('max_output_tokens', 'this model does not support it together with high reasoning effort')
  return requestFields({ maxTokens: max_output_tokens })
}

function summary({ reasoning }: Request, { family }: ModelFacts): RequestFields {
  if ((reasoning?.summary ?? null) === null || family === 'claude') return NO_FIELDS
  return droppedField('reasoning.summary', 'this model does not summarize its reasoning')
}

/** An output format: a field of the body, or an instruction for a model that cannot be bound to the format. */
interface Format {
  readonly piece: RequestFields
  readonly rule: string
}

const NO_FORMAT: Format = { piece: NO_FIELDS, rule: '' }

const asRule = (rule: string): Format => ({
  piece: mappedField({}, 'text.format', 'sent as an instruction'),
  rule,
})

function encodeFormat({ text }: Request): Format {
  const format = text?.format ?? null
  if (format === null || format.type === 'text') return NO_FORMAT
  if (format.type === 'json_object') return asRule('Answer with one JSON object and nothing else.')
  const { name, description, schema } = format
  const json = formatJson(schema)
  const jsonSchema = { schema: json, name, ...(description === null ? {} : { description }) }
  const outputConfig = { textFormat: { type: 'json_schema', structure: { jsonSchema } } }
  return { piece: requestFields({ outputConfig }), rule: '' }
}

const PLAIN = /^[\w\s:@$#=/+,.-]{0,256}$/
const MOST_LABELS = 16

/** Encodes labels for the operator's own logs. Bedrock limits their number, length and characters. */
function labels({ metadata, user }: Request): RequestFields {
  const wanted = [...Object.entries(metadata ?? {}), ...(user === null ? [] : [['user', user] as const])]
  const fits = wanted.filter(([name, value]) => name !== '' && PLAIN.test(name) && PLAIN.test(value))
  const sent = fits.slice(0, MOST_LABELS)
  const losses = wanted
    .filter((label) => !sent.includes(label))
    .map((label) => {
      const [name] = label
      return dropped(
        metadata !== null && Object.hasOwn(metadata, name) ? `metadata.${name}` : 'user',
        `this upstream accepts at most ${MOST_LABELS} labels of at most 256 plain characters each`,
      )
    })
  return sent.length === 0 ? { fields: {}, losses } : { fields: { requestMetadata: Object.fromEntries(sent) }, losses }
}

const TIERS: readonly string[] = ['priority', 'flex', 'reserved']

function tier({ service_tier: wanted }: Request): RequestFields {
  if (wanted === null || wanted === 'auto' || wanted === 'default') return NO_FIELDS
  return TIERS.includes(wanted)
    ? requestFields({ serviceTier: { type: wanted } })
    : droppedField('service_tier', NO_TIER)
}

const unlessEmpty = (name: string, fields: JsonObject): JsonObject =>
  Object.keys(fields).length === 0 ? {} : { [name]: fields }

export const address: Wire['address'] = (_, stream, { model }) => {
  const name = escapeSegment(model)
  return name === null ? null : { path: `/model/${name}/${stream ? 'converse-stream' : 'converse'}` }
}

/** Encodes a Responses request for Converse or ConverseStream (docs/wires/bedrock-converse.md, 9.1 to 9.4). */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const model = factsOf(target, 'bedrock-converse')
  const tools = encodeTools(request, model, target.origins)
  if (!tools.ok) return tools
  const { system, messages, losses } = yield* encodeMessages(request, target)
  if (messages.length === 0) return NO_MESSAGES
  const reasoning = encodeReasoning(request, model)
  const inference = mergeFields([
    maxTokens(request, model, reasoning),
    temperature(request, model, reasoning),
    topP(request, model, reasoning),
    stopField(request, 'stopSequences'),
  ])
  const format = encodeFormat(request)
  const others = mergeFields([format.piece, labels(request), tier(request), summary(request, model)])
  const rules = format.rule === '' ? system : [...system, { text: format.rule }]
  const toolChoice = tools.choice === null ? {} : { toolChoice: tools.choice as unknown as Json }
  return {
    ok: true,
    body: {
      // Messages and tools consist of JSON only, but an interface has no index signature to prove it to the compiler.
      messages: messages as unknown as Json,
      ...(rules.length === 0 ? {} : { system: rules }),
      ...unlessEmpty('inferenceConfig', inference.fields),
      ...(tools.tools.length === 0 ? {} : { toolConfig: { tools: tools.tools as unknown as Json, ...toolChoice } }),
      ...unlessEmpty('additionalModelRequestFields', { ...reasoning.fields.fields, ...tools.fields }),
      ...others.fields,
    },
    losses: [
      ...losses,
      ...inference.losses,
      ...tools.losses,
      ...reasoning.fields.losses,
      ...others.losses,
      ...unknownFields(request),
    ],
  }
}

/** Sends a Bedrock API key. Without one the host signs the request. */
export function authorize(key: string, { keyHeader }: Quirks): Readonly<Record<string, string>> {
  return keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }
}
