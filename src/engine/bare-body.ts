import { type BareBodyReader, createBareBodyReader } from '../framing/bare-body-reader.ts'
import { jsonOf } from '../framing/frame.ts'
import type { Delta } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { Limits } from '../protocol/limits.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { isSentence } from '../wires/shared/upstream/answers/unreadable-frames.ts'
import { pageTitle } from '../wires/shared/upstream/error-map.ts'

/** The content that an upstream sent in place of a stream: a failure, or a whole body as text. */
export type BareBody =
  | { readonly error: GatewayError; readonly text: null }
  | { readonly error: null; readonly text: string }

export const NO_BODY = upstreamError('upstream_truncated', 'The upstream returned no body.')

/** The reader of the frames of a stream, which keeps a body that arrives in place of one. */
export const openBareBodyReader = (
  { framing }: StreamWire,
  { upstreamEvent }: Limits,
  keepsText: boolean,
): BareBodyReader => createBareBodyReader(framing, upstreamEvent, keepsText)

/** Reads a text in place of a stream; null for one that is a stream after all, and for a body that was cut. */
export function readBareBody(wire: StreamWire, quirks: Quirks, text: string): BareBody | null {
  const body = text.replace(/^\ufeff/, '').trim()
  if (body === '') return failed(NO_BODY)
  if (body.startsWith('<'))
    return failed(upstreamError('upstream_invalid', `The upstream returned ${describePage(body)}`))
  const value = jsonOf({ event: '', data: body })
  if (value === undefined || (typeof value === 'string' && !isSentence(value))) return null
  const error = bodyError(wire, quirks, value)
  if (error !== null) return failed(error)
  return hasFrames(wire, text) ? null : { error: null, text: body }
}

/** Gemini may send its only chunk as one object. */
function hasFrames({ framing }: StreamWire, text: string): boolean {
  const reader = framing.open(text.length)
  return reader.push(new TextEncoder().encode(text)).length + reader.end().length > 0
}

/** A page comes from a proxy, a login or a wrong path, and never from the API of a vendor. */
export function describePage(page: string): string {
  const title = pageTitle(page)
  // A title may be cut inside a secret, and only at the end of a message such a part is found and hidden.
  const named = title === '' ? '' : ` Its title: ${title}`
  return `a web page in place of a response. Check the base URL of the vendor.${named}`
}

/** Deltas of a body beside its failure. Any other is a part of an answer, which stays. */
const BESIDE_FAILURES: ReadonlySet<Delta['kind']> = new Set(['start', 'served', 'finish', 'loss'])

const failed = (error: GatewayError): BareBody => ({ error, text: null })

/** Returns the failure that a body describes; null if it describes none, and for an answer that failed in the middle. */
function bodyError(wire: StreamWire, quirks: Quirks, value: unknown): GatewayError | null {
  let error: GatewayError | null = null
  for (const delta of wire.decodeBody(value, quirks)) {
    if (delta.kind === 'error') error ??= delta.error
    else if (!BESIDE_FAILURES.has(delta.kind)) return null
  }
  return error
}
