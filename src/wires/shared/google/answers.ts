import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { readTokens, type Usage, type UsageDetail, type UsageDetails, usageDetails } from '../../../protocol/usage.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { ModelListing } from '../../client-contract.ts'
import type { ModelLister } from '../../model-list-contract.ts'

/* The parts of answers that both protocols of Google have, and their lists of models. */

// ---------------------------------------------------------------- lists of models

/** Google's list, of at most 1000 models a page, without those that generate no content, such as embeddings. */
export const googleModelList: ModelLister = {
  path: (from) => `/models?pageSize=1000${from === null ? '' : `&pageToken=${encodeURIComponent(from)}`}`,
  decode(body) {
    if (!isObject(body) || !Array.isArray(body.models)) return null
    return {
      ids: body.models.flatMap((model) => (isObject(model) && generates(model) ? [nameOf(model)] : [])),
      next: isNonEmptyString(body.nextPageToken) ? body.nextPageToken : null,
    }
  },
}

const generates = ({ supportedGenerationMethods: methods }: Readonly<Record<string, unknown>>): boolean =>
  !Array.isArray(methods) || methods.includes('generateContent')

const nameOf = ({ name }: Readonly<Record<string, unknown>>): unknown =>
  typeof name === 'string' ? name.replace(/^models\//, '') : name

const METHODS = ['generateContent', 'streamGenerateContent']

const modelOf = (id: string): JsonObject => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: METHODS,
})

/** Encodes lists of models in Google's format, with all models on one page. */
export const googleModels: ModelListing = {
  one: modelOf,
  list: (ids) => ({ models: ids.map(modelOf) }),
}

// ---------------------------------------------------------------- usage

/** The details of each list of counts by kind. */
const DETAILS = {
  input: {
    text: 'input_text_tokens',
    image: 'input_image_tokens',
    audio: 'input_audio_tokens',
    video: 'input_video_tokens',
    document: 'input_document_tokens',
  },
  cached: {
    text: 'cached_text_tokens',
    image: 'cached_image_tokens',
    audio: 'cached_audio_tokens',
    video: 'cached_video_tokens',
    document: 'cached_document_tokens',
  },
  output: {
    text: 'output_text_tokens',
    image: 'output_image_tokens',
    audio: 'output_audio_tokens',
    video: 'output_video_tokens',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, UsageDetail>>>>

type ListName = keyof typeof DETAILS

/** The details that clients have fields for. */
export const GOOGLE_DETAILS: readonly UsageDetail[] = /* @__PURE__ */ Object.values(DETAILS).flatMap((kinds) =>
  Object.values(kinds),
)

/** The members of one protocol for the counts of an answer. */
export interface UsageNames {
  readonly input: string
  /** Tokens that a tool has read, which Google counts beside the prompt. */
  readonly tools: string
  readonly cached: string
  readonly output: string
  /** Google counts it apart from the answer. */
  readonly reasoning: string
  readonly total: string
  readonly lists: Readonly<Record<ListName, string>>
  /** The list of the tokens that a tool has read. */
  readonly toolList: string
  /** The member of an element of a list that has its number. */
  readonly count: string
  /** Spells a kind as the protocol does. */
  spell(kind: string): string
}

/** Adds two counts, either of which may be missing; null if both are. */
function sum(one: unknown, other: unknown): number | null {
  const [a, b] = [readTokens(one), readTokens(other)]
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0)
}

function addDetails(
  details: Partial<Record<UsageDetail, number>>,
  list: unknown,
  kinds: Readonly<Record<string, UsageDetail>>,
  count: string,
): void {
  for (const entry of toArray(list)) {
    if (!isObject(entry)) continue
    const name = lookup(kinds, scalarToString(entry.modality).toLowerCase())
    const tokens = readTokens(entry[count])
    if (name !== undefined && tokens !== null) details[name] = (details[name] ?? 0) + tokens
  }
}

const LISTS = /* @__PURE__ */ Object.entries(DETAILS) as readonly (readonly [
  ListName,
  Readonly<Record<string, UsageDetail>>,
])[]

/**
 * Returns the inclusive totals of an answer: tokens that a tool read count as input, reasoning as output. null if it has
 * no counts. `more`: details beside those of the lists.
 */
export function readUsage(found: JsonRecord, names: UsageNames, more: UsageDetails = {}): Usage | null {
  const input_tokens = sum(found[names.input], found[names.tools])
  const output_tokens = sum(found[names.output], found[names.reasoning])
  const total = readTokens(found[names.total])
  if (input_tokens === null && output_tokens === null && total === null) return null
  const details: Partial<Record<UsageDetail, number>> = {}
  for (const [list, kinds] of LISTS) addDetails(details, found[names.lists[list]], kinds, names.count)
  addDetails(details, found[names.toolList], DETAILS.input, names.count)
  return {
    input_tokens,
    output_tokens,
    total_tokens: total ?? sum(input_tokens, output_tokens),
    cached_tokens: readTokens(found[names.cached]),
    reasoning_tokens: readTokens(found[names.reasoning]),
    ...usageDetails({ ...details, ...more }),
  }
}

/** Returns the members for usage. Counts that are unknown are left out. */
export function writeUsage(usage: Usage, names: UsageNames): JsonObject {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached, details = {} } = usage
  // Some vendors report more reasoning than output. The output total is billed, so it limits the reasoning.
  const reasoning =
    usage.reasoning_tokens === null || output === null
      ? usage.reasoning_tokens
      : Math.min(usage.reasoning_tokens, output)
  const counts: readonly (readonly [string, Json])[] = [
    [names.input, input],
    [names.cached, cached],
    [names.output, output === null ? null : output - (reasoning ?? 0)],
    [names.reasoning, reasoning],
    [names.total, usage.total_tokens],
  ]
  const lists = LISTS.map(([list, kinds]) => [names.lists[list], listOf(kinds, details, names)] as const)
  return Object.fromEntries([
    ...counts.filter(([, count]) => count !== null),
    ...lists.filter(([, list]) => list.length > 0),
  ])
}

const listOf = (
  kinds: Readonly<Record<string, UsageDetail>>,
  details: UsageDetails,
  { spell, count }: UsageNames,
): readonly JsonObject[] =>
  Object.entries(kinds).flatMap(([kind, name]) => {
    const tokens = details[name]
    return tokens === undefined ? [] : [{ modality: spell(kind), [count]: tokens }]
  })
