import { concatenated, joined } from './bytes.ts'
import { whole } from './flat-string.ts'
import { isUnescaped } from './json.ts'
import { CONTINUED, type Cut, isAtString, WRITTEN } from './json-cost.ts'
import type { Steps } from './steps.ts'
import { incompleteTail } from './utf8.ts'

export type JsonRead =
  | { readonly ok: true; readonly value: unknown }
  /** `text`: the bytes are not UTF-8. */
  | { readonly ok: false; readonly wrong: 'text' | 'json' }

/** Longer texts are decoded in parts of this many bytes. */
const PART = 1024 * 1024

type Container = unknown[] | Record<string, unknown>

/** A JSON text that is read once, from its start to its end. Offsets are in bytes. */
interface JsonText {
  /** Reads a name behind all that was taken; null if it is not UTF-8. */
  name(from: number, to: number): string | null
  /** Reads up to an offset; null if it is not UTF-8. */
  take(from: number, to: number): Steps<string | null>
  /** Reads the string between two quotes; null if it is not UTF-8, undefined if it is not JSON. */
  string(from: number, to: number): Steps<string | null | undefined>
}

/**
 * The value of a JSON text in UTF-8, as `JSON.parse` returns it, in slices: yields after each piece between two cuts,
 * and within longer texts. `cuts` are those of a scan of the same bytes that found neither an excess nor a mismatched
 * bracket. `bytes`: the blocks in which they arrived. The list loses each block when it has been decoded, so that bytes,
 * text and value of a long body are not in memory at once.
 */
export const parsePieces = (bytes: Uint8Array[], cuts: readonly Cut[]): Steps<JsonRead> =>
  parseCutText(new TextOfBytes(bytes), cuts)

/**
 * `parsePieces` for a text and its bytes. A text of ASCII, whose offsets are those of its bytes, is not decoded again.
 */
export const parseTextPieces = (text: string, bytes: Uint8Array, cuts: readonly Cut[]): Steps<JsonRead> =>
  bytes.length === text.length ? parseCutText(new Ascii(text), cuts) : parsePieces([bytes], cuts)

class Ascii implements JsonText {
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  name(from: number, to: number): string {
    return this.text.slice(from, to)
  }

  *take(from: number, to: number): Steps<string> {
    const piece = this.text.slice(from, to)
    if (piece.length > PART) yield
    return piece
  }

  /** Copies it, because a slice would keep the whole text. */
  *string(from: number, to: number): Steps<string | undefined> {
    yield
    return parse(this.text.slice(from - 1, to + 1)) as string | undefined
  }
}

const NO_BYTES = new Uint8Array(0)

class TextOfBytes implements JsonText {
  private readonly blocks: Uint8Array[]
  /** The offset of the first block. */
  private start = 0

  constructor(blocks: Uint8Array[]) {
    this.blocks = blocks
  }

  name(from: number, to: number): string | null {
    const parts: Uint8Array[] = []
    let start = this.start
    for (const block of this.blocks) {
      if (start >= to) break
      if (start + block.length > from) parts.push(block.subarray(Math.max(from - start, 0), to - start))
      start += block.length
    }
    return decode(concatenated(parts), PLAIN)
  }

  /**
   * Parts end with a whole character, so that each is decoded by itself: Node creates a converter for each decoder that
   * has the option `stream`, whose texts take two bytes for each character, of ASCII also.
   */
  take(from: number, to: number): Steps<string | null> {
    return this.read(from, to, null)
  }

  *string(from: number, to: number): Steps<string | null | undefined> {
    const seen = { isPlain: true }
    const text = yield* this.read(from, to, seen)
    return text === null || seen.isPlain ? text : (parse(`"${text}"`) as string | undefined)
  }

  /** `seen`: records whether JSON writes the text without escapes. */
  private *read(from: number, to: number, seen: { isPlain: boolean } | null): Steps<string | null> {
    let decoder = from === 0 ? MARKED : PLAIN
    let text = ''
    let rest: Uint8Array = NO_BYTES
    for (let at = from; ; ) {
      const part = this.part(at, to)
      if (part === null) break
      at += part.length
      const all = rest.length === 0 ? part : joined(rest, part)
      const tail = incompleteTail(all)
      rest = tail === 0 ? NO_BYTES : all.subarray(all.length - tail)
      if (tail === all.length) continue
      const decoded = decode(tail === 0 ? all : all.subarray(0, -tail), decoder)
      if (decoded === null) return null
      if (seen?.isPlain === true) seen.isPlain = isUnescaped(decoded)
      text += decoded
      decoder = PLAIN
      if (part.length === PART) yield
    }
    return rest.length === 0 ? text : null
  }

  /** The next bytes from an offset, and drops all blocks before it. */
  private part(from: number, to: number): Uint8Array | null {
    const { blocks } = this
    for (;;) {
      const [block] = blocks
      if (block === undefined || from >= to) return null
      const at = from - this.start
      if (at < block.length) return block.subarray(at, Math.min(at + PART, to - this.start))
      this.start += block.length
      blocks.shift()
    }
  }
}

/** `MARKED` skips a byte order mark. */
const MARKED = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true })
const PLAIN = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array, decoder: TextDecoder): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

function* parseCutText(source: JsonText, cuts: readonly Cut[]): Steps<JsonRead> {
  let root: unknown
  let names: OpenNames = []
  for (let k = 0; k <= cuts.length; k += 1) {
    const [before, after] = [cuts[k - 1], cuts[k]]
    const from = before?.next ?? 0
    // A name from before the last cut was open there, at the same level.
    const next = after?.names.map((name, level) =>
      name === null ? null : name[0] < from ? names[level] : source.name(...name),
    )
    const text = yield* source.take(from, after?.end ?? Number.POSITIVE_INFINITY)
    if (text === null) return { ok: false, wrong: 'text' }
    const json = opening(before) + text + closing(after)
    // Concatenating the text takes as long as parsing it.
    const isLong = whole(json).length > PART
    if (isLong) yield
    const value = parse(json)
    if (isLong) yield
    if (value === undefined) return { ok: false, wrong: 'json' }
    if (before === undefined) root = value
    else if (!appendPiece(root, value, before, names)) return { ok: false, wrong: 'json' }
    if (after !== undefined) yield
    names = next ?? []
    if (after === undefined || !isAtString(after)) continue
    const long = yield* source.string(after.end + 1, after.next - 1)
    if (typeof long !== 'string') return { ok: false, wrong: long === null ? 'text' : 'json' }
    setLast(root, after, names, long)
  }
  return { ok: true, value: root }
}

/** The written names of the open members at a cut; null in a list. */
type OpenNames = readonly (string | null | undefined)[]

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const opening = (cut: Cut | undefined): string =>
  cut === undefined
    ? ''
    : cut.kinds
        .map((kind, at) => (kind === 'list' ? '[' : at === cut.kinds.length - 1 ? '{' : `{"${WRITTEN}":`))
        .join('') + (isAtString(cut) ? (cut.kinds.at(-1) === 'list' ? '""' : `"${WRITTEN}":""`) : '')

const closing = (cut: Cut | undefined): string =>
  cut === undefined
    ? ''
    : (isAtString(cut) ? '""' : '') +
      cut.kinds
        .map((kind) => (kind === 'list' ? ']' : '}'))
        .reverse()
        .join('')

/** Adds a piece to the containers that are open at its cut; false if nothing precedes or follows the comma. */
function appendPiece(root: unknown, piece: unknown, cut: Cut, names: OpenNames): boolean {
  let [open, more] = [root as Container, piece as Container]
  const levels: (readonly [open: Container, more: Container])[] = []
  for (const name of names.slice(0, cut.kinds.length - 1)) {
    levels.push([open, more])
    open = lastOf(open, name)
    more = (Array.isArray(more) ? more[0] : more[CONTINUED]) as Container
  }
  if (isAtString(cut)) append(open, more, 1)
  else if (isBare(open) || isBare(more)) return false
  else append(open, more, 0)
  for (const [outer, rest] of levels) append(outer, rest, 1)
  return true
}

/** Puts a long string in the place of the empty one that ends a piece. */
function setLast(root: unknown, { kinds }: Cut, names: OpenNames, text: string): void {
  let open = root as Container
  for (const name of names.slice(0, kinds.length - 1)) open = lastOf(open, name)
  if (Array.isArray(open)) open[open.length - 1] = text
  else setMember(open, nameOf(names[kinds.length - 1]), text)
}

function isBare(value: Container): boolean {
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

const nameOf = (written: OpenNames[number]): string => JSON.parse(written ?? '""') as string

const lastOf = (open: Container, name: OpenNames[number]): Container =>
  (Array.isArray(open) ? open[open.length - 1] : open[nameOf(name)]) as Container

/**
 * `from`: the number of leading list values that are already present. In an object the continued member is skipped.
 */
function append(open: Container, more: Container, from: number): void {
  if (Array.isArray(open)) for (const value of (more as unknown[]).slice(from)) open.push(value)
  else
    for (const name of Object.keys(more)) {
      if (name !== CONTINUED) setMember(open, name, (more as Record<string, unknown>)[name])
    }
}

/** Like `JSON.parse`: an assignment would set the prototype. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  else object[name] = value
}
