import type { Json } from '../../protocol/json.ts'
import { isObject, parseJson } from '../../text/json.ts'
import { type ComparedValue, type TreeReader, valuesOf } from './body-tree.ts'
import { createPairing, entriesAround, type Pairing } from './pairing.ts'

/** Texts of this length are hardly equal by chance. */
const LONG = 12
/** A shorter text is not searched inside another one. */
const CONTAINED = 16
/** So many texts on either side are compared with each other. */
const MOST_COMPARED = 300

/** Members that name the kind of an object: equal words show nothing about their objects. */
const KINDS: ReadonlySet<string> = new Set(['type', 'role'])

const isLeaf = ({ children }: ComparedValue): boolean => children.length === 0

const isDistinctive = ({ value, name }: ComparedValue): boolean =>
  !KINDS.has(name) &&
  (typeof value === 'string' ? value.length >= LONG : typeof value === 'number' && Math.abs(value) >= 10)

/** Whether an equal value under another name may be the same one. */
const isWord = ({ value, name }: ComparedValue): boolean =>
  !KINDS.has(name) && ((typeof value === 'string' && value !== '') || typeof value === 'number')

/** The client's values by any key, each given out once. */
class Stock {
  private readonly lists = new Map<string, { readonly nodes: ComparedValue[]; at: number }>()
  private readonly pairing: Pairing

  constructor(pairing: Pairing) {
    this.pairing = pairing
  }

  add(key: string, node: ComparedValue): void {
    const list = this.lists.get(key)
    if (list === undefined) this.lists.set(key, { nodes: [node], at: 0 })
    else list.nodes.push(node)
  }

  /** The first value of this key that is free; it stays in the stock until it is paired. */
  first(key: string): ComparedValue | undefined {
    const list = this.lists.get(key)
    while (list !== undefined && list.at < list.nodes.length) {
      const node = list.nodes[list.at] as ComparedValue
      if (this.pairing.isFree(node)) return node
      list.at += 1
    }
    return undefined
  }

  /** The only free value of this key; undefined if there is none or another one. */
  only(key: string): ComparedValue | undefined {
    const first = this.first(key)
    const list = this.lists.get(key)
    if (first === undefined || list === undefined) return undefined
    return list.nodes.slice(list.at + 1).some((node) => this.pairing.isFree(node)) ? undefined : first
  }

  free(key: string): readonly ComparedValue[] {
    return (this.lists.get(key)?.nodes ?? []).filter((node) => this.pairing.isFree(node))
  }
}

/** The number of equal steps at the ends of two paths. */
function commonSteps(one: string, other: string): number {
  const [left, right] = [one.split(/[.[]/), other.split(/[.[]/)]
  let count = 0
  while (count < left.length && left.at(-1 - count) === right.at(-1 - count)) count += 1
  return count
}

/** Steps from the entry to the value. */
const depthOf = ({ path, entry }: ComparedValue): number => path.slice(entry.path.length).split(/[.[]/).length

/** Whether two values of one name may be the same setting with different values. */
const standsAlike = (node: ComparedValue, source: ComparedValue): boolean =>
  typeof source.value === typeof node.value &&
  (depthOf(source) === depthOf(node) || commonSteps(source.path, node.path) > 1)

/**
 * Finds for each value of the upstream's body the value of the client's body that it comes from: equal objects and long
 * texts first, which show where the messages and tools have gone, then what stands beside them.
 */
export function findPairs(upstream: ComparedValue, client: ComparedValue, reader: TreeReader): Pairing {
  const pairing = createPairing(upstream, client)
  const stock = new Stock(pairing)
  const byPath = new Map<string, ComparedValue>()
  for (const node of valuesOf(client)) {
    byPath.set(node.path, node)
    stock.add(`${node.id}`, node)
    stock.add(`${node.id} ${node.name}`, node)
    if (!isLeaf(node)) continue
    stock.add(`${node.entry.path} ${node.name}`, node)
    stock.add(`${node.entry.path} =${node.id}`, node)
  }

  const samePlace = (node: ComparedValue): ComparedValue | undefined => {
    const same = byPath.get(node.path)
    return same !== undefined && same.id === node.id && pairing.isFree(same) ? same : undefined
  }
  const sameName = (node: ComparedValue): ComparedValue | undefined =>
    samePlace(node) ?? stock.first(`${node.id} ${node.name}`)
  const anywhere = (node: ComparedValue): ComparedValue | undefined => sameName(node) ?? stock.first(`${node.id}`)

  /** Visits what is still free, each value before its insides. */
  const each = (visit: (node: ComparedValue) => ComparedValue | undefined): void => {
    for (const node of valuesOf(upstream, pairing.isPaired)) {
      const source = pairing.isFree(node) ? visit(node) : undefined
      if (source !== undefined) pairing.pair(node, source)
    }
  }
  const eachLeaf = (visit: (node: ComparedValue) => ComparedValue | undefined): void =>
    each((node) => (isLeaf(node) ? visit(node) : undefined))

  each((node) => (isLeaf(node) ? undefined : node.leaves > 1 ? anywhere(node) : sameName(node)))
  eachLeaf((node) => (isDistinctive(node) ? anywhere(node) : undefined))
  pairTexts(pairing, upstream, client, reader)

  /** A value of an entry that corresponds to one around this value: the one whose path ends most alike. */
  const beside = (
    node: ComparedValue,
    key: string,
    isRight: (source: ComparedValue) => boolean,
    entries = entriesAround(node),
  ): ComparedValue | undefined => {
    for (const source of entries.flatMap(pairing.entriesOf)) {
      const found = stock.free(`${source.path} ${key}`).filter(isRight)
      const steps = found.map(({ path }) => commonSteps(path, node.path))
      if (found.length > 0) return found[steps.indexOf(Math.max(...steps))]
    }
    return undefined
  }
  eachLeaf((node) => beside(node, node.name, ({ id }) => id === node.id))
  eachLeaf((node) => (isWord(node) ? beside(node, `=${node.id}`, isWord) : undefined))
  eachLeaf((node) => (isWord(node) ? (sameName(node) ?? lonely(node)) : samePlace(node)))
  eachLeaf((node) =>
    isInNewObject(node) ? undefined : beside(node, node.name, (source) => standsAlike(node, source), [node.entry]),
  )
  return pairing

  /** All of the object around the value is new. */
  function isInNewObject({ parent, entry }: ComparedValue): boolean {
    return parent !== null && parent !== entry && pairing.isFree(parent)
  }

  /** A short text or number that occurs once is the same one; literals occur too often. */
  function lonely(node: ComparedValue): ComparedValue | undefined {
    const source = isWord(node) ? stock.only(`${node.id}`) : undefined
    return source === undefined || !isWord(source) ? undefined : source
  }
}

// ---------------------------------------------------------------- texts in another form

const looksLikeJson = (value: Json): value is string => typeof value === 'string' && /^\s*[[{]/.test(value)

/** Pairs JSON with its text (the arguments of calls), and texts with those that contain them (data URLs, joined texts). */
function pairTexts(pairing: Pairing, upstream: ComparedValue, client: ComparedValue, reader: TreeReader): void {
  const free = (root: ComparedValue): readonly ComparedValue[] =>
    [...valuesOf(root, pairing.isPaired)].filter(pairing.isFree)
  const parsedId = ({ value }: ComparedValue): number | null => {
    const parsed = looksLikeJson(value) ? parseJson(value) : undefined
    return isObject(parsed) || Array.isArray(parsed) ? reader.idOf(parsed as Json) : null
  }
  const objects = new Map(free(client).map((node) => [node.id, node]))
  const texts = new Map(free(client).flatMap((node) => [[parsedId(node), node] as const]))
  for (const node of free(upstream)) {
    const parsed = parsedId(node)
    const source = parsed === null ? texts.get(node.id) : objects.get(parsed)
    if (source !== undefined && pairing.isFree(node) && pairing.isFree(source)) pairing.pair(node, source)
  }
  const isLong = ({ value }: ComparedValue): boolean => typeof value === 'string' && value.length >= CONTAINED
  const sources = free(client).filter(isLong).slice(0, MOST_COMPARED)
  for (const node of free(upstream).filter(isLong).slice(0, MOST_COMPARED)) {
    const text = node.value as string
    const source = sources.find(({ value }) => text.includes(value as string) || (value as string).includes(text))
    if (source === undefined || !pairing.isFree(source)) continue
    pairing.pair(node, source)
    for (const other of sources)
      if (pairing.isFree(other) && text.includes(other.value as string)) pairing.join(node, other)
  }
}
