import type { Citation, OffsetUnit } from '../protocol/delta.ts'
import type { Annotation, UrlCitation } from '../protocol/part.ts'
import { type Found, findAllInSteps } from '../text/find-all.ts'
import { finish, type Steps } from '../text/steps.ts'
import {
  type Extent,
  endsInHalf,
  lengthOf,
  type MeasuredText,
  measure,
  offsetIn,
  offsetOut,
  splitsPair,
  standsAt,
} from './measured-text.ts'

/*
 * Where citations stand. While the text grows, a citation is placed by its span alone, in O(log n) and the length of its
 * quote; all that wait for the end of the text are placed in one pass over it.
 */

interface Place {
  readonly start: number
  readonly end: number
}

const NOWHERE: Place = { start: 0, end: 0 }

/** Can this citation be placed before its text is whole, by its span? Of all others the text need not be measured. */
export const hasPlace = ({ span, marker, linked, settled }: Citation): boolean =>
  settled === true || (span !== null && isUseful(span) && marker === null && linked !== true)

/**
 * The annotation of a citation whose place the text so far decides; null while it does not. It does not while its last
 * character may be half of one, nor where the span holds other words than were quoted: of several places that hold them the
 * nearest counts, and it may be yet to come.
 */
export function placeNow(citation: Citation, text: MeasuredText, unit: OffsetUnit): Annotation | null {
  if (!hasPlace(citation)) return null
  if (citation.settled === true) return toAnnotation(citation, citation.span ?? NOWHERE, text, unit)
  const { span } = citation
  if (span === null || endsInHalf(text) || offsetIn(text, span.end, span.unit) === null) return null
  const place = spanOf(citation, text)
  return place === null ? null : toAnnotation(citation, whole(place, text), text, unit)
}

/** The same citation where its span counts a text of that extent that stands in earlier items. */
export function past(earlier: Extent, citation: Citation): Citation {
  const { span, settled } = citation
  if (earlier.utf16 === 0 || span === null || settled === true || !isUseful(span)) return citation
  const length = earlier[span.unit]
  return { ...citation, span: { ...span, start: Math.max(0, span.start - length), end: span.end - length } }
}

/**
 * Citations as annotations of a finished text: one for every place where one stands. One that stands nowhere is kept at
 * 0..0 if the upstream cited it by position or not at all, and dropped if it is a numbered source that no mark cites.
 * `most`: the first of so many and one more are enough.
 */
export const placeAll = (...given: Parameters<typeof placeAllInSteps>): readonly Annotation[] =>
  finish(placeAllInSteps(...given))

/** Citations that are placed in one go. */
const CITATIONS = 64

/** The same in slices. */
export function* placeAllInSteps(
  citations: readonly Citation[],
  text: string,
  measured: MeasuredText,
  unit: OffsetUnit,
  most = Number.POSITIVE_INFINITY,
): Steps<readonly Annotation[]> {
  const spanned: { readonly citation: Citation; readonly place: Place | null }[] = []
  for (const citation of citations) {
    spanned.push({ citation, place: decidedPlace(citation, measured) })
    if (spanned.length % CITATIONS === 0) yield
  }
  const wanted = spanned.flatMap(({ citation, place }) => (place === null ? wordsOf(citation) : []))
  const page: Page = { text, measured, found: yield* findAllInSteps(text, wanted), most }
  const annotations: Annotation[] = []
  for (const [at, { citation, place }] of spanned.entries()) {
    const places = place === null ? placesOf(citation, page).map((it) => whole(it, measured)) : [place]
    for (const it of places) {
      annotations.push(toAnnotation(citation, it, measured, unit))
      if (annotations.length > most) return annotations
    }
    if (places.length > 1 || at % CITATIONS === CITATIONS - 1) yield
  }
  return annotations
}

/** One citation as annotations of a finished text. */
export const toAnnotations = (citation: Citation, text: string, unit: OffsetUnit): readonly Annotation[] =>
  placeAll([citation], text, measure(text), unit)

/** A finished text, and where in it stands what was looked for. */
interface Page {
  readonly text: string
  readonly measured: MeasuredText
  readonly found: Found
  /** Of one citation the first of so many places and one more are enough. */
  readonly most: number
}

function decidedPlace(citation: Citation, text: MeasuredText): Place | null {
  if (citation.settled === true) return citation.span ?? NOWHERE
  const place = hasPlace(citation) ? spanOf(citation, text) : null
  return place === null ? null : whole(place, text)
}

function toAnnotation(citation: Citation, place: Place, text: MeasuredText, unit: OffsetUnit): Annotation {
  const { file } = citation
  return file === undefined
    ? urlCitation(citation, place, text, unit)
    : { type: 'file_citation', ...file, index: offsetOut(text, place.end, unit) }
}

const urlCitation = (citation: Citation, { start, end }: Place, text: MeasuredText, unit: OffsetUnit): UrlCitation => ({
  type: 'url_citation',
  url: citation.url,
  title: citation.title,
  start_index: offsetOut(text, start, unit),
  end_index: offsetOut(text, end, unit),
  content: citation.content,
})

/** An excerpt that begins or ends with half a character marks the whole of it. */
const whole = ({ start, end }: Place, text: MeasuredText): Place => ({
  start: splitsPair(text, start) ? start - 1 : start,
  end: splitsPair(text, end) ? end + 1 : end,
})

const linkTo = (url: string): string => (url === '' ? '' : `](${url}`)

/** All that is looked for in the text to place this citation. */
const wordsOf = ({ url, content, marker, quote, linked }: Citation): readonly string[] => {
  if (linked === true) return [linkTo(url), url, marker ?? '']
  return marker === null ? [quote ?? '', linkTo(url), '[', ')', content ?? ''] : [marker]
}

function placesOf(citation: Citation, page: Page): readonly Place[] {
  const { marker, url, content, linked } = citation
  if (linked === true) return markedOrLinked(citation, page)
  if (marker !== null) return outside([], occurrences(marker, page), () => true, page)
  return [quoteOf(citation, page) ?? linkOf(url, page) ?? excerptOf(content, page) ?? NOWHERE]
}

/** Vendors that do not know where a citation stands say 0..0 (OpenRouter). */
const isUseful = (span: Place): boolean => span.start >= 0 && span.end > span.start

function spanOf({ span, quote }: Citation, text: MeasuredText): Place | null {
  if (span === null || !isUseful(span)) return null
  const start = offsetIn(text, span.start, span.unit)
  const end = offsetIn(text, span.end, span.unit) ?? lengthOf(text)
  if (start === null || end <= start) return null
  return quote === undefined || standsAt(text, start, end, quote) ? { start, end } : null
}

/** Where the quoted words stand, as near to the given span as they do. */
function quoteOf({ span, quote }: Citation, { measured, found }: Page): Place | null {
  const places = found.get(quote ?? '') ?? NO_PLACES
  if (quote === undefined || places.length === 0) return null
  const near = span === null ? 0 : (offsetIn(measured, span.start, span.unit) ?? lengthOf(measured))
  const next = firstFrom(places, near)
  const [before, after] = [places[next - 1], places[next]]
  const isBefore = after === undefined || (before !== undefined && near - before <= after - near)
  const start = (isBefore ? before : after) ?? 0
  return { start, end: start + quote.length }
}

const NO_PLACES: readonly number[] = []

/** The index of the first of these ascending numbers that is not below a bound. O(log n). */
function firstFrom(numbers: readonly number[], bound: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** A mark may be the text of a link, `[1](url)`: that is one place, the link. */
function markedOrLinked({ marker, url }: Citation, page: Page): readonly Place[] {
  const { text } = page
  const links = linksOf(url, page)
  const isBare = ({ end }: Place): boolean => AFTER_URL.test(text.slice(end, end + LONGEST))
  // A mark that is the text of a link to another page cites that one.
  const isMark = ({ end }: Place): boolean => text[end] !== '('
  const bare = outside(links, occurrences(url, page), isBare, page)
  const marks = outside(links, occurrences(marker ?? '', page), isMark, page)
  return [...links, ...bare, ...marks].sort((a, b) => a.start - b.start)
}

/** The first places that count and do not lie inside these links; both lists in the order of the text. */
function outside(
  links: readonly Place[],
  places: Iterable<Place>,
  counts: (place: Place) => boolean,
  { most }: Page,
): readonly Place[] {
  const found: Place[] = []
  let next = 0
  for (const place of places) {
    if (!counts(place)) continue
    while ((links[next]?.end ?? Number.POSITIVE_INFINITY) < place.end) next += 1
    if (place.start < (links[next]?.start ?? Number.POSITIVE_INFINITY)) found.push(place)
    if (found.length > most) break
  }
  return found
}

/** What may stand between the address of a link and its end: an anchor, a title. */
const REST_OF_LINK = /^\/?(?:#[^\s)]*)?(?:\s+["'][^\n]*?["'])?\s*\)/
/** What may follow an address in running text: else it is another one that begins alike. */
const AFTER_URL = /^\/?[.,;:!?]*(?:[\s)\]>"'*_]|$)/
const LONGEST = 300

/** The first Markdown links to exactly this page. Links do not nest: the inner one counts. */
function linksOf(url: string, page: Page): readonly Place[] {
  const { text } = page
  const links: Place[] = []
  for (const { start: at, end } of occurrences(linkTo(url), page)) {
    const rest = REST_OF_LINK.exec(text.slice(end, end + LONGEST))
    const start = openingOf(at, text)
    if (rest !== null && start >= (links.at(-1)?.end ?? 0)) links.push({ start, end: end + rest[0].length })
    if (links.length > page.most) break
  }
  return links
}

const LONGEST_NAME = 2000

/** The bracket that the one at this offset closes; -1 where there is none near. */
function openingOf(at: number, text: string): number {
  let open = 1
  for (let i = at - 1; i >= Math.max(0, at - LONGEST_NAME); i -= 1) {
    if (text[i] === ']') open += 1
    else if (text[i] === '[') open -= 1
    if (open === 0) return i
  }
  return -1
}

/** A Markdown link to the page: the whole of it, `[site](url)`, is what the citation marks. */
function linkOf(url: string, { found }: Page): Place | null {
  const at = found.get(linkTo(url))?.[0]
  if (at === undefined) return null
  const [opening, closing] = [found.get('[') ?? NO_PLACES, found.get(')') ?? NO_PLACES]
  const open = opening[firstFrom(opening, at) - 1]
  const close = closing[firstFrom(closing, at + linkTo(url).length)]
  return open === undefined || close === undefined ? null : { start: open, end: close + 1 }
}

function excerptOf(excerpt: string | null, { found }: Page): Place | null {
  const start = excerpt === null ? undefined : found.get(excerpt)?.[0]
  return start === undefined || excerpt === null ? null : { start, end: start + excerpt.length }
}

function* occurrences(words: string, { found }: Page): Iterable<Place> {
  for (const start of found.get(words) ?? NO_PLACES) yield { start, end: start + words.length }
}
