import type { Citation, OffsetUnit } from '../protocol/delta.ts'
import type { Annotation, UrlCitation } from '../protocol/part.ts'
import { endsInHalf, fromUtf16, splitsPair, toUtf16 } from '../text/offsets.ts'

interface Place {
  readonly start: number
  readonly end: number
}

const NOWHERE: Place = { start: 0, end: 0 }

/** Is where this citation stands decided by the text so far? Not while its last character may be half of one. */
export function isDecidable({ span, quote, settled }: Citation, text: string): boolean {
  if (settled === true) return true
  // Of several places that hold the quoted words the nearest counts, and it may be yet to come.
  if (quote !== undefined && spanOf({ span, quote }, text) === null) return false
  if (span === null || !isUseful(span) || endsInHalf(text)) return false
  return toUtf16(text, span.end, span.unit) !== null
}

/** A source that is looked for everywhere in the text is looked for once, however often it is told. */
export const isWaiting = ({ linked, url, marker }: Citation, waiting: readonly Citation[]): boolean =>
  linked === true && waiting.some((other) => other.linked === true && other.url === url && other.marker === marker)

/** The same citation where this text, which its span counts, stands in an earlier item. */
export function past(earlier: string, citation: Citation): Citation {
  const { span, settled } = citation
  if (earlier === '' || span === null || settled === true || !isUseful(span)) return citation
  const length = fromUtf16(earlier, earlier.length, span.unit)
  return { ...citation, span: { ...span, start: Math.max(0, span.start - length), end: span.end - length } }
}

type Spanned = Pick<Citation, 'span' | 'quote'>

/**
 * A citation as annotations of a finished text: one for every place where it stands. One that stands nowhere is kept at
 * 0..0 if the upstream cited it by position or not at all, and dropped if it is a numbered source that no mark cites.
 */
export function toAnnotations(citation: Citation, text: string, unit: OffsetUnit): readonly Annotation[] {
  const { file, settled } = citation
  const places = settled === true ? [citation.span ?? NOWHERE] : placesOf(citation, text).map((it) => whole(it, text))
  return file === undefined
    ? places.map((place) => urlCitation(citation, place, text, unit))
    : places.map(({ end }) => ({ type: 'file_citation', ...file, index: fromUtf16(text, end, unit) }))
}

const urlCitation = (citation: Citation, { start, end }: Place, text: string, unit: OffsetUnit): UrlCitation => ({
  type: 'url_citation',
  url: citation.url,
  title: citation.title,
  start_index: fromUtf16(text, start, unit),
  end_index: fromUtf16(text, end, unit),
  content: citation.content,
})

/** An excerpt that begins or ends with half a character marks the whole of it. */
const whole = ({ start, end }: Place, text: string): Place => ({
  start: splitsPair(text, start) ? start - 1 : start,
  end: splitsPair(text, end) ? end + 1 : end,
})

function placesOf(citation: Citation, text: string): readonly Place[] {
  if (citation.linked === true) return markedOrLinked(citation, text)
  if (citation.marker !== null) return occurrences(citation.marker, text)
  return [
    spanOf(citation, text) ??
      quoteOf(citation, text) ??
      linkOf(citation.url, text) ??
      excerptOf(citation.content, text) ??
      NOWHERE,
  ]
}

/** Vendors that do not know where a citation stands say 0..0 (OpenRouter). */
const isUseful = (span: Place): boolean => span.start >= 0 && span.end > span.start

function spanOf({ span, quote }: Spanned, text: string): Place | null {
  if (span === null || !isUseful(span)) return null
  const start = toUtf16(text, span.start, span.unit)
  const end = toUtf16(text, span.end, span.unit) ?? text.length
  if (start === null || end <= start) return null
  return quote === undefined || text.slice(start, end) === quote ? { start, end } : null
}

/** Where the quoted words stand, as near to the given span as they do. */
function quoteOf({ span, quote }: Spanned, text: string): Place | null {
  if (quote === undefined) return null
  const near = span === null ? 0 : (toUtf16(text, span.start, span.unit) ?? text.length)
  const places = occurrences(quote, text)
  const distance = ({ start }: Place): number => Math.abs(start - near)
  return places.reduce<Place | null>((best, it) => (best === null || distance(it) < distance(best) ? it : best), null)
}

/** A mark may be the text of a link, `[1](url)`: that is one place, the link. */
function markedOrLinked({ marker, url }: Citation, text: string): readonly Place[] {
  const links = linksOf(url, text)
  const bare = occurrences(url, text).filter(({ end }) => AFTER_URL.test(text.slice(end, end + LONGEST)))
  // A mark that is the text of a link to another page cites that one.
  const marks = occurrences(marker ?? '', text).filter(({ end }) => text[end] !== '(')
  return [...links, ...outside(links, bare), ...outside(links, marks)].sort((a, b) => a.start - b.start)
}

/** The places that do not lie inside these links; both lists in the order of the text. */
function outside(links: readonly Place[], places: readonly Place[]): readonly Place[] {
  let next = 0
  return places.filter(({ start, end }) => {
    while ((links[next]?.end ?? Number.POSITIVE_INFINITY) < end) next += 1
    return start < (links[next]?.start ?? Number.POSITIVE_INFINITY)
  })
}

/** What may stand between the address of a link and its end: an anchor, a title. */
const REST_OF_LINK = /^\/?(?:#[^\s)]*)?(?:\s+["'][^\n]*?["'])?\s*\)/
/** What may follow an address in running text: else it is another one that begins alike. */
const AFTER_URL = /^\/?[.,;:!?]*(?:[\s)\]>"'*_]|$)/
const LONGEST = 300

/** All Markdown links to exactly this page. Links do not nest: the inner one counts. */
function linksOf(url: string, text: string): readonly Place[] {
  const links: Place[] = []
  for (const { start: at, end } of url === '' ? [] : occurrences(`](${url}`, text)) {
    const rest = REST_OF_LINK.exec(text.slice(end, end + LONGEST))
    const start = openingOf(at, text)
    if (rest !== null && start >= (links.at(-1)?.end ?? 0)) links.push({ start, end: end + rest[0].length })
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
function linkOf(url: string, text: string): Place | null {
  const at = url === '' ? -1 : text.indexOf(`](${url}`)
  if (at < 0) return null
  const open = text.lastIndexOf('[', at)
  const close = text.indexOf(')', at + 2 + url.length)
  return open < 0 || close < 0 ? null : { start: open, end: close + 1 }
}

function excerptOf(excerpt: string | null, text: string): Place | null {
  if (excerpt === null || excerpt === '') return null
  const start = text.indexOf(excerpt)
  return start < 0 ? null : { start, end: start + excerpt.length }
}

function occurrences(marker: string, text: string): readonly Place[] {
  if (marker === '') return []
  const places: Place[] = []
  for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + marker.length)) {
    places.push({ start: at, end: at + marker.length })
  }
  return places
}
