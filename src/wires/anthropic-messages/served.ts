import type { JsonObject } from '../../protocol/json.ts'
import type { Served, ServedMember } from '../../protocol/served.ts'

/** The members that clients have fields for: of the usage, and of `stop_details`. */
export const MESSAGES_SERVED: readonly ServedMember[] = [
  'service_tier',
  'speed',
  'inference_geo',
  'refusal_category',
  'fallback_credit_token',
  'fallback_has_prefill_claim',
  'stop_sequence',
]

/** The fields of the usage for how the request was served. */
export const toUsageFields = ({ service_tier, speed, inference_geo }: Served): JsonObject => ({
  ...(service_tier === undefined ? {} : { service_tier: service_tier === 'default' ? 'standard' : service_tier }),
  ...(speed === undefined ? {} : { speed }),
  ...(inference_geo === undefined ? {} : { inference_geo }),
})
