import type { Outcome } from '../../engine/outcome.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isLongJson, measureJson, piecesOfJson } from '../../text/json-write.ts'
import { runInSlices } from '../run-in-slices.ts'
import { recordAnswer } from '../telemetry/trace-builder.ts'
import type { AnswerHeaders } from './http-types.ts'
import { noteAnswerLosses } from './loss-header.ts'
import type { RequestContext } from './request-context.ts'

/** Sends a whole JSON answer. */
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
  const { reply, entry } = context
  const write = reply.pieceWriter()
  if (write === null || !isLongJson(body, LONG)) return sendJson(context, 200, body)
  const size = await runInSlices(measureJson(body))
  if (reply.hasStarted() || reply.isGone()) return
  entry.status = 200
  entry.first_byte_ms = context.elapsed()
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
  const { reply, entry } = context
  if (reply.hasStarted() || reply.isGone()) return
  entry.status = status
  entry.first_byte_ms = context.elapsed()
  reply.sendText(status, text, type, headers)
}

/**
 * Failures with a retryable status that fail again in the same way: the SDKs of OpenAI and Anthropic retry after 408,
 * 409, 429 and 5xx unless this header forbids it.
 */
const NOT_RETRIABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'not_implemented',
  'insufficient_quota',
  'upstream_authentication',
  'upstream_not_found',
])

/** Sends a failure that happened before the first byte of the answer. */
export function sendError(context: RequestContext, error: GatewayError, headers: AnswerHeaders = {}): void {
  // A failure after the answer was sent is a consequence of it.
  if (context.entry.status !== null) return
  context.entry.error = error.code
  context.entry.party = error.party
  const { status, body } = context.errorBody(error, context.id)
  if (context.reply.isGone()) context.entry.status = status
  const hints: Record<string, string> = {}
  if (error.retryAfter !== null) hints['retry-after'] = String(Math.ceil(error.retryAfter))
  if (NOT_RETRIABLE.has(error.code)) hints['x-should-retry'] = 'false'
  if (status === 401) hints['www-authenticate'] = 'Bearer'
  sendJson(context, status, body, { ...hints, ...headers })
}

/** Records the outcome of an answer for the log. */
export function noteOutcome(context: RequestContext, outcome: Outcome): void {
  const { entry } = context
  const { status, usage, error, losses, edits = [] } = outcome
  entry.outcome = status
  entry.usage = usage
  if (edits.length > 0) entry.edits = [...(entry.edits ?? []), ...edits]
  entry.error = error?.code ?? entry.error
  entry.party = error?.party ?? entry.party
  // After a failure, a retry may follow, which has losses of its own.
  if (error === null) noteAnswerLosses(context, losses)
  else entry.losses = [...entry.losses, ...losses]
  recordAnswer(context, outcome)
}
