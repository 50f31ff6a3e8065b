import type { Json, JsonObject } from '../../../protocol/json.ts'
import { NO_REASONING, NOT_SUPPORTED } from '../../../protocol/loss.ts'
import type { Request, TextFormat } from '../../../protocol/request.ts'
import type { Steps } from '../../../text/steps.ts'
import { isSearchTool } from '../../../validation/search/search-tool.ts'
import { otherMeaning } from '../../absent-members.ts'
import { type Encoded, RESPONSES_WIRE, type UpstreamContext, type Wire } from '../../contract.ts'
import type { Quirks } from '../../quirks.ts'
import { logprobsField } from '../../shared/upstream/logprobs.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import {
  droppedField,
  mappedField,
  mergeFields,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'
import { formatName, strictOfFormat } from '../../shared/upstream/strict-format.ts'
import { hasEffect } from '../../shared/upstream/unsupported.ts'
import { encodeInput } from './input.ts'
import { listsSources, SOURCES } from './search.ts'
import { encodeTools } from './tools.ts'

/** Fields that have the same name and meaning in the upstream's request. */
export const SAME_FIELDS = [
  'max_tool_calls',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
] as const

/** The least `max_output_tokens` of OpenAI's models. */
const LEAST_TOKENS = 16

const ENCRYPTED = 'reasoning.encrypted_content'
const LOGPROBS = 'message.output_text.logprobs'

const has = (names: readonly string[] | undefined, name: string): boolean => names?.includes(name) === true

const why = (name: string, quirks: Quirks): string | null => (has(quirks.refuses, name) ? NOT_SUPPORTED : null)

function field(name: string, value: Json, quirks: Quirks): RequestFields {
  if (value === null) return NO_FIELDS
  const reason = why(name, quirks)
  return reason === null ? requestFields({ [name]: value }) : droppedField(name, reason)
}

function maxTokens({ max_output_tokens: limit }: Request, quirks: Quirks): RequestFields {
  if (limit === null || limit >= LEAST_TOKENS || quirks.openaiModels !== true) {
    return field('max_output_tokens', limit, quirks)
  }
  return has(quirks.refuses, 'max_output_tokens')
    ? droppedField('max_output_tokens', NOT_SUPPORTED)
    : mappedField(
        { max_output_tokens: LEAST_TOKENS },
        'max_output_tokens',
        `raised to ${LEAST_TOKENS}, the minimum of this upstream`,
      )
}

/** Leaves out the default values of a field: some clients always send them, and an upstream may refuse the field. */
const unusual = (value: string | null, usual: readonly string[]): string | null =>
  value === null || usual.includes(value) ? null : value

/** The upstream returns log probabilities if `include` names them; their number alone does not suffice. */
function logprobs(request: Request, quirks: Quirks): { include: boolean; piece: RequestFields } {
  const { top_logprobs: top, include } = request
  const requested = include.includes(LOGPROBS) || (top !== null && top > 0)
  if (!requested) return { include: false, piece: NO_FIELDS }
  const reason = why('top_logprobs', quirks)
  if (reason !== null) return { include: false, piece: droppedField(logprobsField(request), reason) }
  return { include: true, piece: top === null ? NO_FIELDS : requestFields({ top_logprobs: top }) }
}

/** Some client APIs list the pages of each search, which this API returns only if `include` names them. */
const needsSources = ({ needs_sources, tools }: Request, { webSearch }: Quirks): boolean =>
  needs_sources && tools.some(isSearchTool) && listsSources(webSearch ?? 'openai')

/**
 * Requests encrypted reasoning, the only form that can be sent back, since nothing is stored. OpenAI's models without
 * reasoning refuse that request.
 */
function include(request: Request, isPlain: boolean, quirks: Quirks, withLogprobs: boolean): RequestFields {
  const requested = request.include.filter((name) => name !== LOGPROBS && name !== ENCRYPTED)
  const sources = needsSources(request, quirks) ? [SOURCES] : []
  const names = [...(isPlain ? [] : [ENCRYPTED]), ...requested, ...sources, ...(withLogprobs ? [LOGPROBS] : [])]
  return names.length === 0 ? NO_FIELDS : requestFields({ include: [...new Set(names)] })
}

/**
 * OpenAI returns summaries only on request, and refuses the request for organisations that are not verified: a client
 * that does not read reasoning gets none.
 */
function summaryOf({ reasoning }: Request, target: UpstreamContext): string | null {
  const requested = reasoning?.summary ?? null
  const { effort = null, hidden } = reasoning ?? {}
  const thinks = effort !== null && effort !== 'none' && hidden !== true
  if (requested !== null || !thinks || target.quirks.openaiModels !== true) return requested
  return otherMeaning('summary', RESPONSES_WIRE, target) ?? null
}

function reasoning(request: Request, target: UpstreamContext, isPlain: boolean): RequestFields {
  const { quirks } = target
  const effort = request.reasoning?.effort ?? null
  const wanted = request.reasoning?.summary ?? null
  if (isPlain) return wanted === null ? NO_FIELDS : droppedField('reasoning.summary', NO_REASONING)
  const noSummary = has(quirks.refuses, 'reasoning.summary')
  const summary = noSummary ? null : summaryOf(request, target)
  const encoded = { ...(effort === null ? {} : { effort }), ...(summary === null ? {} : { summary }) }
  const fields: JsonObject = Object.keys(encoded).length === 0 ? {} : { reasoning: encoded }
  return mergeFields([
    requestFields(fields),
    noSummary && wanted !== null ? droppedField('reasoning.summary', NOT_SUPPORTED) : NO_FIELDS,
  ])
}

function encodeFormat(format: TextFormat, target: UpstreamContext): { format: JsonObject; loss: RequestFields } {
  if (format.type !== 'json_schema') return { format: { type: format.type }, loss: NO_FIELDS }
  const { type, name, description, schema } = format
  const { strict, loss } = strictOfFormat(format, RESPONSES_WIRE, target)
  const rest = { ...(description === null ? {} : { description }), ...(strict === null ? {} : { strict }) }
  return { format: { type, name: formatName(name, target.quirks), schema, ...rest }, loss }
}

function textOptions({ text }: Request, target: UpstreamContext): RequestFields {
  const requested = text?.format ?? null
  const verbosity = text?.verbosity ?? null
  const encoded = requested === null || requested.type === 'text' ? null : encodeFormat(requested, target)
  const options: JsonObject = {
    ...(encoded === null ? {} : { format: encoded.format }),
    ...(verbosity === null ? {} : { verbosity }),
  }
  const fields = requestFields(Object.keys(options).length === 0 ? {} : { text: options })
  return encoded === null ? fields : mergeFields([fields, encoded.loss])
}

/** Only OpenAI's own models have two kinds of retention. */
function retention({ prompt_cache_retention: value }: Request, { openaiModels }: Quirks): RequestFields {
  if (value === null) return NO_FIELDS
  if (openaiModels === true)
    return requestFields({ prompt_cache_retention: value === 'in-memory' ? 'in_memory' : value })
  return hasEffect('prompt_cache_retention', value) ? droppedField('prompt_cache_retention', NOT_SUPPORTED) : NO_FIELDS
}

/** Leaves out members of the options that the client left out. */
function cacheOptions({ prompt_cache_options: options }: Request): Json {
  const { mode = null, ttl = null } = options ?? {}
  if (mode === null && ttl === null) return null
  return { ...(mode === null ? {} : { mode }), ...(ttl === null ? {} : { ttl }) }
}

/** A session that the client names elsewhere is the key at OpenAI's own servers. */
function cacheKey({ prompt_cache_key: requested }: Request, target: UpstreamContext): RequestFields {
  const { openaiModels, platform } = target.quirks
  if (requested !== null || openaiModels !== true || platform === 'copilot') return NO_FIELDS
  const session = otherMeaning('cacheKey', RESPONSES_WIRE, target) ?? null
  return session === null ? NO_FIELDS : requestFields({ prompt_cache_key: session })
}

/** Ollama shortens conversations by default: OpenAI does the same for its clients. */
function truncation({ truncation: requested }: Request, target: UpstreamContext): RequestFields {
  const { quirks } = target
  if (requested !== null) return field('truncation', unusual(requested, ['disabled']), quirks)
  const meant = otherMeaning('truncation', RESPONSES_WIRE, target)
  const isTaken = quirks.openaiModels === true && why('truncation', quirks) === null
  return meant === undefined || !isTaken ? NO_FIELDS : requestFields({ truncation: meant })
}

/** ChatGPT's backend refuses a request without `instructions`. */
function instructions({ instructions: text }: Request, { needsInstructions }: Quirks): RequestFields {
  if (text !== null) return requestFields({ instructions: text })
  return needsInstructions === true ? requestFields({ instructions: '' }) : NO_FIELDS
}

export const address: Wire['address'] = () => ({ path: '/responses' })

/** Encodes a request for the upstream: nothing is stored there, and reasoning comes encrypted. */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const { model, quirks } = target
  const tools = encodeTools(request, target)
  if (!tools.ok) return tools
  const facts = factsOf(target, 'openai-responses')
  const isPlain = facts.reasons === 'never'
  const streamsOnly = quirks.streamsOnly === true || facts.streamsOnly === true
  const input = yield* encodeInput(request, target)
  const probabilities = logprobs(request, quirks)
  const { fields, losses } = mergeFields([
    request.stop?.length ? droppedField('stop', 'the Responses API has no stop sequences') : NO_FIELDS,
    instructions(request, quirks),
    request.stream || streamsOnly ? requestFields({ stream: true }) : NO_FIELDS,
    maxTokens(request, quirks),
    ...SAME_FIELDS.map((name) => field(name, request[name], quirks)),
    field('prompt_cache_options', cacheOptions(request), quirks),
    retention(request, quirks),
    cacheKey(request, target),
    truncation(request, target),
    field('service_tier', unusual(request.service_tier, ['auto', 'default']), quirks),
    probabilities.piece,
    include(request, isPlain, quirks, probabilities.include),
    reasoning(request, target, isPlain),
    textOptions(request, target),
    tools,
  ])
  return {
    ok: true,
    // The cast is safe: the items are plain JSON, but TypeScript does not accept an interface as `Json`.
    body: { model, input: input.out as unknown as Json, store: false, ...fields },
    losses: [...input.losses, ...losses],
  }
}

/** Returns the header from which this vendor reads the key. */
export function authorize(key: string, { keyHeader }: Quirks): Readonly<Record<string, string>> {
  return keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }
}
