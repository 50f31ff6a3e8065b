import type { JsonRecord } from '../../protocol/json.ts'
import { type Served, type ServedMember, toServiceTier } from '../../protocol/served.ts'
import type { Usage } from '../../protocol/usage.ts'
import { isNonEmptyString, scalarToString } from '../../text/json.ts'
import { readUsage, type UsageNames, writeUsage } from '../shared/google/answers.ts'
import type { Candidate, UsageMetadata } from './json.ts'

const NAMES: UsageNames = {
  input: 'promptTokenCount',
  tools: 'toolUsePromptTokenCount',
  cached: 'cachedContentTokenCount',
  output: 'candidatesTokenCount',
  reasoning: 'thoughtsTokenCount',
  total: 'totalTokenCount',
  lists: {
    input: 'promptTokensDetails',
    cached: 'cacheTokensDetails',
    output: 'candidatesTokensDetails',
  },
  toolList: 'toolUsePromptTokensDetails',
  count: 'tokenCount',
  spell: (kind) => kind.toUpperCase(),
}

/** The last usage of a stream counts alone, because the numbers fall between the steps of a tool. */
export const toUsage = (found: JsonRecord): Usage | null => readUsage(found, NAMES)

/** Returns null if nothing is known. */
export function toUsageMetadata(usage: Usage): UsageMetadata | null {
  const found: UsageMetadata = writeUsage(usage, NAMES)
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
