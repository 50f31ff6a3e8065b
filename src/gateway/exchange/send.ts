import type { Outcome } from '../../engine/outcome.ts'
import { toFinishReason } from '../../observability/attributes.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isLongJson, measureJson, piecesOfJson } from '../../text/json-write.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { AnswerHeaders } from './http-types.ts'
import { summaryOf } from './journal.ts'
import { keepAnswer } from './kept-texts.ts'
import { showAnswerLosses } from './loss-header.ts'
import type { RequestContext } from './request-context.ts'

export function sendJson(context: RequestContext, status: number, body: JsonObject, headers: AnswerHeaders = {}): void {
  sendText(context, status, JSON.stringify(body), 'application/json', headers)
}

/** Characters above which an answer is written in pieces. */
const LONG = 256 * 1024

/**
 * Sends the whole answer of a model. The text of a long answer is never in memory as a whole: it is measured, and then
 * serialised as the client reads it. Resolves when all of it is written, or the client has left.
 */
export async function sendAnswer(context: RequestContext, body: JsonObject): Promise<void> {
  const { reply, journal } = context
  const write = reply.pieceWriter()
  if (write === null || !isLongJson(body, LONG)) return sendJson(context, 200, body)
  const size = await runInSlices(measureJson(body))
  if (reply.hasStarted() || reply.isGone()) return
  journal.add({ type: 'sent', status: 200 })
  await write(size, piecesOfJson(body))
}

/** Sends a whole answer of any media type. */
export function sendText(
  context: RequestContext,
  status: number,
  text: string,
  type: string,
  headers: AnswerHeaders = {},
): void {
  const { reply, journal } = context
  if (reply.hasStarted() || reply.isGone()) return
  journal.add({ type: 'sent', status })
  reply.sendText(status, text, type, headers)
}

/**
 * Failures with a retryable status that fail again in the same way: the SDKs of OpenAI and Anthropic retry after 408,
 * 409, 429 and 5xx unless this header forbids it.
 */
const NOT_RETRIABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'not_implemented',
  'insufficient_quota',
  'usage_limit_reached',
  'upstream_authentication',
  'upstream_not_found',
])

/** Sends a failure that happened before the first byte of the answer. */
export function sendError(context: RequestContext, error: GatewayError, headers: AnswerHeaders = {}): void {
  const { journal, reply } = context
  // A failure after the answer was sent is a consequence of it.
  if (summaryOf(journal).status !== null) return
  const { status, body } = context.errorBody(error, context.id)
  const { code, party } = error
  journal.add({ type: 'failed', code, party, ...(reply.isGone() ? { status } : {}) })
  const hints: Record<string, string> = {}
  if (error.retryAfter !== null) hints['retry-after'] = String(Math.ceil(error.retryAfter))
  if (NOT_RETRIABLE.has(error.code)) hints['x-should-retry'] = 'false'
  if (status === 401) hints['www-authenticate'] = 'Bearer'
  sendJson(context, status, body, { ...hints, ...headers })
}

export function noteOutcome(context: RequestContext, outcome: Outcome): void {
  const { status, usage, error, losses, edits = [], answer, chunks, model } = outcome
  context.journal.add({
    type: 'answered',
    outcome: status,
    usage,
    edits,
    losses,
    error: error?.code ?? null,
    party: error?.party ?? null,
    chunks: chunks.received,
    responseId: answer?.id ?? null,
    // Until the upstream reports a model, both have the name from the request.
    model: answer === null || answer.model === model ? null : model,
    finishReason: toFinishReason(answer),
  })
  if (error === null) showAnswerLosses(context, losses)
  keepAnswer(context, answer)
}
