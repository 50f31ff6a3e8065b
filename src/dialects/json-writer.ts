import type { EscapedText } from '../output/frame-printer.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { formatJson, quote } from '../text/json.ts'
import type { Field, ViewSink } from './projection.ts'

/**
 * A text of at least this many UTF-16 units is a piece of its own. A shorter one is escaped again in less time than a
 * piece takes.
 */
const LONG = 192

/** The depth of the texts of an answer in a response. A value that is nested deeper is written in one piece. */
const DEEPEST = 6

/**
 * A value that was parsed, but is nested too deep to be written, becomes null. Most fields of a response are null, so
 * that null is tested first.
 */
function toText(value: Json): string {
  if (value === null || typeof value === 'boolean') return `${value}`
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`
  return formatJson(value) || 'null'
}

/**
 * Builds text piece by piece. Long texts are pieces of their own, because the printer may have their escaped form
 * already.
 */
export interface JsonWriter extends ViewSink {
  add(text: string): void
  /**
   * Adds the output of `write` for this value in this view. The output of the last call is reused if both are the same.
   */
  writeOnce(value: object, view: string, write: () => void): void
  /** Forgets the output of the last call of `writeOnce`. */
  forgetLast(): void
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

export const createJsonWriter = (): JsonWriter => new PieceWriter()

/** A class, because closures would be additional objects of every stream. */
class PieceWriter implements JsonWriter {
  private pieces: (string | EscapedText)[] = []
  private short = ''
  private known: Map<object, string> | null = null
  private last: WrittenObject | null = null
  /** Nothing is written of the innermost object or list. */
  private isFirst = true

  add(text: string): void {
    this.short += text
  }

  beginObject(): void {
    this.short += '{'
    this.isFirst = true
  }

  field({ label, next }: Field): void {
    this.short += this.isFirst ? label : next
    this.isFirst = false
  }

  endObject(): void {
    this.short += '}'
    this.isFirst = false
  }

  beginList(): void {
    this.short += '['
    this.isFirst = true
  }

  entry(): void {
    if (!this.isFirst) this.short += ','
    this.isFirst = false
  }

  endList(): void {
    this.short += ']'
    this.isFirst = false
  }

  writeValue(value: Json): void {
    this.write(value, DEEPEST)
  }

  /** An object that occurs again is converted to text once. */
  writeCached(value: Json): void {
    if (typeof value !== 'object' || value === null) {
      this.write(value, DEEPEST)
      return
    }
    this.known ??= new Map()
    const text = this.known.get(value) ?? toText(value)
    this.known.set(value, text)
    this.short += text
  }

  writeOnce(value: object, view: string, write: () => void): void {
    const { last, short: before } = this
    const first = this.pieces.length
    if (last?.value === value && last.view === view) {
      for (const piece of last.pieces) this.pieces.push(piece)
      this.short = last.short
    } else {
      this.short = ''
      write()
      this.last = { value, view, pieces: this.pieces.slice(first), short: this.short }
    }
    if (this.pieces.length === first) this.short = before + this.short
    else this.pieces[first] = before + this.pieces[first]
  }

  forgetLast(): void {
    this.last = null
  }

  take(): readonly (string | EscapedText)[] {
    const { pieces, short } = this
    this.short = ''
    if (pieces.length === 0) return [short]
    this.pieces = []
    pieces.push(short)
    return pieces
  }

  private write(value: Json, deepest: number): void {
    if (typeof value === 'string') this.writeText(value)
    else if (!hasLong(value, deepest)) this.short += toText(value)
    else if (Array.isArray(value)) this.writeList(value, deepest - 1)
    else this.writeObject(value as JsonObject, deepest - 1)
  }

  private writeText(text: string): void {
    if (text.length < LONG) {
      this.short += quote(text)
      return
    }
    this.pieces.push(`${this.short}"`, { long: text })
    this.short = '"'
  }

  private writeList(values: readonly Json[], deepest: number): void {
    this.beginList()
    for (const value of values) {
      this.entry()
      this.write(value, deepest)
    }
    this.endList()
  }

  private writeObject(value: JsonObject, deepest: number): void {
    this.beginObject()
    for (const [key, inner] of Object.entries(value)) {
      if (inner === undefined) continue
      this.entry()
      this.short += `${quote(key)}:`
      this.write(inner, deepest)
    }
    this.endObject()
  }
}

function hasLong(value: Json | undefined, deepest: number): boolean {
  if (typeof value === 'string') return value.length >= LONG
  if (typeof value !== 'object' || value === null || deepest === 0) return false
  for (const inner of Object.values(value)) if (hasLong(inner, deepest - 1)) return true
  return false
}
