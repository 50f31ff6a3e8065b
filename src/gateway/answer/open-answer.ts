import { httpFailure } from '../../engine/call/http-failure.ts'
import { err, type Result } from '../../protocol/result.ts'
import { isCompressed, UNDECODABLE } from '../body/content-coding.ts'
import type { Prepared } from '../call/prepare-request.ts'
import { copyUpstreamHeaders } from '../call/upstream-headers.ts'
import type { Config } from '../config/config.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Awaitable } from '../run-in-slices.ts'
import { readErrorText } from '../upstream/read-response-body.ts'
import { sendRequest } from '../upstream/send-request.ts'
import type { UpstreamResponse } from '../upstream/transport.ts'

/** The status identifies a failure, so the wait for its message is short. */
const ERROR_BODY_SECONDS = 10

/** Calls the upstream once. Resolves as `acceptAnswer`. */
export const requestAnswer = (
  { source, call, options }: Pick<Prepared, 'source' | 'call' | 'options'>,
  { signal, reply }: Pick<RequestContext, 'signal' | 'reply'>,
  timeouts: Config['timeouts'],
): Promise<Result<UpstreamResponse>> =>
  sendRequest(call, source, signal).then((opened) => acceptAnswer(opened, options, reply, timeouts))

/**
 * Returns a successful answer whose body can be read, else the failure. The answer to the client receives the headers of
 * the upstream that it may have.
 */
export function acceptAnswer(
  opened: Result<UpstreamResponse>,
  { wire, redact }: Pick<Prepared['options'], 'wire' | 'redact'>,
  reply: RequestContext['reply'],
  { idle_seconds }: Config['timeouts'],
): Awaitable<Result<UpstreamResponse>> {
  // Headers of an earlier attempt are removed even if this one has none.
  copyUpstreamHeaders(reply, opened.ok ? opened.value.headers : {}, redact)
  if (!opened.ok) return opened
  const { status, headers } = opened.value
  const isPlain = !isCompressed(headers['content-encoding'])
  if (status < 300 && isPlain) return opened
  if (status >= 400 && isPlain)
    return readErrorText(opened.value, Math.min(idle_seconds, ERROR_BODY_SECONDS) * 1000).then((text) =>
      err(httpFailure(wire, status, headers, text)),
    )
  opened.value.abort()
  return err(status >= 300 ? httpFailure(wire, status, headers, '') : UNDECODABLE)
}
