import type { HostedItemType, Item, ItemStatus } from '../protocol/item.ts'
import type { Bag, JsonObject } from '../protocol/json.ts'
import type { Annotation, Logprob, MessagePart, OutputText, Part } from '../protocol/part.ts'
import type { IncompleteReason, Response, ResponseStatus } from '../protocol/response.ts'
import { cacheWrites, type Usage } from '../protocol/usage.ts'
import { EVERYTHING } from '../responses/capabilities.ts'
import { EMPTY_ECHO } from '../responses/echo.ts'
import { isObject, isText, toArray, wordOf } from '../text/json.ts'

export const toBag = (value: unknown): Bag => (isObject(value) ? value : {})

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const toCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

// ---------------------------------------------------------------- parts

export function toAnnotation(value: unknown): Annotation | null {
  const bag = toBag(value)
  switch (bag.type) {
    case 'url_citation':
      return {
        type: 'url_citation',
        url: stringOf(bag.url),
        title: typeof bag.title === 'string' ? bag.title : null,
        start_index: toCount(bag.start_index) ?? 0,
        end_index: toCount(bag.end_index) ?? 0,
        content: typeof bag.content === 'string' ? bag.content : null,
      }
    case 'file_citation':
      return {
        type: 'file_citation',
        file_id: stringOf(bag.file_id),
        filename: stringOf(bag.filename),
        index: toCount(bag.index) ?? 0,
      }
    default:
      return null
  }
}

const isKnown = <T>(value: T | null): value is T => value !== null

const tokenOf = ({ token, logprob, bytes }: Bag) => ({
  token: stringOf(token),
  logprob: typeof logprob === 'number' ? logprob : 0,
  bytes: Array.isArray(bytes) && bytes.every(Number.isInteger) ? (bytes as number[]) : null,
})

export const toLogprobs = (value: unknown): readonly Logprob[] =>
  toArray(value)
    .filter(isObject)
    .map((bag) => ({ ...tokenOf(bag), top_logprobs: toArray(bag.top_logprobs).filter(isObject).map(tokenOf) }))

const toOutputText = ({ text, annotations, logprobs }: Bag): OutputText => ({
  type: 'output_text',
  text: stringOf(text),
  annotations: toArray(annotations).map(toAnnotation).filter(isKnown),
  logprobs: toLogprobs(logprobs),
})

/** A plain string is a part of a summary. */
export function toPart(value: unknown): Part | null {
  if (typeof value === 'string') return { type: 'summary_text', text: value }
  const bag = toBag(value)
  switch (bag.type) {
    case 'output_text':
      return toOutputText(bag)
    case 'refusal':
      return { type: 'refusal', refusal: stringOf(bag.refusal) }
    case 'reasoning_text':
    case 'summary_text':
      return { type: bag.type, text: stringOf(bag.text) }
    default:
      return null
  }
}

const partsOf = (value: unknown): readonly Part[] => toArray(value).map(toPart).filter(isKnown)

const ofType = <T extends Part['type']>(value: unknown, ...types: readonly T[]) =>
  partsOf(value).filter((part): part is Extract<Part, { type: T }> => (types as readonly string[]).includes(part.type))

// ---------------------------------------------------------------- items

const STATUSES: readonly ItemStatus[] = ['in_progress', 'completed', 'incomplete']

/** Returns null for an item of an unknown type. `otherwise`: the status of an item that has none. */
export function toItem(value: unknown, otherwise: ItemStatus): Item | null {
  const bag = toBag(value)
  const { type } = bag
  const id = wordOf(bag.id)
  const status = STATUSES.find((own) => own === bag.status) ?? otherwise
  switch (type) {
    case 'message': {
      const content: readonly MessagePart[] = ofType(bag.content, 'output_text', 'refusal')
      return { type, id, status, role: 'assistant', content }
    }
    case 'reasoning':
      return {
        type,
        id,
        summary: ofType(bag.summary, 'summary_text'),
        content: ofType(bag.content, 'reasoning_text'),
        encrypted_content: typeof bag.encrypted_content === 'string' ? bag.encrypted_content : null,
      }
    case 'function_call':
      return { type, id, ...nameOf(bag), arguments: stringOf(bag.arguments), status }
    case 'custom_tool_call':
      return { type, id, ...nameOf(bag), input: stringOf(bag.input), status }
    default:
      return isHosted(type) ? { type, id, status: wordOf(bag.status) || otherwise, fields: fieldsOf(bag) } : null
  }
}

const nameOf = ({ call_id, name, namespace }: Bag) => ({
  call_id: stringOf(call_id),
  name: stringOf(name),
  ...(isText(namespace) ? { namespace } : {}),
})

const isHosted = (type: unknown): type is HostedItemType => (EVERYTHING.items as readonly unknown[]).includes(type)

const fieldsOf = ({ type: _, id: __, status: ___, ...fields }: Bag): JsonObject => fields as JsonObject

// ---------------------------------------------------------------- response

function toUsage(value: unknown): Usage | null {
  if (!isObject(value)) return null
  return {
    input_tokens: toCount(value.input_tokens),
    output_tokens: toCount(value.output_tokens),
    total_tokens: toCount(value.total_tokens),
    cached_tokens: toCount(toBag(value.input_tokens_details).cached_tokens),
    reasoning_tokens: toCount(toBag(value.output_tokens_details).reasoning_tokens),
    ...cacheWrites(toCount(toBag(value.input_tokens_details).cache_write_tokens)),
  }
}

/** Accepts a brief or a full response object. `status`: the one that its event implies. */
export function toResponse(value: unknown, status: ResponseStatus, model: string): Response {
  const bag = toBag(value)
  const shown = Object.fromEntries(Object.entries(bag).filter(([key]) => Object.hasOwn(EMPTY_ECHO, key)))
  return {
    ...EMPTY_ECHO,
    ...shown,
    id: wordOf(bag.id),
    object: 'response',
    created_at: toCount(bag.created_at) ?? 0,
    completed_at: toCount(bag.completed_at),
    status,
    model: isText(bag.model) ? bag.model : model,
    output: toArray(bag.output)
      .map((item) => toItem(item, 'completed'))
      .filter(isKnown),
    usage: toUsage(bag.usage),
    error: status === 'failed' ? toError(bag.error) : null,
    incomplete_details: status === 'incomplete' ? { reason: toReason(bag.incomplete_details) } : null,
    previous_response_id: null,
    store: false,
    background: false,
  }
}

function toError(value: unknown): Response['error'] {
  const { code, message } = toBag(value)
  return { code: wordOf(code) || 'server_error', message: stringOf(message) }
}

const toReason = (value: unknown): IncompleteReason =>
  toBag(value).reason === 'content_filter' ? 'content_filter' : 'max_output_tokens'
