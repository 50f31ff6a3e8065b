import type { Json, JsonObject } from '../protocol/json.ts'
import type { SourceMap } from '../protocol/source-map.ts'
import { isObject } from '../text/json.ts'
import type { Steps } from '../text/steps.ts'
import { pathIn } from '../validation/messages.ts'
import type { Origins } from '../wires/origins.ts'

/** A value of an upstream's body, and a value of the client's body of which it is made; `''` if that is not known. */
export type OriginPair = readonly [upstreamPath: string, clientPath: string]

/** The members of an object, or the entries of a list, each with its path; none of any other value. */
export const membersOf = (value: Json | undefined, path: string): readonly (readonly [string, Json, string])[] =>
  Array.isArray(value)
    ? (value as readonly Json[]).map((entry, at) => [String(at), entry, `${path}[${at}]`])
    : isObject(value)
      ? Object.entries(value as JsonObject).flatMap(([name, member]) =>
          member === undefined ? [] : [[name, member, pathIn(path, name)] as const],
        )
      : []

type PathsOf = (value: object) => readonly string[]

/** `pathsOf`: the client's paths of a value. `isWhole`: whether no value inside has others. O(size of the body). */
function* findPairs(body: JsonObject, pathsOf: PathsOf, isWhole: (value: object) => boolean): Steps<OriginPair[]> {
  const pairs: OriginPair[] = []
  const visit = (value: object, path: string): void => {
    for (const source of pathsOf(value)) pairs.push([path, source])
    if (!isWhole(value)) for (const [inner, own] of containersIn(value, path)) visit(inner, own)
  }
  for (const [member, path] of isWhole(body) ? [[body, ''] as const] : containersIn(body, '')) {
    if (!Array.isArray(member) || isWhole(member)) visit(member, path)
    else
      for (const [entry, own] of containersIn(member, path)) {
        visit(entry, own)
        yield
      }
  }
  return pairs
}

const containersIn = (value: object, path: string): readonly (readonly [object, string])[] =>
  Object.entries(value).flatMap(([name, member]) =>
    typeof member !== 'object' || member === null
      ? []
      : [[member, Array.isArray(value) ? `${path}[${name}]` : pathIn(path, name)] as const],
  )

/** Finds the pairs of an encoded body. `sourceMap`: that of the request that was encoded. */
export const originPairs = (body: JsonObject, origins: Origins, sourceMap: SourceMap): Steps<OriginPair[]> =>
  findPairs(
    body,
    (value) => origins.pathsOf(value).flatMap((path) => (path === '' ? [path] : sourceMap.originsOf(path))),
    // A schema contains no parts of a request.
    (value) => origins.pathsOf(value)[0]?.startsWith('tools[') === true,
  )

/** Finds the pairs of a body that has values of the client's own body in it: those that are the same objects. */
export function sharedPairs(body: JsonObject, sent: JsonObject): Steps<OriginPair[]> {
  const paths = new Map<object, string>()
  // Not the body itself, which is the client's own if nothing is changed: `''` is an unknown path.
  const note = (outer: Json, outerPath: string): void => {
    for (const [, value, path] of membersOf(outer, outerPath)) {
      if (typeof value === 'object' && value !== null) paths.set(value, path)
      note(value, path)
    }
  }
  note(sent, '')
  return findPairs(
    body,
    (value) => [paths.get(value) ?? []].flat(),
    (value) => paths.has(value),
  )
}

/** Entries of lists in two bodies of the same protocol: messages, parts, calls, tools. */
export interface EntryLinks {
  /** The upstream's entry that a client's one has become; null if that was joined, split or dropped. */
  upstreamOf(clientPath: string): string | null
  clientOf(upstreamPath: string): string | null
}

/** Links the entries around both values of each pair, as far as their paths have the same names. */
export function linkEntries(pairs: readonly OriginPair[]): EntryLinks {
  // Null stands for several.
  const [upstreams, clients] = [new Map<string, string | null>(), new Map<string, string | null>()]
  const link = (links: Map<string, string | null>, from: string, to: string): void => {
    const known = links.get(from)
    links.set(from, known === undefined || known === to ? to : null)
  }
  for (const [upstream, client] of pairs) {
    if (client === '') link(clients, upstream, client)
    let [at, other] = [0, 0]
    for (;;) {
      const [next, nextOther] = [upstream.indexOf('[', at), client.indexOf('[', other)]
      if (next < 0 || nextOther < 0 || upstream.slice(at, next) !== client.slice(other, nextOther)) break
      at = upstream.indexOf(']', next) + 1
      other = client.indexOf(']', nextOther) + 1
      link(upstreams, client.slice(0, other), upstream.slice(0, at))
      link(clients, upstream.slice(0, at), client.slice(0, other))
    }
  }
  const only = (links: typeof upstreams, back: typeof upstreams, path: string): string | null => {
    const found = links.get(path) ?? null
    return found !== null && back.get(found) === path ? found : null
  }
  return {
    upstreamOf: (path) => only(upstreams, clients, path),
    clientOf: (path) => only(clients, upstreams, path),
  }
}
