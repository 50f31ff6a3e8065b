import type { Frame } from '../framing/frame.ts'
import type { FramingName } from '../framing/table.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import type { NativeSearch } from '../protocol/search.ts'
import type { Steps } from '../text/steps.ts'
import type { Client } from './client.ts'
import type { Quirks } from './quirks.ts'

export type WireName =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic-messages'
  | 'gemini-generate'
  | 'bedrock-converse'
  | 'cohere-chat'
  | 'ollama-chat'

/** Whom a request goes to. */
export interface Target {
  /** The upstream's own name of the model. */
  readonly model: string
  readonly quirks: Quirks
  /** The payload of an `encrypted_content` that this very upstream gave; undefined where it is another's, or damaged. */
  readonly open: (encryptedContent: string) => Json | undefined
}

/** The request that a wire wants, or the reason why it cannot be made. */
export type Encoded =
  | {
      readonly ok: true
      /** Below the vendor's base URL, e.g. `/chat/completions`; it may have a query. */
      readonly path: string
      readonly body: JsonObject
      /** Of this request alone: versions and features that the wire names in headers. Lower-case names. */
      readonly headers?: Readonly<Record<string, string>>
      /** What was asked for and cannot be carried as it is. */
      readonly losses: readonly Loss[]
    }
  | { readonly ok: false; readonly error: GatewayError }

/**
 * One upstream protocol. A wire says what it hears and never decides order; what tells one vendor of a wire from
 * another are the named fields of its `Quirks`.
 */
export interface Wire {
  readonly name: WireName
  readonly framing: FramingName
  encodeRequest(request: Request, target: Target): Encoded
  /** The same in slices. */
  encodeSteps(request: Request, target: Target): Steps<Encoded>
  /** Headers that carry the key. */
  authorize(key: string, quirks: Quirks): Readonly<Record<string, string>>
  /** Frames of a stream → deltas. Its `end` says how a stream without a clear ending is to be understood. */
  decodeStream(quirks: Quirks): Machine<unknown, Frame, Delta>
  /**
   * Names of fields in its chunks, for the fast path (`template/`): those that hold the text of a delta, and counts of
   * which the last is the one that counts. They only say where to look: what may be taken is proved on each stream.
   */
  readonly template?: {
    readonly leaves: readonly string[]
    readonly counts: readonly string[]
  }
  /** A whole body (HTTP 2xx) → the same deltas, its end included. */
  decodeBody(body: unknown, quirks: Quirks): readonly Delta[]
  /** An HTTP status ≥ 400 with its body → the failure. `headers` have lower-case names. */
  decodeError(status: number, headers: Readonly<Record<string, string | undefined>>, body: string): GatewayError
  /** The web search of its upstreams, where a vendor's row says nothing else (wires.md 3.6). Left out: they have none. */
  readonly nativeSearch?: NativeSearch
  /** Whether a model has that search in requests without functions only. Left out: no model of it is so. */
  readonly searchExcludesFunctions?: (target: Pick<Target, 'model' | 'quirks'>) => boolean
  /** Vendors of it may search X; those of them that do not, say so themselves. Left out: none does. */
  readonly searchesX?: true
  /** The other side, where it has clients of its own. */
  readonly client?: Client
  /** The dialect that is its other side, by name: of the wire whose streams are our events. */
  readonly dialect?: string
}
