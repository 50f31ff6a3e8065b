import type { Json, JsonObject } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { isObject } from '../../text/json.ts'
import { runSteps } from '../../text/steps.ts'
import { pathIn } from '../../validation/messages.ts'
import { numberLosses } from '../passthrough/number-losses.ts'
import { type RefusedMembers, withoutRefused } from './refused-members.ts'

/** Changes that the operator has declared for every request to a vendor. */
export interface BodyEdits {
  /**
   * Merged into each body: objects member by member, any other value as a whole. Its members take precedence over those
   * of a request.
   */
  readonly body?: JsonObject
  /** Names of members of a client's body that reach the upstream unchanged where they would be dropped. */
  readonly pass?: readonly string[]
}

/** The body of a call, with the losses of the request. */
export interface EncodedBody {
  readonly body: JsonObject
  /** With the client's own paths. */
  readonly losses: readonly Loss[]
}

/**
 * Applies the edits to an encoded body, without the members that the upstream refuses. `sent`: the client's own body. Of a member that is passed, only the numbers that
 * parsing may have changed are losses.
 * Nothing is changed in place.
 */
export function editBody(encoded: EncodedBody, sent: unknown, edits: BodyEdits, refused: RefusedMembers): EncodedBody {
  const { body, losses } = withoutRefused(encoded, refused)
  const passed = passedMembers({ body, losses }, sent, edits.pass ?? [])
  if (passed.length === 0) return { body: withOwnMembers(body, edits), losses }
  const added = Object.fromEntries(passed)
  const kept = losses.filter(({ path }) => !passed.some(([name]) => isWithin(path, pathIn('', name))))
  return {
    body: withOwnMembers(mergeObjects(body, added), edits),
    losses: [...kept, ...runSteps(numberLosses(added, Object.keys(added)))],
  }
}

const withOwnMembers = (body: JsonObject, { body: own = {} }: BodyEdits): JsonObject =>
  Object.keys(own).length === 0 ? body : mergeObjects(body, own)

/**
 * The members that were dropped as a whole. A member that the request has in another form already is no such loss, and
 * would be sent twice.
 */
function passedMembers(
  { body, losses }: EncodedBody,
  sent: unknown,
  names: readonly string[],
): readonly (readonly [name: string, value: Json])[] {
  if (names.length === 0 || !isObject(sent)) return []
  const lost = new Set(losses.filter(({ action }) => action === 'dropped').map(({ path }) => path))
  return [...new Set(names)].flatMap((name) => {
    const isLost = lost.has(pathIn('', name)) && Object.hasOwn(sent, name) && !Object.hasOwn(body, name)
    return isLost ? [[name, sent[name] as Json] as const] : []
  })
}

const isWithin = (path: string, member: string): boolean =>
  path.startsWith(member) && ['', '.', '['].includes(path.charAt(member.length))

/** Members keep their order, and new ones follow. */
export function mergeObjects(value: JsonObject, added: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(value))
  for (const [name, member] of Object.entries(added)) merged.set(name, mergeValues(merged.get(name), member))
  // An assignment to `__proto__` would not add a member.
  return Object.fromEntries(merged)
}

const mergeValues = (value: Json | undefined, added: Json): Json =>
  isJsonObject(value) && isJsonObject(added) ? mergeObjects(value, added) : added

const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value)
