import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { type Served, type ServedMember, toServiceTier } from '../../protocol/served.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'

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
