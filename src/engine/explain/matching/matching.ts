import type { BodyTree, BodyValue } from './body-tree.ts'

/**
 * Which value of a client's body has become which value of its upstream's. Counterparts are one to one; a text that was
 * joined from several, or divided, has parts instead.
 */
export interface BodyMatching {
  readonly client: BodyTree
  readonly upstream: BodyTree
  /** The value of the other body that a value comes from, or has become. */
  counterpartOf(value: BodyValue): BodyValue | undefined
  /** The text of the other body that contains a value, as it is or as JSON. */
  textAround(part: BodyValue): BodyValue | undefined
  /** The values of the other body that a text contains, in their order. */
  partsOf(text: BodyValue): readonly BodyValue[]
  /** Whether neither the value, nor a value inside it or around it, has a place in the other body. */
  isFree(value: BodyValue): boolean
}

/** A matching that is not complete yet. */
export interface GrowingMatching extends BodyMatching {
  /** Pairs equal values with everything in them. */
  pairEqual(upstream: BodyValue, client: BodyValue): void
  /** Pairs values without equal contents: all of each is a counterpart of the other. */
  pairChanged(upstream: BodyValue, client: BodyValue): void
  /** Pairs lists or objects that are not paired, and leaves the values in them as they are. */
  pairContainers(upstream: BodyValue, client: BodyValue): void
  /** Adds a value of the one body to the parts of a text of the other. */
  join(text: BodyValue, part: BodyValue): void
  /** Whether the value is paired or a part of a text, alone or with a value around it. Lists and objects of `pairContainers` are not. */
  isSettled(value: BodyValue): boolean
}

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
  const notesOf = (value: BodyValue): Notes => (upstream.values[value.order] === value ? own : other)
  const counterpartOf = (value: BodyValue): BodyValue | undefined => notesOf(value).counterparts[value.order]

  const settleBoth = (value: BodyValue, source: BodyValue): void => {
    settle(notesOf(value), value)
    settle(notesOf(source), source)
  }

  const pair = (value: BodyValue, source: BodyValue): void => {
    own.counterparts[value.order] = source
    other.counterparts[source.order] = value
  }

  const pairTrees = (value: BodyValue, source: BodyValue): void => {
    pair(value, source)
    const named = value.kind === 'list' ? null : new Map(source.children.map((child) => [child.name, child]))
    value.children.forEach((child, at) => {
      const found = named === null ? source.children[at] : named.get(child.name)
      if (found !== undefined) pairTrees(child, found)
    })
  }

  return {
    client,
    upstream,
    pairContainers(value, source) {
      if (counterpartOf(value) === undefined && counterpartOf(source) === undefined) pair(value, source)
    },
    pairEqual(value, source) {
      pairTrees(value, source)
      settleBoth(value, source)
    },
    pairChanged(value, source) {
      pair(value, source)
      settleBoth(value, source)
    },
    join(text, part) {
      const known = parts.get(text)
      if (known === undefined) parts.set(text, [part])
      else known.push(part)
      texts.set(part, text)
      settleBoth(text, part)
    },
    counterpartOf,
    textAround: (part) => texts.get(part),
    partsOf: (text) => parts.get(text) ?? NO_VALUES,
    isFree(value) {
      const { isWhole, isPartial } = notesOf(value)
      return isWhole[value.order] === 0 && isPartial[value.order] === 0
    },
    isSettled: (value) => notesOf(value).isWhole[value.order] === 1,
  }
}
