import type { JsonRecord } from '../../protocol/json.ts'
import { type Served, type ServedMember, toServiceTier } from '../../protocol/served.ts'
import { readTokens, type Usage, type UsageDetail, type UsageDetails, usageDetails } from '../../protocol/usage.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { sum } from '../shared/google/counts.ts'
import type { Candidate, ModalityTokenCount, UsageMetadata } from './json.ts'

/** The lists of counts by kind, and the kinds that each of them has. */
const DETAILS = {
  promptTokensDetails: {
    TEXT: 'input_text_tokens',
    IMAGE: 'input_image_tokens',
    AUDIO: 'input_audio_tokens',
    VIDEO: 'input_video_tokens',
    DOCUMENT: 'input_document_tokens',
  },
  cacheTokensDetails: {
    TEXT: 'cached_text_tokens',
    IMAGE: 'cached_image_tokens',
    AUDIO: 'cached_audio_tokens',
    VIDEO: 'cached_video_tokens',
    DOCUMENT: 'cached_document_tokens',
  },
  candidatesTokensDetails: {
    TEXT: 'output_text_tokens',
    IMAGE: 'output_image_tokens',
    AUDIO: 'output_audio_tokens',
    VIDEO: 'output_video_tokens',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, UsageDetail>>>>

const LISTS = Object.entries(DETAILS)

/** The details that clients have fields for. */
export const GEMINI_DETAILS: readonly UsageDetail[] = /* @__PURE__ */ Object.values(DETAILS).flatMap((kinds) =>
  Object.values(kinds),
)

function addDetails(
  details: Partial<Record<UsageDetail, number>>,
  list: unknown,
  kinds: Readonly<Record<string, UsageDetail>>,
): void {
  for (const entry of toArray(list)) {
    if (!isObject(entry)) continue
    const name = lookup(kinds, scalarToString(entry.modality))
    const tokens = readTokens(entry.tokenCount)
    if (name !== undefined && tokens !== null) details[name] = (details[name] ?? 0) + tokens
  }
}

function detailsIn(found: JsonRecord): UsageDetails {
  const details: Partial<Record<UsageDetail, number>> = {}
  for (const [field, kinds] of LISTS) addDetails(details, found[field], kinds)
  addDetails(details, found.toolUsePromptTokensDetails, DETAILS.promptTokensDetails)
  return details
}

function listsOf(details: UsageDetails): Pick<UsageMetadata, keyof typeof DETAILS> {
  const lists = Object.entries(DETAILS).flatMap(([field, kinds]) => {
    const list = Object.entries(kinds).flatMap(([modality, name]): readonly ModalityTokenCount[] => {
      const tokenCount = details[name]
      return tokenCount === undefined ? [] : [{ modality, tokenCount }]
    })
    return list.length === 0 ? [] : [[field, list]]
  })
  return Object.fromEntries(lists)
}

/**
 * Returns the inclusive totals of one `usageMetadata`: tokens that a tool read count as input, reasoning as output. The
 * last one of a stream counts alone, because the numbers fall between the steps of a tool. null if it has no counts.
 */
export function toUsage(found: JsonRecord): Usage | null {
  const input_tokens = sum(found.promptTokenCount, found.toolUsePromptTokenCount)
  const output_tokens = sum(found.candidatesTokenCount, found.thoughtsTokenCount)
  const total = readTokens(found.totalTokenCount)
  if (input_tokens === null && output_tokens === null && total === null) return null
  return {
    input_tokens,
    output_tokens,
    total_tokens: total ?? sum(input_tokens, output_tokens),
    cached_tokens: readTokens(found.cachedContentTokenCount),
    reasoning_tokens: readTokens(found.thoughtsTokenCount),
    ...usageDetails(detailsIn(found)),
  }
}

/**
 * Encodes usage; null if nothing is known. Google counts reasoning apart from the answer, cached tokens in the prompt.
 */
export function toUsageMetadata(usage: Usage): UsageMetadata | null {
  const { input_tokens: prompt, output_tokens: output, total_tokens: total, cached_tokens: cached } = usage
  // Some vendors report more reasoning than output. The output total is billed, so it limits the reasoning.
  const reasoning =
    usage.reasoning_tokens === null || output === null
      ? usage.reasoning_tokens
      : Math.min(usage.reasoning_tokens, output)
  const found: UsageMetadata = {
    ...(prompt === null ? {} : { promptTokenCount: prompt }),
    ...(cached === null ? {} : { cachedContentTokenCount: cached }),
    ...(output === null ? {} : { candidatesTokenCount: output - (reasoning ?? 0) }),
    ...(reasoning === null ? {} : { thoughtsTokenCount: reasoning }),
    ...(total === null ? {} : { totalTokenCount: total }),
    ...listsOf(usage.details ?? {}),
  }
  return Object.keys(found).length === 0 ? null : found
}

// ---------------------------------------------------------------- how a request was served

/** The members that clients have fields for: of the usage, and of the candidate. */
export const GEMINI_SERVED: readonly ServedMember[] = ['service_tier', 'traffic_type', 'continuation_token']

/** Vertex names the tier in the class of billing only. */
const TIERS_OF_TRAFFIC: ReadonlyMap<string, string> = new Map([
  ['ON_DEMAND_PRIORITY', 'priority'],
  ['ON_DEMAND_FLEX', 'flex'],
])

/** Reads how the request is served, which Google reports as a part of the usage. */
export function servedIn({ serviceTier, trafficType }: JsonRecord): Served {
  const traffic = scalarToString(trafficType)
  const tier = toServiceTier(serviceTier) ?? TIERS_OF_TRAFFIC.get(traffic)
  return {
    ...(tier === undefined ? {} : { service_tier: tier }),
    ...(traffic === '' || traffic === 'TRAFFIC_TYPE_UNSPECIFIED' ? {} : { traffic_type: traffic }),
  }
}

/** An answer that ended too early, and what continues it. */
const CONTINUATION = 'CONTINUATION'

export const continuationIn = ({ finishReason, continuationToken }: JsonRecord): Served =>
  finishReason === CONTINUATION
    ? { continuation_token: isNonEmptyString(continuationToken) ? continuationToken : '' }
    : {}

export const toUsageFields = ({ service_tier, traffic_type }: Served): UsageMetadata => ({
  ...(service_tier === undefined ? {} : { serviceTier: service_tier === 'default' ? 'standard' : service_tier }),
  ...(traffic_type === undefined ? {} : { trafficType: traffic_type }),
})

/** The fields of a candidate that ended too early. */
export const toContinuation = ({ continuation_token: token }: Served): Candidate =>
  token === undefined ? {} : { finishReason: CONTINUATION, ...(token === '' ? {} : { continuationToken: token }) }
