import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { firstDifference } from '../../text/json-diff.ts'
import type { Steps } from '../../text/steps.ts'
import { pathIn } from '../../validation/messages.ts'
import { pairEntries } from './pair-entries.ts'
import { hasSameContent, isNothing, ownName } from './same-content.ts'

/** The members of a client's body that the hub has no fields for. */
export interface UnreadMembers {
  readonly body: JsonObject
  /** Their paths in the body. */
  readonly paths: ReadonlySet<string>
  /** The names of members of the body itself that no upstream receives. */
  readonly withheld: ReadonlySet<string>
}

/** An encoded body with unread members. */
export interface CarriedBody {
  readonly body: JsonObject
  /** The paths of the unread members that it has. */
  readonly carried: ReadonlySet<string>
}

interface Context extends Pick<UnreadMembers, 'paths' | 'withheld'> {
  /** The paths of all values that contain an unread member. */
  readonly around: ReadonlySet<string>
  readonly carried: Set<string>
}

/**
 * Puts the members that the hub has no fields for into the body that it encoded for an upstream of the same protocol, each
 * into the object that its own object has become. A member stays a loss if the hub dropped that object, joined it with
 * another one, or set a member of the same name. In slices.
 */
export function* carryUnread(unread: UnreadMembers, encoded: JsonObject): Steps<CarriedBody> {
  const { paths, withheld } = unread
  if (paths.size === 0) return { body: encoded, carried: paths }
  const carried = new Set<string>()
  const context = { paths, withheld, around: pathsAround(paths), carried }
  return { body: yield* mergeObjects(unread.body, encoded, '', context), carried }
}

/** A name in quotes may contain the marks of a step, so that some of these paths do not exist. */
function pathsAround(paths: ReadonlySet<string>): ReadonlySet<string> {
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

// ---------------------------------------------------------------- members that are read

/** The value without the members that are not read. */
function readPart(value: Json, path: string, context: Context): Json {
  if (!context.around.has(path)) return value
  if (Array.isArray(value)) {
    const list: readonly Json[] = value
    return list.flatMap((entry, at) => {
      const own = `${path}[${at}]`
      return context.paths.has(own) ? [] : [readPart(entry, own, context)]
    })
  }
  if (!isObject(value)) return value
  const members = Object.entries(value as JsonObject).flatMap(([name, member]): [string, Json][] => {
    const own = pathIn(path, name)
    return context.paths.has(own) ? [] : [[name, readPart(member, own, context)]]
  })
  return Object.fromEntries(members)
}

/** Returns the client's own value, with all that is not read in it. */
function whole(value: Json, path: string, context: Context): Json {
  if (!context.around.has(path)) return value
  const members: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? (value as readonly Json[]).map((entry, at) => [`${path}[${at}]`, entry])
    : Object.entries(isObject(value) ? (value as JsonObject) : {}).map(([name, it]) => [pathIn(path, name), it])
  for (const [own, member] of members) {
    if (context.paths.has(own)) context.carried.add(own)
    else whole(member, own, context)
  }
  return value
}

// ---------------------------------------------------------------- merging

function* mergeValues(sent: Json, encoded: Json, path: string, context: Context): Steps<Json> {
  if (!context.around.has(path)) return encoded
  if (isJsonObject(sent) && isJsonObject(encoded)) return yield* mergeObjects(sent, encoded, path, context)
  if (Array.isArray(sent) && Array.isArray(encoded)) return yield* mergeLists(sent, encoded, path, context)
  return hasSameContent(readPart(sent, path, context), encoded) ? whole(sent, path, context) : encoded
}

const isJsonObject = (value: Json): value is JsonObject => isObject(value)

function* mergeObjects(sent: JsonObject, encoded: JsonObject, path: string, context: Context): Steps<JsonObject> {
  // An assignment to `__proto__` would not add a member.
  const merged = new Map<string, Json>(Object.entries(encoded))
  for (const [name, member] of Object.entries(sent)) {
    const own = pathIn(path, name)
    if (path === '' && context.withheld.has(name)) continue
    const theirs = ownName(encoded, name)
    if (context.paths.has(own)) {
      const value = theirs === null ? member : joined(member, encoded[theirs] as Json)
      merged.set(theirs ?? name, value)
      if (firstDifference(value, member) === null) context.carried.add(own)
      continue
    }
    if (!context.around.has(own)) continue
    if (theirs !== null) merged.set(theirs, yield* mergeValues(member, encoded[theirs] as Json, own, context))
    else if (isNothing(readPart(member, own, context))) merged.set(name, whole(member, own, context))
  }
  return Object.fromEntries(merged)
}

/** The encoded members take precedence. */
const joined = (member: Json, encoded: Json): Json =>
  isJsonObject(member) && isJsonObject(encoded)
    ? Object.fromEntries([
        ...Object.entries(member).filter(([name]) => !Object.hasOwn(encoded, name)),
        ...Object.entries(encoded),
      ])
    : encoded

/** An entry of a list of the client that is read, with its path and without what is not read in it. */
interface KeptEntry {
  readonly at: number
  readonly own: string
  readonly entry: Json
  readonly read: Json
}

const keptEntries = (sent: readonly Json[], path: string, context: Context): readonly KeptEntry[] =>
  sent.flatMap((entry, at) => {
    const own = `${path}[${at}]`
    return context.paths.has(own) ? [] : [{ at, own, entry, read: readPart(entry, own, context) }]
  })

function* mergeLists(
  sent: readonly Json[],
  encoded: readonly Json[],
  path: string,
  context: Context,
): Steps<readonly Json[]> {
  const kept = keptEntries(sent, path, context)
  const read = kept.map((it) => it.read)
  // The hub joins the texts of a list. The client's own list is the same with its members.
  if (read.length !== encoded.length && hasSameContent(read, encoded))
    return whole(sent, path, context) as readonly Json[]
  const pairs = yield* pairEntries(read, encoded)
  const merged: Json[] = [...encoded]
  for (const [mine, theirs] of pairs) {
    const { entry, own } = kept[mine] as KeptEntry
    merged[theirs] = yield* mergeValues(entry, encoded[theirs] as Json, own, context)
  }
  for (const group of groupsWithoutPair(kept, encoded.length, pairs)) yield* mergeGroup(group, merged, context)
  const ends = new Map([...pairs].map(([mine, theirs]) => [kept[mine]?.at, theirs + 1]))
  return withEntries(merged, sent, ends, path, context)
}

// ---------------------------------------------------------------- messages that the hub joined or split

/** Neighbouring messages without a pair: those of the client, and the indices of those that the hub encoded instead. */
interface Group {
  readonly mine: KeptEntry[]
  readonly theirs: number[]
}

function groupsWithoutPair(
  kept: readonly KeptEntry[],
  encoded: number,
  pairs: ReadonlyMap<number, number>,
): readonly Group[] {
  const groups = new Map<number, Group>()
  const groupAfter = (pair: number): Group => {
    const group = groups.get(pair) ?? { mine: [], theirs: [] }
    groups.set(pair, group)
    return group
  }
  let last = -1
  kept.forEach((entry, at) => {
    last = pairs.get(at) ?? last
    if (!pairs.has(at)) groupAfter(last).mine.push(entry)
  })
  const paired = new Set(pairs.values())
  last = -1
  for (let at = 0; at < encoded; at += 1) {
    if (paired.has(at)) last = at
    else groups.get(last)?.theirs.push(at)
  }
  return [...groups.values()].filter(({ theirs }) => theirs.length > 0)
}

/** The members in which a message holds its parts. */
const PARTS = ['content', 'parts'] as const

const partsOf = (message: Json): readonly (readonly [name: string, parts: readonly Json[]])[] =>
  isJsonObject(message)
    ? PARTS.flatMap((name) => (Array.isArray(message[name]) ? [[name, message[name] as readonly Json[]] as const] : []))
    : []

const roleOf = (message: Json | undefined): Json | undefined =>
  message !== undefined && isJsonObject(message) ? message.role : undefined

/** The parts of joined messages are still parts of the same role, in the same order. */
function* mergeGroup({ mine, theirs }: Group, merged: Json[], context: Context): Steps<void> {
  if (!mine.some(({ own }) => context.around.has(own))) return
  const left = mine.flatMap(({ own, entry }) =>
    partsOf(entry).flatMap(([name, parts]) =>
      keptEntries(parts, `${own}.${name}`, context).map((part) => ({ ...part, role: roleOf(entry) })),
    ),
  )
  const right = theirs.flatMap((at) =>
    partsOf(merged[at] as Json).flatMap(([, parts]) => parts.map((part) => ({ at, part }))),
  )
  const found = yield* pairEntries(
    left.map(({ read }) => read),
    right.map(({ part }) => part),
  )
  for (const [from, to] of found) {
    const { entry, own, role } = left[from] as (typeof left)[number]
    const place = right[to] as (typeof right)[number]
    if (role !== roleOf(merged[place.at])) continue
    place.part = yield* mergeValues(entry, place.part, own, context)
  }
  // The parts are in the order of their messages.
  let next = 0
  for (const at of theirs) {
    const lists = partsOf(merged[at] as Json).map(([name, parts]): [string, Json] => {
      next += parts.length
      return [name, right.slice(next - parts.length, next).map(({ part }) => part)]
    })
    if (lists.length > 0) merged[at] = { ...(merged[at] as JsonObject), ...Object.fromEntries(lists) }
  }
}

// ---------------------------------------------------------------- entries that are not read

/**
 * Inserts the entries that are not read, each after the entry before it. `ends`: the end of each entry of the client in
 * `merged`.
 */
function withEntries(
  merged: readonly Json[],
  sent: readonly Json[],
  ends: ReadonlyMap<number | undefined, number>,
  path: string,
  { paths, carried }: Context,
): readonly Json[] {
  const inserted = new Map<number, Json[]>()
  let place = 0
  sent.forEach((entry, at) => {
    place = ends.get(at) ?? place
    const own = `${path}[${at}]`
    if (!paths.has(own)) return
    carried.add(own)
    const here = inserted.get(place)
    if (here === undefined) inserted.set(place, [entry])
    else here.push(entry)
  })
  if (inserted.size === 0) return merged
  return [...merged, null].flatMap((entry, at) => [...(inserted.get(at) ?? []), ...(at < merged.length ? [entry] : [])])
}
