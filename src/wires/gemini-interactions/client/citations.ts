import { listToArray } from '../../../collections/list.ts'
import { mapGet } from '../../../collections/sorted-map.ts'
import type { CitationDelta } from '../../../protocol/delta.ts'
import { fromUtf16 } from '../../../text/offsets.ts'
import type { InteractionAnnotation } from '../json.ts'
import type { EncoderState } from './state.ts'

interface Placed {
  readonly delta: CitationDelta
  readonly span: { readonly start: number; readonly end: number } | null
}

/** The span of a citation in the text of the step, in UTF-16 units. An end of 0 is no position. */
function place({ text, progress }: EncoderState, delta: CitationDelta): Placed {
  const { span } = delta.citation
  const base = mapGet(progress.bases, delta.part) ?? 0
  if (span === null || span.end <= 0) return { delta, span: null }
  const placed = { start: base + span.start, end: base + span.end }
  return { delta, span: placed.end > text.length ? null : placed }
}

/** Maps UTF-16 offsets to UTF-8 offsets, in one pass through the text. */
function bytesAt(text: string, offsets: readonly number[]): ReadonlyMap<number, number> {
  const bytes = new Map<number, number>()
  let at = 0
  let passed = 0
  for (const offset of offsets.toSorted((a, b) => a - b)) {
    const piece = text.slice(at, offset)
    passed += fromUtf16(piece, piece.length, 'utf8')
    at = offset
    bytes.set(offset, passed)
  }
  return bytes
}

/** Encodes the citations of the open text. Google counts bytes in the text of the step. */
export function annotationsOf(state: EncoderState): readonly InteractionAnnotation[] {
  const placed = listToArray(state.progress.cited).map((delta) => place(state, delta))
  if (placed.length === 0) return []
  const offsets = placed.flatMap(({ span }) => (span === null ? [] : [span.start, span.end]))
  const bytes = bytesAt(state.text, offsets)
  return placed.map(({ delta, span }): InteractionAnnotation => {
    const { url, title, file } = delta.citation
    const range = span === null ? {} : { start_index: bytes.get(span.start) ?? 0, end_index: bytes.get(span.end) ?? 0 }
    return file === undefined
      ? { type: 'url_citation', url, ...(title === null ? {} : { title }), ...range }
      : { type: 'file_citation', document_uri: file.file_id, file_name: file.filename, ...range }
  })
}
