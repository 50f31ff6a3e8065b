import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { parseJson } from '../../text/json.ts'
import { upstreamUrl } from '../../wires/shared/upstream/upstream-url.ts'
import type { Prepared } from '../call/prepare-request.ts'
import { copyUpstreamHeaders } from '../call/upstream-headers.ts'
import { Cancellation } from '../cancellation.ts'
import type { Config } from '../config/config.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { readErrorText, readWhole } from '../upstream/read-response-body.ts'
import { sendRequest, type UnsentRequest } from '../upstream/send-request.ts'
import type { UpstreamResponse } from '../upstream/transport.ts'
import type { TokenCounter } from './count-memory.ts'

/** The tokens that an upstream has counted, or the reason why it has not: a word or an HTTP status. */
export type UpstreamCount = { readonly tokens: number } | { readonly tokens: null; readonly reason: string }

const uncounted = (reason: string): UpstreamCount => ({ tokens: null, reason })

/**
 * An upstream answers with one of these statuses if it has no such endpoint, or not for this model. One that counts too
 * slowly would delay every count.
 */
const LASTING: ReadonlySet<string> = new Set(['404', '405', '501', 'unsupported', 'timeout'])

export const isLasting = (reason: string): boolean => LASTING.has(reason)

/** Statuses with which a request itself is refused: the client must change it, or the operator the key. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 413, 422])

/** Bedrock refuses to count for some models with status 400, although it accepts the request itself. */
const CANNOT_COUNT = /(?:doesn['’]t|does not|not) support(?:ed|ing)? (?:for )?(?:counting tokens|count[ _-]?tokens)/i

const LONGEST_ANSWER_BYTES = 64 * 1024

const TIMED_OUT = upstreamError('upstream_timeout', 'The upstream did not count within timeouts.count_seconds.', 504)

/**
 * Requests the count of a prepared request from its upstream. An error is returned only if the request itself is
 * refused; any other failure leaves the count to an estimate.
 */
export async function requestCount(
  { counts, config }: TokenCounter & { readonly config: Pick<Config, 'timeouts'> },
  prepared: Prepared,
  context: RequestContext,
): Promise<Result<UpstreamCount>> {
  const { origin } = prepared.options
  const call = toCountCall(prepared)
  if (call === null || !counts.mayCount(origin)) return ok(uncounted('unsupported'))
  const { signal, reply } = context
  const timed = new Cancellation()
  const cancel = (): void => timed.abort(signal.reason ?? TIMED_OUT)
  const timer = setTimeout(cancel, config.timeouts.count_seconds * 1000)
  const listener = { onCancel: cancel }
  signal.listen(listener)
  try {
    const opened = await sendRequest(call, prepared.source, timed)
    if (opened.ok) copyUpstreamHeaders(reply, opened.value.headers, prepared.options.redact)
    const counted = opened.ok ? await readTokens(prepared, opened.value) : ok(uncounted(reasonOf(opened.error)))
    if (signal.reason !== null) return err(signal.reason)
    if (counted.ok && counted.value.tokens === null && LASTING.has(counted.value.reason)) counts.noteMissing(origin)
    return counted
  } finally {
    clearTimeout(timer)
    signal.forget(listener)
  }
}

/** The call that counts the tokens of a call; null if the upstream has none. */
function toCountCall({ routed, call }: Prepared): UnsentRequest | null {
  const { wire, quirks, model, baseUrl } = routed.route
  const { counts } = wire
  if (counts === undefined || quirks.countsTokens === false) return null
  if (quirks.countsTokens === undefined && !counts.isUsual) return null
  const request = counts.encode(call.json, { model, quirks })
  const url = request === null ? null : upstreamUrl(baseUrl, request.path)
  if (request === null || url === null) return null
  return { ...call, url, json: request.body, stream: false, headers: { ...call.headers, accept: 'application/json' } }
}

async function readTokens({ routed, options }: Prepared, answer: UpstreamResponse): Promise<Result<UpstreamCount>> {
  const { status, headers } = answer
  const { counts } = routed.route.wire
  if (status < 300) {
    const text = await readWhole(answer, LONGEST_ANSWER_BYTES)
    const tokens = text.ok ? (counts?.decode(parseJson(text.value)) ?? null) : null
    if (tokens !== null) return ok({ tokens })
    return ok(uncounted(text.ok ? 'invalid' : reasonOf(text.error)))
  }
  if (!REFUSED.has(status)) {
    answer.abort()
    return ok(uncounted(String(status)))
  }
  const text = await readErrorText(answer, ERROR_BODY_MS)
  return CANNOT_COUNT.test(text) ? ok(uncounted('unsupported')) : err(options.wire.decodeError(status, headers, text))
}

/** The status identifies a failure, so the wait for its message is short. */
const ERROR_BODY_MS = 2000

const REASONS: ReadonlyMap<string, string> = new Map([
  ['upstream_timeout', 'timeout'],
  ['upstream_too_large', 'invalid'],
])

const reasonOf = ({ code }: GatewayError): string => REASONS.get(code) ?? 'unreachable'
