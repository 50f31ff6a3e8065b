import type { ModelFacts } from '../../../models/facts.ts'
import type { Json } from '../../../protocol/json.ts'
import { NOT_SUPPORTED } from '../../../protocol/loss.ts'
import type { Request, TextFormat } from '../../../protocol/request.ts'
import type { Steps } from '../../../text/steps.ts'
import { otherMeaning } from '../../absent-members.ts'
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
import { formatName, strictOfFormat } from '../../shared/upstream/strict-format.ts'
import { dropIncludes, dropUnsupported, hasEffect, type UnsupportedField } from '../../shared/upstream/unsupported.ts'
import { refuseXSearch } from '../../shared/upstream/x-search.ts'
import { encodeMessages } from './messages.ts'
import { EFFORTS } from './reasoning-effort.ts'
import { encodeTools } from './tools.ts'

/** Fields with the same name and meaning in both APIs. */
const SAME = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'user'] as const

/** Fields with the same meaning in both APIs that only OpenAI has. */
const OPENAI_ONLY = ['safety_identifier', 'prompt_cache_retention'] as const

const UNKNOWN_TO_CHATS = ['max_tool_calls', 'metadata', 'truncation', 'plugins'] as const

const has = (names: readonly string[] | undefined, name: string): boolean => names?.includes(name) === true

function sameField(name: (typeof SAME)[number], value: number | string, quirks: Quirks): RequestFields {
  if (has(quirks.refuses, name)) return droppedField(name, NOT_SUPPORTED)
  return requestFields({ [name]: value })
}

/** Whether the vendor takes this setting of sampling as it is. False: the hub's encoding decides. */
export const takesSampling = (name: string, value: unknown, quirks: Quirks): boolean =>
  typeof value === 'number' && SAME.some((same) => same === name && sameField(same, value, quirks).losses.length === 0)

function sampling(request: Request, quirks: Quirks): RequestFields[] {
  return SAME.map((name) => {
    const value = request[name]
    return value === null ? NO_FIELDS : sameField(name, value, quirks)
  })
}

function logprobs(request: Request, quirks: Quirks): RequestFields {
  const { top_logprobs, include } = request
  const requested = include.includes('message.output_text.logprobs')
  if (!requested && (top_logprobs === null || top_logprobs === 0)) return NO_FIELDS
  if (has(quirks.refuses, 'top_logprobs')) return droppedField(logprobsField(request), NOT_SUPPORTED)
  return requestFields({ logprobs: true, ...(top_logprobs === null ? {} : { top_logprobs }) })
}

/**
 * At hosts of OpenAI's models, each of these accepts `max_completion_tokens`, and a deployment may have any name. Models
 * without reasoning accept the older name as well, as those of other vendors do.
 */
const hasNewLimit = ({ family = 'gpt', reasons }: ModelFacts, { openaiModels }: Quirks): boolean =>
  openaiModels === true && family === 'gpt' && reasons !== 'never'

/** The name that this upstream has for the limit of output tokens. */
export const limitField = (facts: ModelFacts, quirks: Quirks): 'max_completion_tokens' | 'max_tokens' =>
  hasNewLimit(facts, quirks) ? 'max_completion_tokens' : (quirks.maxTokensField ?? 'max_tokens')

const maxTokens = ({ max_output_tokens }: Request, facts: ModelFacts, quirks: Quirks): RequestFields =>
  max_output_tokens === null ? NO_FIELDS : requestFields({ [limitField(facts, quirks)]: max_output_tokens })

function reasoning({ reasoning: wanted }: Request, facts: ModelFacts, quirks: Quirks): RequestFields[] {
  const summary = wanted?.summary ?? null
  const unsummed =
    summary === null
      ? NO_FIELDS
      : droppedField('reasoning.summary', 'the Chat Completions API has no reasoning summaries')
  const effort = wanted?.effort ?? null
  if (effort === null) return [unsummed]
  const { fields, exact } = EFFORTS[quirks.effort ?? 'openai'](effort, facts)
  return [
    unsummed,
    exact
      ? requestFields(fields)
      : mappedField(fields, 'reasoning.effort', `${effort} sent as the nearest supported effort`),
  ]
}

function encodeFormat(format: TextFormat, target: UpstreamContext): RequestFields {
  if (format.type === 'text') return NO_FIELDS
  if (format.type === 'json_object') return requestFields({ response_format: { type: 'json_object' } })
  const { name, description, schema } = format
  const { strict, loss } = strictOfFormat(format, 'openai-chat', target)
  const json_schema = {
    name: formatName(name, target.quirks),
    ...(description === null ? {} : { description }),
    schema,
    ...(strict === null ? {} : { strict }),
  }
  return mergeFields([requestFields({ response_format: { type: 'json_schema', json_schema } }), loss])
}

function textOptions({ text }: Request, target: UpstreamContext): RequestFields[] {
  const verbosity = text?.verbosity ?? null
  return [
    text?.format ? encodeFormat(text.format, target) : NO_FIELDS,
    verbosity === null ? NO_FIELDS : openaiField('verbosity', verbosity, target.quirks, 'text.verbosity'),
  ]
}

function openaiField(name: string, value: Json, quirks: Quirks, path: UnsupportedField): RequestFields {
  if (quirks.openaiFields === true) return requestFields({ [name]: value })
  return hasEffect(path, value) ? droppedField(path, NOT_SUPPORTED) : NO_FIELDS
}

/** A session that the client names elsewhere is the key of the cache, unless a header has it. */
function cacheKey({ prompt_cache_key: requested }: Request, target: UpstreamContext): RequestFields {
  const { quirks } = target
  if (quirks.conversationHeader !== undefined) return NO_FIELDS
  if (requested !== null) return openaiField('prompt_cache_key', requested, quirks, 'prompt_cache_key')
  const session = quirks.openaiFields === true ? (otherMeaning('cacheKey', 'openai-chat', target) ?? null) : null
  return session === null ? NO_FIELDS : requestFields({ prompt_cache_key: session })
}

function account(request: Request, target: UpstreamContext): RequestFields[] {
  const { quirks } = target
  const tier = request.service_tier
  return [
    // `auto` and `default` are what a request without the field gets, and some clients always send them.
    tier === null || tier === 'auto' || tier === 'default'
      ? NO_FIELDS
      : openaiField('service_tier', tier, quirks, 'service_tier'),
    cacheOptions(request),
    cacheKey(request, target),
    ...OPENAI_ONLY.map((name) => {
      const value = request[name]
      return value === null ? NO_FIELDS : openaiField(name, value, quirks, name)
    }),
  ]
}

/** The placement of breakpoints keeps the options only for a model that has them. */
function cacheOptions({ prompt_cache_options: options }: Request): RequestFields {
  const { mode = null, ttl = null } = options ?? {}
  if (mode === null && ttl === null) return NO_FIELDS
  return requestFields({
    prompt_cache_options: { ...(mode === null ? {} : { mode }), ...(ttl === null ? {} : { ttl }) },
  })
}

function streaming({ stream }: Request, { streamsOnly }: ModelFacts, quirks: Quirks): RequestFields {
  if (!stream && streamsOnly !== true) return NO_FIELDS
  return requestFields(
    quirks.noStreamOptions === true ? { stream: true } : { stream: true, stream_options: { include_usage: true } },
  )
}

export const address: Wire['address'] = () => ({ path: '/chat/completions' })

/** Encodes a Responses request as a chat completion request (docs/wires/openai-chat.md, 9.1 to 9.4). */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const { model, quirks } = target
  const unsearched = refuseXSearch(request)
  if (unsearched !== null) return unsearched
  const tools = encodeTools(request, target)
  if (!tools.ok) return tools
  const facts = factsOf(target, 'openai-chat')
  const messages = yield* encodeMessages(request, target, facts)
  if (messages.out.length === 0) return NO_MESSAGES
  const { fields, losses } = mergeFields([
    streaming(request, facts, quirks),
    maxTokens(request, facts, quirks),
    stopField(request, 'stop'),
    ...sampling(request, quirks),
    logprobs(request, quirks),
    ...reasoning(request, facts, quirks),
    ...textOptions(request, target),
    tools,
    ...account(request, target),
  ])
  return {
    ok: true,
    // A ChatMessage consists of JSON only, but an interface has no index signature to prove it to the compiler.
    body: { model, messages: messages.out as unknown as Json, ...fields },
    losses: [
      ...messages.losses,
      ...losses,
      ...dropUnsupported(request, UNKNOWN_TO_CHATS, 'the Chat Completions API has no equivalent'),
      ...dropIncludes(request, 'the Chat Completions API has no equivalent'),
    ],
  }
}

/** Puts the key into the header that this vendor reads. */
export function authorize(key: string, { keyHeader }: Quirks): Readonly<Record<string, string>> {
  return keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }
}
