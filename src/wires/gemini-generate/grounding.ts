import type { Citation } from '../../protocol/delta.ts'
import { isObject, isText, toArray } from '../../text/json.ts'
import { fromUtf16 } from '../../text/offsets.ts'
import { endRun, textKey } from './runs.ts'
import { type Bag, type GeminiState, type PastText, type Say, type Search, type Story, tell } from './state.ts'
import { pageItem } from './steps.ts'

/** A text of the answer, and where it begins among all of them, in UTF-8 bytes. */
interface Place extends PastText {
  readonly start: number
}

const bytesOf = (text: string): number => fromUtf16(text, text.length, 'utf8')

/** All texts up to now; the one that goes on, or is yet to come, is the last. */
function placesOf({ said, story }: GeminiState): readonly Place[] {
  const going = story.run?.kind === 'text'
  const last: PastText = { key: textKey(story.texts), text: going ? said : '', held: true }
  const texts = going || story.texts.length === 0 ? [...story.texts, last] : story.texts
  // One text is the rule, and needs no counting.
  if (texts.length === 1) return texts.map((it) => ({ ...it, start: 0 }))
  const starts: number[] = []
  texts.reduce((start, { text }) => {
    starts.push(start)
    return start + bytesOf(text)
  }, 0)
  return texts.map((it, at) => ({ ...it, start: starts[at] ?? 0 }))
}

interface Segment {
  readonly start: number
  readonly end: number
  readonly quote: string
}

type Placed = Pick<Citation, 'span' | 'quote'> & { readonly key: string }

/**
 * In which text a segment stands, and where in it. Offsets count through all texts, thoughts left out. Where tools ran
 * between the texts they were seen to be off: then the text that holds the quoted words is meant.
 */
function place({ start, end, quote }: Segment, places: readonly Place[]): Placed | null {
  const byOffset = places.findLast((it) => it.start <= start) ?? places[0]
  if (byOffset === undefined) return null
  const holds = (it: Place): boolean => it.text.includes(quote)
  const found = quote === '' || places.length === 1 || holds(byOffset) ? byOffset : (places.find(holds) ?? byOffset)
  const span = { start: start - found.start, end: end - found.start, unit: 'utf8' as const }
  // A message that is over takes no citations: the source at least is named.
  if (!found.held) return { key: places.at(-1)?.key ?? found.key, span: null }
  return quote === '' || crosses(quote, found, places) ? { key: found.key, span } : { key: found.key, span, quote }
}

/** Words that begin in one text and end in the next are marked as far as the first goes. */
const crosses = (quote: string, { text }: Place, places: readonly Place[]): boolean =>
  !text.includes(quote) &&
  places
    .map((it) => it.text)
    .join('')
    .includes(quote)

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** An offset that is 0 is left out. */
const segmentOf = ({ startIndex, endIndex }: Bag, quote: string): Segment => ({
  start: isOffset(startIndex) ? startIndex : 0,
  end: isOffset(endIndex) ? endIndex : 0,
  quote,
})

type Source = Pick<Citation, 'url' | 'title' | 'content' | 'file'>

const textOf = (value: unknown): string | null => (isText(value) ? value : null)

/** A page, a place on a map, or a file of the operator's own. */
function sourceOf(chunk: unknown): Source | null {
  if (!isObject(chunk)) return null
  const found = [chunk.web, chunk.maps, chunk.retrievedContext].find(isObject)
  if (found === undefined) return null
  const title = textOf(found.title)
  const content = textOf(found.text)
  if (isText(found.uri)) return { url: found.uri, title, content }
  const id = [found.documentName, found.fileSearchStore, found.title].find(isText)
  return id === undefined ? null : { url: '', title, content, file: { file_id: id, filename: title ?? '' } }
}

/** Says a citation, once however often it is repeated. */
function cite(told: readonly string[], source: Source, segment: Segment, places: readonly Place[], say: Say) {
  const name = `${source.url || source.file?.file_id} ${segment.start} ${segment.end}`
  const placed = told.includes(name) ? null : place(segment, places)
  if (placed === null) return told
  const { key, ...where } = placed
  say.push({ kind: 'citation', key, part: '', citation: { ...source, marker: null, ...where } })
  return [...told, name]
}

function hearSupports(state: GeminiState, metadata: Bag, say: Say): readonly string[] {
  const chunks = toArray(metadata.groundingChunks)
  const supports = toArray(metadata.groundingSupports).filter(isObject)
  if (supports.length === 0) return state.story.told
  const places = placesOf(state)
  return supports.reduce<readonly string[]>((told, support) => {
    const bounds = isObject(support.segment) ? support.segment : {}
    const segment = segmentOf(bounds, textOf(bounds.text) ?? '')
    return toArray(support.groundingChunkIndices).reduce<readonly string[]>((now, at) => {
      const source = isOffset(at) ? sourceOf(chunks[at]) : null
      return source === null ? now : cite(now, source, segment, places, say)
    }, told)
  }, state.story.told)
}

function searchOf(known: Search, metadata: Bag): Search {
  const queries = toArray(metadata.webSearchQueries).filter(isText)
  const sources = toArray(metadata.groundingChunks).flatMap((chunk) => {
    const web = isObject(chunk) && isObject(chunk.web) ? chunk.web.uri : null
    return isText(web) ? [web] : []
  })
  return {
    queries: queries.length === 0 ? known.queries : queries,
    sources: sources.length === 0 ? known.sources : sources,
  }
}

/** From now on texts are held open: their citations may come after other items have begun. */
export function expectCitations(state: GeminiState, say: Say): GeminiState {
  if (state.story.grounded) return state
  if (state.story.run?.kind === 'text') say.push({ kind: 'hold', key: state.story.run.key })
  return tell(state, { grounded: true })
}

/** `groundingMetadata` and `citationMetadata` of a candidate, after its parts. */
export function hearGrounding(state: GeminiState, candidate: Bag, say: Say): GeminiState {
  const { groundingMetadata: found, citationMetadata: recited } = candidate
  const grounded =
    isObject(found) && Object.keys(found).length > 0
      ? tell(state, { told: hearSupports(state, found, say), search: searchOf(state.story.search, found) })
      : state
  return isObject(recited) ? tell(grounded, { told: hearRecitations(grounded, recited, say) }) : grounded
}

/** Words that stand so in a known text. */
function hearRecitations(state: GeminiState, { citationSources, citations }: Bag, say: Say): readonly string[] {
  const places = placesOf(state)
  return [...toArray(citationSources), ...toArray(citations)]
    .filter(isObject)
    .reduce<readonly string[]>((told, found) => {
      if (!isText(found.uri)) return told
      return cite(
        told,
        { url: found.uri, title: textOf(found.title), content: null },
        segmentOf(found, ''),
        places,
        say,
      )
    }, state.story.told)
}

/** Pages that were read for this answer. They are told before it or after it, never in its midst. */
export function hearPages(state: GeminiState, found: unknown, say: Say): GeminiState {
  const pages = toArray(isObject(found) ? found.urlMetadata : null).filter(isObject)
  return pages.reduce<GeminiState>((now, { retrievedUrl: url, urlRetrievalStatus: status }) => {
    const { told, run, keys, later } = now.story
    if (!isText(url) || told.includes(`page ${url}`)) return now
    const good = status === undefined || status === 'URL_RETRIEVAL_STATUS_SUCCESS'
    const delta = {
      kind: 'hosted',
      key: `page ${keys}`,
      item: pageItem(url, good ? 'completed' : 'failed'),
      done: true,
    } as const
    const next: Partial<Story> = { told: [...told, `page ${url}`], keys: keys + 1 }
    if (run?.kind === 'text') return tell(now, { ...next, later: [...later, delta] })
    const before = endRun(now, say)
    say.push(delta)
    return tell(before, next)
  }, state)
}
