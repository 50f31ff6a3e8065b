import type { EscapedText } from '../output/frame-printer.ts'
import type { Json } from '../protocol/json.ts'
import { formatJson, quote } from '../text/json.ts'

/** A text of at least this many UTF-16 units is a piece of its own. */
const LONG = 1024

/** The depth of the texts of an answer in a response. A value that is nested deeper is written in one piece. */
const DEEPEST = 6

/**
 * A value that was parsed, but is nested too deep to be written, becomes null. Most fields of a response are null, so
 * that null is tested first.
 */
const toText = (value: Json): string =>
  value === null || typeof value === 'boolean' ? `${value}` : formatJson(value) || 'null'

/**
 * Builds text piece by piece. Long texts are pieces of their own, because the printer may have their escaped form
 * already.
 */
export interface JsonWriter {
  add(text: string): void
  /** Adds a value as JSON. */
  writeValue(value: Json): void
  /** Adds a value as JSON. An object that occurs again is converted to text once. */
  writeCached(value: Json): void
  /**
   * Adds the output of `write` for this value in this view. The output of the last call is reused if both are the same.
   */
  writeOnce(value: object, view: string, write: () => void): void
  /** Returns the pieces since the last call. */
  take(): readonly (string | EscapedText)[]
}

/** The text of an object: its pieces, and the text after the last of them. */
interface WrittenObject {
  readonly value: object
  readonly view: string
  readonly pieces: readonly (string | EscapedText)[]
  readonly short: string
}

export function createJsonWriter(): JsonWriter {
  let pieces: (string | EscapedText)[] = []
  let short = ''
  const known = new Map<object, string>()
  let last: WrittenObject | null = null

  const writeText = (text: string): void => {
    if (text.length < LONG) {
      short += quote(text)
      return
    }
    pieces.push(`${short}"`, { long: text })
    short = '"'
  }

  const writeValue = (value: Json, deepest: number): void => {
    if (typeof value === 'string') writeText(value)
    else if (!hasLong(value, deepest)) short += toText(value)
    else if (Array.isArray(value)) writeEach('[', value.entries(), () => '', ']', deepest - 1)
    else writeEach('{', Object.entries(value as object), (name) => `${quote(name)}:`, '}', deepest - 1)
  }

  const writeEach = <Key>(
    open: string,
    entries: Iterable<[Key, Json]>,
    label: (key: Key) => string,
    close: string,
    deepest: number,
  ): void => {
    let between = open
    for (const [key, value] of entries) {
      if (value === undefined) continue
      short += between + label(key)
      writeValue(value, deepest)
      between = ','
    }
    short += close
  }

  return {
    add(text) {
      short += text
    },
    writeValue: (value) => writeValue(value, DEEPEST),
    writeCached(value) {
      if (typeof value !== 'object' || value === null) return writeValue(value, DEEPEST)
      const text = known.get(value) ?? toText(value)
      known.set(value, text)
      short += text
    },
    writeOnce(value, view, write) {
      const before = short
      const first = pieces.length
      if (last?.value === value && last.view === view) {
        for (const piece of last.pieces) pieces.push(piece)
        short = last.short
      } else {
        short = ''
        write()
        last = { value, view, pieces: pieces.slice(first), short }
      }
      if (pieces.length === first) short = before + short
      else pieces[first] = before + pieces[first]
    },
    take() {
      const taken = pieces.length === 0 ? [short] : [...pieces, short]
      pieces = []
      short = ''
      return taken
    },
  }
}

function hasLong(value: Json | undefined, deepest: number): boolean {
  if (typeof value === 'string') return value.length >= LONG
  if (typeof value !== 'object' || value === null || deepest === 0) return false
  for (const inner of Object.values(value)) if (hasLong(inner, deepest - 1)) return true
  return false
}
