import { getOrCreate } from '../../collections/get-or-create.ts'
import { EFFORT_LEVELS } from '../../protocol/request.ts'
import { isObject } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import { dotted, readingsOf } from './quoted-readings.ts'
import type { RefusedRequest } from './refusal.ts'

/**
 * An upstream may quote its request in a refusal, so that a client could write the sentence that is read. A part of the
 * message that stands in the body as well is taken for a quotation.
 */

/** A message without the parts of it that are in the request. */
interface OwnText {
  /** Without phrases of the request. */
  readonly phrases: string
  /** Also without single words that are values or names of the client. */
  readonly words: string
}

interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
  /** The piece of the message between two spaces. */
  readonly piece: number
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu

/** One spelling of a word, whose letters may be composed or not. */
const spelled = (word: string): string => (BEYOND_ASCII.test(word) ? word.normalize() : word).toLowerCase()

const BEYOND_ASCII = /[^\0-\x7f]/

/** Punctuation is not compared: a quotation may be escaped. */
function wordsOf(message: string): readonly Word[] {
  const words: Word[] = []
  for (const piece of message.matchAll(/\S+/g)) {
    for (const word of piece[0].matchAll(WORD)) {
      const start = piece.index + word.index
      words.push({ text: spelled(word[0]), start, end: start + word[0].length, piece: piece.index })
    }
  }
  return words
}

/** Words of many sentences, which alone are not a quotation. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be by can cannot does for from has have if in is it model must no not of on only or ' +
    'parameter request should support supported supports that the this to use value values was when with you your'
  ).split(' '),
)

/** As many words of a message in the order of the request are a quotation if one of them is not common. */
const SHORTEST_RUN = 3
/** Also if all are common. */
const LONGEST_CHANCE = 6
/** A whole text of the request of at most this length is a quotation wherever it stands. */
const LONGEST_WHOLE = 40
/** Texts are compared word by word up to this length of a word. */
const LONGEST_WORD = 100

/** Comparisons between two pauses. */
const SLICE = 20_000
/** A message is hidden as a whole if its words stand in the request so often, beyond one comparison for each word there. */
const MOST_REPEATS = 1_000_000
/** Units of a text, times those of the part for which it is searched, in the time of a comparison. */
const SEARCHED = 800
/** Units that are searched without a pause. */
const WINDOW = 16 * 1024

/** Objects whose names are the client's own. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'labels',
  'logit_bias',
  'properties',
  '$defs',
  'definitions',
  'arguments',
  'args',
  'input',
])

/** Values that are also names of members, or whose refusal is a fact about the model. */
const OF_PROTOCOLS: ReadonlySet<string> = new Set([...EFFORT_LEVELS, 'user', 'system', 'tool', 'function', 'model'])

/** Up to so many words, two in the same order are hardly a coincidence. */
const SHORT_REQUEST = 5000

/** A number with so many digits may be that of a card or a phone. */
const LONGEST_COUNT = 7

/** A long number, and a word of another script, which may be a whole sentence. */
const MAY_BE_CUT = /^\d{8,}$|[\u0080-\u{10ffff}]/u

/** Fewer letters reveal nothing, and are a part of too many words. */
const SHORTEST_PART = 4

/** A quotation mark between them closes a whole word. */
const CUT_BEFORE = /(?:\u2026|\.{3})[^\w"]{0,3}$/
const CUT_BEHIND = /^[^\w"]{0,3}(?:\u2026|\.{3})/

/** Whether a message was cut in the middle of this word: it stands beside an ellipsis. */
const isAtCut = (message: string, { text, start, end }: Word): boolean =>
  text.length >= SHORTEST_PART &&
  (CUT_BEFORE.test(message.slice(Math.max(0, start - 6), start)) || CUT_BEHIND.test(message.slice(end, end + 6)))

/** Whether a text has a longer word with this part. */
const hasLongerWord = (text: string, part: string): boolean =>
  new RegExp(`[\\p{L}\\p{N}]${part}|${part}[\\p{L}\\p{N}]`, 'u').test(text)

/** A single word of the client that an operator must not read: in quotes, a name with digits, or of another script. */
const isRevealing = (message: string, { text, start, end }: Word): boolean =>
  (/^\d+$/.test(text) ? text.length > LONGEST_COUNT : /[\d\u0080-\u{10ffff}]/u.test(text)) ||
  (/["'`\u2018\u201c]/.test(message[start - 1] ?? '') && /["'`\u2019\u201d]/.test(message[end] ?? ''))

/** Places of a word that the request may have. */
interface Part {
  readonly places: number[]
  /** Also as a whole word, which else is the vendor's own. */
  readonly mayBeWhole: boolean
}

class Quotations {
  readonly words: readonly Word[]
  /** Words of names that the protocol may have given. */
  private readonly names = new Set<string>(OF_PROTOCOLS)
  /** Runs of words that alone would not count as a quotation, by the place of their last word. */
  private readonly possible = new Map<number, number>()
  /** Places of the words of the message. */
  private readonly places = new Map<string, number[]>()
  private readonly quoted = new Set<number>()
  /** Words that an operator must not read. */
  private readonly revealing = new Set<number>()
  /** Words of which the request has longer ones; a name may be that of the vendor's protocol all the same. */
  private readonly cut = new Set<number>()
  private readonly singles = new Set<string>()
  /** Words of the message that may be a part of a longer one of the request, which the vendor has cut. */
  private readonly parts = new Map<string, Part>()
  private count = 0
  private comparisons = 0
  private repeats = 0
  private readonly message: string

  constructor(message: string) {
    this.message = message
    this.words = wordsOf(message)
    for (const [at, word] of this.words.entries()) {
      const { text } = word
      getOrCreate(this.places, text, () => []).push(at)
      const mayBeWhole = MAY_BE_CUT.test(text)
      if (text.length <= LONGEST_WORD && (mayBeWhole || isAtCut(message, word)))
        for (const part of new Set([text, text.normalize('NFD')]))
          getOrCreate(this.parts, part, () => ({ places: [], mayBeWhole })).places.push(at)
      if (text.length > LONGEST_WORD) this.revealing.add(at)
    }
  }

  /** Compares a text of the request, in slices. `isName`: a name that the protocol may have given. */
  *compare(text: string, isName: boolean): Steps<void> {
    yield* this.findParts(text)
    let runs = new Map<number, number>()
    let total = 0
    if (isName) for (const [word] of text.matchAll(WORD)) this.names.add(spelled(word))
    for (const [found] of text.matchAll(WORD)) {
      total += 1
      this.count += 1
      const word = found.length > LONGEST_WORD ? '' : spelled(found)
      const places = this.places.get(word)
      const count = places?.length ?? 0
      this.repeats += Math.max(0, count - 1)
      if (this.isTooLong()) return
      if (this.hasWaited(1 + count)) yield
      if (places === undefined) {
        if (runs.size > 0) this.note(runs, null)
        if (runs.size > 0) runs = new Map()
        continue
      }
      const next = new Map<number, number>()
      for (const place of places) next.set(place, (runs.get(place - 1) ?? 0) + 1)
      // A run ends where its next word is not the next one of the message.
      this.note(new Map([...runs].filter(([place]) => !next.has(place + 1))), null)
      runs = next
    }
    this.note(runs, total <= LONGEST_WHOLE ? total : null)
    const isSingle = !isName && text.length <= LONGEST_WORD && !/\s/.test(text)
    if (isSingle && !OF_PROTOCOLS.has(text) && this.message.includes(text)) this.singles.add(text)
  }

  /** Finds words of the message within longer ones of the request. */
  private *findParts(text: string): Steps<void> {
    if (this.parts.size === 0) return
    const lower = text.toLowerCase()
    for (const [part, { places, mayBeWhole }] of this.parts) {
      for (let at = 0; at < lower.length && this.parts.has(part); at += WINDOW) {
        // With the letters beside a word at its borders.
        const window = lower.slice(Math.max(0, at - 1), at + WINDOW + part.length + 1)
        const cost = (window.length * part.length) / SEARCHED
        this.repeats += cost
        if (this.isTooLong()) return
        if (this.hasWaited(1 + cost)) yield
        if (!window.includes(part) || !(mayBeWhole || hasLongerWord(window, part))) continue
        for (const place of places) (mayBeWhole ? this.revealing : this.cut).add(place)
        this.parts.delete(part)
      }
    }
  }

  /** Counts comparisons. True: it is time for a pause. */
  private hasWaited(comparisons: number): boolean {
    const before = this.comparisons
    this.comparisons += comparisons
    return Math.floor(before / SLICE) !== Math.floor(this.comparisons / SLICE)
  }

  /** Whether the comparison was given up, so that any word may be the client's. */
  private isTooLong(): boolean {
    return this.repeats > MOST_REPEATS
  }

  /** `whole`: the number of words of a text that ends here. */
  private note(runs: ReadonlyMap<number, number>, whole: number | null): void {
    for (const [last, length] of runs) {
      const run = this.words.slice(last - length + 1, last + 1)
      const [first] = run
      this.possible.set(last, Math.max(length, this.possible.get(last) ?? 0))
      // A name or a path is no phrase.
      if (first === undefined || run.every(({ piece }) => piece === first.piece)) continue
      const isWhole = length === whole
      const isLong = length >= SHORTEST_RUN && run.some(({ text }) => !COMMON.has(text))
      if (!isWhole && !isLong && length < LONGEST_CHANCE) continue
      for (let at = last - length + 1; at <= last; at += 1) this.quoted.add(at)
    }
  }

  /** `named`: a word that the vendor names itself. */
  ownText(named: string | null): OwnText {
    const quoted = this.isTooLong() ? this.words.keys() : this.quoted
    const phrases = [...quoted].flatMap((at) => this.words[at] ?? []).reduce(hide, this.message)
    const words = [...phrases.matchAll(/[\w$][\w$.[\]-]*/g)]
      .map((match) => ({ text: match[0].replace(/\.$/, ''), start: match.index }))
      .filter(({ text }) => text !== named && this.singles.has(text))
      .map(({ text, start }) => ({ start, end: start + text.length }))
      .reduce(hide, phrases)
    return { phrases, words }
  }

  /**
   * Hides everything that the client may have written, also single words: more than a restriction needs to leave out. Names
   * of members stay, because a refusal is about them.
   */
  hidden(): string {
    const isNamed = ({ text }: Word): boolean => this.names.has(text) || COMMON.has(text)
    const hidden = new Set([...this.quoted, ...this.revealing])
    for (const at of this.cut) {
      const word = this.words[at]
      if (word !== undefined && !isNamed(word)) hidden.add(at)
    }
    const shortest = this.count <= SHORT_REQUEST ? 2 : SHORTEST_RUN
    for (const [last, length] of this.possible) {
      const run = this.words.slice(last - length + 1, last + 1)
      for (const [at, word] of run.entries())
        if (!isNamed(word) && (length >= shortest || isRevealing(this.message, word)))
          hidden.add(last - length + 1 + at)
    }
    return [...hidden].flatMap((at) => this.words[at] ?? []).reduce(hide, this.ownText(null).words)
  }
}

const hide = (message: string, { start, end }: Pick<Word, 'start' | 'end'>): string =>
  message.slice(0, start) + '·'.repeat(end - start) + message.slice(end)

type Entry = readonly [value: unknown, isOwn: boolean]

/** Hides the parts of a message that stand in the body that was sent, in slices. */
export function* ownTextOf({ text, param, body }: RefusedRequest): Steps<OwnText> {
  return (yield* quotationsIn(text, body)).ownText(param)
}

/**
 * The message of an upstream for its operator: without anything that the client may have written, escaped or not, in
 * slices.
 */
export function* operatorText({ text, body }: Pick<RefusedRequest, 'text' | 'body'>): Steps<string> {
  const readings = []
  for (const reading of readingsOf(text))
    readings.push({ ...reading, hidden: (yield* quotationsIn(reading.text, body)).hidden() })
  return dotted(text, readings)
}

function* quotationsIn(text: string, body: RefusedRequest['body']): Steps<Quotations> {
  const quotations = new Quotations(text)
  const waiting: Entry[] = [[body, false]]
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    const [value, isOwn] = entry
    if (typeof value === 'string') yield* quotations.compare(value, false)
    else if (Array.isArray(value)) for (const one of value) waiting.push([one, isOwn])
    else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        yield* quotations.compare(name, !isOwn)
        waiting.push([member, isOwn || (OWN_NAMES.has(name) && isObject(member))])
      }
    }
  }
  return quotations
}
