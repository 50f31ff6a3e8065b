import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { type Served, type ServedMember, toServiceTier } from '../../protocol/served.ts'
import {
  cacheWrites,
  costOf,
  firstCount,
  hasCountsOfAnthropic,
  laterCount,
  laterInput,
  type Usage,
  type UsageDetail,
  type UsageDetails,
  usageDetails,
  withCachedInput,
} from '../../protocol/usage.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import { readCost } from '../shared/upstream/read-cost.ts'

/** The members of two objects, either of which may be missing. The later one precedes. */
function joined(earlier: unknown, later: unknown): JsonRecord {
  if (!isObject(later)) return isObject(earlier) ? earlier : {}
  return isObject(earlier) ? { ...earlier, ...later } : later
}

/** The fields of details: of the input, of the output, and OpenRouter's counts of its own tools. */
const DETAILS = {
  prompt_tokens_details: {
    text_tokens: 'input_text_tokens',
    image_tokens: 'input_image_tokens',
    audio_tokens: 'input_audio_tokens',
    video_tokens: 'input_video_tokens',
  },
  completion_tokens_details: {
    text_tokens: 'output_text_tokens',
    image_tokens: 'output_image_tokens',
    audio_tokens: 'output_audio_tokens',
    accepted_prediction_tokens: 'accepted_prediction_tokens',
    rejected_prediction_tokens: 'rejected_prediction_tokens',
  },
  server_tool_use_details: {
    web_search_requests: 'web_search_requests',
    tool_calls_requested: 'tool_calls_requested',
    tool_calls_executed: 'tool_calls_executed',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, UsageDetail>>>>

/** The details that clients have fields for. */
export const CHAT_DETAILS: readonly UsageDetail[] = /* @__PURE__ */ Object.values(DETAILS).flatMap((fields) =>
  Object.values(fields),
)

const GROUPS = Object.entries(DETAILS).map(([group, fields]) => [group, Object.entries(fields)] as const)

function detailsIn(usage: JsonRecord): Readonly<Partial<Record<UsageDetail, unknown>>> {
  const details: Partial<Record<UsageDetail, unknown>> = {}
  for (const [group, fields] of GROUPS) {
    const found = usage[group]
    if (isObject(found)) for (const [field, name] of fields) details[name] = found[field]
  }
  return details
}

const groupOf = (group: keyof typeof DETAILS, details: UsageDetails): JsonObject =>
  Object.fromEntries(
    Object.entries(DETAILS[group]).flatMap(([field, name]) => {
      const count = details[name]
      return count === undefined ? [] : [[field, count]]
    }),
  )

/** Usage in the vendor's own counts. */
export interface ReportedUsage extends Usage {
  /** A report of it has counts of Anthropic's models. */
  readonly ofAnthropic?: true
}

const OF_ANTHROPIC: Pick<ReportedUsage, 'ofAnthropic'> = { ofAnthropic: true }

/** Reads the numbers of one usage object. Databricks and others send nulls until the end. */
function read(usage: JsonRecord): ReportedUsage {
  const input = joined(usage.input_tokens_details, usage.prompt_tokens_details)
  const output = joined(usage.output_tokens_details, usage.completion_tokens_details)
  return {
    input_tokens: firstCount(usage.prompt_tokens, usage.input_tokens), // the second is that of mlx-vlm
    output_tokens: firstCount(usage.completion_tokens, usage.output_tokens),
    total_tokens: firstCount(usage.total_tokens),
    cached_tokens: firstCount(
      input.cached_tokens,
      usage.prompt_cache_hit_tokens, // DeepSeek
      usage.cached_tokens, // Moonshot
      usage.num_cached_tokens, // Mistral
      usage.cache_read_input_tokens, // Databricks
    ),
    reasoning_tokens: firstCount(output.reasoning_tokens, usage.reasoning_tokens), // the second is Perplexity's
    ...cacheWrites(firstCount(input.cache_write_tokens, usage.cache_creation_input_tokens)),
    ...(hasCountsOfAnthropic(usage, input.cache_write_tokens) ? OF_ANTHROPIC : {}),
    ...readCost(usage),
    ...usageDetails(detailsIn(usage)),
  }
}

const inputIn = ({ input_tokens, cached_tokens, cache_write_tokens }: Usage) => ({
  input_tokens,
  cached_tokens,
  written: cache_write_tokens ?? null,
})

/** Merges a further usage object: its numbers replace the earlier ones, its nulls do not, and zeros alone neither. */
export function mergeUsage(old: ReportedUsage | null, found: JsonRecord): ReportedUsage | null {
  const now = read(found)
  if (old === null) return now.input_tokens === null && now.output_tokens === null ? null : now
  const { input_tokens, cached_tokens, written } = laterInput(inputIn(now), inputIn(old))
  const output_tokens = laterCount(now.output_tokens, old.output_tokens)
  // A total that a zero was added up to is less than its parts.
  const sum = (input_tokens ?? 0) + (output_tokens ?? 0)
  const total_tokens = laterCount(now.total_tokens, old.total_tokens)
  const isKept = input_tokens !== now.input_tokens || output_tokens !== now.output_tokens
  return {
    input_tokens,
    output_tokens,
    total_tokens: isKept && total_tokens !== null ? Math.max(total_tokens, sum) : total_tokens,
    cached_tokens,
    reasoning_tokens: laterCount(now.reasoning_tokens, old.reasoning_tokens),
    ...cacheWrites(written),
    ...costOf(now.cost || old.cost),
    ...usageDetails({ ...old.details, ...now.details }),
    ...(old.ofAnthropic || now.ofAnthropic ? OF_ANTHROPIC : {}),
  }
}

/**
 * Converts to inclusive totals. xAI counts reasoning beside `completion_tokens`, and its total confirms it (6 of 6
 * recorded streams); every other vendor counts reasoning inside.
 */
export function toUsage({ ofAnthropic, ...raw }: ReportedUsage): Usage {
  const { input_tokens, output_tokens, total_tokens, reasoning_tokens } = raw
  const outside =
    reasoning_tokens !== null &&
    reasoning_tokens > 0 &&
    total_tokens === (input_tokens ?? 0) + (output_tokens ?? 0) + reasoning_tokens
  const usage = outside ? { ...raw, output_tokens: (output_tokens ?? 0) + reasoning_tokens } : raw
  return ofAnthropic === true ? withCachedInput(usage) : usage
}

const unlessEmpty = (name: string, fields: JsonObject): JsonObject =>
  Object.keys(fields).length === 0 ? {} : { [name]: fields }

/** Converts usage for clients. They calculate with the three main counts, so an unknown count is 0 there. */
export function toChatUsage(usage: Usage): JsonObject {
  const { input_tokens, output_tokens, total_tokens, cached_tokens, reasoning_tokens, details = {} } = usage
  return {
    prompt_tokens: input_tokens ?? 0,
    completion_tokens: output_tokens ?? 0,
    total_tokens: total_tokens ?? (input_tokens ?? 0) + (output_tokens ?? 0),
    ...unlessEmpty('prompt_tokens_details', {
      ...(cached_tokens === null ? {} : { cached_tokens }),
      ...cacheWrites(usage.cache_write_tokens),
      ...groupOf('prompt_tokens_details', details),
    }),
    ...unlessEmpty('completion_tokens_details', {
      ...(reasoning_tokens === null ? {} : { reasoning_tokens }),
      ...groupOf('completion_tokens_details', details),
    }),
    ...unlessEmpty('server_tool_use_details', groupOf('server_tool_use_details', details)),
    ...costOf(usage.cost),
  }
}

// ---------------------------------------------------------------- how a request was served

/** The members that clients have fields for: of the answer, and `native_finish_reason` of its choice. */
export const CHAT_SERVED: readonly ServedMember[] = [
  'service_tier',
  'system_fingerprint',
  'provider',
  'native_finish_reason',
]

/** Reads how a request is served from a chunk or a whole answer, and its choice. */
export function readServed(answer: JsonRecord, choice: JsonRecord | null): Served {
  const served: Partial<Record<ServedMember, string>> = {}
  const tier = toServiceTier(answer.service_tier ?? (isObject(answer.usage) ? answer.usage.service_tier : null))
  const reason = choice?.native_finish_reason
  if (isNonEmptyString(tier)) served.service_tier = tier
  if (isNonEmptyString(answer.system_fingerprint)) served.system_fingerprint = answer.system_fingerprint
  if (isNonEmptyString(answer.provider)) served.provider = answer.provider
  if (isNonEmptyString(reason)) served.native_finish_reason = reason
  // vLLM and SGLang: the stop sequence, or the number of a token.
  const stop = [choice?.stop_reason, choice?.matched_stop].find(isNonEmptyString)
  if (stop !== undefined && choice?.finish_reason === 'stop') served.stop_sequence = stop
  return served
}

export function toChatServed(served: Served): { readonly answer: JsonObject; readonly choice: JsonObject } {
  const { service_tier, system_fingerprint, provider, native_finish_reason } = served
  return {
    answer: {
      ...(service_tier === undefined ? {} : { service_tier }),
      ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
      ...(provider === undefined ? {} : { provider }),
    },
    choice: native_finish_reason === undefined ? {} : { native_finish_reason },
  }
}
