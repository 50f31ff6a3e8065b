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
