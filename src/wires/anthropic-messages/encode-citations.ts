import type { Citation, CitationDelta, ContentDelta, Delta } from '../../protocol/delta.ts'
import type { JsonObject } from '../../protocol/json.ts'

interface Run {
  readonly start: number
  readonly end: number
}

/** Where in its part a citation stands; null where that is not known. */
function runOf({ span }: Citation, length: number): Run | null {
  const end = Math.min(span?.end ?? 0, length)
  return span !== null && span.start >= 0 && end > span.start ? { start: span.start, end } : null
}

/** Documents of the request have no id but their number there. */
const NUMBERED = /^document-(\d{1,9})$/

function fileCitation(file: { readonly file_id: string; readonly filename: string }, quoted: string): JsonObject {
  const number = NUMBERED.exec(file.file_id)?.[1]
  return {
    type: 'char_location',
    cited_text: quoted,
    document_index: Number(number ?? 0),
    document_title: file.filename === file.file_id ? null : file.filename,
    file_id: number === undefined ? file.file_id : null,
    start_char_index: 0,
    end_char_index: 0,
  }
}

/** `said`: the text of the part that it is about, as far as it has come. Where no words of the source are known, these are told. */
export function toCited(citation: Citation, said: string): JsonObject {
  const { url, title, content, file } = citation
  if (file !== undefined) return fileCitation(file, content ?? '')
  const run = runOf(citation, said.length)
  const words = content ?? (run === null ? '' : said.slice(run.start, run.end))
  return { type: 'web_search_result_location', url, title, cited_text: words, encrypted_index: '' }
}

// ---------------------------------------------------------------- all citations known

/** A run of text that is cited as a whole. */
interface Cited extends Run {
  readonly citations: readonly CitationDelta[]
}

const partOf = ({ key, part }: { readonly key: string; readonly part: string }): string => JSON.stringify([key, part])

/** Runs that overlap become one: a block cannot stand in another. */
function merged(runs: readonly Cited[]): readonly Cited[] {
  const out: Cited[] = []
  for (const run of runs.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = out.at(-1)
    if (last === undefined || run.start >= last.end) out.push(run)
    else {
      const citations = [...last.citations, ...run.citations]
      out[out.length - 1] = { start: last.start, end: Math.max(last.end, run.end), citations }
    }
  }
  return out
}

/** What is cited in each part, from left to right. */
function runsOf(deltas: readonly Delta[]): ReadonlyMap<string, readonly Cited[]> {
  const lengths = new Map<string, number>()
  for (const delta of deltas) {
    if (delta.kind === 'text') lengths.set(partOf(delta), (lengths.get(partOf(delta)) ?? 0) + delta.text.length)
  }
  const runs = new Map<string, Cited[]>()
  for (const delta of deltas) {
    if (delta.kind !== 'citation') continue
    const name = partOf(delta)
    const run = runOf(delta.citation, lengths.get(name) ?? 0)
    if (run !== null) runs.set(name, [...(runs.get(name) ?? []), { ...run, citations: [delta] }])
  }
  return new Map([...runs].map(([name, found]) => [name, merged(found)]))
}

/** The text of a part that comes at `from`, cut where cited runs begin and end. */
function cut(delta: ContentDelta, from: number, runs: readonly Cited[]): readonly Delta[] {
  const { key, text } = delta
  const to = from + text.length
  const places = runs.flatMap(({ start, end }) => [start, end]).filter((place) => place > from && place < to)
  const ends = [...new Set(places), to]
  return ends.flatMap((end, i): readonly Delta[] => {
    const start = ends[i - 1] ?? from
    const begins = runs.some((run) => run.start === start)
    const over = runs.find((run) => run.end === end)
    return [
      ...(begins ? [{ kind: 'mark', key } as const] : []),
      { ...delta, text: text.slice(start - from, end - from) },
      ...(over?.citations ?? []),
    ]
  })
}

/** Where all of an answer is known, each cited run is a block of its own: its citations follow it at once. */
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
