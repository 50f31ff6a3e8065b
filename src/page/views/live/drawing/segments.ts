import type { Annotation } from '../../../../protocol/part.ts'

/** A piece of a text, with the numbers of the citations that cover it, from 0. */
export interface TextSegment {
  readonly text: string
  readonly sources: readonly number[]
}

interface CitedSpan {
  readonly start: number
  readonly end: number
}

/** The cited text; null for a citation without a place. A file citation has only the position at which it ends. */
export function spanOf(citation: Annotation): CitedSpan | null {
  if (citation.type === 'file_citation')
    return citation.index <= 0 ? null : { start: citation.index - 1, end: citation.index }
  const { start_index: start, end_index: end } = citation
  return end > start ? { start, end } : null
}

/** Divides a text at the borders of citations. `from`: the offset of the text in the part that the citations count in. */
export function segmentsOf(text: string, from: number, citations: readonly Annotation[]): readonly TextSegment[] {
  const spans = citations.map(spanOf)
  const borders = new Set([0, text.length])
  for (const span of spans) {
    if (span === null) continue
    for (const border of [span.start - from, span.end - from])
      if (border > 0 && border < text.length) borders.add(border)
  }
  const sorted = [...borders].sort((a, b) => a - b)
  return sorted.slice(1).map((end, i) => {
    const start = sorted[i] as number
    const sources = spans.flatMap((span, n) =>
      span !== null && span.start < from + end && span.end > from + start ? [n] : [],
    )
    return { text: text.slice(start, end), sources }
  })
}
