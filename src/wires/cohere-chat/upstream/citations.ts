import type { Citation, Span } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { type CohereState, PLAN, textKey } from './state.ts'

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Applies citations: an event has a single one, a whole answer a list. */
export function applyCitations(state: CohereState, { citations }: JsonRecord, deltas: Deltas): void {
  for (const citation of [citations].flat().filter(isObject)) {
    if (citation.type === 'THINKING_CONTENT') emitLoss('a citation in reasoning', deltas)
    else applyCitation(anchorOf(state, citation), citation, deltas)
  }
}

interface Anchor {
  readonly key: string
  /** The start of the block that the offsets count from, in code points of its text. */
  readonly base: number
}

/** Finds the cited text: the plan, or the block of the index, or the last block if there is no index. */
function anchorOf({ progress }: CohereState, { type, content_index: index }: JsonRecord): Anchor {
  if (type === 'PLAN') return { key: PLAN, base: 0 }
  const named =
    index === undefined ? undefined : progress.blocks.findLast((block) => block.index === scalarToString(index))
  return named ?? progress.blocks.at(-1) ?? { key: textKey(0), base: 0 }
}

function applyCitation({ key, base }: Anchor, { start, end, text, sources }: JsonRecord, deltas: Deltas): void {
  // Cohere does not document whether a character beyond the BMP counts once or twice. The quote decides.
  const span: Span | null =
    isOffset(start) && isOffset(end) ? { start: base + start, end: base + end, unit: 'code-point' } : null
  for (const source of toArray(sources).filter(isObject)) {
    const cited = citedIn(source)
    if (cited === null) emitLoss('a citation without a source', deltas)
    else deltas.push({ kind: 'citation', key, part: '', citation: toCitation(cited, span, text) })
  }
}

type Cited = Pick<Citation, 'url' | 'title' | 'content' | 'file'>

const toCitation = (cited: Cited, span: Span | null, text: unknown): Citation => ({
  ...cited,
  span,
  marker: null,
  ...(isNonEmptyString(text) ? { quote: text } : {}),
})

const textOf = (...values: readonly unknown[]): string | null => values.find(isNonEmptyString) ?? null

/** Reads a source: a page if it has a URL, else a file, which is a document of the request or the output of a tool. */
function citedIn(source: JsonRecord): Cited | null {
  const found = [source.document, source.tool_output].find(isObject) ?? {}
  const url = textOf(found.url, found.uri, source.url)
  const title = textOf(found.title)
  if (url !== null) return { url, title, content: textOf(found.snippet, found.text, found.content) }
  const id = textOf(source.id, found.id)
  return id === null ? null : { url: '', title, content: null, file: { file_id: id, filename: title ?? id } }
}
