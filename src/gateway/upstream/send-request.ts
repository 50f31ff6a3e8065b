import type { JsonObject } from '../../protocol/json.ts'
import type { Result } from '../../protocol/result.ts'
import { withoutHalves, writeWhole } from '../../text/json-write.ts'
import { LARGE, type Writing } from '../body/receive-request.ts'
import type { CancellationSignal } from '../cancellation.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { Transport, UpstreamRequest, UpstreamResponse } from './transport.ts'

/** A call before its body is serialised, because the text is needed only while it is sent. */
export interface UnsentRequest extends Omit<UpstreamRequest, 'body' | 'method'>, Writing {
  readonly json: JsonObject
}

/** Serialises the body, a large one in slices, and sends the call. */
export const sendRequest = (
  request: UnsentRequest,
  source: Transport,
  signal: CancellationSignal,
): Promise<Result<UpstreamResponse>> =>
  request.size > LARGE
    ? writeLarge(request).then((body) => send(request, body, source, signal))
    : send(request, withoutHalves(JSON.stringify(request.json)), source, signal)

const writeLarge = async ({ json, size }: UnsentRequest): Promise<Uint8Array> => runInSlices(writeWhole(json, size))

function send(
  { url, headers, model, stream, onWritten }: UnsentRequest,
  body: UpstreamRequest['body'],
  source: Transport,
  signal: CancellationSignal,
): Promise<Result<UpstreamResponse>> {
  onWritten()
  return source({ url, headers, model, stream, body }, signal)
}
