import type { ModelFacts } from '../../models/facts.ts'
import { dropped, type Loss, mapped } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { logprobsField } from '../../wires/shared/upstream/logprobs.ts'
import { type Fit, fitting, isReasoningOn } from './fit.ts'

// ---------------------------------------------------------------- sampling

type Setting = 'temperature' | 'top_p' | 'presence_penalty' | 'frequency_penalty'

/** Claude's own defaults, which many of its clients send. */
const CLAUDE_DEFAULT = 1

const REFUSED = 'this model does not support it'

const without = (request: Request, names: readonly Setting[]): Request => {
  const set = names.filter((name) => request[name] !== null)
  return set.length === 0 ? request : { ...request, ...Object.fromEntries(set.map((name) => [name, null])) }
}

const lossesOf = (request: Request, names: readonly Setting[], { family }: ModelFacts): readonly Loss[] =>
  names
    .filter(
      (name) =>
        request[name] !== null &&
        !(name.endsWith('_penalty') && request[name] === 0) &&
        !(family === 'claude' && request[name] === CLAUDE_DEFAULT),
    )
    .map((name) => dropped(name, REFUSED))

const LOGPROBS = 'message.output_text.logprobs'

/** Log probabilities are among what OpenAI's models refuse while they reason. */
function withoutLogprobs(request: Request): ReturnType<Fit> {
  const { top_logprobs, include } = request
  if (top_logprobs === null && !include.includes(LOGPROBS)) return fitting(request)
  const asked = include.includes(LOGPROBS) || (top_logprobs ?? 0) > 0
  return fitting(
    { ...request, top_logprobs: null, include: include.filter((name) => name !== LOGPROBS) },
    ...(asked ? [dropped(logprobsField(request), REFUSED)] : []),
  )
}

/** Parameters of sampling are left out where the model refuses them. */
export const fitSampling: Fit = (request, facts) => {
  const { sampling, penalties, family } = facts
  const isRefused = sampling === 'none' || (sampling === 'without-reasoning' && isReasoningOn(request, facts))
  if (!isRefused && penalties !== false) return fitting(request)
  const isGpt = family === 'gpt'
  const names: readonly Setting[] = [
    ...(isRefused ? (['temperature', 'top_p'] as const) : []),
    ...(penalties === false || (isRefused && isGpt) ? (['presence_penalty', 'frequency_penalty'] as const) : []),
  ]
  const probabilities = isRefused && isGpt ? withoutLogprobs(request) : fitting(request)
  return fitting(without(probabilities.request, names), ...lossesOf(request, names, facts), ...probabilities.losses)
}

// ---------------------------------------------------------------- limits

export const fitStops: Fit = (request, { mostStops }) => {
  const { stop } = request
  if (mostStops === undefined || stop === null || stop.length <= mostStops) return fitting(request)
  if (mostStops === 0) return fitting({ ...request, stop: null }, dropped('stop', REFUSED))
  const why = `only the first ${mostStops} of ${stop.length} are sent, the most that this upstream accepts`
  return fitting({ ...request, stop: stop.slice(0, mostStops) }, mapped('stop', why))
}

export const fitOutputLimit: Fit = (request, { leastOutput }) => {
  const { max_output_tokens: limit } = request
  if (leastOutput === undefined || limit === null || limit >= leastOutput) return fitting(request)
  const why = `raised to ${leastOutput}, the minimum of this model`
  return fitting({ ...request, max_output_tokens: leastOutput }, mapped('max_output_tokens', why))
}

const ALWAYS_TAKEN: readonly string[] = ['auto', 'default']

export const fitTier: Fit = (request, { tiers }) => {
  const { service_tier: tier } = request
  if (tiers === undefined || tier === null || ALWAYS_TAKEN.includes(tier) || tiers.some((one) => one === tier))
    return fitting(request)
  return fitting(
    { ...request, service_tier: null },
    dropped('service_tier', 'this upstream does not support this tier'),
  )
}

/** Identifiers are dropped rather than cut: a part of one could be that of another user. */
const IDENTIFIERS = [
  ['user', 'longestUser'],
  ['safety_identifier', 'longestSafetyId'],
  ['prompt_cache_key', 'longestCacheKey'],
] as const

export const fitIdentifiers: Fit = (request, facts) => {
  const long = IDENTIFIERS.filter(
    ([name, fact]) => (request[name]?.length ?? 0) > (facts[fact] ?? Number.POSITIVE_INFINITY),
  )
  if (long.length === 0) return fitting(request)
  const losses = long.map(([name, fact]) => dropped(name, `this upstream accepts at most ${facts[fact]} characters`))
  return fitting({ ...request, ...Object.fromEntries(long.map(([name]) => [name, null])) }, ...losses)
}
