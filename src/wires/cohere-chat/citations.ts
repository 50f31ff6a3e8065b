import type { Citation, Span } from '../../protocol/delta.ts'
import { isObject, isText, toArray, wordOf } from '../../text/json.ts'
import { loss, type Say } from './say.ts'
import { type Bag, type CohereState, PLAN, textKey } from './state.ts'

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** One in an event, a list of them in a whole answer. */
export function hearCitations(state: CohereState, { citations }: Bag, say: Say): void {
  for (const citation of [citations].flat().filter(isObject)) {
    if (citation.type === 'THINKING_CONTENT') loss('a citation in a thought', say)
    else hearCitation(placeOf(state, citation), citation, say)
  }
}

interface Place {
  readonly key: string
  /** Where the block that the offsets count from begins, in code points. */
  readonly base: number
}

/** The plan, or the block of that index, the last one where none is named. */
function placeOf({ story }: CohereState, { type, content_index: index }: Bag): Place {
  if (type === 'PLAN') return { key: PLAN, base: 0 }
  const named = index === undefined ? undefined : story.blocks.findLast((block) => block.index === wordOf(index))
  return named ?? story.blocks.at(-1) ?? { key: textKey(0), base: 0 }
}

function hearCitation({ key, base }: Place, { start, end, text, sources }: Bag, say: Say): void {
  // Nobody says whether a character beyond the BMP counts once or twice: the words that are cited decide.
  const span: Span | null =
    isOffset(start) && isOffset(end) ? { start: base + start, end: base + end, unit: 'code-point' } : null
  for (const source of toArray(sources).filter(isObject)) {
    const cited = citedIn(source)
    if (cited === null) loss('a citation without a source', say)
    else say.push({ kind: 'citation', key, part: '', citation: toCitation(cited, span, text) })
  }
}

type Cited = Pick<Citation, 'url' | 'title' | 'content' | 'file'>

const toCitation = (cited: Cited, span: Span | null, text: unknown): Citation => ({
  ...cited,
  span,
  marker: null,
  ...(isText(text) ? { quote: text } : {}),
})

const textOf = (...values: readonly unknown[]): string | null => values.find(isText) ?? null

/** A page where the source has an address, else a file: a document of the request, or the output of a tool. */
function citedIn(source: Bag): Cited | null {
  const found = [source.document, source.tool_output].find(isObject) ?? {}
  const url = textOf(found.url, found.uri, source.url)
  const title = textOf(found.title)
  if (url !== null) return { url, title, content: textOf(found.snippet, found.text, found.content) }
  const id = textOf(source.id, found.id)
  return id === null ? null : { url: '', title, content: null, file: { file_id: id, filename: title ?? id } }
}
