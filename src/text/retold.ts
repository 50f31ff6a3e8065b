import { append } from './append.ts'
import { escapeJson } from './json.ts'
import { addEscaped, noWords, type Words } from './words.ts'

/**
 * The end of an answer tells all of its texts again, up to four times. What they are as JSON was written when they were
 * said, piece by piece: a run that took the fast path keeps it, and it is copied. Any other text is written once.
 */
export interface Retold {
  /** Where the words of a run are gathered that has said this text so far. `key` tells it from other runs. */
  goOn(key: object, text: string): Run
  /** One more piece of a run, said by itself. */
  add(key: object, piece: string): void
  /** What JSON writes between the quotes of such a string. */
  bytesOf(text: string): Uint8Array
}

/** What a run has said. */
export interface Run {
  readonly key: object
  readonly words: Words
  /** All of it, once it is known. */
  text: string
  /** Are its words all of its text, as JSON writes it? Else they are some of it. */
  kept: boolean
}

/** Texts that are told again in between: what was thought, what it is sealed as, and what was said. */
const KEPT = 4

/** So many characters at the beginning of a run are written again. */
const BEGINNING = 1024

/** A longer text, in bytes as JSON, is not kept beside the text itself: it is written again. */
const LONGEST = 64 * 1024

// Half a character has an escape of its own until the other half comes.
const hasHalf = (escaped: string): boolean => escaped.includes('\\ud')

const encoder = new TextEncoder()

/** For one stream. */
export const openRetold = (): Retold => new OpenRetold()

class OpenRetold implements Retold {
  private readonly known: { readonly text: string; readonly bytes: Uint8Array }[] = []
  private run: Run | null = null

  goOn(key: object, text: string): Run {
    const { run } = this
    const isSame = run?.key === key && run.kept && run.text.length === text.length
    if (!isSame || run.words.length > LONGEST) return this.open(key, text)
    run.text = text
    return run
  }

  add(key: object, piece: string): void {
    const { run } = this
    if (run?.key !== key || !run.kept) return
    if (run.words.length > LONGEST) {
      this.run = null
      return
    }
    run.text = append(run.text, piece)
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

  private open(key: object, text: string): Run {
    const words = this.run?.words ?? noWords()
    words.length = 0
    const run = { key, words, text, kept: text.length <= BEGINNING }
    if (run.kept) addJson(run, escapeJson(text))
    this.run = run
    return run
  }

  private write(text: string): Uint8Array {
    const { run } = this
    if (run?.kept !== true || run.text !== text) return encoder.encode(escapeJson(text))
    const { bytes, length } = run.words
    this.run = null
    return bytes.subarray(0, length)
  }
}

/** One more piece, as JSON writes it. */
export function addJson(run: Run, escaped: string): void {
  addEscaped(run.words, escaped)
  if (hasHalf(escaped)) run.kept = false
}
