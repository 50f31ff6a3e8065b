import type { Frame } from '../framing/frame.ts'
import type { FramingName } from '../framing/table.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Request } from '../protocol/request.ts'
import type { Quirks } from './quirks.ts'

export type WireName = 'openai-chat'

/** The request that a wire wants, or the reason why it cannot be made. */
export type Encoded =
  | {
      readonly ok: true
      /** Below the vendor's base URL, e.g. `/chat/completions`. */
      readonly path: string
      readonly body: JsonObject
      /** What was asked for and cannot be carried: names of parameters and items, with their place. */
      readonly losses: readonly string[]
    }
  | { readonly ok: false; readonly error: GatewayError }

/**
 * One upstream protocol. A wire says what it hears and never decides order; what tells one vendor of a wire from
 * another are the named fields of its `Quirks`.
 */
export interface Wire {
  readonly name: WireName
  readonly framing: FramingName
  /** The body and path for this request; `model` is the upstream's own name of the model. */
  encodeRequest(request: Request, model: string, quirks: Quirks): Encoded
  /** Headers that carry the key. */
  authorize(key: string, quirks: Quirks): Readonly<Record<string, string>>
  /** Frames of a stream → deltas. Its `end` says how a stream without a clear ending is to be understood. */
  decodeStream(quirks: Quirks): Machine<unknown, Frame, Delta>
  /** A whole body (HTTP 2xx) → the same deltas, its end included. */
  decodeBody(body: unknown, quirks: Quirks): readonly Delta[]
  /** An HTTP status ≥ 400 with its body → the failure. `headers` have lower-case names. */
  decodeError(status: number, headers: Readonly<Record<string, string | undefined>>, body: string): GatewayError
}
