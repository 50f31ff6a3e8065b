import type { Outcome } from '../../engine/outcome.ts'
import { toFinishReason } from '../../observability/attributes.ts'
import { contentLength, inputMessages, outputMessages, type TraceContent } from '../../observability/content.ts'
import { type ParentContext, toSpanIds } from '../../observability/span-ids.ts'
import { type Trace, type TraceFieldValue, traceNameOf } from '../../observability/trace.ts'
import type { Request } from '../../protocol/request.ts'
import { formatJson, isNonEmptyString, isObject } from '../../text/json.ts'
import type { Wire } from '../../wires/contract.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { formatAttempt } from './attempt.ts'
import { recordAnswerText, recordRequestText } from './request-record.ts'
import type { TraceDraft } from './trace-draft.ts'

/**
 * Records the request for the page, and for the trace with the client's fields that are not part of a Responses request and only
 * describe the trace.
 */
export function recordRequest(context: RequestContext, request: Request, body: unknown): void {
  const { draft, record } = context
  if (record !== null) recordRequestText(record, request)
  if (draft === null) return
  const { headers } = context.request
  const { trace, session_id } = isObject(body) ? body : {}
  const traceFields = isObject(trace) ? trace : {}
  const { trace_id, parent_span_id, trace_name, span_name, generation_name } = traceFields
  draft.traced = {
    model: request.model,
    user: request.user,
    sessionId: clip(session_id) ?? clip(headers['x-session-id']),
    ancestry: {
      traceId: clip(trace_id),
      parentSpanId: clip(parent_span_id),
      traceparent: clip(headers.traceparent),
    },
    name: clip(generation_name) ?? clip(span_name) ?? clip(trace_name),
    metadata: toMetadata(traceFields),
    parameters: toParameters(request),
    input: draft.wantsContent ? inputMessages(request) : null,
    instructions: draft.wantsContent ? request.instructions : null,
  }
}

export function recordWire({ draft, record }: RequestContext, { name }: Wire): void {
  if (draft !== null) draft.wire = name
  if (record !== null) record.wire = name
}

/** Records the answer after its end. */
export function recordAnswer({ draft, entry, record }: RequestContext, { answer, chunks, model }: Outcome): void {
  entry.chunks = chunks.received
  if (record !== null) recordAnswerText(record, answer)
  if (draft === null) return
  draft.answer = answer
  // Until the upstream reports a model, both have the name from the request.
  draft.responseModel = answer === null || answer.model === model ? null : model
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

/** The whole trace of an exchange that has ended. `random`: at least 48 hexadecimal digits. */
export function toTrace(
  draft: TraceDraft,
  { id, entry }: RequestContext,
  random: string,
  longestContent: number,
): Trace {
  const { traced, answer } = draft
  const finishReason = toFinishReason(answer)
  const content = toContent(draft, finishReason)
  const fits = content !== null && contentLength(content) <= longestContent
  return {
    ...toSpanIds(traced?.ancestry ?? NO_PARENT, random),
    name: traced?.name ?? traceNameOf(entry.model),
    startedAt: draft.startedAt,
    durationMs: entry.duration_ms ?? 0,
    upstreamMs: entry.upstream_ms,
    firstTokenMs: entry.first_token_ms,
    requestId: id,
    responseId: answer?.id ?? null,
    dialect: entry.dialect,
    stream: entry.stream ?? false,
    vendor: entry.vendor,
    member: entry.member,
    wire: draft.wire,
    requestModel: entry.model,
    responseModel: draft.responseModel,
    status: entry.status,
    outcome: entry.outcome,
    finishReason,
    error: entry.error,
    attempts: entry.attempts.length > 1 ? entry.attempts.map(formatAttempt) : [],
    usage: entry.usage,
    keyName: draft.key.name,
    user: traced?.user ?? null,
    sessionId: traced?.sessionId ?? null,
    metadata: traced?.metadata ?? {},
    parameters: traced?.parameters ?? {},
    content: fits ? content : null,
    contentLeftOut: content !== null && !fits,
  }
}

const NO_PARENT: ParentContext = { traceId: null, parentSpanId: null, traceparent: null }

function toContent({ traced, answer, wantsContent }: TraceDraft, finishReason: string): TraceContent | null {
  if (!wantsContent) return null
  const { input = null, instructions = null } = traced ?? {}
  return { instructions, input: input ?? [], output: outputMessages(answer?.output ?? [], finishReason) }
}
