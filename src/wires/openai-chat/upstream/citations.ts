import type { Citation } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import type { Quirks } from '../../quirks.ts'
import { readObjects } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { type ChatState, MESSAGE } from './state.ts'

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const textOf = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

const emitCitation = (citation: Citation, deltas: Deltas): void => {
  deltas.push({ kind: 'citation', key: MESSAGE, part: '', citation })
}

/**
 * Decodes `annotations[]` of a delta. OpenAI's search models send spans; OpenRouter sends the span 0..0 and an excerpt.
 */
export function applyAnnotations(annotations: unknown, deltas: Deltas): void {
  for (const annotation of readObjects(annotations, 'annotations', deltas)) {
    const cited = isObject(annotation.url_citation) ? annotation.url_citation : annotation
    if (annotation.type !== 'url_citation' || !isNonEmptyString(cited.url)) {
      emitLoss(`annotation ${scalarToString(annotation.type)}`, deltas)
      continue
    }
    const { start_index: start, end_index: end } = cited
    const span = isOffset(start) && isOffset(end) ? ({ start, end, unit: 'utf16' } as const) : null
    emitCitation(
      { url: cited.url, title: textOf(cited.title), content: textOf(cited.content), span, marker: null },
      deltas,
    )
  }
}

/**
 * Decodes the numbered sources at the top of chunks, which each chunk repeats. Perplexity cites the n-th source as
 * `[n]` in the text; xAI lists its sources without markers (docs/wires/openai-chat.md, 7).
 */
export function applySources(state: ChatState, chunk: JsonRecord, deltas: Deltas, quirks: Quirks): ChatState {
  if (!chunk.citations && !chunk.search_results) return state
  const results = toArray(chunk.search_results).filter(isObject)
  const listed = toArray(chunk.citations)
  const sources = listed.length > 0 ? listed : results
  if (sources.length <= state.sources) return state
  const byUrl = new Map(results.map((one) => [one.url, one] as const).reverse())
  sources.slice(state.sources).forEach((source, i) => {
    const url = isObject(source) ? source.url : source
    if (!isNonEmptyString(url)) return
    const result = byUrl.get(url) ?? (isObject(source) ? source : {})
    const marker = quirks.unmarkedSources === true ? null : `[${state.sources + i + 1}]`
    emitCitation({ url, title: textOf(result.title), content: textOf(result.snippet), span: null, marker }, deltas)
  })
  return { ...state, sources: sources.length }
}
