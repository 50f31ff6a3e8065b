import { appendFlat } from '../text/flat-string.ts'
import { escapeJson } from '../text/json.ts'
import { addEscaped, type EscapedBuffer, emptyEscapedBuffer } from './escaped-buffer.ts'

/**
 * The terminal events of an answer repeat all of its texts, up to four times. The JSON form of the text was already
 * written piece by piece with its deltas. A run on the fast path keeps these bytes, and they are copied. Any other text
 * is escaped once.
 */
export interface EscapedTextCache {
  /** The run that collects the escaped text, given the text so far. `key` distinguishes it from other runs. */
  runFor(key: object, text: string): CachedText
  /** Adds a piece of a run that was written without the fast path. */
  add(key: object, piece: string): void
  /** The escaped text between the quotes of a JSON string. */
  bytesOf(text: string): Uint8Array
}

/** The output of a run. */
export interface CachedText {
  readonly key: object
  readonly words: EscapedBuffer
  /** The text as the state of the reducer has it: V8 finds this string equal to itself without reading it. */
  text: string
  /** Pieces that were added after it. */
  rest: string
  /** True if `words` has the whole text as JSON. Otherwise it has a part of it. */
  kept: boolean
}

/** Texts that may be repeated alternately: reasoning, its encrypted content, and the text of the answer. */
const KEPT = 4

/** A run with at most this many characters of text so far is kept: its beginning is escaped again. */
const BEGINNING = 1024

/** A longer text, in bytes of JSON, is not kept next to the text itself, and is escaped again. */
const LONGEST = 256 * 1024

// A lone surrogate is escaped until its other half arrives.
const hasHalf = (escaped: string): boolean => escaped.includes('\\ud')

const encoder = new TextEncoder()

/** For one stream. */
export const createEscapedTextCache = (): EscapedTextCache => new TextCache()

interface KnownText {
  readonly text: string
  readonly bytes: Uint8Array
}

const NONE_KNOWN: readonly KnownText[] = []

class TextCache implements EscapedTextCache {
  private known = NONE_KNOWN
  private run: CachedText | null = null

  runFor(key: object, text: string): CachedText {
    const { run } = this
    const isSame = run?.key === key && run.kept && collectedLength(run) === text.length
    return isSame && run.words.length <= LONGEST ? run : this.open(key, text)
  }

  add(key: object, piece: string): void {
    const { run } = this
    if (run?.key !== key || !run.kept) return
    if (run.words.length > LONGEST) {
      this.run = null
      return
    }
    run.rest = appendFlat(run.rest, piece)
    addJson(run, escapeJson(piece))
  }

  bytesOf(text: string): Uint8Array {
    const old = this.known.find((one) => one.text === text)
    if (old !== undefined) return old.bytes
    const bytes = this.write(text)
    this.known = [{ text, bytes }, ...this.known].slice(0, KEPT)
    return bytes
  }

  private open(key: object, text: string): CachedText {
    const words = this.run?.words ?? emptyEscapedBuffer()
    words.length = 0
    const run = { key, words, text, rest: '', kept: text.length <= BEGINNING }
    if (run.kept) addJson(run, escapeJson(text))
    this.run = run
    return run
  }

  private write(text: string): Uint8Array {
    const { run } = this
    if (run?.kept !== true || !isText(run, text)) return encoder.encode(escapeJson(text))
    const { bytes, length } = run.words
    this.run = null
    return bytes.subarray(0, length)
  }
}

/** The length of all text of the run, in UTF-16 units. */
export const collectedLength = ({ text, rest }: CachedText): number => text.length + rest.length

/** Sets all text of the run, whose escaped form was added: the string that is written at its end. */
export function setText(run: CachedText, text: string): void {
  run.text = text
  run.rest = ''
}

const isText = (run: CachedText, text: string): boolean =>
  text.length === collectedLength(run) && text === (run.rest === '' ? run.text : run.text + run.rest)

/** Adds one more piece of escaped text. */
export function addJson(run: CachedText, escaped: string): void {
  addEscaped(run.words, escaped)
  if (hasHalf(escaped)) run.kept = false
}
