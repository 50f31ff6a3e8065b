import type { BodyTree, BodyValue } from './body-tree.ts'
import { entriesAround } from './body-tree.ts'

/**
 * Which value of a client's body has become which value of its upstream's. Counterparts are one to one; a text that was
 * joined from several, or divided, has parts instead.
 */
export interface BodyMatching {
  readonly client: BodyTree
  readonly upstream: BodyTree
  /**
   * The value of the other body that a value comes from, or has become: an equal one at any place, the same setting
   * with another value, or the list or object with the same contents.
   */
  counterpartOf(value: BodyValue): BodyValue | undefined
  /** The text of the other body that contains a value, as it is or as JSON. */
  textAround(part: BodyValue): BodyValue | undefined
  /** The values of the other body that a text contains, in their order. */
  partsOf(text: BodyValue): readonly BodyValue[]
  /** Whether the value, a value inside it or one around it has a counterpart or is in a text. */
  isFree(value: BodyValue): boolean
}

/** A matching that is not complete yet. */
export interface GrowingMatching extends BodyMatching {
  /** Pairs equal values with everything in them. */
  pairEqual(upstream: BodyValue, client: BodyValue): void
  /** Pairs values without equal contents: all of each is a counterpart of the other. */
  pairChanged(upstream: BodyValue, client: BodyValue): void
  /** Pairs lists or objects, and leaves the values in them as they are. */
  pairContainers(upstream: BodyValue, client: BodyValue): void
  /** Adds a value of the one body to the parts of a text of the other. */
  join(text: BodyValue, part: BodyValue): void
  /** Whether the value is paired or a part of a text, alone or with a value around it. Lists and objects of `pairContainers` are not. */
  isSettled(value: BodyValue): boolean
  /** The largest values of the upstream's body that are settled, each with one value of the client's. */
  readonly settled: readonly (readonly [upstream: BodyValue, client: BodyValue])[]
  /** The client's entries that this one of the upstream's body comes from, as far as pairs show it. */
  entriesOf(upstream: BodyValue): readonly BodyValue[]
}

/** A message may be made of several messages, but those of a whole conversation show nothing about one value. */
const MOST_SOURCES = 4

const NO_VALUES: readonly BodyValue[] = []

/** Notes about the values of one body, each at its `order`: faster than a Map for bodies of megabytes. */
interface Notes {
  readonly counterparts: (BodyValue | undefined)[]
  readonly isWhole: Uint8Array
  readonly isPartial: Uint8Array
}

const createNotes = (tree: BodyTree): Notes => ({
  counterparts: Array.from({ length: tree.values.length }),
  isWhole: new Uint8Array(tree.values.length),
  isPartial: new Uint8Array(tree.values.length),
})

function settle({ isWhole, isPartial }: Notes, { order, end, parent }: BodyValue): void {
  isWhole.fill(1, order, end)
  for (let at = parent; at !== null && isPartial[at.order] === 0; at = at.parent) isPartial[at.order] = 1
}

export function createMatching(upstream: BodyTree, client: BodyTree): GrowingMatching {
  const [own, other] = [createNotes(upstream), createNotes(client)]
  const texts = new Map<BodyValue, BodyValue>()
  const parts = new Map<BodyValue, BodyValue[]>()
  const entries = new Map<BodyValue, BodyValue[]>([[upstream.root, [client.root]]])
  const settled: (readonly [BodyValue, BodyValue])[] = []
  const notesOf = (value: BodyValue): Notes => (upstream.values[value.order] === value ? own : other)

  const noteEntry = (entry: BodyValue | undefined, source: BodyValue | undefined): void => {
    if (entry === undefined || source === undefined || entry === upstream.root) return
    const known = entries.get(entry)
    if (known === undefined) entries.set(entry, [source])
    else if (known.length < MOST_SOURCES && !known.includes(source)) known.push(source)
  }

  const settleBoth = (value: BodyValue, source: BodyValue): void => {
    settle(own, value)
    settle(other, source)
    settled.push([value, source])
    noteEntry(value.entry, source.entry)
    // The outermost entries are messages or items in both bodies.
    noteEntry(entriesAround(value).at(-2), entriesAround(source).at(-2))
  }

  const pairContainers = (value: BodyValue, source: BodyValue): void => {
    own.counterparts[value.order] = source
    other.counterparts[source.order] = value
  }

  const pairTrees = (value: BodyValue, source: BodyValue): void => {
    pairContainers(value, source)
    if (value.children.length === 0) return
    const isOrdered =
      value.kind === 'list' || value.children.every(({ name }, at) => name === source.children[at]?.name)
    const named = isOrdered ? null : new Map(source.children.map((child) => [child.name, child]))
    value.children.forEach((child, at) => {
      const found = named === null ? source.children[at] : named.get(child.name)
      if (found !== undefined) pairTrees(child, found)
    })
  }

  return {
    client,
    upstream,
    settled,
    pairContainers,
    pairEqual(value, source) {
      pairTrees(value, source)
      settleBoth(value, source)
    },
    pairChanged(value, source) {
      pairContainers(value, source)
      settleBoth(value, source)
    },
    join(text, part) {
      const known = parts.get(text)
      if (known === undefined) parts.set(text, [part])
      else known.push(part)
      texts.set(part, text)
      if (notesOf(text) === own) settleBoth(text, part)
      else settleBoth(part, text)
    },
    counterpartOf: (value) => notesOf(value).counterparts[value.order],
    textAround: (part) => texts.get(part),
    partsOf: (text) => parts.get(text) ?? NO_VALUES,
    isFree(value) {
      const { isWhole, isPartial } = notesOf(value)
      return isWhole[value.order] === 0 && isPartial[value.order] === 0
    },
    isSettled: (value) => notesOf(value).isWhole[value.order] === 1,
    entriesOf: (entry) => entries.get(entry) ?? NO_VALUES,
  }
}
