import { type List, listAt, listToArray } from '../../../collections/list.ts'
import type { Citation } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import type { FetchedPage } from './state.ts'

const textOf = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

const page = (cited: JsonRecord, url: unknown): Citation | null =>
  isNonEmptyString(url)
    ? { url, title: textOf(cited.title), content: textOf(cited.cited_text), span: null, marker: null }
    : null

/** Documents of the request are identified by their index in it; only those of the Files API have an id. */
function file(cited: JsonRecord): Citation {
  const id = textOf(cited.file_id) ?? `document-${scalarToString(cited.document_index) || '0'}`
  const title = textOf(cited.document_title)
  return {
    url: '',
    title,
    content: textOf(cited.cited_text),
    span: null,
    marker: null,
    file: { file_id: id, filename: title ?? id },
  }
}

/** Where the cited passage begins in its source. */
const PLACES = ['start_char_index', 'start_page_number', 'start_block_index'] as const

/**
 * Returns a citation without its span, which is the whole of a text block that is still open. Returns null and records
 * a loss if the citation names no source.
 */
export function toCitation(cited: unknown, pages: List<FetchedPage>, deltas: Deltas): Citation | null {
  const record = isObject(cited) ? cited : {}
  const found = read(record, pages)
  if (found === null) emitLoss(`citation ${scalarToString(record.type)}`, deltas)
  else if (PLACES.some((name) => record[name] !== undefined && record[name] !== null))
    emitLoss('the place of a citation in its source', deltas)
  return found
}

/** The fetched page that a document is: that of its title, else the one at its index. */
function pageOf({ document_title: title, document_index: index, file_id }: JsonRecord, pages: List<FetchedPage>) {
  if (isNonEmptyString(file_id) || pages.length === 0) return undefined
  if (isNonEmptyString(title)) return listToArray(pages).find((one) => one.title === title)
  return typeof index === 'number' ? listAt(pages, index) : undefined
}

function read(cited: JsonRecord, pages: List<FetchedPage>): Citation | null {
  switch (cited.type) {
    case 'web_search_result_location':
      return page(cited, cited.url)
    case 'search_result_location':
      return page(cited, cited.source)
    case 'char_location':
    case 'page_location':
    case 'content_block_location': {
      const found = pageOf(cited, pages)
      return found === undefined ? file(cited) : page({ ...cited, title: found.title }, found.url)
    }
    default:
      return page(cited, cited.url)
  }
}
