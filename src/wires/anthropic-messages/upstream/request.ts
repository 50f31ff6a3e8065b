import type { ModelFacts } from '../../../models/facts.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped, NO_TIER, ONLY_SCHEMA } from '../../../protocol/loss.ts'
import type { Request, TextFormat } from '../../../protocol/request.ts'
import { isObject } from '../../../text/json.ts'
import { escapeSegment } from '../../../text/path-segment.ts'
import type { Steps } from '../../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../contract.ts'
import type { Quirks } from '../../quirks.ts'
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
import type { TextBlock } from '../json.ts'
import { type EncodedConversation, encodeConversation } from './messages.ts'
import { encodeReasoning } from './reasoning-config.ts'
import { encodeTools } from './tools.ts'

/** Versions of the protocol: Anthropic reads its version from a header, Vertex from the body. */
export const MESSAGES_VERSION = '2023-06-01'
export const VERTEX_VERSION = 'vertex-2023-10-16'

/** Fields that this upstream cannot express. */
const UNKNOWN = [
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'x_search_filter',
  'text.verbosity',
  'truncation',
  'plugins',
] as const

const sampling = ({ temperature, top_p }: Request): RequestFields[] => [
  temperature === null ? NO_FIELDS : requestFields({ temperature }),
  top_p === null || top_p === 1 ? NO_FIELDS : requestFields({ top_p }),
]

interface EncodedFormat {
  /** The value of `output_config.format`. */
  readonly format: Json
  readonly rule: TextBlock | null
  readonly losses: readonly Loss[]
}

const AS_TEXT: EncodedFormat = { format: null, rule: null, losses: [] }

/** A model without structured output receives the format as an instruction in the system prompt. */
const asInstruction = (rule: string, path: string, losses: readonly Loss[] = []): EncodedFormat => ({
  format: null,
  rule: { type: 'text', text: rule },
  losses: [...losses, mapped(path, 'sent as an instruction')],
})

function encodeFormat(format: TextFormat, { jsonSchema }: ModelFacts): EncodedFormat {
  switch (format.type) {
    case 'text':
      return AS_TEXT
    case 'json_object':
      return asInstruction('Answer with one JSON object and nothing else.', 'text.format')
    case 'json_schema': {
      const { description } = format
      const losses = description === null ? [] : [dropped('text.format.description', ONLY_SCHEMA)]
      if (jsonSchema === true) return { ...AS_TEXT, format: { type: 'json_schema', schema: format.schema }, losses }
      const rule = `Answer with JSON that matches this schema and nothing else:\n${JSON.stringify(format.schema)}`
      return asInstruction(rule, 'text.format.schema', losses)
    }
  }
}

/** `auto`, the default, uses the capacity that an account has reserved, and `standard_only` does not. */
function tier(wanted: string | null, { rawPredict }: Quirks): RequestFields {
  if (wanted === null || wanted === 'auto' || (wanted === 'default' && rawPredict === true)) return NO_FIELDS
  if (wanted === 'default') return requestFields({ service_tier: 'standard_only' })
  return wanted === 'priority' && rawPredict !== true
    ? mappedField({ service_tier: 'auto' }, 'service_tier', 'sent as auto')
    : droppedField('service_tier', NO_TIER)
}

const LONGEST_USER = 256

/**
 * This upstream accepts one identity of the user. `safety_identifier`, which has this purpose, takes precedence over
 * `user`.
 */
function account({ user, safety_identifier, service_tier }: Request, quirks: Quirks): RequestFields[] {
  const who = safety_identifier ?? user
  const second = safety_identifier !== null && user !== null && user !== safety_identifier
  const path = safety_identifier === null ? 'user' : 'safety_identifier'
  return [
    tier(service_tier, quirks),
    second
      ? droppedField('user', 'this upstream accepts one user identifier: safety_identifier takes precedence')
      : NO_FIELDS,
    who === null
      ? NO_FIELDS
      : who.length > LONGEST_USER
        ? droppedField(path, `this upstream accepts at most ${LONGEST_USER} characters`)
        : requestFields({ metadata: { user_id: who } }),
  ]
}

const NOTHING_LIKE_IT = 'this upstream has no equivalent'

/** The value of `include` for the outputs of code, which answers always have. */
const CODE_OUTPUTS = 'code_interpreter_call.outputs'

const unknownFields = (request: Request): readonly Loss[] => [
  ...dropUnsupported(request, UNKNOWN, NOTHING_LIKE_IT),
  ...dropIncludes(request, NOTHING_LIKE_IT, [CODE_OUTPUTS]),
  ...(request.include.includes('message.output_text.logprobs') ? [dropped('include', NOTHING_LIKE_IT)] : []),
]

const outputConfig = (effort: string | null, format: Json): RequestFields => {
  const fields: JsonObject = { ...(effort === null ? {} : { effort }), ...(format === null ? {} : { format }) }
  return Object.keys(fields).length === 0 ? NO_FIELDS : requestFields({ output_config: fields })
}

const promptFields = ({ system, messages }: EncodedConversation, rule: TextBlock | null): RequestFields => {
  const rules = rule === null ? system : [...system, rule]
  // Blocks consist of JSON only, but TypeScript cannot infer that for a readonly list of a union.
  const own = messages as unknown as Json
  return requestFields(rules.length === 0 ? { messages: own } : { system: rules as unknown as Json, messages: own })
}

/** Types of tools that need a beta header, and the value that each of them needs. */
const TOOL_BETAS: readonly (readonly [type: RegExp, beta: string])[] = [
  [/^code_execution_2025/, 'code-execution-2025-08-25'],
  [/^web_fetch_2025/, 'web-fetch-2025-09-10'],
  [/^computer_20250124$/, 'computer-use-2025-01-24'],
  [/^computer_20251124$/, 'computer-use-2025-11-24'],
  [/^memory_2025/, 'context-management-2025-06-27'],
]

const objectsIn = (list: unknown): readonly JsonRecord[] => (Array.isArray(list) ? list.filter(isObject) : NO_OBJECTS)

const NO_OBJECTS: readonly JsonRecord[] = []

const isStoredFile = ({ source }: JsonRecord): boolean => isObject(source) && source.type === 'file'

/** Returns the value of `anthropic-beta` for a body, of which nothing is assumed; null if it needs none. */
function betasOf(body: JsonRecord): string | null {
  const types = objectsIn(body.tools).map(({ type }) => (typeof type === 'string' ? type : ''))
  let [hasFile, compacts] = [false, false]
  for (const { content } of objectsIn(body.messages))
    for (const block of objectsIn(content)) {
      hasFile ||= isStoredFile(block) || objectsIn(block.content).some(isStoredFile)
      compacts ||= block.type === 'compaction'
    }
  const all = [
    ...(types.length === 0 ? [] : TOOL_BETAS.filter(([is]) => types.some((type) => is.test(type)))).map(
      ([, beta]) => beta,
    ),
    ...(hasFile ? ['files-api-2025-04-14'] : []),
    ...(compacts ? ['compact-2026-01-12'] : []),
  ]
  return all.length === 0 ? null : all.join(',')
}

/** Vertex has the model in the path and the version in the body. */
export const address: Wire['address'] = (body, stream, { model, quirks: { rawPredict } }) => {
  const beta = betasOf(body)
  const betas = beta === null ? {} : { 'anthropic-beta': beta }
  if (rawPredict !== true) return { path: '/v1/messages', headers: { 'anthropic-version': MESSAGES_VERSION, ...betas } }
  const name = escapeSegment(model)?.replaceAll('%40', '@')
  return name === undefined ? null : { path: `/${name}:${stream ? 'streamRawPredict' : 'rawPredict'}`, headers: betas }
}

/** Encodes a Responses request as a request of this wire (docs/wires/anthropic-messages.md, 9.1 to 9.5). */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const { model, quirks } = target
  const facts = factsOf(target, 'anthropic-messages')
  const tools = encodeTools(request, facts, target.origins)
  if (!tools.ok) return tools
  const conversation = yield* encodeConversation(request, target, facts)
  if (conversation.messages.length === 0) return NO_MESSAGES
  const thinks = encodeReasoning(request, facts)
  const encodedFormat = request.text?.format ? encodeFormat(request.text.format, facts) : AS_TEXT
  const { fields, losses } = mergeFields([
    requestFields(quirks.rawPredict === true ? { anthropic_version: VERTEX_VERSION } : { model }),
    promptFields(conversation, encodedFormat.rule),
    requestFields(request.stream ? { stream: true } : {}),
    stopField(request, 'stop_sequences'),
    ...sampling(request),
    ...thinks.pieces,
    outputConfig(thinks.effort, encodedFormat.format),
    { fields: tools.fields, losses: tools.losses },
    ...account(request, quirks),
  ])
  return {
    ok: true,
    body: fields,
    losses: [...conversation.losses, ...encodedFormat.losses, ...losses, ...unknownFields(request)],
  }
}

/** Returns the key in the header that this vendor expects. */
export function authorize(key: string, { keyHeader, rawPredict }: Quirks): Readonly<Record<string, string>> {
  // Google's keys are access tokens, also for models of other companies.
  if (rawPredict === true && keyHeader === undefined) return { authorization: `Bearer ${key}` }
  return keyHeader === 'authorization' ? { authorization: `Bearer ${key}` } : { [keyHeader ?? 'x-api-key']: key }
}
