import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { type Served, type ServedMember, toServiceTier } from '../../protocol/served.ts'
import { isNonEmptyString } from '../../text/json.ts'

/** The members that clients have fields for: of the answer, and `native_finish_reason` of its choice. */
export const CHAT_SERVED: readonly ServedMember[] = [
  'service_tier',
  'system_fingerprint',
  'provider',
  'native_finish_reason',
]

const member = (name: ServedMember, value: unknown): Served => (isNonEmptyString(value) ? { [name]: value } : {})

/** Reads how a request is served from a chunk or a whole answer, and its choice. */
export const readServed = (answer: JsonRecord, choice: JsonRecord | null): Served => ({
  ...member('service_tier', toServiceTier(answer.service_tier)),
  ...member('system_fingerprint', answer.system_fingerprint),
  ...member('provider', answer.provider),
  ...member('native_finish_reason', choice?.native_finish_reason),
})

/** The fields of an answer, and of its choice. */
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
