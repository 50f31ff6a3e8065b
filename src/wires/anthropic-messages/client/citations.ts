import { type BlockText, sliceText, textLength } from '../../../collections/block-text.ts'
import { firstWhere } from '../../../collections/first-where.ts'
import type { Citation, CitationDelta, ContentDelta, Delta } from '../../../protocol/delta.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { ANSWER_BOUNDS } from '../../../protocol/limits.ts'
import type { SourcePlace } from '../../../protocol/part.ts'

interface Run {
  readonly start: number
  readonly end: number
}

/** Returns the span of a citation within its part; null if it is unknown. */
function runOf({ span }: Citation, length: number): Run | null {
  const end = Math.min(span?.end ?? 0, length)
  return span !== null && span.start >= 0 && end > span.start ? { start: span.start, end } : null
}

type CitedFile = NonNullable<Citation['file']>

/** A document of the request has no id; this one contains its index in the request. */
const NUMBERED = /^document-(\d{1,9})$/

const LOCATIONS = {
  char: ['char_location', 'start_char_index', 'end_char_index'],
  page: ['page_location', 'start_page_number', 'end_page_number'],
  block: ['content_block_location', 'start_block_index', 'end_block_index'],
} as const satisfies Record<SourcePlace['unit'], readonly [type: string, start: string, end: string]>

const UNKNOWN_PLACE: SourcePlace = { unit: 'char', start: 0, end: 0 }

function fileCitation({ file_id, filename, place = UNKNOWN_PLACE }: CitedFile, quoted: string): JsonObject {
  const number = NUMBERED.exec(file_id)?.[1]
  const [type, start, end] = LOCATIONS[place.unit]
  return {
    type,
    cited_text: quoted,
    document_index: Number(number ?? 0),
    document_title: filename === file_id ? null : filename,
    file_id: number === undefined ? file_id : null,
    [start]: place.start,
    [end]: place.end,
  }
}

/**
 * Encodes a citation. `text` is the text of the cited part so far. If the quoted text of the source is unknown, the
 * beginning of the cited span replaces it.
 */
export function toCited(citation: Citation, text: BlockText): JsonObject {
  const { url, title, content, file } = citation
  if (file !== undefined) return fileCitation(file, content ?? '')
  const run = runOf(citation, textLength(text))
  const words =
    content ?? (run === null ? '' : sliceText(text, run.start, Math.min(run.end, run.start + ANSWER_BOUNDS.cited_text)))
  return { type: 'web_search_result_location', url, title, cited_text: words, encrypted_index: '' }
}

// ---------------------------------------------------------------- citations of a whole answer

/** A span of text that becomes one block, with its citations. */
interface Cited extends Run {
  readonly citations: readonly CitationDelta[]
}

const partOf = ({ key, part }: { readonly key: string; readonly part: string }): string => JSON.stringify([key, part])

/** Merges overlapping spans, because blocks cannot be nested. */
function merged(runs: readonly (Run & { readonly citation: CitationDelta })[]): readonly Cited[] {
  const out: { readonly start: number; end: number; readonly citations: CitationDelta[] }[] = []
  for (const { start, end, citation } of runs.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = out.at(-1)
    if (last === undefined || start >= last.end) out.push({ start, end, citations: [citation] })
    else {
      last.end = Math.max(last.end, end)
      last.citations.push(citation)
    }
  }
  return out
}

/** Returns the cited spans of each part, from left to right. */
function runsOf(deltas: readonly Delta[]): ReadonlyMap<string, readonly Cited[]> {
  const lengths = new Map<string, number>()
  for (const delta of deltas) {
    if (delta.kind === 'text') lengths.set(partOf(delta), (lengths.get(partOf(delta)) ?? 0) + delta.text.length)
  }
  const runs = new Map<string, (Run & { readonly citation: CitationDelta })[]>()
  for (const delta of deltas) {
    if (delta.kind !== 'citation') continue
    const name = partOf(delta)
    const run = runOf(delta.citation, lengths.get(name) ?? 0)
    if (run === null) continue
    const known = runs.get(name)
    if (known === undefined) runs.set(name, [{ ...run, citation: delta }])
    else known.push({ ...run, citation: delta })
  }
  return new Map([...runs].map(([name, found]) => [name, merged(found)]))
}

/** Returns the index of the first span that ends after an offset. O(log n). */
const firstBehind = (runs: readonly Cited[], offset: number): number =>
  firstWhere(runs.length, (at) => (runs[at] as Cited).end > offset)

/** Splits a text delta, which begins at the offset `from` of its part, where cited spans begin and end. */
function cut(delta: ContentDelta, from: number, runs: readonly Cited[]): readonly Delta[] {
  const { key, text } = delta
  const to = from + text.length
  const out: Delta[] = []
  let at = from
  const piece = (end: number): void => {
    if (end > at) out.push({ ...delta, text: text.slice(at - from, end - from) })
    at = Math.max(at, end)
  }
  for (let i = firstBehind(runs, from); i < runs.length; i += 1) {
    const { start, end, citations } = runs[i] as Cited
    if (start >= to) break
    piece(start)
    if (start >= from) out.push({ kind: 'mark', key })
    piece(Math.min(end, to))
    if (end <= to) for (const citation of citations) out.push(citation)
  }
  piece(to)
  return out
}

/**
 * Makes each cited span of a whole answer a block of its own, directly followed by its citations. O(n log m) for n
 * deltas and m citations.
 */
export function withRuns(deltas: readonly Delta[]): readonly Delta[] {
  const cited = runsOf(deltas)
  if (cited.size === 0) return deltas
  const placed = new Set<Delta>([...cited.values()].flat().flatMap(({ citations }) => citations))
  const lengths = new Map<string, number>()
  return deltas.flatMap((delta): readonly Delta[] => {
    if (placed.has(delta)) return []
    if (delta.kind !== 'text') return [delta]
    const name = partOf(delta)
    const from = lengths.get(name) ?? 0
    lengths.set(name, from + delta.text.length)
    const runs = cited.get(name)
    return runs === undefined || delta.text === '' ? [delta] : cut(delta, from, runs)
  })
}
