import { whole } from './flat-string.ts'
import type { Cut, OpenName } from './json-cost.ts'
import { runSteps, type Steps } from './steps.ts'

export type JsonRead =
  | { readonly ok: true; readonly value: unknown }
  /** `text`: the bytes are not UTF-8. */
  | { readonly ok: false; readonly wrong: 'text' | 'json' }

/**
 * The member name under which a piece continues an open member. A text that contains it in this written form is not
 * parsed in pieces.
 */
const OPEN = '\u0001'
const WRITTEN = '\\u0001'

/** Longer texts are decoded in parts of this many bytes. */
const PART = 1024 * 1024

type Container = unknown[] | Record<string, unknown>

/** Bytes in the blocks in which they arrived. */
type Blocks = readonly Uint8Array[]

/** Reads a JSON text between two offsets in bytes; null if they are not UTF-8. `first`: skips a byte order mark. */
type ReadText = (from: number, to: number, first: boolean) => Steps<string | null>

/**
 * The value of a JSON text in UTF-8, as `JSON.parse` returns it, in slices: yields after each piece between two cuts,
 * and within longer texts. `cuts` are those of a scan of the same bytes that found neither an excess nor a mismatched
 * bracket.
 */
export const parsePieces = (bytes: Blocks, cuts: readonly Cut[]): Steps<JsonRead> =>
  parseCutText((from, to, first) => decode(partsOf(bytes, from, to), first), cuts)

/**
 * `parsePieces` for a text and its bytes. A text of ASCII, whose offsets are those of its bytes, is not decoded again.
 */
export const parseTextPieces = (text: string, bytes: Uint8Array, cuts: readonly Cut[]): Steps<JsonRead> =>
  bytes.length === text.length
    ? parseCutText((from, to) => sliceSteps(text, from, to), cuts)
    : parsePieces([bytes], cuts)

function* sliceSteps(text: string, from: number, to: number): Steps<string> {
  const piece = text.slice(from, to)
  if (piece.length > PART) yield
  return piece
}

function* parseCutText(read: ReadText, cuts: readonly Cut[]): Steps<JsonRead> {
  let root: unknown
  for (let k = 0; k <= cuts.length; k += 1) {
    const [before, after] = [cuts[k - 1], cuts[k]]
    const from = before === undefined ? 0 : before.at + 1
    const text = yield* read(from, after?.at ?? Number.POSITIVE_INFINITY, before === undefined)
    if (text === null) return { ok: false, wrong: 'text' }
    // The text may contain the reserved name: parse it in one go.
    if (before !== undefined && text.includes(WRITTEN)) return yield* parseCutText(read, [])
    const json = opening(before) + text + closing(after)
    // Concatenating the text takes as long as parsing it.
    const isLong = whole(json).length > PART
    if (isLong) yield
    const value = parse(json)
    if (isLong) yield
    if (value === undefined) return { ok: false, wrong: 'json' }
    if (before === undefined) root = value
    else if (!appendPiece(root, value, before, read)) return { ok: false, wrong: 'json' }
    if (after !== undefined) yield
  }
  return { ok: true, value: root }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The bytes between two offsets, in parts that can be decoded in one go. */
function partsOf(blocks: Blocks, from: number, to: number): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let start = 0
  for (const block of blocks) {
    const end = Math.min(to - start, block.length)
    for (let at = Math.max(from - start, 0); at < end; at += PART)
      parts.push(block.subarray(at, Math.min(at + PART, end)))
    start += block.length
  }
  return parts
}

/**
 * `first`: skips a byte order mark. Bytes in one part are decoded whole: Node creates a converter for each decoder that
 * has the option `stream`.
 */
function* decode(parts: readonly Uint8Array[], first: boolean): Steps<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: !first })
  const [only, second] = parts
  try {
    if (only !== undefined && second === undefined && only.length < PART) return decoder.decode(only)
    let text = ''
    for (const part of parts) {
      text += decoder.decode(part, { stream: true })
      if (part.length === PART) yield
    }
    return text + decoder.decode()
  } catch {
    return null
  }
}

const opening = (cut: Cut | undefined): string =>
  cut === undefined
    ? ''
    : cut.kinds
        .map((kind, at) => (kind === 'list' ? '[' : at === cut.kinds.length - 1 ? '{' : `{"${WRITTEN}":`))
        .join('')

const closing = (cut: Cut | undefined): string =>
  cut === undefined
    ? ''
    : cut.kinds
        .map((kind) => (kind === 'list' ? ']' : '}'))
        .reverse()
        .join('')

/** Adds a piece to the containers that are open at its cut; false if nothing precedes or follows the comma. */
function appendPiece(root: unknown, piece: unknown, { names }: Cut, read: ReadText): boolean {
  let [open, more] = [root as Container, piece as Container]
  const levels: (readonly [open: Container, more: Container])[] = []
  for (const name of names) {
    levels.push([open, more])
    open = lastOf(open, name, read)
    more = (Array.isArray(more) ? more[0] : more[OPEN]) as Container
  }
  if (isBare(open) || isBare(more)) return false
  append(open, more, 0)
  for (const [outer, rest] of levels) append(outer, rest, 1)
  return true
}

function isBare(value: Container): boolean {
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

function lastOf(open: Container, name: OpenName | null, read: ReadText): Container {
  if (Array.isArray(open)) return open[open.length - 1] as Container
  const [from, to] = name ?? [0, 0]
  const text = runSteps(read(from, to, true)) ?? ''
  return open[JSON.parse(text) as string] as Container
}

/** `from`: the number of leading list values that are already present. In an object the continued member is skipped. */
function append(open: Container, more: Container, from: number): void {
  if (Array.isArray(open)) {
    for (const value of (more as unknown[]).slice(from)) open.push(value)
    return
  }
  for (const name of Object.keys(more)) {
    if (name === OPEN) continue
    const value = (more as Record<string, unknown>)[name]
    // Like `JSON.parse`: an assignment would set the prototype.
    if (name === '__proto__')
      Object.defineProperty(open, name, { value, writable: true, enumerable: true, configurable: true })
    else open[name] = value
  }
}
