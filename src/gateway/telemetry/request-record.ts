import { toFinishReason } from '../../observability/attributes.ts'
import { type ContentPart, inputMessages, messagesText, outputMessages } from '../../observability/content.ts'
import { maskKeys } from '../../observability/mask-keys.ts'
import type { RequestText } from '../../page-api/request-entry.ts'
import type { Request } from '../../protocol/request.ts'
import type { Response } from '../../protocol/response.ts'
import { formatJson } from '../../text/json.ts'
import type { Redact } from '../../wires/redact.ts'
import type { Key } from '../auth/auth.ts'
import type { LogEntry } from './log.ts'

/** The time of one call of an upstream, in milliseconds since the request began. */
export interface AttemptTime {
  readonly startMs: number
  endMs: number | null
}

/**
 * The fields of a request in the list of the page that the log entry does not have, filled in during the exchange. There
 * is no record if the server has no page.
 */
export interface RequestRecord {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly entry: LogEntry
  /** Null until the client's key is accepted. */
  key: Key | null
  /** The model as the client named it. */
  model: string | null
  /** The wire of the upstream. */
  wire: string | null
  /** The wire of the client. */
  client: string | null
  /** The calls of upstreams in their order, without those that were skipped. */
  calls: readonly AttemptTime[]
  /** Null if the operator has not switched content on. */
  readonly content: RecordedContent | null
}

interface RecordedContent {
  request: string
  answer: string | null
  /** Removes the secrets of the upstreams that the request went to. */
  readonly redacts: Redact[]
}

/** An exchange with its record and its clock. */
interface RecordedExchange {
  readonly record: RequestRecord | null
  /** Milliseconds since the exchange began. */
  elapsed(): number
}

export const createRequestRecord = (
  { id, entry }: Pick<RequestRecord, 'id' | 'entry'>,
  startedAt: number,
  wantsContent: boolean,
): RequestRecord => ({
  id,
  startedAt,
  entry,
  key: null,
  model: null,
  wire: null,
  client: null,
  calls: [],
  content: wantsContent ? { request: '', answer: null, redacts: [] } : null,
})

/** Characters of a request or an answer that are kept. */
const LONGEST_TEXT = 16_384

/** `redact`: removes the secrets of an upstream that the request goes to. */
export function recordSecrets({ record }: Pick<RecordedExchange, 'record'>, redact: Redact): void {
  record?.content?.redacts.push(redact)
}

/** `wire`: that of the client. */
export function recordClient({ record }: Pick<RecordedExchange, 'record'>, wire: string): void {
  if (record !== null) record.client = wire
}

export function recordCall(exchange: RecordedExchange): void {
  const { record } = exchange
  // A list that grows has room for many more calls.
  if (record !== null) record.calls = record.calls.concat([{ startMs: exchange.elapsed(), endMs: null }])
}

export function recordCallEnd(exchange: RecordedExchange): void {
  const last = exchange.record?.calls.at(-1)
  if (last !== undefined) last.endMs ??= exchange.elapsed()
}

/** Keeps the text of a request, if the operator has switched that on. */
export function recordRequestText(record: RequestRecord, request: Request): void {
  record.model = request.model
  if (record.content === null) return
  const texts = inputMessages(request).map(({ role, parts }) => `${role}: ${parts.map(partText).join('\n')}`)
  const instructions = request.instructions === null ? [] : [`instructions: ${request.instructions}`]
  record.content.request = cut([...instructions, ...texts].join('\n\n'))
}

export function recordAnswerText({ content }: RequestRecord, answer: Response | null): void {
  if (content === null || answer === null) return
  const messages = outputMessages(answer.output, toFinishReason(answer))
  content.answer = cut(messages.flatMap(({ parts }) => parts.map(partText)).join('\n\n'))
}

function partText(part: ContentPart): string {
  if (part.type === 'tool_call') return `${part.name}(${formatJson(part.arguments)})`
  if (part.type === 'reasoning') return `reasoning: ${part.content}`
  return messagesText([{ role: 'user', parts: [part] }]) || `[${part.type}]`
}

/** Cut with a margin, so that a secret that crosses the end is found before the rest is cut. */
const cut = (text: string): string => text.slice(0, LONGEST_TEXT + MARGIN)
const MARGIN = 1024

/** The text for the page: without secrets of upstreams, with masked keys, and cut. */
export function shownText({ content }: RequestRecord): RequestText | null {
  if (content === null) return null
  const show = (text: string): string => {
    const clean = maskKeys(content.redacts.reduce((left, redact) => redact(left), text))
    return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean
  }
  return { request: show(content.request), answer: content.answer === null ? null : show(content.answer) }
}
