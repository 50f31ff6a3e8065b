import type { Json, JsonObject } from '../protocol/json.ts'
import type { SourceMap } from '../protocol/source-map.ts'
import { isObject } from '../text/json.ts'
import type { Steps } from '../text/steps.ts'
import { pathIn } from '../validation/messages.ts'
import type { Origins } from '../wires/origins.ts'

/** A value of an upstream's body, and a value of the client's body of which it is made; `''` if that is not known. */
export type OriginPair = readonly [upstreamPath: string, clientPath: string]

/**
 * Finds the pairs of an encoded body. `sourceMap`: that of the request that was encoded.
 * O(size of the body).
 */
export function* originPairs(
  body: JsonObject,
  origins: Origins,
  { originsOf }: SourceMap,
): Steps<readonly OriginPair[]> {
  const pairs: OriginPair[] = []
  const visit = (value: Json, path: string): void => {
    if (Array.isArray(value)) {
      ;(value as readonly Json[]).forEach((entry, at) => {
        if (typeof entry === 'object' && entry !== null) visit(entry, `${path}[${at}]`)
      })
    } else if (isObject(value)) {
      const sources = origins.pathsOf(value)
      for (const source of sources)
        for (const own of source === '' ? [source] : originsOf(source)) pairs.push([path, own])
      // A schema contains no parts of a request.
      if (sources[0]?.startsWith('tools[') === true) return
      for (const [name, member] of Object.entries(value as JsonObject))
        if (typeof member === 'object' && member !== null) visit(member, pathIn(path, name))
    }
  }
  for (const [name, member] of Object.entries(body)) {
    if (!Array.isArray(member)) visit(member as Json, pathIn('', name))
    else
      for (const [at, entry] of (member as readonly Json[]).entries()) {
        visit(entry, `${pathIn('', name)}[${at}]`)
        yield
      }
  }
  return pairs
}

/**
 * Finds the pairs of a body that has values of the client's own body in it: those that are the same objects.
 */
export function sharedPairs(body: JsonObject, sent: JsonObject): readonly OriginPair[] {
  const paths = new Map<unknown, string>()
  const pairs: OriginPair[] = []
  const note = (value: Json | undefined, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    paths.set(value, path)
    for (const [inner, own] of membersOf(value, path)) note(inner, own)
  }
  const visit = (value: Json | undefined, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const source = paths.get(value)
    if (source !== undefined) pairs.push([path, source])
    else for (const [inner, own] of membersOf(value, path)) visit(inner, own)
  }
  note(sent, '')
  visit(body, '')
  return pairs
}

const membersOf = (value: Json & object, path: string): readonly (readonly [Json | undefined, string])[] =>
  Array.isArray(value)
    ? (value as readonly Json[]).map((entry, at) => [entry, `${path}[${at}]`])
    : Object.entries(value as JsonObject).map(([name, member]) => [member, pathIn(path, name)])

/** Entries of lists in two bodies of the same protocol: messages, parts, calls, tools. */
export interface EntryLinks {
  /** The upstream's entry that a client's one has become; null if that was joined, split or dropped. */
  upstreamOf(clientPath: string): string | null
}

type Links = Map<string, Set<string>>

function link(links: Links, from: string, to: string): void {
  const known = links.get(from)
  if (known === undefined) links.set(from, new Set([to]))
  else known.add(to)
}

/** Links the entries around both values of each pair, as far as their paths have the same names. */
export function linkEntries(pairs: readonly OriginPair[]): EntryLinks {
  const [upstreams, clients]: [Links, Links] = [new Map(), new Map()]
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
  const only = (links: Links, path: string): string | null => {
    const found = links.get(path)
    const [first = null] = found ?? []
    return found?.size === 1 ? first : null
  }
  return {
    upstreamOf(clientPath) {
      const entry = only(upstreams, clientPath)
      return entry !== null && only(clients, entry) === clientPath ? entry : null
    },
  }
}
