import { firstFrom } from '../collections/first-where.ts'
import type { Citation, OffsetUnit } from '../protocol/delta.ts'
import type { Annotation, UrlCitation } from '../protocol/part.ts'
import { type Found, findAllInSteps } from '../text/find-all.ts'
import type { Steps } from '../text/steps.ts'
import {
  type Extent,
  endsInHalfCharacter,
  lengthOf,
  type MeasuredText,
  offsetIn,
  offsetOut,
  splitsCharacter,
  standsAt,
} from './measured-text.ts'

/*
 * Positions of citations. While the text grows, a citation is placed by its span alone, in O(log n) and the length of
 * its quote. All citations that wait for the end of the text are placed in one pass over it.
 */

interface Anchor {
  readonly start: number
  readonly end: number
}

const NOWHERE: Anchor = { start: 0, end: 0 }

/**
 * Returns whether the span of a citation can place it before the text is whole. No other citation needs a measured
 * text.
 */
export const isAnchored = ({ span, marker, linked, settled }: Citation): boolean =>
  settled === true || (span !== null && isUseful(span) && marker === null && linked !== true)

/**
 * Returns the annotation of a citation if the text so far decides its place; null otherwise. The text does not decide
 * while its last unit may be half of a character, nor if the span covers other text than the quote: of several
 * occurrences of the quote the nearest counts, and it may be yet to come.
 */
export function anchorNow(citation: Citation, text: MeasuredText, unit: OffsetUnit): Annotation | null {
  if (!isAnchored(citation)) return null
  if (citation.settled === true) return toAnnotation(citation, citation.span ?? NOWHERE, text, unit)
  const { span } = citation
  if (span === null || endsInHalfCharacter(text) || offsetIn(text, span.end, span.unit) === null) return null
  const place = spanOf(citation, text)
  return place === null ? null : toAnnotation(citation, whole(place, text), text, unit)
}

/**
 * Returns the citation relative to its own text, if its span also counts a text of the extent `earlier` in previous
 * items.
 */
export function past(earlier: Extent, citation: Citation): Citation {
  const { span, settled } = citation
  if (earlier.utf16 === 0 || span === null || settled === true || !isUseful(span)) return citation
  const length = earlier[span.unit]
  return { ...citation, span: { ...span, start: Math.max(0, span.start - length), end: span.end - length } }
}

/** Number of citations that are placed in one slice. */
const CITATIONS = 64

/**
 * Converts citations to annotations of a finished text, one for each place. A citation that is not found is kept at
 * 0..0 if the upstream cited it by position or gave no place at all, and dropped if it is a numbered source that no
 * marker or link cites. Stops after `most` + 1 annotations, which show that a limit is exceeded.
 */
export function* anchorAll(
  citations: readonly Citation[],
  text: string,
  measured: MeasuredText,
  unit: OffsetUnit,
  most = Number.POSITIVE_INFINITY,
): Steps<readonly Annotation[]> {
  const spanned: { readonly citation: Citation; readonly place: Anchor | null }[] = []
  for (const citation of citations) {
    spanned.push({ citation, place: decidedAnchor(citation, measured) })
    if (spanned.length % CITATIONS === 0) yield
  }
  const wanted = spanned.flatMap(({ citation, place }) => (place === null ? wordsOf(citation) : []))
  const page: Page = { text, measured, found: yield* findAllInSteps(text, wanted), most }
  const annotations: Annotation[] = []
  for (const [at, { citation, place }] of spanned.entries()) {
    const places = place === null ? anchorsOf(citation, page).map((it) => whole(it, measured)) : [place]
    for (const it of places) {
      annotations.push(toAnnotation(citation, it, measured, unit))
      if (annotations.length > most) return annotations
    }
    if (places.length > 1 || at % CITATIONS === CITATIONS - 1) yield
  }
  return annotations
}

/** A finished text, and the offsets of all texts that were searched in it. */
interface Page {
  readonly text: string
  readonly measured: MeasuredText
  readonly found: Found
  /** At most `most` + 1 places of one citation are needed. */
  readonly most: number
}

function decidedAnchor(citation: Citation, text: MeasuredText): Anchor | null {
  if (citation.settled === true) return citation.span ?? NOWHERE
  const place = isAnchored(citation) ? spanOf(citation, text) : null
  return place === null ? null : whole(place, text)
}

function toAnnotation(citation: Citation, place: Anchor, text: MeasuredText, unit: OffsetUnit): Annotation {
  const { file, content } = citation
  if (file === undefined) return urlCitation(citation, place, text, unit)
  return {
    type: 'file_citation',
    ...file,
    index: offsetOut(text, place.end, unit),
    ...(place.end > place.start ? { start_index: offsetOut(text, place.start, unit) } : {}),
    ...(content === null ? {} : { content }),
  }
}

const urlCitation = (
  citation: Citation,
  { start, end }: Anchor,
  text: MeasuredText,
  unit: OffsetUnit,
): UrlCitation => ({
  type: 'url_citation',
  url: citation.url,
  title: citation.title,
  start_index: offsetOut(text, start, unit),
  end_index: offsetOut(text, end, unit),
  content: citation.content,
})

/**
 * Extends a place that begins or ends inside a surrogate pair to the whole character, because excerpts may be cut
 * there.
 */
const whole = ({ start, end }: Anchor, text: MeasuredText): Anchor => ({
  start: splitsCharacter(text, start) ? start - 1 : start,
  end: splitsCharacter(text, end) ? end + 1 : end,
})

const linkTo = (url: string): string => (url === '' ? '' : `](${url}`)

/** Returns all texts that have to be found in order to place this citation. */
const wordsOf = ({ url, content, marker, quote, linked }: Citation): readonly string[] => {
  if (linked === true) return [linkTo(url), url, marker ?? '']
  return marker === null ? [quote ?? '', linkTo(url), '[', ')', content ?? ''] : [marker]
}

function anchorsOf(citation: Citation, page: Page): readonly Anchor[] {
  const { marker, url, content, linked } = citation
  if (linked === true) return markedOrLinked(citation, page)
  if (marker !== null) return outside([], occurrences(marker, page), () => true, page)
  return [quoteOf(citation, page) ?? linkOf(url, page) ?? excerptOf(content, page) ?? NOWHERE]
}

/** Vendors such as OpenRouter write 0..0 if they have no position of a citation. */
const isUseful = (span: Anchor): boolean => span.start >= 0 && span.end > span.start

function spanOf({ span, quote }: Citation, text: MeasuredText): Anchor | null {
  if (span === null || !isUseful(span)) return null
  const start = offsetIn(text, span.start, span.unit)
  const end = offsetIn(text, span.end, span.unit) ?? lengthOf(text)
  if (start === null || end <= start) return null
  return quote === undefined || standsAt(text, start, end, quote) ? { start, end } : null
}

/** Returns the occurrence of the quote that is nearest to the given span. */
function quoteOf({ span, quote }: Citation, { measured, found }: Page): Anchor | null {
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

/** A marker may be the text of a link, `[1](url)`: that is one place, the link. */
function markedOrLinked({ marker, url }: Citation, page: Page): readonly Anchor[] {
  const { text } = page
  const links = linksOf(url, page)
  const isBare = ({ end }: Anchor): boolean => AFTER_URL.test(text.slice(end, end + LONGEST))
  // A marker that is the text of a link to another page cites that page.
  const isMark = ({ end }: Anchor): boolean => text[end] !== '('
  const bare = outside(links, occurrences(url, page), isBare, page)
  const marks = outside(links, occurrences(marker ?? '', page), isMark, page)
  return [...links, ...bare, ...marks].sort((a, b) => a.start - b.start)
}

/** Returns the first places that count and do not lie inside these links. Both lists are in the order of the text. */
function outside(
  links: readonly Anchor[],
  places: Iterable<Anchor>,
  counts: (place: Anchor) => boolean,
  { most }: Page,
): readonly Anchor[] {
  const found: Anchor[] = []
  let next = 0
  for (const place of places) {
    if (!counts(place)) continue
    while ((links[next]?.end ?? Number.POSITIVE_INFINITY) < place.end) next += 1
    if (place.start < (links[next]?.start ?? Number.POSITIVE_INFINITY)) found.push(place)
    if (found.length > most) break
  }
  return found
}

/** Matches the rest of a link after its address: an anchor, a title. */
const REST_OF_LINK = /^\/?(?:#[^\s)]*)?(?:\s+["'][^\n]*?["'])?\s*\)/
/** Matches text that may follow an address in running text. Otherwise the address is the beginning of a longer one. */
const AFTER_URL = /^\/?[.,;:!?]*(?:[\s)\]>"'*_]|$)/
const LONGEST = 300

/** Returns the first Markdown links to exactly this page. Links do not nest: the inner one counts. */
function linksOf(url: string, page: Page): readonly Anchor[] {
  const { text } = page
  const links: Anchor[] = []
  for (const { start: at, end } of occurrences(linkTo(url), page)) {
    const rest = REST_OF_LINK.exec(text.slice(end, end + LONGEST))
    const start = openingOf(at, text)
    if (rest !== null && start >= (links.at(-1)?.end ?? 0)) links.push({ start, end: end + rest[0].length })
    if (links.length > page.most) break
  }
  return links
}

const LONGEST_NAME = 2000

/** Returns the offset of the bracket that the one at `at` closes; -1 if there is none within `LONGEST_NAME` units. */
function openingOf(at: number, text: string): number {
  let open = 1
  for (let i = at - 1; i >= Math.max(0, at - LONGEST_NAME); i -= 1) {
    if (text[i] === ']') open += 1
    else if (text[i] === '[') open -= 1
    if (open === 0) return i
  }
  return -1
}

/** Returns the first Markdown link to the page. The citation marks the whole link, `[site](url)`. */
function linkOf(url: string, { found }: Page): Anchor | null {
  const at = found.get(linkTo(url))?.[0]
  if (at === undefined) return null
  const [opening, closing] = [found.get('[') ?? NO_PLACES, found.get(')') ?? NO_PLACES]
  const open = opening[firstFrom(opening, at) - 1]
  const close = closing[firstFrom(closing, at + linkTo(url).length)]
  return open === undefined || close === undefined ? null : { start: open, end: close + 1 }
}

function excerptOf(excerpt: string | null, { found }: Page): Anchor | null {
  const start = excerpt === null ? undefined : found.get(excerpt)?.[0]
  return start === undefined || excerpt === null ? null : { start, end: start + excerpt.length }
}

function* occurrences(words: string, { found }: Page): Iterable<Anchor> {
  for (const start of found.get(words) ?? NO_PLACES) yield { start, end: start + words.length }
}
