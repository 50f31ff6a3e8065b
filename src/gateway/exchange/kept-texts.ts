import { toFinishReason } from '../../observability/attributes.ts'
import {
  type ContentMessage,
  type ContentPart,
  inputMessages,
  messagesText,
  outputMessages,
} from '../../observability/content.ts'
import { maskKeys } from '../../observability/mask-keys.ts'
import type { TraceScope } from '../../observability/select.ts'
import type { ParentContext } from '../../observability/span-ids.ts'
import type { TraceFieldValue } from '../../observability/trace.ts'
import type { RequestText } from '../../page-api/request-entry.ts'
import type { Request } from '../../protocol/request.ts'
import type { Response } from '../../protocol/response.ts'
import { formatJson, isNonEmptyString, isObject } from '../../text/json.ts'
import type { Redact } from '../../wires/redact.ts'
import type { RequestHead } from './http-types.ts'
import type { Journal, Summary } from './journal.ts'

interface TracedRequest {
  readonly user: string | null
  readonly sessionId: string | null
  readonly ancestry: ParentContext
  readonly name: string | null
  readonly metadata: Readonly<Record<string, TraceFieldValue>>
  readonly parameters: Readonly<Record<string, TraceFieldValue>>
  /** Null if no destination receives content. */
  readonly input: readonly ContentMessage[] | null
  readonly instructions: string | null
}

/** The part of a trace that the journal does not contain. */
export interface KeptForTrace {
  readonly scope: TraceScope
  readonly wantsContent: boolean
  /** Milliseconds since 1970. */
  readonly startedAt: number
  request: TracedRequest | null
  /** Null if no destination receives content. */
  answer: Response | null
}

/** The part of a row of the page that the journal does not contain, and the journal. */
export interface KeptForPage {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly journal: Journal
  /** Null if the operator has not switched content on. */
  readonly content: PageContent | null
}

interface PageContent {
  request: string
  answer: string | null
  /** Removes the secrets of the upstreams that the request went to. */
  readonly redacts: Redact[]
}

export const noContent = (): PageContent => ({ request: '', answer: null, redacts: [] })

/** The texts of an exchange, which its journal does not contain. */
export interface KeptTexts {
  readonly trace: KeptForTrace | null
  readonly row: KeptForPage | null
}

/** Keeps the last requests. */
export interface RequestHistory {
  /** Begins the row of a request. Later requests replace the oldest ones. */
  begin(exchange: Pick<KeptForPage, 'id' | 'journal'>): KeptForPage
  /** Keeps what is shown of a request that has ended, and nothing else of it. */
  end(row: KeptForPage, exchange: Summary): void
}

/**
 * Keeps the texts of a request: for the page, and for the trace with the client's fields that are not part of a
 * Responses request and only describe the trace.
 */
export function keepRequest(
  { trace, row }: KeptTexts,
  { headers }: RequestHead,
  request: Request,
  body: unknown,
): void {
  if (row?.content != null) row.content.request = pageText(request)
  if (trace === null) return
  const { trace: given, session_id } = isObject(body) ? body : {}
  const fields = isObject(given) ? given : {}
  const { trace_id, parent_span_id, trace_name, span_name, generation_name } = fields
  trace.request = {
    user: request.user,
    sessionId: clip(session_id) ?? clip(headers['x-session-id']),
    ancestry: {
      traceId: clip(trace_id),
      parentSpanId: clip(parent_span_id),
      traceparent: clip(headers.traceparent),
    },
    name: clip(generation_name) ?? clip(span_name) ?? clip(trace_name),
    metadata: toMetadata(fields),
    parameters: toParameters(request),
    input: trace.wantsContent ? inputMessages(request) : null,
    instructions: trace.wantsContent ? request.instructions : null,
  }
}

export function keepAnswer({ trace, row }: KeptTexts, answer: Response | null): void {
  if (trace?.wantsContent === true) trace.answer = answer
  if (row?.content == null || answer === null) return
  const messages = outputMessages(answer.output, toFinishReason(answer))
  row.content.answer = cut(messages.flatMap(({ parts }) => parts.map(partText)).join('\n\n'))
}

const LONGEST_WORD = 256
const LONGEST_VALUE = 4096
const MOST_PAIRS = 64

const clip = (value: unknown): string | null => (isNonEmptyString(value) ? value.slice(0, LONGEST_WORD) : null)

const toMetadata = (trace: Readonly<Record<string, unknown>>): Readonly<Record<string, TraceFieldValue>> =>
  Object.fromEntries(
    Object.entries(trace)
      .slice(0, MOST_PAIRS)
      .map(([name, value]) => [name.slice(0, LONGEST_WORD), toPlain(value)]),
  )

const toPlain = (value: unknown): TraceFieldValue =>
  typeof value === 'boolean' || typeof value === 'number'
    ? value
    : (typeof value === 'string' ? value : formatJson(value)).slice(0, LONGEST_VALUE)

/** Leaves out null values. */
const toParameters = (request: Request): Readonly<Record<string, TraceFieldValue>> => {
  const { temperature, top_p, presence_penalty, frequency_penalty, max_output_tokens, reasoning, service_tier } =
    request
  const all = {
    temperature,
    top_p,
    presence_penalty,
    frequency_penalty,
    max_output_tokens,
    reasoning_effort: reasoning?.effort ?? null,
    service_tier,
  }
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

/** Characters of a request or an answer that the page shows. */
const LONGEST_TEXT = 16_384

function pageText(request: Request): string {
  const texts = inputMessages(request).map(({ role, parts }) => `${role}: ${parts.map(partText).join('\n')}`)
  const instructions = request.instructions === null ? [] : [`instructions: ${request.instructions}`]
  return cut([...instructions, ...texts].join('\n\n'))
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
export function shownText({ content }: KeptForPage): RequestText | null {
  if (content === null) return null
  const show = (text: string): string => {
    const clean = maskKeys(content.redacts.reduce((left, redact) => redact(left), text))
    return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean
  }
  return { request: show(content.request), answer: content.answer === null ? null : show(content.answer) }
}
