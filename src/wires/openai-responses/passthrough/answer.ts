import { listAt, listToArray } from '../../../collections/list.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { AnswerPassthrough, EditAnswer, StreamEvent } from '../../passthrough-contract.ts'
import { type CountNames, nameCounts } from '../../shared/passthrough/count-names.ts'
import { redactMember } from '../../shared/passthrough/failures.ts'
import { changeEntries, withMember } from '../../shared/passthrough/members.ts'
import {
  eventOfResponse,
  PARTS,
  PIECES,
  reportsFailure,
  TERMINALS,
  type TerminalKind,
  terminalOf,
  WHOLES,
} from '../terms.ts'
import { pieceText } from '../upstream/deltas.ts'
import { payloadOf } from '../upstream/items.ts'
import { commitText, type ResponsesState } from '../upstream/state.ts'
import { pairItems } from '../upstream/terminal.ts'
import { asShown, closeResponse, receivedOutput, receivedResponse } from './close.ts'
import { isUsualPiece, omittedStarts, repeatsStart, withPlace } from './part-form.ts'

/** Applies an edit to the response that an event contains, or to a body, which is a response itself. */
const inResponse = (value: JsonObject, edit: (response: JsonObject) => JsonObject): JsonObject =>
  isObject(value.response) ? withMember(value, 'response', edit(value.response as JsonObject)) : edit(value)

// ---------------------------------------------------------------- encrypted reasoning

type Seal = (payload: Json) => string

/** Seals the item of the upstream (`withOwn`), as the decoder seals it. */
function sealItem(item: Json, seal: Seal): Json {
  if (!isObject(item) || item.type !== 'reasoning') return item as Json
  const { encrypted_content: content } = item
  const own = isObject(content) ? content : item
  if (!isNonEmptyString(own.encrypted_content)) return item as Json
  return withMember(item as JsonObject, 'encrypted_content', seal(payloadOf(own as JsonObject, own.encrypted_content)))
}

function sealOutput(response: JsonObject, seal: Seal): JsonObject {
  const { output } = response
  if (!Array.isArray(output)) return response
  const items = output as readonly Json[]
  const sealed = items.map((item) => sealItem(item, seal))
  return sealed.every((item, at) => item === items[at]) ? response : withMember(response, 'output', sealed)
}

const sealedReasoning: EditAnswer = (value, { seal }) => {
  const sealed = inResponse(value, (response) => sealOutput(response, seal))
  return value.item === undefined ? sealed : withMember(sealed, 'item', sealItem(value.item, seal))
}

// ---------------------------------------------------------------- failures

const failureTexts: EditAnswer = (value, { redact }) => {
  if (value.type !== 'error') return inResponse(value, (response) => redactMember(response, 'error', redact))
  return ['code', 'message', 'param', 'error'].reduce((event, name) => redactMember(event, name, redact), value)
}

// ---------------------------------------------------------------- form

/** Some vendors have the type of an event only in its name, or the response in place of the event. */
function typedEvent(value: JsonObject, name: string): JsonObject {
  const event = eventOfResponse(value, name)
  return isNonEmptyString(event.type) || name === '' ? event : withMember(event, 'type', name)
}

/**
 * OpenAI's libraries return the response of the last event, with its output, and fail at an event without one. The list of
 * ChatGPT's backend is empty.
 */
function withResponse(
  value: JsonObject,
  ending: TerminalKind,
  { before, after }: StreamEvent<ResponsesState>,
): JsonObject {
  if (ending === 'open') return value
  if (isObject(value.response)) {
    const given = value.response as JsonObject
    const kind = reportsFailure(value.error) ? 'failed' : terminalOf(given, ending)
    const named = isNonEmptyString(given.status) || kind === 'open' ? given : withMember(given, 'status', kind)
    const response = withShownItems(named, before)
    const isListed = toArray(response.output).length > 0 || before.progress.items.length === 0
    const isKept = isListed || kind === 'failed' || kind === 'open'
    const listed = isKept ? response : withMember(response, 'output', receivedOutput(after, kind))
    return withMember(value, 'response', withoutEmptyText(listed))
  }
  const { error } = value
  const failure = reportsFailure(error) ? { error: error as Json } : {}
  return withMember(value, 'response', { ...receivedResponse(after, ending), ...failure })
}

const hasTextIn = (item: Json): boolean =>
  isObject(item) && toArray(item.content).some((part) => isObject(part) && isNonEmptyString(part.text))

/** OpenAI's libraries take `output_text` in place of the texts in the list (OpenRouter). */
const withoutEmptyText = (response: JsonObject): JsonObject =>
  response.output_text === '' && (toArray(response.output) as readonly Json[]).some(hasTextIn)
    ? withMember(response, 'output_text', undefined)
    : response

/** The listed items as clients have seen them begin. A call under another call id is another one. */
function withShownItems(response: JsonObject, state: ResponsesState): JsonObject {
  const { output } = response
  const { items } = commitText(state)
  if (!Array.isArray(output)) return response
  const listed = (output as readonly Json[]).map((item): JsonObject => (isObject(item) ? (item as JsonObject) : {}))
  const found = pairItems(listToArray(items), listed)
  const shown = changeEntries(output as readonly Json[], (item, i) => {
    const received = listAt(items, found[i] ?? -1)
    const { call_id } = listed[i] ?? {}
    if (received === undefined || received.item === null) return item
    const isOther = isNonEmptyString(call_id) && received.callId !== '' && received.callId !== call_id
    return isOther ? item : asShown(item as JsonObject, received)
  })
  return withMember(response, 'output', shown)
}

/** OpenAI's libraries fail at a response whose id changes. */
function withResponseId(value: JsonObject, { after }: StreamEvent<ResponsesState>): JsonObject {
  const id = after.progress.created?.id
  if (!isObject(value.response) || !isNonEmptyString(id)) return value
  return withMember(value, 'response', withMember(value.response as JsonObject, 'id', id))
}

/** Libraries add the pieces of a text, and of arguments, to each other. */
function withText(value: JsonObject): JsonObject {
  const { delta, type } = value
  if (typeof delta === 'string') return value
  const of = isNonEmptyString(type) ? lookup(PIECES, type) : undefined
  return of === undefined ? value : withMember(value, 'delta', pieceText(of, delta, []))
}

/**
 * vLLM ends every response with the event `response.completed`, and OpenAI's libraries read the event, not the status
 * (docs/wires/openai-responses.md, 3).
 */
function namedByStatus(value: JsonObject, ending: TerminalKind): JsonObject {
  const response = isObject(value.response) ? (value.response as JsonObject) : {}
  const kind = reportsFailure(value.error) ? 'failed' : terminalOf(response, ending)
  const named = withMember(value, 'type', `response.${kind}`)
  return kind === 'failed' && response.status !== 'failed'
    ? withMember(named, 'response', { ...response, status: 'failed' })
    : named
}

const isCount = (value: unknown): value is number => typeof value === 'number'

function withCount(usage: JsonObject, details: string, count: string): JsonObject {
  const counts = usage[details]
  if (counts === undefined || counts === null || (isObject(counts) && isCount(counts[count]))) return usage
  return withMember(usage, details, { ...(isObject(counts) ? (counts as JsonObject) : {}), [count]: 0 })
}

/** Some servers keep the names of chat completions. */
const COUNTS: CountNames = {
  counts: { input_tokens: 'prompt_tokens', output_tokens: 'completion_tokens', total_tokens: 'total_tokens' },
  details: { input_tokens_details: 'prompt_tokens_details', output_tokens_details: 'completion_tokens_details' },
}

const namesOfCounts: EditAnswer = (value) =>
  inResponse(value, (response) =>
    isObject(response.usage)
      ? withMember(response, 'usage', nameCounts(response.usage as JsonObject, COUNTS))
      : response,
  )

/** Codex drops an answer whose usage lacks a total, or details without their count. */
function completeUsage(usage: JsonObject): JsonObject | null {
  const named = nameCounts(usage, COUNTS)
  const { input_tokens: input, output_tokens: output } = named
  if (!isCount(input) || !isCount(output)) return null
  const summed = isCount(usage.total_tokens) ? named : withMember(named, 'total_tokens', input + output)
  const read = withCount(summed, 'input_tokens_details', 'cached_tokens')
  return withCount(read, 'output_tokens_details', 'reasoning_tokens')
}

const withUsage = (value: JsonObject): JsonObject =>
  inResponse(value, (response) =>
    isObject(response.usage) ? withMember(response, 'usage', completeUsage(response.usage as JsonObject)) : response,
  )

/** The events that contain the response. */
function formResponse(value: JsonObject, event: StreamEvent<ResponsesState>): JsonObject {
  const ending = isNonEmptyString(value.type) ? lookup(TERMINALS, value.type) : undefined
  return ending === undefined ? value : withUsage(namedByStatus(withResponse(value, ending, event), ending))
}

/** Events whose decoders read no `error`. */
const CONTENT_EVENTS: ReadonlySet<string> = new Set([
  ...[PIECES, WHOLES, PARTS].flatMap((events) => Object.keys(events)),
  'response.output_item.added',
  'response.output_item.done',
  'response.output_text.annotation.added',
])

/** Whether the decoder reads the `error` of an event as a failure. */
function isFailure({ type, error }: JsonObject): boolean {
  if (!isNonEmptyString(type)) return Boolean(error)
  return type === 'error' || (reportsFailure(error) && !CONTENT_EVENTS.has(type))
}

/** OpenAI's libraries take any `error` for a failure, also an empty one, and one beside content. */
const withoutEmptyError = (value: JsonObject): JsonObject =>
  value.error && !isFailure(value) ? withMember(value, 'error', undefined) : value

function isReadableItem(item: unknown): boolean {
  if (!isObject(item)) return false
  if (item.type === 'message') return Array.isArray(item.content)
  return item.type !== 'function_call' || typeof item.arguments === 'string'
}

function formEvent(value: JsonObject, event: StreamEvent<ResponsesState>): JsonObject | null {
  // OpenAI's libraries fail at any event before that of the beginning.
  if (event.after.progress.created === null) return null
  if (isUsualPiece(value, event)) return value
  if (repeatsStart(value, event)) return null
  const placed = withPlace(withText(typedEvent(value, event.name)), event)
  return withoutEmptyError(withResponseId(formResponse(placed, event), event))
}

export const responsesAnswers: AnswerPassthrough<ResponsesState> = {
  edits: { 'sealed reasoning': sealedReasoning, 'names of counts': namesOfCounts, 'secrets in failures': failureTexts },
  formName: 'form of events',
  form: formEvent,
  omitted: omittedStarts,
  // OpenAI's libraries read every event named `error` as a failure.
  eventName: ({ type }, event) => (event !== '' && isNonEmptyString(type) ? type : event),
  hasStarted: ({ progress }) => progress.created !== null,
  // Reasoning that goes back as text is that of the hub. Where ids change, the pieces of arguments are scrambled, too.
  isForeign: (_, { reasoningHistory, changesIds }) => reasoningHistory !== undefined || changesIds === true,
  // They read lists of items and of parts, and the text of arguments. Some servers have the text beside an empty list.
  isReadable: ({ output, output_text }) =>
    Array.isArray(output) && output.every(isReadableItem) && (output.length > 0 || !output_text),
  isFailure: (value) => value.type === 'response.failed' || isFailure(value),
  close: closeResponse,
}
