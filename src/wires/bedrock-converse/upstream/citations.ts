import type { Citation } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'

const recordOf = (value: unknown): JsonRecord => (isObject(value) ? value : {})

const isUrl = (value: unknown): value is string => isNonEmptyString(value) && /^https?:\/\//i.test(value)

/** Joins the excerpts of the source. */
const excerptOf = (citation: JsonRecord): string | null =>
  toArray(citation.sourceContent)
    .map((part) => recordOf(part).text)
    .filter(isNonEmptyString)
    .join('') || null

/** Returns the index of the document in the request, counted from 0; Bedrock sends no other id of it. */
function documentOf(location: JsonRecord): string {
  const { documentChar, documentPage, documentChunk } = location
  const document = [documentChar, documentPage, documentChunk].find(isObject)
  const index = document === undefined ? '' : scalarToString(document.documentIndex)
  return index === '' ? '' : `document-${index}`
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
  const number = documentOf(location)
  const name = title ?? scalarToString(citation.source)
  const file = { file_id: number || scalarToString(citation.source) || name, filename: name || number }
  return file.file_id === '' ? null : { url: '', title, content, span: null, marker: null, file }
}
