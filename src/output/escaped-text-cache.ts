import { appendFlat, BLOCK } from '../text/flat-string.ts'
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
  /** All text of the run, once it is known, in blocks, and its length in UTF-16 units. */
  blocks: string[]
  length: number
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

class TextCache implements EscapedTextCache {
  private readonly known: { readonly text: string; readonly bytes: Uint8Array }[] = []
  private run: CachedText | null = null

  runFor(key: object, text: string): CachedText {
    const { run } = this
    const isSame = run?.key === key && run.kept && run.length === text.length
    return isSame && run.words.length <= LONGEST ? run : this.open(key, text)
  }

  add(key: object, piece: string): void {
    const { run } = this
    if (run?.key !== key || !run.kept) return
    if (run.words.length > LONGEST) {
      this.run = null
      return
    }
    addText(run, piece)
    addJson(run, escapeJson(piece))
  }

  bytesOf(text: string): Uint8Array {
    const { known } = this
    const old = known.find((one) => one.text === text)
    if (old !== undefined) return old.bytes
    const bytes = this.write(text)
    if (known.unshift({ text, bytes }) > KEPT) known.pop()
    return bytes
  }

  private open(key: object, text: string): CachedText {
    const words = this.run?.words ?? emptyEscapedBuffer()
    words.length = 0
    const run = { key, words, blocks: [text], length: text.length, kept: text.length <= BEGINNING }
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

/** Adds text whose escaped form was added. `all`: the text with it, which V8 finds equal to itself at once. */
export function addText(run: CachedText, text: string, all?: string): void {
  const last = run.blocks.length - 1
  const block = run.blocks[last] as string
  run.length += text.length
  if (block.length + text.length > BLOCK) run.blocks.push(text)
  else run.blocks[last] = last === 0 && all !== undefined ? all : appendFlat(block, text)
}

/** Compares block by block: comparing two long texts would make V8 build both of them in one piece. */
function isText({ blocks, length }: CachedText, text: string): boolean {
  if (text.length !== length) return false
  let at = 0
  for (const block of blocks) {
    if (text.slice(at, at + block.length) !== block) return false
    at += block.length
  }
  return true
}

/** Adds one more piece of escaped text. */
export function addJson(run: CachedText, escaped: string): void {
  addEscaped(run.words, escaped)
  if (hasHalf(escaped)) run.kept = false
}
