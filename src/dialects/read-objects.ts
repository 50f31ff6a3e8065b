import { type HostedItemType, type Item, type ItemStatus, toOrigin } from '../protocol/item.ts'
import type { JsonObject, JsonRecord } from '../protocol/json.ts'
import type { Annotation, Logprob, MessagePart, OutputText, Part } from '../protocol/part.ts'
import type { IncompleteReason, Response, ResponseStatus } from '../protocol/response.ts'
import { cacheWrites, costOf, type Usage } from '../protocol/usage.ts'
import { ALL_CAPABILITIES } from '../responses/capabilities.ts'
import { EMPTY_ECHO } from '../responses/echo.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../text/json.ts'

export const asRecord = (value: unknown): JsonRecord => (isObject(value) ? value : {})

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const readCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

// ---------------------------------------------------------------- parts

export function readAnnotation(value: unknown): Annotation | null {
  const record = asRecord(value)
  switch (record.type) {
    case 'url_citation':
      return {
        type: 'url_citation',
        url: stringOf(record.url),
        title: typeof record.title === 'string' ? record.title : null,
        start_index: readCount(record.start_index) ?? 0,
        end_index: readCount(record.end_index) ?? 0,
        content: typeof record.content === 'string' ? record.content : null,
      }
    case 'file_citation':
      return {
        type: 'file_citation',
        file_id: stringOf(record.file_id),
        filename: stringOf(record.filename),
        index: readCount(record.index) ?? 0,
      }
    default:
      return null
  }
}

const isKnown = <T>(value: T | null): value is T => value !== null

const tokenOf = ({ token, logprob, bytes }: JsonRecord) => ({
  token: stringOf(token),
  logprob: typeof logprob === 'number' ? logprob : 0,
  bytes: Array.isArray(bytes) && bytes.every(Number.isInteger) ? (bytes as number[]) : null,
})

export const readLogprobs = (value: unknown): readonly Logprob[] =>
  toArray(value)
    .filter(isObject)
    .map((record) => ({ ...tokenOf(record), top_logprobs: toArray(record.top_logprobs).filter(isObject).map(tokenOf) }))

const toOutputText = ({ text, annotations, logprobs }: JsonRecord): OutputText => ({
  type: 'output_text',
  text: stringOf(text),
  annotations: toArray(annotations).map(readAnnotation).filter(isKnown),
  logprobs: readLogprobs(logprobs),
})

/** A plain string is a part of a summary. */
export function readPart(value: unknown): Part | null {
  if (typeof value === 'string') return { type: 'summary_text', text: value }
  const record = asRecord(value)
  switch (record.type) {
    case 'output_text':
      return toOutputText(record)
    case 'refusal':
      return { type: 'refusal', refusal: stringOf(record.refusal) }
    case 'reasoning_text':
    case 'summary_text':
      return { type: record.type, text: stringOf(record.text) }
    default:
      return null
  }
}

const partsOf = (value: unknown): readonly Part[] => toArray(value).map(readPart).filter(isKnown)

const ofType = <T extends Part['type']>(value: unknown, ...types: readonly T[]) =>
  partsOf(value).filter((part): part is Extract<Part, { type: T }> => (types as readonly string[]).includes(part.type))

// ---------------------------------------------------------------- items

const STATUSES: readonly ItemStatus[] = ['in_progress', 'completed', 'incomplete']

/** Returns null for an item of an unknown type. `otherwise`: the status of an item that has none. */
export function readItem(value: unknown, otherwise: ItemStatus): Item | null {
  const record = asRecord(value)
  const { type } = record
  const id = scalarToString(record.id)
  const status = STATUSES.find((own) => own === record.status) ?? otherwise
  switch (type) {
    case 'message': {
      const content: readonly MessagePart[] = ofType(record.content, 'output_text', 'refusal')
      const phase = isNonEmptyString(record.phase) ? { phase: record.phase } : {}
      return { type, id, status, role: 'assistant', ...phase, content }
    }
    case 'reasoning':
      return {
        type,
        id,
        summary: ofType(record.summary, 'summary_text'),
        content: ofType(record.content, 'reasoning_text'),
        encrypted_content: typeof record.encrypted_content === 'string' ? record.encrypted_content : null,
      }
    case 'function_call':
      return { type, id, ...nameOf(record), arguments: stringOf(record.arguments), status }
    case 'custom_tool_call':
      return { type, id, ...nameOf(record), input: stringOf(record.input), status }
    default:
      return isHosted(type)
        ? { type, id, status: scalarToString(record.status) || otherwise, fields: fieldsOf(record) }
        : null
  }
}

const nameOf = ({ call_id, name, namespace, caller, async }: JsonRecord) => ({
  call_id: stringOf(call_id),
  name: stringOf(name),
  ...(isNonEmptyString(namespace) ? { namespace } : {}),
  ...toOrigin({
    caller: isObject(caller) ? (caller as JsonObject) : null,
    async: typeof async === 'boolean' ? async : null,
  }),
})

const isHosted = (type: unknown): type is HostedItemType =>
  (ALL_CAPABILITIES.items as readonly unknown[]).includes(type)

const fieldsOf = ({ type: _, id: __, status: ___, ...fields }: JsonRecord): JsonObject => fields as JsonObject

// ---------------------------------------------------------------- response

function toUsage(value: unknown): Usage | null {
  if (!isObject(value)) return null
  const input = asRecord(value.input_tokens_details)
  const written = asRecord(input.cache_write_tokens_details)
  return {
    input_tokens: readCount(value.input_tokens),
    output_tokens: readCount(value.output_tokens),
    total_tokens: readCount(value.total_tokens),
    cached_tokens: readCount(input.cached_tokens),
    reasoning_tokens: readCount(asRecord(value.output_tokens_details).reasoning_tokens),
    ...cacheWrites(readCount(input.cache_write_tokens), {
      '30m': readCount(written.ttl_30m_tokens),
      '12h': readCount(written.ttl_12h_tokens),
    }),
    ...costOf(value.cost),
  }
}

/** Accepts a brief or a full response object. `status`: the one that its event implies. */
export function readResponse(value: unknown, status: ResponseStatus, model: string): Response {
  const record = asRecord(value)
  const shown = Object.fromEntries(Object.entries(record).filter(([key]) => Object.hasOwn(EMPTY_ECHO, key)))
  return {
    ...EMPTY_ECHO,
    ...shown,
    id: scalarToString(record.id),
    object: 'response',
    created_at: readCount(record.created_at) ?? 0,
    completed_at: readCount(record.completed_at),
    status,
    model: isNonEmptyString(record.model) ? record.model : model,
    output: toArray(record.output)
      .map((item) => readItem(item, 'completed'))
      .filter(isKnown),
    usage: toUsage(record.usage),
    error: status === 'failed' ? toError(record.error) : null,
    incomplete_details: status === 'incomplete' ? { reason: toReason(record.incomplete_details) } : null,
    previous_response_id: null,
    store: false,
    background: false,
  }
}

function toError(value: unknown): Response['error'] {
  const { code, message } = asRecord(value)
  return { code: scalarToString(code) || 'server_error', message: stringOf(message) }
}

const toReason = (value: unknown): IncompleteReason =>
  asRecord(value).reason === 'content_filter' ? 'content_filter' : 'max_output_tokens'
