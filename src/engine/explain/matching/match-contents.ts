import { type BodyValue, isLeaf, namesKind, type TreeReader } from './body-tree.ts'
import { parsedId } from './match-texts.ts'
import type { GrowingMatching } from './matching.ts'
import { SHORTEST } from './text-search.ts'

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()

const isContainer = (value: BodyValue): boolean => value.kind !== 'scalar'

const isWord = (value: BodyValue): boolean =>
  isLeaf(value) && !namesKind(value) && value.value !== null && value.value !== '' && typeof value.value !== 'boolean'

/** Takes each value once, in their order, by a key. */
function takerOf(values: readonly BodyValue[], keyOf: (value: BodyValue) => unknown) {
  const left = new Map<unknown, BodyValue[]>()
  for (const value of [...values].reverse()) {
    const key = keyOf(value)
    const known = left.get(key)
    if (known === undefined) left.set(key, [value])
    else known.push(value)
  }
  return (key: unknown, fits: (value: BodyValue) => boolean): BodyValue | undefined => {
    const list = left.get(key)
    while (list !== undefined && list.length > 0) {
      const value = list.pop()
      if (value !== undefined && fits(value)) return value
    }
    return undefined
  }
}

/**
 * Matches the members of a value with those of the values of which it is made. `own`: the value and those inside it that
 * have no origins of their own; `sources`: the same for the client's values.
 */
export function matchContents(
  matching: GrowingMatching,
  reader: TreeReader,
  own: readonly BodyValue[],
  sources: readonly (readonly BodyValue[])[],
): void {
  const [value] = own
  const [source] = sources.map(([first]) => first)
  if (value === undefined || source === undefined) return
  const { isFree } = matching
  if (sources.length === 1 && value.id === source.id && isFree(value) && isFree(source)) {
    matching.pairEqual(value, source)
    return
  }
  const all = sources.flat()
  if (isContainer(value) && value.kind === source.kind) matching.pairContainers(value, source)
  const pairBy = (
    is: (value: BodyValue) => boolean,
    keyOf: (value: BodyValue) => unknown,
    pair: 'pairEqual' | 'pairChanged' = 'pairEqual',
  ): void => {
    const take = takerOf(
      all.filter((other) => is(other) && isFree(other)),
      keyOf,
    )
    for (const one of own) {
      if (!is(one) || !isFree(one)) continue
      const found = take(keyOf(one), (other) => isFree(other) && (pair === 'pairEqual' || !isPart(one, other)))
      if (found !== undefined) matching[pair](one, found)
    }
  }
  pairBy(
    (one) => !isLeaf(one),
    ({ id }) => id,
  )
  matchInner(matching, own.slice(1), all)
  pairBy(isLeaf, ({ name, id }) => `${plain(name)} ${id}`)
  pairBy(isWord, ({ id }) => id)
  matchJson(matching, reader, own, all)
  const firsts = new Set([value, ...sources.map(([first]) => first)])
  const isOuter = ({ parent }: BodyValue): boolean => parent !== null && firsts.has(parent)
  /** The client's object in which a member is, or has its counterpart; null if there is none. */
  const placeOf = (one: BodyValue): string | null => {
    if (firsts.has(one) || isOuter(one)) return ''
    const around = one.parent !== null && isOwn.has(one) ? matching.counterpartOf(one.parent) : one.parent
    return around?.path ?? null
  }
  const isOwn = new Set(own)
  pairBy(
    (one) => isLeaf(one) && one.index === null && placeOf(one) !== null,
    (one) => `${plain(one.name)} ${placeOf(one)}`,
    'pairChanged',
  )
  // A text and a list may be texts that were joined.
  const isWhole = sources.length === 1 && source.kind !== 'list' && matching.counterpartOf(value) === undefined
  if (isWhole && isFree(value) && isFree(source) && !isPart(value, source)) matching.pairChanged(value, source)
}

/** Joins JSON with the text that is the same JSON, such as the arguments of a call. */
function matchJson(
  matching: GrowingMatching,
  reader: TreeReader,
  own: readonly BodyValue[],
  sources: readonly BodyValue[],
): void {
  const joinAll = (texts: readonly BodyValue[], values: readonly BodyValue[]): void => {
    const take = takerOf(values.filter(isContainer), ({ id }) => id)
    for (const text of texts) {
      const id = matching.isFree(text) ? parsedId(text, reader) : null
      const found = id === null ? undefined : take(id, matching.isFree)
      if (found !== undefined) matching.join(text, found)
    }
  }
  joinAll(own, sources)
  joinAll(sources, own)
}

/** Pairs objects of one name, and those with members of one name: a schema has another name in most protocols. */
function matchInner(matching: GrowingMatching, own: readonly BodyValue[], sources: readonly BodyValue[]): void {
  const isOpen = (value: BodyValue): boolean =>
    value.kind === 'object' &&
    value.index === null &&
    matching.counterpartOf(value) === undefined &&
    !matching.isSettled(value)
  const [source] = sources
  const isNear = ({ parent }: BodyValue): boolean => parent === source || parent?.parent === source
  const left = sources.filter((one) => isOpen(one) && isNear(one))
  const takeNamed = takerOf(left, ({ name }) => plain(name))
  const some = left.slice(0, MOST_ALIKE)
  for (const one of own) {
    if (!isOpen(one)) continue
    const found = takeNamed(plain(one.name), isOpen) ?? some.find((other) => isOpen(other) && isAlike(one, other))
    if (found !== undefined) pairMembers(matching, one, found)
  }
}

/** A schema is in a tool, or in its function: a few objects are compared with others than those of their own name. */
const MOST_ALIKE = 4

const isAlike = (one: BodyValue, other: BodyValue): boolean =>
  one.children.some((child) => !namesKind(child) && other.children.some(({ name }) => name === child.name))

/** Texts of which one contains the other may be made of more than these. */
const isPart = (one: BodyValue, other: BodyValue): boolean => {
  const [short, long] = [one.value, other.value].sort((a, b) => String(a).length - String(b).length)
  return typeof short === 'string' && typeof long === 'string' && short.length >= SHORTEST && long.includes(short)
}

/** Pairs two values, and those in them under the same names and positions. */
export function pairMembers(
  matching: GrowingMatching,
  one: BodyValue,
  other: BodyValue,
  isPaired: (value: BodyValue) => boolean = () => false,
): void {
  const { isFree, isSettled } = matching
  if (isPaired(one) || isPaired(other) || isSettled(one) || isSettled(other)) return
  if (isFree(one) && isFree(other) && one.id === other.id) {
    matching.pairEqual(one, other)
    return
  }
  if (one.kind !== other.kind || isLeaf(one) || isLeaf(other)) {
    const isNew = matching.counterpartOf(one) === undefined && matching.counterpartOf(other) === undefined
    if (isNew && isFree(one) && isFree(other) && !isPart(one, other)) matching.pairChanged(one, other)
    return
  }
  matching.pairContainers(one, other)
  if (matching.counterpartOf(one) !== other) return
  if (one.kind === 'list') {
    // Entries with origins have found their places, and the others of such a list are new.
    const hasPlaces = [...one.children, ...other.children].some(
      (child) => isPaired(child) || matching.counterpartOf(child) !== undefined,
    )
    if (hasPlaces) return
    for (const [at, child] of one.children.entries()) {
      const found = other.children[at]
      if (found !== undefined) pairMembers(matching, child, found, isPaired)
    }
    return
  }
  const named = new Map(other.children.map((child) => [child.name, child]))
  for (const child of one.children) {
    const found = named.get(child.name)
    if (found !== undefined) pairMembers(matching, child, found, isPaired)
  }
}
