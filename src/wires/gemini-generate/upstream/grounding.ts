import { firstFrom } from '../../../collections/first-where.ts'
import { listAppend, listAt, listToArray } from '../../../collections/list.ts'
import { mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Delta, Span } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { measure, offsetIn, standsAt } from '../../../responses/measured-text.ts'
import { type Found, findAll } from '../../../text/find-all.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { fromUtf16 } from '../../../text/offsets.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { endRun, textPartKey } from './content.ts'
import { pageItem } from './server-tools.ts'
import {
  type DecoderProgress,
  type GeminiState,
  type GroundingSource,
  type PastText,
  type SearchStep,
  type Segment,
  updateProgress,
} from './state.ts'

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Google omits an offset of 0. */
const segmentOf = ({ startIndex, endIndex }: JsonRecord, quote: string): Segment => ({
  start: isOffset(startIndex) ? startIndex : 0,
  end: isOffset(endIndex) ? endIndex : 0,
  quote,
})

const textOf = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

/** Reads the source of a citation: a web page, a place on a map, or a file of the operator. */
function sourceOf(chunk: unknown): GroundingSource | null {
  if (!isObject(chunk)) return null
  const found = [chunk.web, chunk.maps, chunk.retrievedContext].find(isObject)
  if (found === undefined) return null
  const title = textOf(found.title)
  const content = textOf(found.text)
  if (isNonEmptyString(found.uri)) return { url: found.uri, title, content }
  const id = [found.documentName, found.fileSearchStore, found.title].find(isNonEmptyString)
  return id === undefined ? null : { url: '', title, content, file: { file_id: id, filename: title ?? '' } }
}

/** Emits a citation once, however often the upstream repeats it. */
function cite(state: GeminiState, source: GroundingSource, segment: Segment, deltas: Deltas): GeminiState {
  const name = `${source.url || source.file?.file_id} ${segment.start} ${segment.end}`
  const { emitted } = state.progress
  if (mapGet(emitted, name) === true) return state
  return placeCitation(updateProgress(state, { emitted: mapSet(emitted, name, true) }), source, segment, deltas)
}

function applySupports(state: GeminiState, metadata: JsonRecord, deltas: Deltas): GeminiState {
  const chunks = toArray(metadata.groundingChunks)
  let now = state
  for (const support of toArray(metadata.groundingSupports).filter(isObject)) {
    const bounds = isObject(support.segment) ? support.segment : {}
    const segment = segmentOf(bounds, textOf(bounds.text) ?? '')
    for (const at of toArray(support.groundingChunkIndices)) {
      const source = isOffset(at) ? sourceOf(chunks[at]) : null
      if (source !== null) now = cite(now, source, segment, deltas)
    }
  }
  return now
}

function searchOf(known: SearchStep, metadata: JsonRecord): SearchStep {
  const queries = toArray(metadata.webSearchQueries).filter(isNonEmptyString)
  const sources = toArray(metadata.groundingChunks).flatMap((chunk) => {
    const web: JsonRecord = isObject(chunk) && isObject(chunk.web) ? chunk.web : {}
    return isNonEmptyString(web.uri) ? [{ url: web.uri, title: textOf(web.title) ?? textOf(web.domain) }] : []
  })
  return {
    queries: queries.length === 0 ? known.queries : queries,
    sources: sources.length === 0 ? known.sources : sources,
  }
}

/** Holds texts open from now on, because their citations may come after other items have begun. */
export function expectCitations(state: GeminiState, deltas: Deltas): GeminiState {
  if (state.progress.grounded) return state
  if (state.progress.run?.kind === 'text') deltas.push({ kind: 'hold', key: state.progress.run.key })
  return updateProgress(state, { grounded: true })
}

/** Members of the grounding that no other protocol has. */
const LOST = ['googleMapsWidgetContextToken', 'imageSearchQueries', 'retrievalQueries', 'sourceFlaggingUris'] as const

/** Members of a source that no citation has, by the kind of the source. */
const LOST_OF_SOURCES = {
  maps: ['placeAnswerSources', 'route'],
  retrievedContext: ['ragChunk', 'customMetadata', 'pageNumber', 'mediaId'],
} as const

const isFilled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''

/** Google's own widgets, and what it found beside pages and files, have no form in an answer. */
function emitLosses(metadata: JsonRecord, deltas: Deltas): void {
  const { searchEntryPoint: widget } = metadata
  if (isObject(widget) && (isNonEmptyString(widget.renderedContent) || isNonEmptyString(widget.sdkBlob)))
    emitLoss('searchEntryPoint', deltas)
  for (const name of LOST) if (isFilled(metadata[name])) emitLoss(name, deltas)
  const chunks = toArray(metadata.groundingChunks).filter(isObject)
  if (chunks.some(({ image }) => isObject(image))) emitLoss('groundingChunks image', deltas)
  for (const [kind, names] of Object.entries(LOST_OF_SOURCES)) {
    const sources = chunks.map((chunk) => chunk[kind]).filter(isObject)
    for (const name of names)
      if (sources.some((source) => isFilled(source[name]))) emitLoss(`groundingChunks ${kind}.${name}`, deltas)
  }
}

/** Applies `groundingMetadata` and `citationMetadata` of a candidate, after its parts. */
export function applyGrounding(state: GeminiState, candidate: JsonRecord, deltas: Deltas): GeminiState {
  const { groundingMetadata: found, citationMetadata: recited } = candidate
  if (isObject(found)) emitLosses(found, deltas)
  const grounded =
    isObject(found) && Object.keys(found).length > 0
      ? updateProgress(applySupports(state, found, deltas), { search: searchOf(state.progress.search, found) })
      : state
  return isObject(recited) ? applyRecitations(grounded, recited, deltas) : grounded
}

/** Applies `citationMetadata`: passages of the answer that repeat a known source. */
function applyRecitations(state: GeminiState, { citationSources, citations }: JsonRecord, deltas: Deltas): GeminiState {
  let now = state
  for (const found of [...toArray(citationSources), ...toArray(citations)].filter(isObject)) {
    if (!isNonEmptyString(found.uri)) continue
    for (const name of ['license', 'publicationDate']) if (isFilled(found[name])) emitLoss(`citations ${name}`, deltas)
    const source = { url: found.uri, title: textOf(found.title), content: null }
    now = cite(now, source, segmentOf(found, ''), deltas)
  }
  return now
}

/**
 * Emits the pages that the model opened. A page that comes inside a text is emitted at the end, so as not to split it.
 */
export function applyPages(state: GeminiState, found: unknown, deltas: Deltas): GeminiState {
  const pages = toArray(isObject(found) ? found.urlMetadata : null).filter(isObject)
  return pages.reduce<GeminiState>((now, { retrievedUrl: url, urlRetrievalStatus: status }) => {
    const { emitted, run, keys, later } = now.progress
    if (!isNonEmptyString(url) || mapGet(emitted, `page ${url}`) === true) return now
    const good = status === undefined || status === 'URL_RETRIEVAL_STATUS_SUCCESS'
    const delta = {
      kind: 'hosted',
      key: `page ${keys}`,
      item: pageItem(url, good ? 'completed' : 'failed'),
      done: true,
    } as const
    const next: Partial<DecoderProgress> = { emitted: mapSet(emitted, `page ${url}`, true), keys: keys + 1 }
    if (run?.kind === 'text') return updateProgress(now, { ...next, later: listAppend<Delta>(later, delta) })
    const before = endRun(now, deltas)
    deltas.push(delta)
    return updateProgress(before, next)
  }, state)
}

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
function indexAt(state: GeminiState, offset: number): number {
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
function placeCitation(before: GeminiState, source: GroundingSource, segment: Segment, deltas: Deltas): GeminiState {
  const state = counted(before)
  const at = indexAt(state, segment.start)
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
  const offset = offsets[firstFrom(offsets, from)]
  return offset !== undefined && offset + quote.length <= from + (texts[at] ?? '').length
}

/** Returns the index of the first text that contains a quote; -1 if there is none. */
function holderOf(shelf: Shelf, quote: string): number {
  const first = shelf.found.get(quote)?.[0]
  if (first === undefined) return -1
  const at = firstFrom(shelf.starts, first + 1) - 1
  return holds(shelf, at, quote) ? at : -1
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
    const byOffset = indexAt(state, segment.start)
    const holder = holds(shelf, byOffset, quote) ? byOffset : holderOf(shelf, quote)
    const crosses = holder < 0 && (shelf.crossing.get(quote) ?? []).length > 0
    emit(state, holder < 0 ? byOffset : holder, source, segment, crosses ? '' : quote, deltas)
  }
}
