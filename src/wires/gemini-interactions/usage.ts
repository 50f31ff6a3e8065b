import type { JsonRecord } from '../../protocol/json.ts'
import { readTokens, type Usage, type UsageDetail, type UsageDetails, usageDetails } from '../../protocol/usage.ts'
import { isObject, scalarToString, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { sum } from '../shared/google/counts.ts'
import type { InteractionUsage, ModalityTokens } from './json.ts'

/** The lists of counts by kind, and the kinds that each of them has. */
const DETAILS = {
  input_tokens_by_modality: {
    text: 'input_text_tokens',
    image: 'input_image_tokens',
    audio: 'input_audio_tokens',
    video: 'input_video_tokens',
    document: 'input_document_tokens',
  },
  cached_tokens_by_modality: {
    text: 'cached_text_tokens',
    image: 'cached_image_tokens',
    audio: 'cached_audio_tokens',
    video: 'cached_video_tokens',
    document: 'cached_document_tokens',
  },
  output_tokens_by_modality: {
    text: 'output_text_tokens',
    image: 'output_image_tokens',
    audio: 'output_audio_tokens',
    video: 'output_video_tokens',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, UsageDetail>>>>

/** The details that clients have fields for. */
export const INTERACTION_DETAILS: readonly UsageDetail[] = /* @__PURE__ */ Object.values(DETAILS).flatMap((kinds) =>
  Object.values(kinds),
)

function addDetails(
  details: Partial<Record<UsageDetail, number>>,
  list: unknown,
  kinds: Readonly<Record<string, UsageDetail>>,
): void {
  for (const entry of toArray(list)) {
    if (!isObject(entry)) continue
    const name = lookup(kinds, scalarToString(entry.modality).toLowerCase())
    const tokens = readTokens(entry.tokens)
    if (name !== undefined && tokens !== null) details[name] = (details[name] ?? 0) + tokens
  }
}

function detailsIn(found: JsonRecord): UsageDetails {
  const details: Partial<Record<UsageDetail, number>> = {}
  for (const [field, kinds] of Object.entries(DETAILS)) addDetails(details, found[field], kinds)
  addDetails(details, found.tool_use_tokens_by_modality, DETAILS.input_tokens_by_modality)
  for (const entry of toArray(found.grounding_tool_count)) {
    const searches = isObject(entry) && entry.type === 'google_search' ? readTokens(entry.count) : null
    if (searches !== null) details.web_search_requests = (details.web_search_requests ?? 0) + searches
  }
  return details
}

/**
 * Returns the inclusive totals: tokens that a tool read count as input, thoughts as output. null if there are no counts.
 */
export function toUsage(found: JsonRecord): Usage | null {
  const input_tokens = sum(found.total_input_tokens, found.total_tool_use_tokens)
  const output_tokens = sum(found.total_output_tokens, found.total_thought_tokens)
  const total = readTokens(found.total_tokens)
  if (input_tokens === null && output_tokens === null && total === null) return null
  return {
    input_tokens,
    output_tokens,
    total_tokens: total ?? sum(input_tokens, output_tokens),
    cached_tokens: readTokens(found.total_cached_tokens),
    reasoning_tokens: readTokens(found.total_thought_tokens),
    ...usageDetails(detailsIn(found)),
  }
}

const listOf = (kinds: Readonly<Record<string, UsageDetail>>, details: UsageDetails): readonly ModalityTokens[] =>
  Object.entries(kinds).flatMap(([modality, name]) => {
    const tokens = details[name]
    return tokens === undefined ? [] : [{ modality, tokens }]
  })

function listsOf(details: UsageDetails): Pick<InteractionUsage, keyof typeof DETAILS> {
  const lists = Object.entries(DETAILS).map(([field, kinds]) => [field, listOf(kinds, details)] as const)
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0))
}

/** Encodes usage. Counts that are unknown are left out, the object never: clients read its members without a test. */
export function fromUsage(usage: Usage | null): InteractionUsage {
  if (usage === null) return {}
  const { input_tokens: input, output_tokens: output, cached_tokens: cached } = usage
  // Some vendors report more reasoning than output. The output total is billed, so it limits the reasoning.
  const thoughts =
    usage.reasoning_tokens === null || output === null
      ? usage.reasoning_tokens
      : Math.min(usage.reasoning_tokens, output)
  return {
    ...(usage.total_tokens === null ? {} : { total_tokens: usage.total_tokens }),
    ...(input === null ? {} : { total_input_tokens: input }),
    ...(cached === null ? {} : { total_cached_tokens: cached }),
    ...(output === null ? {} : { total_output_tokens: output - (thoughts ?? 0) }),
    ...(thoughts === null ? {} : { total_thought_tokens: thoughts }),
    ...listsOf(usage.details ?? {}),
  }
}
