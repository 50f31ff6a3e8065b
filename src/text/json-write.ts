import type { Json } from '../protocol/json.ts'
import { isUnescaped } from './json.ts'
import type { Steps } from './steps.ts'

/** A value of about this many characters is written in one go. */
const PIECE = 32 * 1024

const encoder = new TextEncoder()

/** An escaped backslash, so that what follows it is text, or the escape of one half of a character. */
const HALVES = /\\\\|\\ud[89a-f][0-9a-f]{2}/g

/**
 * JSON text of `JSON.stringify` with U+FFFD in place of each half of a character outside the basic plane, as programs leave
 * behind that cut a text at any place. Providers refuse a request with one: "no low surrogate in string".
 */
export const withoutHalves = (json: string): string =>
  json.includes('\\ud') ? json.replace(HALVES, (found) => (found === '\\\\' ? found : '\ufffd')) : json

/**
 * The bytes that `JSON.stringify` writes, with whole characters only, in slices. `size`: about how many; more are copied to
 * a larger array.
 */
export function* writeWhole(value: Json, size: number): Steps<Uint8Array> {
  let bytes = new Uint8Array(Math.ceil(size * 1.05) + PIECE)
  let length = 0
  for (const piece of textsOf(value)) {
    let text = withoutHalves(piece)
    for (;;) {
      const { read, written } = encoder.encodeInto(text, bytes.subarray(length))
      length += written
      if (read === text.length) break
      text = text.slice(read)
      const larger = new Uint8Array(Math.ceil(bytes.length * 1.5) + PIECE)
      larger.set(bytes)
      bytes = larger
    }
    yield
  }
  return bytes.subarray(0, length)
}

/** All pieces of `piecesOfJson`; yields between them. */
export function* writeJson(value: Json): Steps<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for (const piece of piecesOfJson(value)) {
    pieces.push(piece)
    yield
  }
  return pieces
}

/** The number of bytes of these pieces; yields between them. */
export function* measureJson(value: Json): Steps<number> {
  let size = 0
  for (const piece of piecesOfJson(value)) {
    size += piece.length
    yield
  }
  return size
}

/**
 * The bytes that `JSON.stringify` writes, in pieces of some ten thousand bytes each, none of them empty. For bodies
 * that would block the process: the size of each value is estimated before it is written, and a large value is split. A
 * small body therefore costs more than with `JSON.stringify`.
 */
export function* piecesOfJson(value: Json): Iterable<Uint8Array> {
  for (const text of textsOf(value)) yield encoder.encode(text)
}

function* textsOf(value: Json): Iterable<string> {
  let text = ''
  for (const part of partsOf(value)) {
    text += part
    if (text.length < PIECE) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** True if the JSON text of this value is longer than about `size` characters. O(size) at most. */
export const isLongJson = (value: Json, size: number): boolean => withoutSizeOf(value, size) < 0

function* partsOf(value: Json): Iterable<string> {
  if (withoutSizeOf(value, PIECE) >= 0) yield JSON.stringify(value)
  else if (typeof value === 'string') yield* partsOfText(value)
  else if (Array.isArray(value)) yield* partsOfList(value)
  else yield* partsOfObject(value as Readonly<Record<string, Json | undefined>>)
}

/** `left` minus the approximate size of a value in characters. Stops counting below zero. */
function withoutSizeOf(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length - 4
  if (typeof value !== 'object' || value === null) return left - 8
  return Array.isArray(value) ? withoutList(value, left - 4) : withoutMembers(value, left - 4)
}

function withoutList(list: readonly unknown[], left: number): number {
  let rest = left
  for (let at = 0; at < list.length && rest >= 0; at += 1) rest = withoutSizeOf(list[at], rest)
  return rest
}

function withoutMembers(value: object, left: number): number {
  const object = value as Readonly<Record<string, unknown>>
  let rest = left
  for (const name in object) {
    if (rest < 0) break
    rest = withoutSizeOf(object[name], rest - name.length - 4)
  }
  return rest
}

function* partsOfText(text: string): Iterable<string> {
  yield '"'
  for (let at = 0; at < text.length; ) {
    const next = at + PIECE
    // `JSON.stringify` escapes a lone surrogate, so pairs must not be split.
    const end = (text.codePointAt(next - 1) ?? 0) > 0xffff ? next + 1 : next
    const piece = text.slice(at, end)
    // Base64 needs no escapes. To test that costs less than a copy with escapes.
    yield isUnescaped(piece) ? piece : JSON.stringify(piece).slice(1, -1)
    at = end
  }
  yield '"'
}

function* partsOfList(list: readonly Json[]): Iterable<string> {
  let before = '['
  for (let from = 0; from < list.length; ) {
    const to = endOfGroup(list, from)
    yield before
    // The text of a list costs less than the texts of its values, one by one.
    if (to > from + 1) yield JSON.stringify(list.slice(from, to)).slice(1, -1)
    else yield* partsOf(list[from] ?? null)
    before = ','
    from = to
  }
  yield before === '[' ? '[]' : ']'
}

/** The end of the values that are written in one go, at least one. */
function endOfGroup(list: readonly Json[], from: number): number {
  let left = PIECE
  let to = from
  while (to < list.length) {
    left = withoutSizeOf(list[to], left)
    if (left < 0) break
    to += 1
  }
  return Math.max(to, from + 1)
}

function* partsOfObject(object: Readonly<Record<string, Json | undefined>>): Iterable<string> {
  let before = '{'
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* partsOf(value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}
