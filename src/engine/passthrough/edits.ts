import type { Json, JsonObject } from '../../protocol/json.ts'
import { dropped, type Loss } from '../../protocol/loss.ts'
import { isObject } from '../../text/json.ts'
import { valueAt } from '../../text/json-path.ts'
import type { WireName } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { openEnvelopes, withoutItemIds } from './input-items.ts'
import { withMember, withValue } from './members.ts'

/** The context of an edit: everything that it reads beside the client's body. */
export interface EditContext {
  /** The upstream's own name of the model. */
  readonly model: string
  readonly quirks: Quirks
  /** The body that the hub encoded for the same upstream. */
  readonly encoded: JsonObject
  /** The losses of that encoding, with the client's own paths. */
  readonly losses: readonly Loss[]
  /** Opens encrypted reasoning that this gateway issued for this upstream; undefined for any other. */
  readonly open: (encryptedContent: string) => Json | undefined
}

/** A body after an edit: the same object if the edit had nothing to change. */
export interface EditedBody {
  readonly body: JsonObject
  readonly losses: readonly Loss[]
}

/** A declared change to a body that is otherwise passed through. Members keep their order, and new ones follow. */
export type EditBody = (body: JsonObject, context: EditContext) => EditedBody

const lossless =
  (change: (body: JsonObject, context: EditContext) => JsonObject): EditBody =>
  (body, context) => ({ body: change(body, context), losses: [] })

const has = (list: unknown, value: Json): boolean => Array.isArray(list) && list.includes(value)

// ---------------------------------------------------------------- all protocols

const model = lossless((body, context) => withMember(body, 'model', context.model))

/** Members that the gateway reads itself: an upstream may refuse them. */
const GATEWAY_MEMBERS = ['session_id', 'trace', 'plugins'] as const

const gatewayMembers = lossless((body) =>
  GATEWAY_MEMBERS.reduce<JsonObject>((edited, name) => withMember(edited, name, undefined), body),
)

/**
 * Drops or lowers the settings that this vendor or model refuses, as the hub does. A setting at one of these paths that
 * has no loss stays as the client sent it.
 */
const refusedSettings =
  (paths: readonly string[]): EditBody =>
  (body, { encoded, losses }) => {
    const found = losses.filter(({ path }) => paths.includes(path) && valueAt(body, path) !== undefined)
    const edited = found.reduce<JsonObject>((now, { path, action }) => {
      const value = action === 'mapped' ? (valueAt(encoded, path) as Json | undefined) : undefined
      return withValue(now, path.split('.'), value)
    }, body)
    return { body: edited, losses: found }
  }

// ---------------------------------------------------------------- chat completions

/** The gateway counts the tokens of each stream. Its client receives the counts only on request. */
const streamUsage: EditBody = (body, { quirks }) => {
  const { stream_options: options } = body
  if (quirks.noStreamOptions === true) {
    const others = isObject(options) && Object.keys(options).some((name) => name !== 'include_usage')
    return {
      body: withMember(body, 'stream_options', undefined),
      losses: others ? [dropped('stream_options', 'this upstream does not support it')] : [],
    }
  }
  if (body.stream !== true || (isObject(options) && options.include_usage === true)) return { body, losses: [] }
  const given = isObject(options) ? (options as JsonObject) : {}
  return { body: withMember(body, 'stream_options', { ...given, include_usage: true }), losses: [] }
}

/** Both names of the limit; a vendor may know only one. */
const LIMITS = ['max_tokens', 'max_completion_tokens'] as const

const maxTokens: EditBody = (body, { quirks, encoded }) => {
  const [own, other] = Object.hasOwn(encoded, LIMITS[1]) ? ([LIMITS[1], LIMITS[0]] as const) : LIMITS
  const value = encoded[own]
  // Each model of OpenAI accepts the newer name.
  const stays = other === LIMITS[1] && quirks.openaiModels === true && !Object.hasOwn(body, own)
  if (value === undefined || !Object.hasOwn(body, other) || stays) return { body, losses: [] }
  if (Object.hasOwn(body, own)) {
    const edited = withMember(withMember(body, other, undefined), own, value)
    const isSecond = body[own] !== body[other]
    return { body: edited, losses: isSecond ? [dropped('max_tokens', 'max_completion_tokens takes precedence')] : [] }
  }
  const renamed = Object.entries(body).map(([name, member]) => (name === other ? [own, value] : [name, member]))
  return { body: Object.fromEntries(renamed), losses: [] }
}

/** Members that only OpenAI and some routers know. */
const OPENAI_MEMBERS = ['service_tier', 'verbosity', 'safety_identifier', 'prompt_cache_key'] as const

const openaiMembers: EditBody = (body, { quirks, losses }) => {
  if (quirks.openaiFields === true) return { body, losses: [] }
  const names: readonly string[] = OPENAI_MEMBERS.filter((name) => Object.hasOwn(body, name))
  return {
    body: names.reduce<JsonObject>((edited, name) => withMember(edited, name, undefined), body),
    losses: losses.filter(({ path }) => names.includes(path)),
  }
}

const CHAT_SETTINGS = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'user',
  'stop',
  'parallel_tool_calls',
  'reasoning_effort',
] as const

const LOGPROBS = ['logprobs', 'top_logprobs'] as const

/** The two settings of log probabilities are refused together. */
const logprobs: EditBody = (body, { losses, encoded }) => {
  const found = losses.filter(({ path }) => has(LOGPROBS, path))
  if (found.length === 0 || Object.hasOwn(encoded, 'logprobs')) return { body, losses: [] }
  const edited = LOGPROBS.reduce<JsonObject>((now, name) => withMember(now, name, undefined), body)
  return { body: edited, losses: edited === body ? [] : found }
}

// ---------------------------------------------------------------- Messages

/** Vertex names the model in the path and the version in the body. */
const vertexVersion = lossless((body, { quirks, encoded }) =>
  quirks.rawPredict === true
    ? withMember(withMember(body, 'model', undefined), 'anthropic_version', encoded.anthropic_version)
    : body,
)

// ---------------------------------------------------------------- Responses

/** Left out, the setting means that the upstream stores the answer. */
const storesNothing = lossless((body) => withMember(body, 'store', false))

/**
 * Requests encrypted reasoning, because nothing is stored at the upstream, and leaves out what its model refuses to
 * include.
 */
const included = lossless((body, { encoded }) => {
  const names = ['reasoning.encrypted_content', 'message.output_text.logprobs'] as const
  const requested = Array.isArray(body.include) ? (body.include as readonly Json[]) : []
  const kept = requested.filter((name) => !has(names, name) || has(encoded.include, name))
  const missing = has(encoded.include, names[0]) && !kept.includes(names[0]) ? [names[0]] : []
  if (kept.length === requested.length && missing.length === 0) return body
  return withMember(body, 'include', [...kept, ...missing])
})

const vendorMembers = lossless((body, { quirks }) => {
  const streamed = quirks.streamsOnly === true ? withMember(body, 'stream', true) : body
  const { instructions = null } = streamed
  return quirks.needsInstructions === true && instructions === null
    ? withMember(streamed, 'instructions', '')
    : streamed
})

const RESPONSES_SETTINGS = [
  'max_output_tokens',
  'max_tool_calls',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'truncation',
  'service_tier',
  'top_logprobs',
  'reasoning.effort',
  'reasoning.summary',
] as const

// ---------------------------------------------------------------- the table

/** The edits of each protocol that clients and upstreams share, in their order; the log names those that were made. */
export const EDITS = {
  'openai-chat': {
    model,
    'members of the gateway': gatewayMembers,
    'usage of streams': streamUsage,
    'name of the limit': maxTokens,
    'members of OpenAI': openaiMembers,
    'refused settings': refusedSettings(CHAT_SETTINGS),
    'refused log probabilities': logprobs,
  },
  'anthropic-messages': {
    model,
    'members of the gateway': gatewayMembers,
    'version of Vertex': vertexVersion,
  },
  'gemini-generate': { 'members of the gateway': gatewayMembers },
  'ollama-chat': { model, 'members of the gateway': gatewayMembers },
  'openai-responses': {
    model,
    'members of the gateway': gatewayMembers,
    'ids of items': lossless(withoutItemIds),
    'opened envelopes': openEnvelopes,
    'nothing stored': storesNothing,
    'encrypted reasoning': included,
    'members of the vendor': vendorMembers,
    'refused settings': refusedSettings(RESPONSES_SETTINGS),
  },
} satisfies Partial<Record<WireName, Readonly<Record<string, EditBody>>>>
