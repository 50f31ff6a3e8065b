import { firstWhere } from '../../../collections/first-where.ts'
import { EMPTY_LIST, listAppend, listAt, listToArray } from '../../../collections/list.ts'
import { mapGet } from '../../../collections/sorted-map.ts'
import type { CitationDelta } from '../../../protocol/delta.ts'
import { ANSWER_BOUNDS } from '../../../protocol/limits.ts'
import { fromUtf16 } from '../../../text/offsets.ts'
import type { GroundingChunk, GroundingMetadata } from '../json.ts'
import { type Cited, type EncoderProgress, type EncoderState, updateEncoder } from './state.ts'

/** Combines the key and the part into one name. */
export const partName = (key: string, part: string): string => JSON.stringify([key, part])

/** Converts an offset in one part to an offset in all text of the answer; null if the part is unknown. O(log n). */
function answerOffset({ stretches }: EncoderProgress, { key, part }: CitationDelta, offset: number): number | null {
  const own = mapGet(stretches, partName(key, part)) ?? EMPTY_LIST
  const found = listAt(own, firstWhere(own.length, (at) => (listAt(own, at)?.from ?? 0) > offset) - 1)
  return found === undefined ? null : found.at + offset - found.from
}

function sourceOf({ citation }: CitationDelta): GroundingChunk {
  const { url, title, content, file } = citation
  if (file !== undefined) {
    const { file_id: documentName, filename } = file
    const name = filename === '' ? {} : { title: filename }
    return { retrievedContext: { documentName, ...name, ...(content === null ? {} : { text: content }) } }
  }
  return { web: { uri: url, ...(title === null ? {} : { title }) } }
}

function spanOf(state: EncoderState, delta: CitationDelta): Cited['span'] {
  const { span } = delta.citation
  if (span === null || span.end <= 0) return null
  const start = answerOffset(state.progress, delta, span.start)
  const end = answerOffset(state.progress, delta, span.end)
  return start === null || end === null || end < start || end > state.text.length ? null : { start, end }
}

/** Applies a citation from `eventsToDeltas`, whose offsets are UTF-16 units in the text of its part. */
export function addCitation(state: EncoderState, delta: CitationDelta): EncoderState {
  const cited: Cited = { source: sourceOf(delta), span: spanOf(state, delta) }
  return expectGrounding(updateEncoder(state, { cited: listAppend(state.progress.cited, cited) }))
}

export const expectGrounding = (state: EncoderState): EncoderState =>
  state.progress.hint === 'none' ? updateEncoder(state, { hint: 'due' }) : state

/** Maps UTF-16 offsets to UTF-8 offsets, in one pass through the text. */
function bytesAt(text: string, offsets: readonly number[]): ReadonlyMap<number, number> {
  const bytes = new Map<number, number>()
  const walk = { at: 0, passed: 0 }
  for (const offset of offsets.toSorted((a, b) => a - b)) {
    const piece = text.slice(walk.at, offset)
    walk.passed += fromUtf16(piece, piece.length, 'utf8')
    walk.at = offset
    bytes.set(offset, walk.passed)
  }
  return bytes
}

type Support = NonNullable<GroundingMetadata['groundingSupports']>[number]

const isSameSpan = (one: Cited['span'], other: Cited['span']): boolean =>
  one?.start === other?.start && one?.end === other?.end

/** Joins consecutive citations of the same span into one support with several sources. */
function supportsOf(
  text: string,
  cited: readonly Cited[],
  indexOf: (source: GroundingChunk) => number,
): readonly Support[] {
  const bytes = bytesAt(
    text,
    cited.flatMap(({ span }) => (span === null ? [] : [span.start, span.end])),
  )
  const groups: { span: Cited['span']; indices: number[] }[] = []
  for (const { source, span } of cited) {
    const last = groups.at(-1)
    if (last !== undefined && isSameSpan(last.span, span)) last.indices.push(indexOf(source))
    else groups.push({ span, indices: [indexOf(source)] })
  }
  return groups.map(({ span, indices }) => ({
    segment:
      span === null
        ? {}
        : {
            startIndex: bytes.get(span.start) ?? 0,
            endIndex: bytes.get(span.end) ?? 0,
            ...(span.end - span.start > ANSWER_BOUNDS.cited_text ? {} : { text: text.slice(span.start, span.end) }),
          },
    groundingChunkIndices: indices,
  }))
}

/** Encodes citations, searches and their sources for the last chunk; null if there are none. */
export function groundingOf({ text, progress }: EncoderState): GroundingMetadata | null {
  const cited = listToArray(progress.cited)
  const queries = listToArray(progress.queries.values)
  const sources = listToArray(progress.sources.values)
  if (cited.length === 0 && queries.length === 0 && sources.length === 0) return null
  const chunks: GroundingChunk[] = []
  const indices = new Map<string, number>()
  const indexOf = (source: GroundingChunk): number => {
    const name = JSON.stringify(source)
    const known = indices.get(name)
    if (known !== undefined) return known
    indices.set(name, chunks.length)
    return chunks.push(source) - 1
  }
  const groundingSupports = supportsOf(text, cited, indexOf)
  const known = new Set(cited.flatMap(({ source }) => source.web?.uri ?? []))
  for (const uri of sources) if (!known.has(uri)) indexOf({ web: { uri } })
  return {
    ...(queries.length === 0 ? {} : { webSearchQueries: queries }),
    groundingChunks: chunks,
    groundingSupports,
  }
}
