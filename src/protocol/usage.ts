/**
 * Token counts as inclusive totals: cached tokens are part of the input, reasoning tokens part of the output. null
 * means that the upstream does not report the count, which differs from 0.
 */
export interface Usage {
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly total_tokens: number | null
  readonly cached_tokens: number | null
  readonly reasoning_tokens: number | null
  /** Input tokens that were written to a cache; set only if the upstream reports them. */
  readonly cache_write_tokens?: number
  /** The price of the answer in US dollars; set only if the upstream reports it. */
  readonly cost?: number
  /** Counts above 0 of which few protocols have fields; set only if the upstream reports some. */
  readonly details?: UsageDetails
}

/** Parts of the input, of the output and of the cached input by kind; tokens of a predicted output; server tools. */
export const USAGE_DETAILS = [
  'input_text_tokens',
  'input_image_tokens',
  'input_audio_tokens',
  'input_video_tokens',
  'input_document_tokens',
  'output_text_tokens',
  'output_image_tokens',
  'output_audio_tokens',
  'output_video_tokens',
  'cached_text_tokens',
  'cached_image_tokens',
  'cached_audio_tokens',
  'cached_video_tokens',
  'cached_document_tokens',
  'accepted_prediction_tokens',
  'rejected_prediction_tokens',
  'web_search_requests',
  'web_fetch_requests',
] as const

export type UsageDetail = (typeof USAGE_DETAILS)[number]

export type UsageDetails = Readonly<Partial<Record<UsageDetail, number>>>

/** The field for tokens that were written to a cache; empty if there were none. */
export const cacheWrites = (tokens: number | null | undefined): Pick<Usage, 'cache_write_tokens'> =>
  tokens === null || tokens === undefined || tokens === 0 ? {} : { cache_write_tokens: tokens }

/** The field for the price; empty if it is no amount. */
export const costOf = (cost: unknown): Pick<Usage, 'cost'> =>
  typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { cost } : {}

/** The text of an input, output or cache is listed only beside other kinds: alone it is the whole count. */
const isAlone = (name: UsageDetail, counts: UsageDetails): boolean => {
  const side = name.slice(0, name.indexOf('_') + 1)
  return (
    name.endsWith('_text_tokens') &&
    !USAGE_DETAILS.some((other) => other !== name && other.startsWith(side) && counts[other])
  )
}

/** The field for details; empty if none of them is a count above 0. */
export function usageDetails(counts: Readonly<Partial<Record<UsageDetail, unknown>>>): Pick<Usage, 'details'> {
  const positive: Partial<Record<UsageDetail, number>> = {}
  for (const name of USAGE_DETAILS) {
    const value = counts[name]
    if (Number.isSafeInteger(value) && (value as number) > 0) positive[name] = value as number
  }
  const names = USAGE_DETAILS.filter((name) => positive[name] !== undefined && !isAlone(name, positive))
  return names.length === 0 ? {} : { details: Object.fromEntries(names.map((name) => [name, positive[name]])) }
}

/** Names the parts of the usage that a client does not receive. `known`: the details that its protocol has fields for. */
export function usageLosses(
  usage: Usage | null,
  known: { readonly cost: boolean; readonly details: readonly UsageDetail[] },
): readonly string[] {
  const details = USAGE_DETAILS.filter((name) => usage?.details?.[name] !== undefined && !known.details.includes(name))
  const cost = usage?.cost !== undefined && !known.cost ? ['usage.cost'] : []
  return [...cost, ...details.map((name) => `usage.${name}`)]
}
