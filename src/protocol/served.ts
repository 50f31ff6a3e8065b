/** Members of an answer that describe how its upstream served the request. */
export const SERVED_MEMBERS = [
  /** The tier in the words of the Responses API: `default`, `flex`, `priority` and others. */
  'service_tier',
  /** The configuration of OpenAI's servers. */
  'system_fingerprint',
  /** The provider that a router chose (OpenRouter). */
  'provider',
  /** The word of that provider for why the answer ended (OpenRouter). */
  'native_finish_reason',
  /** `fast` or `standard` (Anthropic). */
  'speed',
  /** The region of the inference (Anthropic). */
  'inference_geo',
  /** The class of a refused request, such as `cyber` (Anthropic). */
  'refusal_category',
  /** The credit of a refused request at another model, and whether it includes the beginning of the answer (Anthropic). */
  'fallback_credit_token',
  'fallback_has_prefill_claim',
  /** The stop sequence that ended the answer (Anthropic, vLLM). */
  'stop_sequence',
  /** The class of billing (Vertex). */
  'traffic_type',
  /** Continues an answer that ended too early, in base64 (Gemini). */
  'continuation_token',
] as const

export type ServedMember = (typeof SERVED_MEMBERS)[number]

export type Served = Readonly<Partial<Record<ServedMember, string>>>

/** Words of vendors for the usual tier. */
const USUAL_TIERS: ReadonlySet<string> = new Set(['default', 'standard', 'on_demand', 'standard_only'])

/** A vendor's word for a tier as the Responses API has it; null if it names none. */
export function toServiceTier(word: unknown): string | null {
  const tier = typeof word === 'string' ? word.toLowerCase() : ''
  if (tier === '' || tier === 'unspecified') return null
  return USUAL_TIERS.has(tier) ? 'default' : tier
}

/** Values that report nothing special: a client that does not receive them loses nothing. */
const USUAL: Readonly<Partial<Record<ServedMember, string>>> = {
  service_tier: 'default',
  speed: 'standard',
  traffic_type: 'ON_DEMAND',
}

/** Names the members that a client does not receive. `known`: those that its protocol has a field for. */
export const servedLosses = (served: Served, known: readonly ServedMember[]): readonly string[] =>
  SERVED_MEMBERS.filter((name) => {
    const value = served[name]
    return value !== undefined && value !== USUAL[name] && !known.includes(name)
  })
