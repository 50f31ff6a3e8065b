import type { ComparedValue } from './body-tree.ts'
import { valuesOf } from './body-tree.ts'

/**
 * Values of an upstream's body with the values of the client's body that they come from. A value is paired once, as a
 * whole.
 */
export interface Pairing {
  /** Pairs two values, and the entries of lists that contain them. */
  pair(upstream: ComparedValue, client: ComparedValue): void
  /** The client's value of a paired one; undefined for a value that is not paired itself. */
  sourceOf(upstream: ComparedValue): ComparedValue | undefined
  /** Whether neither the value nor a value inside it or around it is paired. */
  isFree(node: ComparedValue): boolean
  /** Whether the value is paired, alone or as part of another one. */
  isPaired(node: ComparedValue): boolean
  /** Notes that a text of the upstream's body, which is paired already, also contains this one. */
  join(upstream: ComparedValue, client: ComparedValue): void
  /** The further texts of the client that a text contains. */
  joinedIn(upstream: ComparedValue): readonly ComparedValue[]
  /** The client's entries that this one of the upstream's body comes from, as far as pairs show it. */
  entriesOf(upstream: ComparedValue): readonly ComparedValue[]
}

/** The entries around a value, from the innermost one to the root. */
export function entriesAround({ entry }: ComparedValue): readonly ComparedValue[] {
  const found: ComparedValue[] = []
  for (let at: ComparedValue | undefined = entry; at !== undefined; at = at.parent?.entry) found.push(at)
  return found
}

/** A message may be made of several messages, but those of a whole conversation show nothing about one value. */
const MOST_SOURCES = 4

export function createPairing(upstreamRoot: ComparedValue, clientRoot: ComparedValue): Pairing {
  const sources = new Map<ComparedValue, ComparedValue>()
  const paired = new Set<ComparedValue>()
  const partly = new Set<ComparedValue>()
  const entries = new Map<ComparedValue, ComparedValue[]>([[upstreamRoot, [clientRoot]]])
  const joined = new Map<ComparedValue, ComparedValue[]>()

  const mark = (node: ComparedValue): void => {
    for (const inner of valuesOf(node)) paired.add(inner)
    for (let at = node.parent; at !== null && !partly.has(at); at = at.parent) partly.add(at)
  }

  const noteEntries = (upstream: ComparedValue, client: ComparedValue): void => {
    const [own, other] = [entriesAround(upstream), entriesAround(client)]
    const note = (one: ComparedValue | undefined, source: ComparedValue | undefined): void => {
      if (one === undefined || source === undefined || one === upstreamRoot) return
      const known = entries.get(one)
      if (known === undefined) entries.set(one, [source])
      else if (known.length < MOST_SOURCES && !known.includes(source)) known.push(source)
    }
    note(own[0], other[0])
    // The outermost entries are messages or items in both bodies.
    note(own.at(-2), other.at(-2))
  }

  return {
    pair(upstream, client) {
      sources.set(upstream, client)
      mark(upstream)
      mark(client)
      noteEntries(upstream, client)
    },
    sourceOf: (upstream) => sources.get(upstream),
    isFree: (node) => !paired.has(node) && !partly.has(node),
    isPaired: (node) => paired.has(node),
    join(upstream, client) {
      joined.set(upstream, [...(joined.get(upstream) ?? []), client])
      mark(client)
    },
    joinedIn: (upstream) => joined.get(upstream) ?? [],
    entriesOf: (upstream) => entries.get(upstream) ?? [],
  }
}
