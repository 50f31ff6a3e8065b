import { listAppend, listAt, listToArray } from '../../machine/list.ts'
import { mapGet, mapSet } from '../../machine/sorted-map.ts'
import type { Span } from '../../protocol/delta.ts'
import { measure, offsetIn, standsAt } from '../../responses/measured-text.ts'
import { type Found, findAll } from '../../text/find-all.ts'
import { fromUtf16 } from '../../text/offsets.ts'
import { textKey } from './runs.ts'
import { type GeminiState, type PastText, type Say, type Segment, type Source, tell } from './state.ts'

/*
 * In which text a segment stands, and where in it. Offsets count through all texts, thoughts left out. Where tools ran
 * between the texts they were seen to be off: then the text that holds the quoted words is meant.
 *
 * Every text is counted and measured once, and all words that do not stand where they should are looked for together, when
 * all texts are there: O(n log n) for texts and citations of n characters.
 */

const bytesOf = (text: string): number => fromUtf16(text, text.length, 'utf8')

/** The state with all texts counted that are over. */
function counted(state: GeminiState): GeminiState {
  const { texts } = state.story
  if (state.story.starts.length === texts.length) return state
  let { starts, bytes } = state.story
  for (let at = starts.length; at < texts.length; at += 1) {
    starts = listAppend(starts, bytes)
    bytes += bytesOf(listAt(texts, at)?.text ?? '')
  }
  return tell(state, { starts, bytes })
}

/** A text goes on, or is the first that is yet to come: it is the last of all. */
const hasLast = ({ story }: GeminiState): boolean => story.run?.kind === 'text' || story.texts.length === 0

const countOf = (state: GeminiState): number => state.story.texts.length + (hasLast(state) ? 1 : 0)

function textAt({ said, story }: GeminiState, at: number): PastText {
  const past = listAt(story.texts, at)
  return past ?? { key: textKey(story.texts), text: story.run?.kind === 'text' ? said : '', held: true }
}

/** Of counted texts. */
const startOf = ({ story }: GeminiState, at: number): number => listAt(story.starts, at) ?? story.bytes

/** The last text that begins at that offset or before it. O(log n). */
function textOf(state: GeminiState, offset: number): number {
  let low = 0
  let high = countOf(state) - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (startOf(state, middle) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

const spanIn = (state: GeminiState, at: number, { start, end }: Segment): Span => {
  const before = startOf(state, at)
  return { start: start - before, end: end - before, unit: 'utf8' }
}

/** `quote`: the words are in this text, and must be found in it. */
function say(state: GeminiState, at: number, source: Source, segment: Segment, quote: string, told: Say): void {
  const { key, held } = textAt(state, at)
  const where = { ...source, marker: null }
  // A message that is over takes no citations: the source at least is named.
  if (!held) {
    const last = textAt(state, countOf(state) - 1)
    told.push({ kind: 'citation', key: last.key, part: '', citation: { ...where, span: null } })
    return
  }
  const citation = { ...where, span: spanIn(state, at, segment), ...(quote === '' ? {} : { quote }) }
  told.push({ kind: 'citation', key, part: '', citation })
}

/** A citation of texts of which the last may still grow. */
export function placeCitation(before: GeminiState, source: Source, segment: Segment, told: Say): GeminiState {
  const state = counted(before)
  const at = textOf(state, segment.start)
  const { quote } = segment
  if (quote === '' || countOf(state) === 1) {
    say(state, at, source, segment, quote, told)
    return state
  }
  const past = listAt(state.story.texts, at)
  if (past === undefined) return postponed(state, source, segment)
  const known = mapGet(state.story.measured, at)
  const measured = known ?? measure(past.text)
  const next = known === undefined ? tell(state, { measured: mapSet(state.story.measured, at, measured) }) : state
  const { start, end } = spanIn(next, at, segment)
  const from = offsetIn(measured, start, 'utf8')
  const to = offsetIn(measured, end, 'utf8')
  if (from === null || to === null || !standsAt(measured, from, to, quote)) return postponed(next, source, segment)
  say(next, at, source, segment, quote, told)
  return next
}

const postponed = (state: GeminiState, source: Source, segment: Segment): GeminiState =>
  tell(state, { unplaced: listAppend(state.story.unplaced, { source, segment }) })

// ---------------------------------------------------------------- what was postponed

/** Between two texts in which words are looked for together. Words that hold it lie in no single text. */
const BORDER = '\uffff'

/** All texts, and which words stand in which of them. */
interface Shelf {
  readonly texts: readonly string[]
  /** Where each begins among all of them, with a border between two. */
  readonly starts: readonly number[]
  readonly found: Found
  /** Words that begin in one text and end in another. */
  readonly crossing: Found
}

function createShelf(state: GeminiState, quotes: readonly string[]): Shelf {
  const texts = Array.from({ length: countOf(state) }, (_, at) => textAt(state, at).text)
  const starts: number[] = []
  texts.reduce((start, text) => {
    starts.push(start)
    return start + text.length + BORDER.length
  }, 0)
  const found = findAll(texts.join(BORDER), quotes)
  const missing = quotes.filter((quote) => (found.get(quote) ?? []).length === 0)
  return { texts, starts, found, crossing: missing.length === 0 ? new Map() : findAll(texts.join(''), missing) }
}

/** Does it stand in that text? O(log n). */
function holds({ texts, starts, found }: Shelf, at: number, quote: string): boolean {
  const places = found.get(quote) ?? []
  const from = starts[at] ?? 0
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] as number) < from) low = middle + 1
    else high = middle
  }
  const place = places[low]
  return place !== undefined && place + quote.length <= from + (texts[at] ?? '').length
}

/** The first text in which it stands; -1 where there is none. */
function holderOf(shelf: Shelf, quote: string): number {
  const first = shelf.found.get(quote)?.[0]
  if (first === undefined) return -1
  let low = 0
  let high = shelf.starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((shelf.starts[middle] as number) <= first) low = middle
    else high = middle - 1
  }
  return holds(shelf, low, quote) ? low : -1
}

/** Words that begin in one text and end in the next are marked as far as the first goes. */
export function placeRest(before: GeminiState, told: Say): void {
  const unplaced = listToArray(before.story.unplaced)
  if (unplaced.length === 0) return
  const state = counted(before)
  const shelf = createShelf(
    state,
    unplaced.map(({ segment }) => segment.quote),
  )
  for (const { source, segment } of unplaced) {
    const { quote } = segment
    const byOffset = textOf(state, segment.start)
    const holder = holds(shelf, byOffset, quote) ? byOffset : holderOf(shelf, quote)
    const crosses = holder < 0 && (shelf.crossing.get(quote) ?? []).length > 0
    say(state, holder < 0 ? byOffset : holder, source, segment, crosses ? '' : quote, told)
  }
}
