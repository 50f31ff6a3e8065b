import type { Frame } from '../framing/frame.ts'
import type { FramingName } from '../framing/table.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Steps } from '../text/steps.ts'
import type { Origins, Places } from './places.ts'
import type { Hears } from './unsaid.ts'

/** What the address of a request says beside its body, and what may be done with what only an upstream can read. */
export interface Asking {
  /** Where the wire names the model in the path. */
  readonly model: string | null
  /** Where the path tells whether a stream is wanted. */
  readonly stream: boolean | null
  /**
   * Marks reasoning that this wire's own vendor encrypted (a signature as it came) so that it finds its way back to it;
   * null where the request goes to another wire. What bears our mark already stays as it is.
   */
  readonly seal: ((payload: Json) => string) | null
}

/** A request of a client of this wire, as a Responses request. */
export type Decoded =
  | (Origins & {
      readonly ok: true
      /** The body of a Responses request, yet to be validated. */
      readonly body: JsonObject
      /** Stop sequences: Responses has no field for them, most wires do. */
      readonly stop: readonly string[] | null
      /** What the answer must know of the request, e.g. whether usage was asked for. */
      readonly settings: JsonObject
      readonly losses: readonly Loss[]
    })
  | { readonly ok: false; readonly error: GatewayError }

/** What an answer needs that its upstream does not say. */
export interface Answering {
  /** Of the response, without a prefix: letters, digits and `_`. */
  readonly id: string
  /** Unix seconds. */
  readonly created_at: number
  /** As the client named it. */
  readonly model: string
  readonly settings: JsonObject
  /** The payload of an `encrypted_content`, where this wire's own vendor gave it; undefined of any other. */
  readonly open: (encryptedContent: string) => Json | undefined
}

/** A failure before the first byte, in the family's own shape. */
export interface ErrorBody {
  readonly status: number
  readonly body: JsonObject
}

/** How a family tells of what models there are. An id is `<vendor>/<model>`. */
export interface Models {
  one(id: string): JsonObject
  list(ids: readonly string[]): JsonObject
}

/**
 * A wire from the other side: what its clients ask, and what they are told. The deltas that it encodes are in order: they
 * come from `consume`, so that items follow one another, names and ids are settled, and each ends with a `stop`.
 */
export interface Client {
  readonly framing: FramingName
  decodeRequest(body: JsonObject, asking: Asking): Decoded
  /** The same in slices. */
  decodeSteps(body: JsonObject, asking: Asking): Steps<Decoded>
  /** What its clients call the fields of a request, for those who are told that one is wrong. */
  readonly places: Places
  /** Deltas → the messages of a stream, with the family's own ending. An `error` delta ends it as the family does. */
  encodeStream(answering: Answering): Machine<unknown, Delta, Frame>
  /** The same as a whole body. Failures do not come here. */
  encodeBody(deltas: readonly Delta[], answering: Answering): JsonObject
  /** The same in slices. Left out: it takes long for no body. */
  encodeBodyInSteps?(deltas: readonly Delta[], answering: Answering): Steps<JsonObject>
  encodeError(error: GatewayError, requestId: string): ErrorBody
  /** What else is a recorded loss. */
  readonly hears: Hears
  /** Its answers list the pages that a search has found: the upstream is asked for them. */
  readonly showsSources?: true
  /** Left out where its clients read them as those of Responses do. */
  readonly models?: Models
  /** Sent in silence; null where the family has no word for it and the framing has no comments. */
  readonly keepAlive: Frame | null
}
