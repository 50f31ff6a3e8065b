import { listAppend } from '../../../collections/list.ts'
import { mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { placeCitation } from './place-citations.ts'
import { pageItem } from './server-tools.ts'
import {
  type DecoderProgress,
  type GeminiState,
  type GroundingSource,
  type SearchStep,
  type Segment,
  updateProgress,
} from './state.ts'
import { endRun } from './text-parts.ts'

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
const UNREAD = ['googleMapsWidgetContextToken', 'imageSearchQueries', 'retrievalQueries', 'sourceFlaggingUris'] as const

/** Members of a source that no citation has, by the kind of the source. */
const UNREAD_OF_SOURCES = {
  maps: ['placeAnswerSources', 'route'],
  retrievedContext: ['ragChunk', 'customMetadata', 'pageNumber', 'mediaId'],
} as const

const isFilled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''

/** Google's own widgets, and what it found beside pages and files, have no form in an answer. */
function emitUnread(metadata: JsonRecord, deltas: Deltas): void {
  const { searchEntryPoint: widget } = metadata
  if (isObject(widget) && (isNonEmptyString(widget.renderedContent) || isNonEmptyString(widget.sdkBlob)))
    emitLoss('searchEntryPoint', deltas)
  for (const name of UNREAD) if (isFilled(metadata[name])) emitLoss(name, deltas)
  const chunks = toArray(metadata.groundingChunks).filter(isObject)
  if (chunks.some(({ image }) => isObject(image))) emitLoss('groundingChunks image', deltas)
  for (const [kind, names] of Object.entries(UNREAD_OF_SOURCES)) {
    const sources = chunks.map((chunk) => chunk[kind]).filter(isObject)
    for (const name of names)
      if (sources.some((source) => isFilled(source[name]))) emitLoss(`groundingChunks ${kind}.${name}`, deltas)
  }
}

/** Applies `groundingMetadata` and `citationMetadata` of a candidate, after its parts. */
export function applyGrounding(state: GeminiState, candidate: JsonRecord, deltas: Deltas): GeminiState {
  const { groundingMetadata: found, citationMetadata: recited } = candidate
  if (isObject(found)) emitUnread(found, deltas)
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
