import { listAppend } from '../../../collections/list.ts'
import { mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Citation, OffsetUnit, Span } from '../../../protocol/delta.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import { ANSWER_BOUNDS } from '../../../protocol/limits.ts'
import { lengthOf, type MeasuredText, measure, offsetIn, offsetOut, sliceOf } from '../../../responses/measured-text.ts'
import { formatJson, isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { type DecoderProgress, partRunOf, receivedItemAt, toIndex, withRun } from './state.ts'

const textOf = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

/** Returns the identity of an annotation. The title is not part of it, because some vendors add it later. */
function wordFor(annotation: JsonRecord): string {
  const { type, url, file_id, index, start_index, end_index } = flat(annotation)
  return formatJson([type, url, file_id, index, start_index, end_index].map(scalarToString))
}

/** Chat completions have the fields of a page in an object of their own. */
const flat = (annotation: JsonRecord): JsonRecord =>
  isObject(annotation.url_citation) ? { ...annotation, ...annotation.url_citation } : annotation

type Bounds = Pick<Span, 'start' | 'end'>

/** The longest span that may be a link, or that is repeated as a quote. */
const LONGEST = 10_000

const inUnits = (text: MeasuredText, { start, end }: Bounds): string =>
  end - start > LONGEST ? '' : sliceOf(text, start, Math.min(end, lengthOf(text)))

function inPoints(text: MeasuredText, { start, end }: Bounds): string {
  const from = offsetIn(text, start, 'code-point')
  const to = offsetIn(text, end, 'code-point') ?? lengthOf(text)
  return from === null || end - start > LONGEST ? '' : sliceOf(text, from, to)
}

/** Whether the text is exactly one link, `([site](url))` or `[[1]](url)`. */
const isLink = (words: string, url: string): boolean => words.includes(url) && /^[([].*[)\]]$/s.test(words)

/**
 * Returns the unit of the offsets, which vendors call characters. Up to the first character beyond the BMP, both units
 * agree. After it, the unit whose span contains the link to the page is taken; UTF-16 if neither does.
 */
function unitOf(text: MeasuredText, span: Bounds, url: string): OffsetUnit {
  const end = Math.min(span.end, lengthOf(text))
  if (offsetOut(text, end, 'code-point') === end || isLink(inUnits(text, span), url)) return 'utf16'
  return isLink(inPoints(text, span), url) ? 'code-point' : 'utf16'
}

function spanOf({ start_index, end_index }: JsonRecord, text: MeasuredText, url: string): Span | null {
  const start = toIndex(start_index)
  const end = toIndex(end_index)
  if (start === null || end === null || end <= start) return null
  return { start, end, unit: unitOf(text, { start, end }, url) }
}

/** Returns the cited text, by which a citation is found in the right part if the text comes in several parts. */
function quoteOf(text: MeasuredText, span: Span | null): { readonly quote?: string } {
  if (span === null || span.end > lengthOf(text)) return {}
  const quote = span.unit === 'utf16' ? inUnits(text, span) : inPoints(text, span)
  return quote === '' ? {} : { quote }
}

function pageCitation(annotation: JsonRecord, url: string, text: MeasuredText): Citation {
  const span = spanOf(annotation, text, url)
  const { title, content } = annotation
  return { url, title: textOf(title), content: textOf(content), span, marker: null, ...quoteOf(text, span) }
}

/** A citation of a file has one position, the end of the cited text. */
function fileCitation(annotation: JsonRecord, fileId: string, text: MeasuredText): Citation {
  const at = toIndex(annotation.index)
  const span =
    at === null || at === 0 ? spanOf(annotation, text, '') : ({ start: at - 1, end: at, unit: 'utf16' } as const)
  const file = { file_id: fileId, filename: textOf(annotation.filename) ?? '' }
  return { url: '', title: null, content: null, span, marker: null, file }
}

function citationOf(annotation: JsonRecord, text: MeasuredText): Citation | null {
  const fields = flat(annotation)
  const { type, url, file_id: fileId } = fields
  switch (type) {
    case 'url_citation':
      return isNonEmptyString(url) ? pageCitation(fields, url, text) : null
    case 'file_citation':
    case 'container_file_citation':
      return isNonEmptyString(fileId) ? fileCitation(annotation, fileId, text) : null
    default:
      return null
  }
}

/** In UTF-16 units of an annotation, because the answer's budget counts no members that are not read. */
const LONGEST_KEPT = 1024

/** Emits a citation. O(log n), plus the length of the cited text. */
function cite(
  progress: DecoderProgress,
  item: number,
  run: number,
  annotation: unknown,
  deltas: Deltas,
): DecoderProgress {
  if (!isObject(annotation)) return progress
  const { text, name, cited, annotations, measured: known } = partRunOf(progress, item, run)
  const measured = known ?? measure(text)
  const citation = citationOf(annotation, measured)
  if (isNonEmptyString(annotation.container_id)) emitLoss('the container of a cited file', deltas)
  if (citation === null) emitLoss(`annotation ${scalarToString(annotation.type)}`, deltas)
  else deltas.push({ kind: 'citation', key: receivedItemAt(progress, item).key, part: name, citation })
  const word = wordFor(annotation)
  const isKept = annotations.length < ANSWER_BOUNDS.citations && formatJson(annotation).length <= LONGEST_KEPT
  return withRun(progress, item, run, {
    measured,
    cited: mapSet(cited, word, (mapGet(cited, word) ?? 0) + 1),
    annotations: isKept ? listAppend<Json>(annotations, annotation as Json) : annotations,
  })
}

/** Emits the citation of an event. Some servers send all annotations so far again with each piece of the text. */
export function citeOnce(
  progress: DecoderProgress,
  item: number,
  run: number,
  { annotation, annotation_index: at }: JsonRecord,
  deltas: Deltas,
): DecoderProgress {
  if (!isObject(annotation)) return progress
  const { cited } = partRunOf(progress, item, run)
  const place = `${scalarToString(at)} ${wordFor(annotation)}`
  if (mapGet(cited, place) !== undefined) return progress
  const noted = withRun(progress, item, run, { cited: mapSet(cited, place, 1) })
  return cite(noted, item, run, annotation, deltas)
}

/**
 * Emits the new annotations of a list: finished parts, finished items and finished responses repeat all annotations.
 */
export function citeRest(
  progress: DecoderProgress,
  item: number,
  run: number,
  annotations: unknown,
  deltas: Deltas,
): DecoderProgress {
  const found = toArray(annotations).filter(isObject)
  let remaining = partRunOf(progress, item, run).cited
  const rest = found.filter((annotation) => {
    const word = wordFor(annotation)
    const count = mapGet(remaining, word) ?? 0
    if (count > 0) remaining = mapSet(remaining, word, count - 1)
    return count === 0
  })
  return rest.reduce<DecoderProgress>((now, annotation) => cite(now, item, run, annotation, deltas), progress)
}
