import type { Citation, OffsetUnit, Span } from '../../protocol/delta.ts'
import { formatJson, isObject, isText, toArray, wordOf } from '../../text/json.ts'
import { loss } from './say.ts'
import { type Bag, type Heard, runOf, type Say, type Story, toIndex, withRun } from './state.ts'

const textOf = (value: unknown): string | null => (isText(value) ? value : null)

/** What makes an annotation another one. Titles come later at some vendors. */
const wordFor = ({ type, url, file_id, index, start_index, end_index }: Bag): string =>
  formatJson([type, url, file_id, index, start_index, end_index].map(wordOf))

const inPoints = (text: string, { start, end }: Pick<Span, 'start' | 'end'>): string =>
  [...text].slice(start, end).join('')

/** `([site](url))` or `[[1]](url)`, no character less or more. */
const isLink = (words: string, url: string): boolean => words.includes(url) && /^[([].*[)\]]$/s.test(words)

/**
 * Offsets count characters, and before the first one beyond the BMP nobody can tell of which kind. There the span that
 * holds the link to the page is the one that was meant.
 */
function unitOf(text: string, span: Pick<Span, 'start' | 'end'>, url: string): OffsetUnit {
  const { start, end } = span
  if (!/[\ud800-\udfff]/.test(text.slice(0, end)) || isLink(text.slice(start, end), url)) return 'utf16'
  return isLink(inPoints(text, span), url) ? 'code-point' : 'utf16'
}

function spanOf({ start_index, end_index }: Bag, text: string, url: string): Span | null {
  const start = toIndex(start_index)
  const end = toIndex(end_index)
  if (start === null || end === null || end <= start) return null
  return { start, end, unit: unitOf(text, { start, end }, url) }
}

/** The cited words: where the text is told in several parts, they are found in the right one. */
function quoteOf(text: string, span: Span | null): { readonly quote?: string } {
  if (span === null || span.end > text.length) return {}
  const quote = span.unit === 'utf16' ? text.slice(span.start, span.end) : inPoints(text, span)
  return quote === '' ? {} : { quote }
}

function pageCitation(annotation: Bag, url: string, text: string): Citation {
  const span = spanOf(annotation, text, url)
  const { title, content } = annotation
  return { url, title: textOf(title), content: textOf(content), span, marker: null, ...quoteOf(text, span) }
}

/** A file is cited at one point, the end of what it is about. */
function fileCitation(annotation: Bag, fileId: string, text: string): Citation {
  const at = toIndex(annotation.index)
  const span =
    at === null || at === 0 ? spanOf(annotation, text, '') : ({ start: at - 1, end: at, unit: 'utf16' } as const)
  const file = { file_id: fileId, filename: textOf(annotation.filename) ?? '' }
  return { url: '', title: null, content: null, span, marker: null, file }
}

function citationOf(annotation: Bag, text: string): Citation | null {
  const { type, url, file_id: fileId } = annotation
  switch (type) {
    case 'url_citation':
      return isText(url) ? pageCitation(annotation, url, text) : null
    case 'file_citation':
    case 'container_file_citation':
      return isText(fileId) ? fileCitation(annotation, fileId, text) : null
    default:
      return null
  }
}

export function cite(story: Story, item: number, run: number, annotation: unknown, say: Say): Story {
  if (!isObject(annotation)) return story
  const { text, name, cited } = runOf(story, item, run)
  const citation = citationOf(annotation, text)
  if (isText(annotation.container_id)) loss('the container of a cited file', say)
  if (citation === null) loss(`annotation ${wordOf(annotation.type)}`, say)
  else say.push({ kind: 'citation', key: (story.items[item] as Heard).key, part: name, citation })
  return withRun(story, item, run, { cited: [...cited, wordFor(annotation)] })
}

/** Those of a list that have not been told: finished parts, finished items and finished responses repeat them all. */
export function citeRest(story: Story, item: number, run: number, annotations: unknown, say: Say): Story {
  const told = [...runOf(story, item, run).cited]
  const rest = toArray(annotations)
    .filter(isObject)
    .filter((annotation) => {
      const at = told.indexOf(wordFor(annotation))
      if (at >= 0) told.splice(at, 1)
      return at < 0
    })
  return rest.reduce<Story>((now, annotation) => cite(now, item, run, annotation, say), story)
}
