import type { JsonObject } from '../../protocol/json.ts'
import type { Result } from '../../protocol/result.ts'
import { concatenated } from '../../text/bytes.ts'
import { writeJson } from '../../text/json-write.ts'
import type { Writing } from '../body/receive-request.ts'
import type { CancellationSignal } from '../cancellation.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { Transport, UpstreamRequest, UpstreamResponse } from './transport.ts'

/** A call before its body is serialised, because the text is needed only while it is sent. */
export interface UnsentRequest extends Omit<UpstreamRequest, 'body'>, Writing {
  readonly json: JsonObject
}

/** Serialises the body, a large one in slices, and sends the call. */
export const sendRequest = (
  request: UnsentRequest,
  source: Transport,
  signal: CancellationSignal,
): Promise<Result<UpstreamResponse>> =>
  request.isLarge
    ? runInSlices(writeJson(request.json)).then((pieces) => send(request, concatenated(pieces), source, signal))
    : send(request, JSON.stringify(request.json), source, signal)

function send(
  { json: _, isLarge: __, onWritten, ...call }: UnsentRequest,
  body: UpstreamRequest['body'],
  source: Transport,
  signal: CancellationSignal,
): Promise<Result<UpstreamResponse>> {
  onWritten()
  return source({ body, ...call }, signal)
}
