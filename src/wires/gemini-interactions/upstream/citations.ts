import type { Citation, Span } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, scalarToString } from '../../../text/json.ts'
import { emitWrongKind, readObjects } from '../../shared/upstream/answers/answer-values.ts'
import { LONGEST_WORD } from '../../shared/upstream/answers/finish-reasons.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** A start that is missing is 0, as everywhere in Google's JSON. */
function spanOf({ start_index: start = 0, end_index: end }: JsonRecord): Span | null {
  return isOffset(start) && isOffset(end) ? { start, end, unit: 'utf8' } : null
}

const textOf = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

type Cited = Pick<Citation, 'url' | 'title' | 'file'>

/** Reads the source of an annotation: a page, a place on a map, or a file of the operator. */
function citedIn(annotation: JsonRecord): Cited | null {
  const { url, title, name, document_uri: uri, file_name, source } = annotation
  if (isNonEmptyString(url)) return { url, title: textOf(title) ?? textOf(name) }
  const id = [uri, file_name, source].find(isNonEmptyString)
  return id === undefined ? null : { url: '', title: null, file: { file_id: id, filename: textOf(file_name) ?? id } }
}

/** Emits the citations of a text. Annotations of sound have no form in an answer. */
export function emitCitations(key: string, found: unknown, deltas: Deltas): void {
  for (const annotation of readObjects(found, 'annotations', deltas)) {
    const cited = citedIn(annotation)
    const type = scalarToString(annotation.type).slice(0, LONGEST_WORD)
    if (cited === null)
      emitLoss(type.endsWith('citation') ? 'a citation without a source' : `annotation ${type}`, deltas)
    else {
      const span = spanOf(annotation)
      if (span === null) emitWrongKind('end_index', annotation.end_index, deltas)
      deltas.push({ kind: 'citation', key, part: '', citation: { ...cited, content: null, span, marker: null } })
    }
  }
}
