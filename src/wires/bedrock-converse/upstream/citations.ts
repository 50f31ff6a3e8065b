import type { Citation } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import type { SourcePlace } from '../../../protocol/part.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'

const recordOf = (value: unknown): JsonRecord => (isObject(value) ? value : {})

const isUrl = (value: unknown): value is string => isNonEmptyString(value) && /^https?:\/\//i.test(value)

/** Joins the excerpts of the source. */
const excerptOf = (citation: JsonRecord): string | null =>
  toArray(citation.sourceContent)
    .map((part) => recordOf(part).text)
    .filter(isNonEmptyString)
    .join('') || null

const PLACES = { documentChar: 'char', documentPage: 'page', documentChunk: 'block' } as const satisfies Record<
  string,
  SourcePlace['unit']
>

interface CitedDocument {
  /** From the index of the document in the request, counted from 0: Bedrock sends no other id of it. Empty: unknown. */
  readonly id: string
  readonly place: SourcePlace | null
}

function documentOf(location: JsonRecord): CitedDocument {
  for (const [name, unit] of Object.entries(PLACES)) {
    const found = location[name]
    if (!isObject(found)) continue
    const { start, end } = found
    const index = scalarToString(found.documentIndex)
    const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end)
    const place = isPlace ? { unit, start: start as number, end: end as number } : null
    return { id: index === '' ? '' : `document-${index}`, place }
  }
  return { id: '', place: null }
}

/**
 * Decodes a citation without its place in the answer, because its offsets are those of the source. A web page is cited
 * by its URL, a document by its name and its number; if one of these is missing, the other is used for both. Returns
 * null if there is neither.
 */
export function toCitation(citation: JsonRecord): Citation | null {
  const location = recordOf(citation.location)
  const web = recordOf(location.web)
  const title = isNonEmptyString(citation.title) ? citation.title : null
  const content = excerptOf(citation)
  const url = [web.url, citation.source].find(isUrl)
  if (url !== undefined) {
    return {
      url,
      title: title ?? (isNonEmptyString(web.domain) ? web.domain : null),
      content,
      span: null,
      marker: null,
    }
  }
  const { id, place } = documentOf(location)
  const name = title ?? scalarToString(citation.source)
  const file_id = id || scalarToString(citation.source) || name
  const file = { file_id, filename: name || id, ...(place === null ? {} : { place }) }
  return file.file_id === '' ? null : { url: '', title, content, span: null, marker: null, file }
}
