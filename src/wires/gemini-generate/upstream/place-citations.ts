import { listAppend, listAt, listToArray } from '../../../collections/list.ts'
import { mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Span } from '../../../protocol/delta.ts'
import { measure, offsetIn, standsAt } from '../../../responses/measured-text.ts'
import { type Found, findAll } from '../../../text/find-all.ts'
import { fromUtf16 } from '../../../text/offsets.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { type GeminiState, type GroundingSource, type PastText, type Segment, updateProgress } from './state.ts'
import { textPartKey } from './text-parts.ts'

/*
 * Finds the text that a segment cites, and the span in it. Offsets count through all texts of the answer, without
 * reasoning. If tools ran between the texts, offsets were observed to be wrong: the text that contains the quote is
 * taken then (docs/wires/gemini-generate.md, 7).
 *
 * Each text is counted and measured once, and all quotes that are not at their offsets are searched together when all
 * texts have arrived: O(n log n) for texts and citations of n characters.
 */

const bytesOf = (text: string): number => fromUtf16(text, text.length, 'utf8')

/** Counts all finished texts. */
function counted(state: GeminiState): GeminiState {
  const { texts } = state.progress
  if (state.progress.starts.length === texts.length) return state
  let { starts, bytes } = state.progress
  for (let at = starts.length; at < texts.length; at += 1) {
    starts = listAppend(starts, bytes)
    bytes += bytesOf(listAt(texts, at)?.text ?? '')
  }
  return updateProgress(state, { starts, bytes })
}

/** Whether the last text is unfinished: it is open, or it is the first text and has not begun. */
const hasLast = ({ progress }: GeminiState): boolean => progress.run?.kind === 'text' || progress.texts.length === 0

const countOf = (state: GeminiState): number => state.progress.texts.length + (hasLast(state) ? 1 : 0)

function textAt({ runText, progress }: GeminiState, at: number): PastText {
  const past = listAt(progress.texts, at)
  return past ?? { key: textPartKey(progress.texts), text: progress.run?.kind === 'text' ? runText : '', held: true }
}

/** Returns the start of a text in UTF-8 bytes. The texts must be counted. */
const startOf = ({ progress }: GeminiState, at: number): number => listAt(progress.starts, at) ?? progress.bytes

/** Returns the index of the last text that begins at an offset or before it. O(log n). */
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

/** `quote`: cited text that must be found in this text; empty if it need not be. */
function emit(
  state: GeminiState,
  at: number,
  source: GroundingSource,
  segment: Segment,
  quote: string,
  deltas: Deltas,
): void {
  const { key, held } = textAt(state, at)
  const where = { ...source, marker: null }
  // A finished message accepts no citations. The last text at least names the source.
  if (!held) {
    const last = textAt(state, countOf(state) - 1)
    deltas.push({ kind: 'citation', key: last.key, part: '', citation: { ...where, span: null } })
    return
  }
  const citation = { ...where, span: spanIn(state, at, segment), ...(quote === '' ? {} : { quote }) }
  deltas.push({ kind: 'citation', key, part: '', citation })
}

/** Emits a citation, or postpones it if a text that has not arrived yet may contain its quote. */
export function placeCitation(
  before: GeminiState,
  source: GroundingSource,
  segment: Segment,
  deltas: Deltas,
): GeminiState {
  const state = counted(before)
  const at = textOf(state, segment.start)
  const { quote } = segment
  if (quote === '' || countOf(state) === 1) {
    emit(state, at, source, segment, quote, deltas)
    return state
  }
  const past = listAt(state.progress.texts, at)
  if (past === undefined) return postponed(state, source, segment)
  const known = mapGet(state.progress.measured, at)
  const measured = known ?? measure(past.text)
  const next =
    known === undefined ? updateProgress(state, { measured: mapSet(state.progress.measured, at, measured) }) : state
  const { start, end } = spanIn(next, at, segment)
  const from = offsetIn(measured, start, 'utf8')
  const to = offsetIn(measured, end, 'utf8')
  if (from === null || to === null || !standsAt(measured, from, to, quote)) return postponed(next, source, segment)
  emit(next, at, source, segment, quote, deltas)
  return next
}

const postponed = (state: GeminiState, source: GroundingSource, segment: Segment): GeminiState =>
  updateProgress(state, { unplaced: listAppend(state.progress.unplaced, { source, segment }) })

// ---------------------------------------------------------------- postponed citations

/** Separates the texts that are searched together. A match that contains it lies in no single text. */
const BORDER = '\uffff'

/** All texts, and the positions of all quotes in them. */
interface Shelf {
  readonly texts: readonly string[]
  /** The start of each text in the joined texts, with a border between two texts. */
  readonly starts: readonly number[]
  readonly found: Found
  /** Quotes that begin in one text and end in another. */
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

/** Whether a text contains a quote. O(log n). */
function holds({ texts, starts, found }: Shelf, at: number, quote: string): boolean {
  const offsets = found.get(quote) ?? []
  const from = starts[at] ?? 0
  let low = 0
  let high = offsets.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((offsets[middle] as number) < from) low = middle + 1
    else high = middle
  }
  const offset = offsets[low]
  return offset !== undefined && offset + quote.length <= from + (texts[at] ?? '').length
}

/** Returns the index of the first text that contains a quote; -1 if there is none. */
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

/**
 * Emits the postponed citations. A quote that begins in one text and ends in the next is cited in the first one only.
 */
export function placeRest(before: GeminiState, deltas: Deltas): void {
  const unplaced = listToArray(before.progress.unplaced)
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
    emit(state, holder < 0 ? byOffset : holder, source, segment, crosses ? '' : quote, deltas)
  }
}
