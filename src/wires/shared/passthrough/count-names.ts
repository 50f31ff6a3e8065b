import type { JsonObject } from '../../../protocol/json.ts'
import { firstCount } from '../../../protocol/usage.ts'
import { isObject } from '../../../text/json.ts'
import { withMember } from './members.ts'

/** The names of a protocol, with those that other protocols have for the same. */
export interface CountNames {
  readonly counts: Readonly<Record<string, string>>
  /** Objects with further counts. */
  readonly details: Readonly<Record<string, string>>
}

/**
 * Gives a usage the names that clients of the protocol read, where the upstream has those of another protocol: the
 * decoder reads both. The upstream's own members stay.
 */
export function nameCounts(usage: JsonObject, { counts, details }: CountNames): JsonObject {
  const counted = Object.entries(counts).reduce((now, [name, other]) => {
    const count = firstCount(usage[name], usage[other])
    return count === null ? now : withMember(now, name, count)
  }, usage)
  return Object.entries(details).reduce((now, [name, other]) => {
    const own = usage[name]
    const found = usage[other]
    if (!isObject(found) || (own !== undefined && own !== null && !isObject(own))) return now
    const joined = { ...(found as JsonObject), ...(own as JsonObject | null | undefined) }
    const isSame = isObject(own) && Object.keys(joined).length === Object.keys(own).length
    return isSame ? now : withMember(now, name, joined)
  }, counted)
}
