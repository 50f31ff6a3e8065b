import { addDistinct, type Distinct } from '../../../collections/distinct.ts'
import { listAppend } from '../../../collections/list.ts'
import type { HostedItem } from '../../../protocol/item.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { EncryptedContentCodec } from '../../client-contract.ts'
import { mediaTypeOf } from '../../shared/media-types.ts'
import type { ResponsePart } from '../json.ts'
import { addEnvelope, hold } from './buffered-parts.ts'
import { expectGrounding } from './grounding.ts'
import { type EncoderState, updateEncoder } from './state.ts'

/**
 * Encodes an item that the upstream ran itself: code and images as parts, searches and opened pages as metadata of the
 * last chunk. Google has no form for other items, which are left out; encrypted content of any item is kept.
 */
export function addHosted(state: EncoderState, item: HostedItem, { seal }: EncryptedContentCodec): EncoderState {
  const { fields } = item
  const next = write(state, item)
  return isNonEmptyString(fields.encrypted_content) ? addEnvelope(next, seal(fields.encrypted_content)) : next
}

function write(state: EncoderState, { type, status, fields }: HostedItem): EncoderState {
  switch (type) {
    case 'code_interpreter_call':
      return hold(
        state,
        codeParts(fields, status).map((part) => ({ kind: 'step', part })),
      )
    case 'image_generation_call': {
      const part = imagePart(fields)
      return part === null ? state : hold(state, [{ kind: 'image', part }])
    }
    case 'web_search_call':
      return applySearch(state, isObject(fields.action) ? fields.action : {}, status)
    default:
      return state
  }
}

const isLog = (output: unknown): output is JsonRecord => isObject(output) && typeof output.logs === 'string'

function codeParts({ code, outputs }: JsonObject, status: string): readonly ResponsePart[] {
  const output = toArray(outputs)
    .filter(isLog)
    .map(({ logs }) => logs)
    .join('')
  return [
    { executableCode: { language: 'PYTHON', code: typeof code === 'string' ? code : '' } },
    { codeExecutionResult: { outcome: status === 'failed' ? 'OUTCOME_FAILED' : 'OUTCOME_OK', output } },
  ]
}

function imagePart({ result, url, output_format }: JsonObject): ResponsePart | null {
  const mimeType = `image/${isNonEmptyString(output_format) ? output_format : 'png'}`
  if (isNonEmptyString(url)) return { fileData: { mimeType: mediaTypeOf(url) ?? mimeType, fileUri: url } }
  return isNonEmptyString(result) ? { inlineData: { mimeType, data: result } } : null
}

const added = (known: Distinct, found: readonly unknown[]): Distinct =>
  found.filter(isNonEmptyString).reduce(addDistinct, known)

function applySearch(state: EncoderState, action: JsonRecord, status: string): EncoderState {
  const { queries, sources } = state.progress
  if (action.type !== 'search') return isNonEmptyString(action.url) ? applyPage(state, action.url, status) : state
  const requested = toArray(action.queries).length === 0 ? [action.query] : toArray(action.queries)
  const found = toArray(action.sources).map((source) => (isObject(source) ? source.url : null))
  return expectGrounding(updateEncoder(state, { queries: added(queries, requested), sources: added(sources, found) }))
}

function applyPage(state: EncoderState, retrievedUrl: string, status: string): EncoderState {
  const urlRetrievalStatus = `URL_RETRIEVAL_STATUS_${status === 'failed' ? 'ERROR' : 'SUCCESS'}`
  return updateEncoder(state, { pages: listAppend(state.progress.pages, { retrievedUrl, urlRetrievalStatus }) })
}
