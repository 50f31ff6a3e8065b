import { formatJson, isObject } from '../text/json.ts'
import { createUtf8Reader } from '../text/utf8.ts'
import type { Frame, FrameReader } from './frame.ts'

/**
 * Cuts JSON objects out of a text that arrives in pieces, each when it is complete. The text between objects is
 * ignored.
 */
interface ObjectReader {
  read(text: string): readonly Frame[]
  /** The beginning of a last object that was never completed. */
  end(): readonly Frame[]
  /** True once an object was larger than the declared limit. */
  overflowed(): boolean
}

/** Tracks braces and strings only, because no bracket can end an object. */
export function createObjectReader(limit: number): ObjectReader {
  const state = { depth: 0, quoted: false, escaped: false, held: '', overflowed: false }

  /** Processes one character inside an object; true if it ends the object. */
  const ends = (mark: string): boolean => {
    if (state.escaped) state.escaped = false
    else if (state.quoted) {
      if (mark === '\\') state.escaped = true
      else if (mark === '"') state.quoted = false
    } else if (mark === '"') state.quoted = true
    else if (mark === '{') state.depth += 1
    else if (mark === '}') state.depth -= 1
    return state.depth === 0
  }

  /** Appends to the incomplete object, up to the limit. */
  const hold = (piece: string): void => {
    state.held += piece
    state.overflowed ||= state.held.length > limit
  }

  const take = (): Frame => {
    const data = state.held
    state.held = ''
    return { event: '', data }
  }

  return {
    read(text) {
      const frames: Frame[] = []
      let start = 0
      for (let at = 0; at < text.length && !state.overflowed; at += 1) {
        if (state.depth === 0) {
          const open = text.indexOf('{', at)
          if (open < 0) return frames
          state.depth = 1
          start = open
          at = open
        } else if (ends(text.charAt(at))) {
          hold(text.slice(start, at + 1))
          if (!state.overflowed) frames.push(take())
        }
      }
      if (state.depth > 0 && !state.overflowed) hold(text.slice(start))
      return frames
    },
    end: () => (state.depth === 0 || state.overflowed ? [] : [take()]),
    overflowed: () => state.overflowed,
  }
}

/** Labels of SSE fields, and what separates the elements of a list. */
const SEPARATOR = /^(?:data:|,)\s*/

const isText = (line: string): boolean => line !== '' && line !== ',' && line !== 'data:'

/** Returns the lines of a text between objects. */
const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim().replace(SEPARATOR, ''))
    .filter(isText)

/**
 * Returns the frames that a proxy joined in one: `{…}{…}`, or several data lines without a blank line between them. No
 * frames if the text does not begin with an object and more after it. O(n).
 */
export function splitFrame({ event, data }: Frame): readonly Frame[] {
  if (!data.trimStart().startsWith('{')) return []
  const reader = createObjectReader(data.length)
  const pieces: string[] = []
  let at = 0
  for (const object of [...reader.read(data), ...reader.end()]) {
    const start = data.indexOf('{', at)
    pieces.push(...linesOf(data.slice(at, start)), object.data)
    at = start + object.data.length
  }
  pieces.push(...linesOf(data.slice(at)))
  const name = event === 'error' ? '' : event
  return pieces.length < 2 ? [] : pieces.map((piece) => ({ event: name, data: piece }))
}

/** Returns the frames of a list of objects, which a proxy sent as one. No frames if there are no objects in it. */
export const framesOfList = (event: string, list: readonly unknown[]): readonly Frame[] =>
  list.filter(isObject).map((value) => ({ event: event === 'error' ? '' : event, data: formatJson(value), value }))

/**
 * One JSON array whose elements are the frames, sent piece by piece: `[{…}` `,{…}` `]`. A single object, or several
 * without brackets around them, are read in the same way.
 */
export function createJsonArrayReader(limit: number): FrameReader {
  const text = createUtf8Reader()
  const objects = createObjectReader(limit)
  return {
    push: (bytes) => objects.read(text.push(bytes)),
    end: () => [...objects.read(text.end()), ...objects.end()],
    overflowed: objects.overflowed,
  }
}
