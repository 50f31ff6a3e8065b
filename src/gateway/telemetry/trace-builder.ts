import { toFinishReason } from '../../observability/attributes.ts'
import { contentLength, outputMessages, type TraceContent } from '../../observability/content.ts'
import { type ParentContext, toSpanIds } from '../../observability/span-ids.ts'
import { type Trace, traceNameOf } from '../../observability/trace.ts'
import type { Summary } from '../exchange/journal.ts'
import type { KeptForTrace } from '../exchange/kept-texts.ts'
import { formatAttempt } from './log.ts'

/** The trace of an exchange that has ended. `random`: at least 48 hexadecimal digits. */
export function toTrace(kept: KeptForTrace, exchange: Summary, random: string, longestContent: number): Trace {
  const { request, startedAt } = kept
  const { answer } = exchange
  const finishReason = answer?.finishReason ?? toFinishReason(null)
  const content = toContent(kept, finishReason)
  const fits = content !== null && contentLength(content) <= longestContent
  return {
    ...toSpanIds(request?.ancestry ?? NO_PARENT, random),
    name: request?.name ?? traceNameOf(exchange.model),
    startedAt,
    durationMs: exchange.duration_ms ?? 0,
    upstreamMs: exchange.upstream_ms,
    firstTokenMs: exchange.first_token_ms,
    requestId: exchange.request_id,
    responseId: answer?.responseId ?? null,
    dialect: exchange.dialect,
    stream: exchange.stream ?? false,
    vendor: exchange.vendor,
    member: exchange.member,
    wire: exchange.wire,
    requestModel: exchange.model,
    responseModel: answer?.model ?? null,
    status: exchange.status,
    outcome: exchange.outcome,
    finishReason,
    error: exchange.error,
    attempts: exchange.attempts.length > 1 ? exchange.attempts.map(formatAttempt) : [],
    usage: exchange.usage,
    keyName: exchange.key ?? '',
    user: request?.user ?? null,
    sessionId: request?.sessionId ?? null,
    metadata: request?.metadata ?? {},
    parameters: request?.parameters ?? {},
    content: fits ? content : null,
    contentLeftOut: content !== null && !fits,
  }
}

const NO_PARENT: ParentContext = { traceId: null, parentSpanId: null, traceparent: null }

function toContent({ request, answer, wantsContent }: KeptForTrace, finishReason: string): TraceContent | null {
  if (!wantsContent) return null
  const { input = null, instructions = null } = request ?? {}
  return { instructions, input: input ?? [], output: outputMessages(answer?.output ?? [], finishReason) }
}
