import { getOrCreate } from '../../collections/get-or-create.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { valueAt } from '../../text/json-path.ts'
import type { Steps } from '../../text/steps.ts'
import { pathIn } from '../../validation/messages.ts'
import type { Origins } from '../../wires/origins.ts'
import { type EntryLinks, membersOf } from '../origins.ts'
import { hasSameContent, ownName } from './same-content.ts'

/** The members of a client's body that the hub has no fields for. */
interface UnsupportedMembers {
  readonly body: JsonObject
  /** Their paths in the body. */
  readonly paths: ReadonlySet<string>
  /** The names of members of the body itself that no upstream receives. */
  readonly withheld: ReadonlySet<string>
}

interface Context extends UnsupportedMembers {
  readonly links: EntryLinks
  /** The paths of all values of the client's body that contain an unsupported member. */
  readonly around: ReadonlySet<string>
  /** The paths of all values of the encoded body that are, or contain, a counterpart of an entry with an unsupported member. */
  readonly reached: ReadonlySet<string>
  readonly carried: Set<string>
  readonly origins: Origins | undefined
}

/** A value of the client's body. */
interface Sent {
  readonly value: Json
  readonly path: string
}

/**
 * Puts the members that the hub has no fields for into the body that it encoded for an upstream of the same protocol, each
 * into the object that its own object has become: for an entry of a list, as `links` has it; for a member, under the same
 * name. A member stays a loss if the hub dropped that object, split it, joined it with another one, or set a member of the
 * same name. In slices. `carried`: the paths of the members that the body has. `origins`: the records of the
 * encoded body, which become those of the whole one.
 */
export function* carryUnsupported(
  unsupported: UnsupportedMembers,
  encoded: JsonObject,
  links: EntryLinks,
  origins?: Origins,
): Steps<{ readonly body: JsonObject; readonly carried: ReadonlySet<string> }> {
  const { body, paths } = unsupported
  if (paths.size === 0) return { body: encoded, carried: paths }
  const around = pathsAround(paths)
  const entries = [...around].flatMap((path) => links.upstreamOf(path) ?? [])
  const reached = new Set([...pathsAround(entries), ...entries])
  const context = { ...unsupported, links, around, reached, carried: new Set<string>(), origins }
  const whole = yield* merge(encoded, '', { value: body, path: '' }, context)
  return { body: whole as JsonObject, carried: context.carried }
}

/** A name in quotes may contain the marks of a step, so that some of these paths do not exist. */
function pathsAround(paths: Iterable<string>): ReadonlySet<string> {
  const around = new Set([''])
  for (const path of paths) {
    for (let end = path.length - 1; end > 0; end -= 1) {
      const letter = path[end]
      if (letter !== '.' && letter !== '[') continue
      const prefix = path.slice(0, end)
      if (around.has(prefix)) break
      around.add(prefix)
    }
  }
  return around
}

const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value)

/**
 * The value of the encoded body at the path `at` with the unsupported members of the client's value that it was made of. `sent`:
 * null if there is none. Entries of lists inside may be made of others of the client's body all the same.
 */
function* merge(encoded: Json | undefined, at: string, sent: Sent | null, context: Context): Steps<Json | undefined> {
  const own = sent !== null && context.around.has(sent.path) ? sent : null
  if (own !== null && replaces(own, encoded, context)) return own.value
  if (own === null && !context.reached.has(at)) return encoded
  if (Array.isArray(encoded)) return yield* mergeList(encoded as readonly Json[], at, own, context)
  return isJsonObject(encoded) ? yield* mergeObject(encoded, at, own, context) : encoded
}

/**
 * Whether the client's own value takes the place of an encoded one in another form, because its read members have the same
 * content: texts that the hub joins, and lists of plain values.
 */
function replaces({ value, path }: Sent, encoded: Json | undefined, context: Context): boolean {
  const hasPlaces = Array.isArray(value)
    ? value.some((_, at) => context.links.upstreamOf(`${path}[${at}]`) !== null)
    : isJsonObject(encoded)
  const unsupported: string[] = []
  if (hasPlaces || !hasSameContent(readPart(value, path, context, unsupported), encoded)) return false
  for (const own of unsupported) context.carried.add(own)
  return true
}

/** The value without the members that are not read, whose paths are added to `unsupported`. */
function readPart(value: Json, path: string, context: Context, unsupported: string[]): Json {
  if (!context.around.has(path)) return value
  const read = membersOf(value, path).flatMap(([name, member, own]): [string, Json][] => {
    if (!context.paths.has(own)) return [[name, readPart(member, own, context, unsupported)]]
    unsupported.push(own)
    return []
  })
  return Array.isArray(value) ? read.map(([, entry]) => entry) : Object.fromEntries(read)
}

function* mergeObject(encoded: JsonObject, at: string, sent: Sent | null, context: Context): Steps<Json> {
  const { paths, withheld, carried } = context
  const members = new Map<string, Json | undefined>(Object.entries(encoded))
  const others = new Set(members.keys())
  for (const [name, value, path] of sent !== null && isJsonObject(sent.value) ? membersOf(sent.value, sent.path) : []) {
    if (at === '' && withheld.has(name)) continue
    const theirs = ownName(encoded, name) ?? name
    const known = members.get(theirs)
    const merged = paths.has(path)
      ? joinMembers(value, known)
      : yield* merge(known, pathIn(at, theirs), { value, path }, context)
    if (paths.has(path) && firstDifference(merged, value) === null) carried.add(path)
    if (merged !== known) members.set(theirs, merged)
    others.delete(theirs)
  }
  for (const name of others) members.set(name, yield* merge(members.get(name), pathIn(at, name), null, context))
  const isSame =
    members.size === Object.keys(encoded).length && [...members].every(([name, one]) => one === encoded[name])
  if (isSame) return encoded
  // An assignment to `__proto__` would not add a member.
  const whole = Object.fromEntries(members) as JsonObject
  context.origins?.join(whole, [encoded])
  return whole
}

/** The encoded members take precedence. */
const joinMembers = (member: Json, encoded: Json | undefined): Json =>
  isJsonObject(member) && isJsonObject(encoded)
    ? Object.fromEntries(new Map([...Object.entries(member), ...Object.entries(encoded)]))
    : (encoded ?? member)

function* mergeList(list: readonly Json[], at: string, sent: Sent | null, context: Context): Steps<Json> {
  const { body, paths, links, around, carried } = context
  const ends = new Map<string, number>()
  const merged: Json[] = []
  for (const [index, entry] of list.entries()) {
    const place = `${at}[${index}]`
    const path = links.clientOf(place)
    if (path !== null) ends.set(path, index + 1)
    const value = path === null || !around.has(path) ? undefined : (valueAt(body, path) as Json | undefined)
    const own = path !== null && value !== undefined && isSameKind(value, entry) ? { value, path } : null
    merged.push((yield* merge(entry, place, own, context)) ?? entry)
    yield
  }
  // An entry that is not read follows the entry before it.
  const added = new Map<number, Json[]>()
  let end = 0
  for (const [, entry, path] of sent !== null && Array.isArray(sent.value) ? membersOf(sent.value, sent.path) : []) {
    end = ends.get(path) ?? end
    if (!paths.has(path)) continue
    getOrCreate(added, end, () => []).push(entry)
    carried.add(path)
  }
  if (added.size === 0 && merged.every((entry, index) => entry === list[index])) return list
  return [...(added.get(0) ?? []), ...merged.flatMap((entry, index) => [entry, ...(added.get(index + 1) ?? [])])]
}

/** A system message may be sent as a message of the developer. */
const wordOf = (word: Json | undefined): Json | undefined => (word === 'developer' ? 'system' : word)

/** An entry that was sent as one of another kind may not have the members of its own kind. */
const isSameKind = (sent: Json, encoded: Json): boolean =>
  !isJsonObject(sent) ||
  !isJsonObject(encoded) ||
  ['role', 'type'].every((name) => {
    const [own, other] = [sent[name], encoded[name]]
    return typeof own !== 'string' || typeof other !== 'string' || wordOf(own) === wordOf(other)
  })
