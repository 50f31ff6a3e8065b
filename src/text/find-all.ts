import { runSteps, type Steps } from './steps.ts'

/**
 * Up to this many texts are searched one by one: so many passes of the native `indexOf` cost less than one pass here.
 */
const FEW = 32

/** For each text its offsets, ascending. Occurrences of one text do not overlap. */
export type Found = ReadonlyMap<string, readonly number[]>

/**
 * Finds all occurrences of several texts in another one, in one pass (Aho and Corasick 1975). O(n + k + p) for n
 * characters that are searched, k characters of wanted texts and p occurrences. The empty text has no occurrence.
 */
export const findAll = (text: string, wanted: Iterable<string>): Found => runSteps(findAllInSteps(text, wanted))

/** The same in slices. */
export function* findAllInSteps(text: string, wanted: Iterable<string>): Steps<Found> {
  const needles = new Set(wanted)
  needles.delete('')
  return needles.size <= FEW ? yield* findEach(text, needles) : yield* findTogether(text, [...needles])
}

function* findEach(text: string, needles: ReadonlySet<string>): Steps<Found> {
  const found = new Map<string, readonly number[]>()
  for (const needle of needles) {
    const positions: number[] = []
    let at = text.indexOf(needle)
    while (at >= 0 && positions.length < MOST_OF_ONE) {
      positions.push(at)
      at = text.indexOf(needle, at + needle.length)
      if (positions.length % PIECE === 0) yield
    }
    found.set(needle, positions)
    if (text.length > PIECE) yield
  }
  return found
}

/** Characters, or occurrences, per slice. */
const PIECE = 8 * 1024

/**
 * The largest number of occurrences that are kept. Texts that are prefixes of one another may have many more
 * occurrences than there are characters.
 */
const MOST = 2 ** 20

/** The largest number for one text if few texts are searched. Answers have far fewer citations. */
const MOST_OF_ONE = 2 ** 18

/** The same for any number of texts. */
export function* findTogether(text: string, needles: readonly string[]): Steps<Found> {
  const trie = new Trie(needles)
  yield* trie.build(needles)
  const positions = needles.map((): number[] => [])
  let node = 0
  let left = MOST
  for (let at = 0; at < text.length && left > 0; at += 1) {
    node = trie.follow(node, text.charCodeAt(at))
    for (let hit = trie.hitAt(node); hit > 0 && left > 0; hit = trie.hitAfter(hit)) {
      left -= 1
      const index = trie.needleAt(hit)
      const own = positions[index] as number[]
      const length = (needles[index] as string).length
      const start = at + 1 - length
      const last = own.at(-1)
      if (last === undefined || last + length <= start) own.push(start)
    }
    if (at % PIECE === PIECE - 1) yield
  }
  return new Map(needles.map((needle, i) => [needle, positions[i] as number[]]))
}

/**
 * A trie of all needles with 0 as its root. Edges are in one hash table and everything else in typed arrays, because
 * needles of a million characters have as many nodes.
 */
class Trie {
  private size = 1
  private readonly parent: Int32Array
  private readonly code: Uint16Array
  private readonly depth: Int32Array
  /** The needle that ends at each node; -1 for none. */
  private readonly needle: Int32Array
  /** The node of the longest proper suffix of a node's text that is also a prefix of a needle. */
  private readonly shorter: Int32Array
  /** The next node along these suffixes at which a needle ends; 0 for none. */
  private readonly nextHit: Int32Array
  private readonly slots: Int32Array
  private readonly mask: number

  constructor(needles: readonly string[]) {
    const most = needles.reduce((sum, { length }) => sum + length, 1)
    this.parent = new Int32Array(most)
    this.code = new Uint16Array(most)
    this.depth = new Int32Array(most)
    this.needle = new Int32Array(most).fill(-1)
    this.shorter = new Int32Array(most)
    this.nextHit = new Int32Array(most)
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 1)))
    this.mask = this.slots.length - 1
  }

  /** Adds the needles. Until it has finished, the trie finds nothing. */
  *build(needles: readonly string[]): Steps<void> {
    let added = 0
    for (const [index, needle] of needles.entries()) {
      this.add(needle, index)
      added += needle.length
      if (added < PIECE) continue
      added = 0
      yield
    }
    yield* this.link()
  }

  /** The node after one more character. */
  follow(from: number, code: number): number {
    let node = from
    for (;;) {
      const next = this.slots[this.slotOf(node, code)] as number
      if (next !== 0 || node === 0) return next
      node = this.shorter[node] as number
    }
  }

  hitAt(node: number): number {
    return (this.needle[node] as number) >= 0 ? node : (this.nextHit[node] as number)
  }

  hitAfter(node: number): number {
    return this.nextHit[node] as number
  }

  needleAt(node: number): number {
    return this.needle[node] as number
  }

  /** The slot that has the edge, or the free slot for it. */
  private slotOf(node: number, code: number): number {
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(code + 1, 0x85ebca6b)) >>> 0
    slot = (slot ^ (slot >>> 15)) & this.mask
    for (;;) {
      const child = this.slots[slot] as number
      if (child === 0 || (this.parent[child] === node && this.code[child] === code)) return slot
      slot = (slot + 1) & this.mask
    }
  }

  private add(needle: string, index: number): void {
    let node = 0
    for (let at = 0; at < needle.length; at += 1) {
      const code = needle.charCodeAt(at)
      const slot = this.slotOf(node, code)
      if (this.slots[slot] === 0) {
        this.parent[this.size] = node
        this.code[this.size] = code
        this.depth[this.size] = at + 1
        this.slots[slot] = this.size
        this.size += 1
      }
      node = this.slots[slot] as number
    }
    this.needle[node] = index
  }

  /** Sets the suffix links, shallow nodes first, because each link leads to a shallower node. */
  private *link(): Steps<void> {
    let linked = 0
    for (const node of this.byDepth()) {
      const parent = this.parent[node] as number
      const shorter = parent === 0 ? 0 : this.follow(this.shorter[parent] as number, this.code[node] as number)
      this.shorter[node] = shorter
      this.nextHit[node] = this.hitAt(shorter)
      linked += 1
      if (linked % PIECE === 0) yield
    }
  }

  /** All nodes except the root by depth (a counting sort). */
  private byDepth(): Int32Array {
    const next = new Int32Array(this.size + 1)
    const count = (at: number, by: number): void => {
      next[at] = (next[at] as number) + by
    }
    for (let node = 1; node < this.size; node += 1) count((this.depth[node] as number) + 1, 1)
    for (let at = 1; at <= this.size; at += 1) count(at, next[at - 1] as number)
    const order = new Int32Array(this.size - 1)
    for (let node = 1; node < this.size; node += 1) {
      const depth = this.depth[node] as number
      order[next[depth] as number] = node
      count(depth, 1)
    }
    return order
  }
}
