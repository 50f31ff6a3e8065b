import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { valueAt } from '../../text/json-path.ts'
import type { Steps } from '../../text/steps.ts'
import { pathIn } from '../../validation/messages.ts'
import type { EntryLinks } from '../origins.ts'
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
  readonly encoded: JsonObject
  readonly links: EntryLinks
  /** The paths of all values that contain an unread member. */
  readonly around: ReadonlySet<string>
  readonly carried: Set<string>
  /** The changes of the encoded body, by the path of the value there. */
  readonly edits: Map<string, Edit>
}

/** The change of a value of the encoded body: the client's own takes its place, or it gets members or entries. */
interface Edit {
  readonly value?: Json
  readonly members: Map<string, Json>
  /** Entries of a list, each with its position. */
  readonly entries: (readonly [at: number, entry: Json])[]
}

/** A value of the encoded body that the client's has become. */
interface Place {
  readonly path: string
  readonly value: Json
}

/**
 * Puts the members that the hub has no fields for into the body that it encoded for an upstream of the same protocol, each
 * into the object that its own object has become: for an entry of a list, as `links` has it; for a member, under the same
 * name. A member stays a loss if the hub dropped that object, split it, joined it with another one, or set a member of the
 * same name. In slices.
 */
export function* carryUnread(unread: UnreadMembers, encoded: JsonObject, links: EntryLinks): Steps<CarriedBody> {
  const { body, paths, withheld } = unread
  if (paths.size === 0) return { body: encoded, carried: paths }
  const [carried, edits] = [new Set<string>(), new Map<string, Edit>()]
  const context = { paths, withheld, encoded, links, around: pathsAround(paths), carried, edits }
  yield* findEdits(body, '', { path: '', value: encoded }, context)
  const changed = pathsAround(new Set(edits.keys()))
  return { body: withEdits(encoded, '', changed, edits) as JsonObject, carried }
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

// ---------------------------------------------------------------- where they go

const isJsonObject = (value: Json): value is JsonObject => isObject(value)

function editAt({ edits }: Context, { path }: Place): Edit {
  const known = edits.get(path) ?? { members: new Map<string, Json>(), entries: [] }
  edits.set(path, known)
  return known
}

/** `place`: null if the value was dropped, joined or split. Entries of lists inside have places of their own all the same. */
function* findEdits(sent: Json, path: string, place: Place | null, context: Context): Steps<void> {
  if (!context.around.has(path)) return
  if (Array.isArray(sent)) yield* findInList(sent, path, place, context)
  else if (isJsonObject(sent)) {
    const there = place !== null && isJsonObject(place.value) ? place.value : null
    if (place !== null && there === null) replaceSame(sent, path, place, context)
    yield* findInObject(sent, path, there === null ? null : { path: place?.path ?? '', value: there }, context)
  }
}

/** The client's own value takes the place of an encoded one with the same content. Returns whether it does. */
function replaceSame(sent: Json, path: string, place: Place, context: Context): boolean {
  const isSame = hasSameContent(readPart(sent, path, context), place.value)
  if (isSame) context.edits.set(place.path, { value: whole(sent, path, context), members: new Map(), entries: [] })
  return isSame
}

interface ObjectPlace extends Place {
  readonly value: JsonObject
}

function* findInObject(sent: JsonObject, path: string, place: ObjectPlace | null, context: Context): Steps<void> {
  for (const [name, member] of Object.entries(sent)) {
    const own = pathIn(path, name)
    if (path === '' && context.withheld.has(name)) continue
    const theirs = place === null ? null : ownName(place.value, name)
    const encoded = theirs === null ? undefined : place?.value[theirs]
    if (context.paths.has(own)) {
      if (place === null) continue
      const value = encoded === undefined ? member : joined(member, encoded)
      editAt(context, place).members.set(theirs ?? name, value)
      if (firstDifference(value, member) === null) context.carried.add(own)
    } else if (place !== null && encoded === undefined && isNothing(readPart(member, own, context))) {
      if (context.around.has(own)) editAt(context, place).members.set(name, whole(member, own, context))
    } else {
      const inner = place === null || theirs === null || encoded === undefined ? null : pathIn(place.path, theirs)
      yield* findEdits(member, own, inner === null ? null : { path: inner, value: encoded as Json }, context)
    }
  }
}

/** The encoded members take precedence. */
const joined = (member: Json, encoded: Json): Json =>
  isJsonObject(member) && isJsonObject(encoded)
    ? Object.fromEntries([
        ...Object.entries(member).filter(([name]) => !Object.hasOwn(encoded, name)),
        ...Object.entries(encoded),
      ])
    : encoded

/** A list without an entry that is linked may be the same all the same: texts that the hub joins, and plain values. */
function* findInList(sent: readonly Json[], path: string, place: Place | null, context: Context): Steps<void> {
  const { links, paths, encoded, carried } = context
  const ends = sent.map((_, at) => links.upstreamOf(`${path}[${at}]`))
  if (place !== null && ends.every((end) => end === null) && replaceSame(sent, path, place, context)) return
  const list = place !== null && Array.isArray(place.value) ? place : null
  let end = 0
  for (const [at, entry] of sent.entries()) {
    const own = `${path}[${at}]`
    const there = ends[at] ?? null
    const index = there !== null && list !== null ? indexIn(there, list.path) : null
    if (index !== null) end = index + 1
    if (!paths.has(own)) {
      const value = there === null ? undefined : (valueAt(encoded, there) as Json | undefined)
      const isSame = there !== null && value !== undefined && isSameKind(entry, value)
      yield* findEdits(entry, own, isSame ? { path: there, value } : null, context)
    } else if (list !== null) {
      // An entry that is not read follows the entry before it.
      editAt(context, list).entries.push([end, entry])
      carried.add(own)
    }
    yield
  }
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

/** The index of an entry of this list; null for one of another list. */
function indexIn(entry: string, list: string): number | null {
  const index = entry.startsWith(`${list}[`) ? /^\[(\d+)\]$/.exec(entry.slice(list.length))?.[1] : undefined
  return index === undefined ? null : Number(index)
}

// ---------------------------------------------------------------- the body with them

function withEdits(value: Json, path: string, changed: ReadonlySet<string>, edits: ReadonlyMap<string, Edit>): Json {
  const edit = edits.get(path)
  if (edit?.value !== undefined) return edit.value
  if (edit === undefined && !changed.has(path)) return value
  if (Array.isArray(value)) {
    const list = (value as readonly Json[]).map((entry, at) => withEdits(entry, `${path}[${at}]`, changed, edits))
    return edit === undefined ? list : withEntries(list, edit.entries)
  }
  if (!isJsonObject(value)) return value
  // An assignment to `__proto__` would not add a member.
  const members = new Map(
    Object.entries(value).map(([name, one]) => [name, withEdits(one as Json, pathIn(path, name), changed, edits)]),
  )
  for (const [name, member] of edit?.members ?? []) members.set(name, member)
  return Object.fromEntries(members)
}

function withEntries(list: readonly Json[], added: Edit['entries']): readonly Json[] {
  const all: Json[] = []
  let done = 0
  for (const [at, entry] of [...added].sort(([one], [other]) => one - other)) {
    for (; done < at; done += 1) all.push(list[done] as Json)
    all.push(entry)
  }
  return [...all, ...list.slice(done)]
}
