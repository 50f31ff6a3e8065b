import type { ModelFacts } from '../../models/facts.ts'
import { dropped, type Loss, mapped, NO_TIER } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { logprobsField } from '../../wires/shared/upstream/logprobs.ts'
import { type Facts, type Fitted, fitting, isReasoningOn, type RequestRule } from './rule.ts'

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
function withoutLogprobs(request: Request): Fitted {
  const { top_logprobs, include } = request
  if (top_logprobs === null && !include.includes(LOGPROBS)) return fitting(request)
  const asked = include.includes(LOGPROBS) || (top_logprobs ?? 0) > 0
  const places = include.flatMap((name, at) => (name === LOGPROBS ? [] : [at]))
  return {
    request: { ...request, top_logprobs: null, include: places.map((at) => include[at] ?? '') },
    losses: asked ? [dropped(logprobsField(request), REFUSED)] : [],
    toEarlier: movedEntries({ include: places }),
  }
}

/** Parameters of sampling are left out where the model refuses them. */
export const samplingSettings: RequestRule = {
  name: 'sampling',
  when: ({ model }) => model.sampling === 'none' || model.sampling === 'without-reasoning' || model.penalties === false,
  mend(request, { model }) {
    const { sampling: taken, penalties, family } = model
    const isRefused = taken === 'none' || (taken === 'without-reasoning' && isReasoningOn(request, model))
    if (!isRefused && penalties !== false) return fitting(request)
    const isGpt = family === 'gpt'
    const names: readonly Setting[] = [
      ...(isRefused ? (['temperature', 'top_p'] as const) : []),
      ...(penalties === false || (isRefused && isGpt) ? (['presence_penalty', 'frequency_penalty'] as const) : []),
    ]
    const probabilities = isRefused && isGpt ? withoutLogprobs(request) : fitting(request)
    return {
      ...probabilities,
      request: without(probabilities.request, names),
      losses: [...lossesOf(request, names, model), ...probabilities.losses],
    }
  },
}

/** The lowest `top_p` that Claude accepts while it reasons. */
const LEAST_TOP_P = 0.95

const BESIDE_REASONING = 'this model does not support it together with reasoning'
const BESIDE_TEMPERATURE = 'this model does not support it together with temperature'

const isFarFromDefault = (name: 'temperature' | 'top_p', value: number | null): boolean =>
  value !== null && (name === 'temperature' ? value !== CLAUDE_DEFAULT : value < LEAST_TOP_P)

/** A temperature of 1 is the default of each such model: without it, the request is the same. */
export const samplingTogether: RequestRule = {
  name: 'sampling beside other settings',
  when: ({ model }) => model.sampling === 'one' || model.samplingWhileReasoning === 'default',
  mend(request, { model }) {
    const { temperature, top_p } = request
    if (temperature === null && top_p === null) return fitting(request)
    const isBound = model.samplingWhileReasoning === 'default' && isReasoningOn(request, model)
    const refused = (['temperature', 'top_p'] as const).filter(
      (name) => isBound && isFarFromDefault(name, request[name]),
    )
    if (refused.length > 0)
      return fitting(without(request, refused), ...refused.map((name) => dropped(name, BESIDE_REASONING)))
    if (model.sampling !== 'one' || temperature === null || top_p === null) return fitting(request)
    if (temperature === CLAUDE_DEFAULT) return fitting(without(request, ['temperature']))
    return fitting(without(request, ['top_p']), ...(top_p === 1 ? [] : [dropped('top_p', BESIDE_TEMPERATURE)]))
  },
}

/** A temperature of 0 leaves one choice: the other limit has no effect there. */
export const greedySampling: RequestRule = {
  name: 'sampling without a choice',
  when: ({ quirks }) => quirks.fullTopP === true,
  mend: (request) =>
    request.temperature === 0 && request.top_p !== null ? fitting({ ...request, top_p: null }) : fitting(request),
}

/** The temperatures that an upstream accepts. */
const temperaturesOf = ({ model, quirks, wire }: Pick<Facts, 'model' | 'quirks' | 'wire'>) => ({
  least: quirks.leastTemperature ?? 0,
  most: model.mostTemperature ?? quirks.maxTemperature ?? wire.mostTemperature ?? Number.POSITIVE_INFINITY,
})

export const temperatures: RequestRule = {
  name: 'temperature',
  when: (facts) => {
    const { least, most } = temperaturesOf(facts)
    const isRefused = facts.quirks.refuses?.includes('temperature') === true
    return !isRefused && (least > 0 || most < Number.POSITIVE_INFINITY)
  },
  mend(request, facts) {
    const { least, most } = temperaturesOf(facts)
    const { temperature: asked } = request
    if (asked === null || (asked >= least && asked <= most)) return fitting(request)
    const [sent, why] =
      asked > most
        ? [most, `lowered to ${most}, the maximum of this upstream`]
        : [least, `raised to ${least}, the minimum of this upstream`]
    return fitting({ ...request, temperature: sent }, mapped('temperature', why))
  },
}

export const logProbabilities: RequestRule = {
  name: 'log probabilities',
  when: ({ model }) => model.logprobs === false,
  mend: withoutLogprobs,
}

export const verbosity: RequestRule = {
  name: 'verbosity',
  when: ({ model }) => model.verbosities !== undefined,
  mend(request, { model: { verbosities = [] } }) {
    const asked = request.text?.verbosity ?? null
    if (asked === null || verbosities.some((one) => one === asked)) return fitting(request)
    const text = { format: request.text?.format ?? null, verbosity: null }
    const isDefault = asked === DEFAULT_VERBOSITY
    return fitting({ ...request, text }, ...(isDefault ? [] : [dropped('text.verbosity', REFUSED)]))
  },
}

const DEFAULT_VERBOSITY = 'medium'

// ---------------------------------------------------------------- limits

const isBlank = (stop: string): boolean => stop.trim() === ''

/** Why some stop words are not sent. */
function stopLoss(kept: readonly string[], stop: readonly string[], most: number): Loss {
  if (most === 0) return dropped('stop', REFUSED)
  const blank = stop.filter(isBlank).length
  if (kept.length === 0) return dropped('stop', 'this upstream accepts no stop word of white space')
  return kept.length === stop.length - blank
    ? mapped('stop', 'sent without blank ones, which this upstream refuses')
    : mapped('stop', `only the first ${kept.length} of ${stop.length} are sent, the most that this upstream accepts`)
}

export const stops: RequestRule = {
  name: 'stop words',
  when: ({ model }) => model.mostStops !== undefined || model.blankStops === false,
  mend(request, { model: { mostStops = Number.POSITIVE_INFINITY, blankStops } }) {
    const { stop } = request
    if (stop === null) return fitting(request)
    const kept = stop.filter((word) => blankStops !== false || !isBlank(word)).slice(0, mostStops)
    if (kept.length === stop.length) return fitting(request)
    return fitting({ ...request, stop: kept.length === 0 ? null : kept }, stopLoss(kept, stop, mostStops))
  },
}

export const outputLimit: RequestRule = {
  name: 'output limit',
  when: ({ model }) => model.leastOutput !== undefined || model.mostOutput !== undefined,
  mend(request, { model: { leastOutput = 0, mostOutput = Number.POSITIVE_INFINITY } }) {
    const { max_output_tokens: limit } = request
    if (limit === null || (limit >= leastOutput && limit <= mostOutput)) return fitting(request)
    const [sent, why] =
      limit > mostOutput
        ? [mostOutput, `lowered to ${mostOutput}, the maximum of this model`]
        : [leastOutput, `raised to ${leastOutput}, the minimum of this model`]
    return fitting({ ...request, max_output_tokens: sent }, mapped('max_output_tokens', why))
  },
}

/** The meaning of a request without a tier. */
const USUAL: readonly string[] = ['auto', 'default']

export const tier: RequestRule = {
  name: 'service tier',
  when: ({ model }) => model.tiers !== undefined || model.usualTiers === false,
  mend(request, { model: { tiers, usualTiers } }) {
    const { service_tier: asked } = request
    if (asked === null) return fitting(request)
    const isUsual = USUAL.includes(asked)
    if (isUsual ? usualTiers !== false : (tiers?.some((one) => one === asked) ?? true)) return fitting(request)
    const left = { ...request, service_tier: null }
    return isUsual ? fitting(left) : fitting(left, dropped('service_tier', NO_TIER))
  },
}

const IDENTIFIERS = [
  ['user', 'longestUser'],
  ['safety_identifier', 'longestSafetyId'],
  ['prompt_cache_key', 'longestCacheKey'],
] as const

const MAIL = /[\w.+-]@[\w-]+\.\w/
/** With the prefix of a country or an area: digits alone may be any number. */
const TELEPHONE = /^(?:\+\d|\(\d{2,5}\))[\d\s().-]{6,}$/

const isPersonal = (id: string): boolean => MAIL.test(id) || TELEPHONE.test(id.trim())

/** An address or a number that identifies a person is no identifier of a user for some vendors. */
export const opaqueUsers: RequestRule = {
  name: 'identifiers of persons',
  subject: 'identifiers',
  when: ({ quirks }) => quirks.opaqueUser === true,
  mend(request) {
    const personal = (['user', 'safety_identifier'] as const).filter((name) => isPersonal(request[name] ?? ''))
    if (personal.length === 0) return fitting(request)
    const why = 'this upstream refuses a mail address or a telephone number as the identifier of a user'
    return fitting(
      { ...request, ...Object.fromEntries(personal.map((name) => [name, null])) },
      ...personal.map((name) => dropped(name, why)),
    )
  },
}

/** Identifiers are dropped rather than cut: a part of one could be that of another user. */
export const identifiers: RequestRule = {
  name: 'identifiers',
  subject: 'identifiers',
  when: ({ model }) => IDENTIFIERS.some(([, fact]) => model[fact] !== undefined),
  mend(request, { model }) {
    const long = IDENTIFIERS.filter(
      ([name, fact]) => (request[name]?.length ?? 0) > (model[fact] ?? Number.POSITIVE_INFINITY),
    )
    if (long.length === 0) return fitting(request)
    const losses = long.map(([name, fact]) => dropped(name, `this upstream accepts at most ${model[fact]} characters`))
    return fitting({ ...request, ...Object.fromEntries(long.map(([name]) => [name, null])) }, ...losses)
  },
}
