import type { LiveFormat } from '../framing/format.ts'
import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { HostedItem, HostedItemType, Item } from '../protocol/item.ts'
import type { Json, JsonObject, JsonRecord } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import type { AnnotationType } from '../protocol/part.ts'
import type { InstructionBreakpoint } from '../protocol/request.ts'
import type { ServedMember } from '../protocol/served.ts'
import type { PathMap } from '../protocol/source-map.ts'
import type { UsageSupport } from '../protocol/usage.ts'
import type { Steps } from '../text/steps.ts'
import type { AbsentMembers } from './absent-members.ts'
import type { ClientCounts } from './count-contract.ts'

/** The kinds that clients of a wire support beside text, reasoning and whole calls, which all clients support. */
export interface ClientSupport extends UsageSupport {
  /** Item types of tools that the upstream ran itself. */
  readonly hosted: readonly HostedItemType[]
  /**
   * Whether its clients receive the vendor's own form of an item, which is encrypted content of the item or of another
   * one of the answer.
   */
  readonly hasOwnForm?: (item: HostedItem, output: readonly Item[]) => boolean
  readonly annotations: readonly AnnotationType[]
  readonly logprobs: boolean
  /** Which of its answers have arguments as objects, not as JSON text: their numbers are doubles. */
  readonly argumentObjects: 'none' | 'bodies' | 'all'
  /** Reasoning that only its upstream can read (encrypted content). */
  readonly sealed: boolean
  /** Pages that a search of the upstream opened. */
  readonly openedPages: boolean
  /** Images by their address. Default: false. */
  readonly imageAddresses?: boolean
  readonly namespaces: boolean
  /** Members that describe how the upstream served the request. */
  readonly served: readonly ServedMember[]
}

/** The request context: parameters from the URL, and the seal for reasoning that a vendor encrypted. */
export interface DecodeContext {
  /** The model, if the wire names it in the path. */
  readonly model: string | null
  /** Whether a stream is requested, if the path determines it. */
  readonly stream: boolean | null
  /**
   * Seals reasoning that this wire's own vendor encrypted (a raw signature), so that the same vendor's upstream
   * receives it again; null if the request goes to another wire. Content that is in our envelope already stays
   * unchanged.
   */
  readonly seal: ((payload: Json) => string) | null
  /**
   * The upstream of the request, and the seal for what its vendor signed in a place of this wire that it shares, as
   * Google's signatures of calls. Left out: the upstream is not known yet.
   */
  readonly signer?: { readonly wire: string; readonly seal: (payload: Json) => string } | undefined
  /** The request may be a part of a conversation, whose tokens are counted. */
  readonly isFragment?: boolean | undefined
}

/** A request of a client of this wire, converted to a Responses request. */
export type DecodedRequest = DecodedBody & ReadOutcome

/** Members that an upstream of the client's own protocol must receive: without them, the request would be another one. */
export interface RequiredMembers {
  /** The error of a request to any other upstream. */
  readonly error: GatewayError
  readonly paths: ReadonlySet<string>
}

/** Whether every value of a request was read. `error`: the first value that no other protocol can carry. */
export type ReadOutcome = { readonly ok: true } | { readonly ok: false; readonly error: GatewayError }

/** The way of a body that mixes protocols into the form of its own. */
export interface UsualForm {
  /** With the client's own paths. */
  readonly losses: readonly Loss[]
  /** Translates paths of the body in its usual form to places in the client's body. */
  readonly toGiven: PathMap
}

interface DecodedBody {
  /** Left out: no entry of a list has moved, and no member has another name. */
  readonly form?: UsualForm
  /** The body of a Responses request, not validated yet; incomplete if a value was not read. */
  readonly body: JsonObject
  /** Stop sequences: the Responses API has no field for them, but most wires have one. */
  readonly stop: readonly string[] | null
  /** Cache breakpoints inside the instructions, which the Responses API has no field for. Left out: none. */
  readonly instruction_breakpoints?: readonly InstructionBreakpoint[]
  /** As `reasoning.hidden` of the request: an effort that turns no reasoning on. Left out: false. */
  readonly hides_reasoning?: boolean
  /** Properties of the request that determine the form of the answer, e.g. whether usage was requested. */
  readonly settings: JsonObject
  /** The meanings of members that the client left out, where another member decides them (`absent-members.ts`). */
  readonly absent?: Partial<AbsentMembers>
  readonly losses: readonly Loss[]
  /**
   * The paths of the members of the client's body that request something and that the hub has no form for: an upstream of
   * the client's own protocol receives them nevertheless. Left out: none.
   */
  readonly unsupported?: ReadonlySet<string>
  /** The unsupported members without which the request would be another one; null if there are none. */
  readonly required: RequiredMembers | null
  /** Translates a path of `body`, for error messages and losses. */
  readonly toClientPath: PathMap
  /**
   * For each item of the input, the client's paths of its parts; empty where they are that of the item. An item with
   * one part, which was joined from several, has the paths of these. Left out: empty for each item.
   */
  readonly partPaths?: readonly (readonly string[])[]
}

/** The response context: what an answer needs and its upstream does not send. */
export interface EncodeContext {
  /** Id of the response without a prefix: letters, digits and `_`. */
  readonly id: string
  /** Unix seconds. */
  readonly created_at: number
  /** The model's name as the client sent it. */
  readonly model: string
  readonly settings: JsonObject
  /** Returns the payload of an `encrypted_content` that this wire's own vendor issued; undefined for any other. */
  readonly open: (encryptedContent: string) => Json | undefined
  /** Returns an `encrypted_content` as an envelope, for content that cannot be written as its vendor writes it. */
  readonly seal: (encryptedContent: string) => string
}

/** Opens and seals the `encrypted_content` of an answer. */
export type EncryptedContentCodec = Pick<EncodeContext, 'open' | 'seal'>

/** Changes a text that only its issuer can read, such as a signature. */
export type ChangeText = (text: string) => string

/** Where a protocol has the texts that only the account that issued them can read. */
export interface SealedTexts {
  /** The member of a request that holds the conversation. */
  readonly history: string
  /** Changes these texts in an event or a body of an answer. Returns the object itself if it has none. */
  inAnswer(value: JsonObject, change: ChangeText): JsonObject
  /** Does the same in the payload of an item, as the upstream side of the wire seals it. */
  inPayload(payload: Json, change: ChangeText): Json
  /** Returns an envelope in the form that the clients of the protocol accept. Left out: as it is. */
  wrap?(envelope: string): string
}

/** A failure before the first byte, in the error format of the client API. */
export interface ClientErrorBody {
  readonly status: number
  readonly body: JsonObject
}

/** The list of models in the format of the client API. An id is `<vendor>/<model>`. */
export interface ModelListing {
  one(id: string): JsonObject
  list(ids: readonly string[]): JsonObject
}

/** The part of a client side that encodes answers, for programs that only translate streams. */
export type AnswerCodec = Pick<
  ClientCodec,
  | 'format'
  | 'headers'
  | 'settings'
  | 'encodeStream'
  | 'encodeBody'
  | 'encodeBodyInSteps'
  | 'encodeError'
  | 'supports'
  | 'sealedTexts'
  | 'keepAlive'
>

/**
 * The client side of a wire: decodes requests of its clients and encodes answers for them. The deltas that it encodes
 * are ordered: they come from `eventsToDeltas`, so items do not overlap, names and ids are final, and each item ends with a
 * `stop`.
 */
export interface ClientCodec {
  /** The format of its streams. */
  readonly format: LiveFormat
  /** Headers of its streams beside the media type of the format. Lower-case names. Left out: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** The names of the settings that its answers depend on (`settings` of a decoded request). Left out: none. */
  readonly settings?: readonly string[]
  /** Its requests have the model in their path and not in their body. */
  readonly modelInPath?: true
  /** Decodes in slices. */
  decodeRequest(body: JsonObject, context: DecodeContext): Steps<DecodedRequest>
  /**
   * Deltas → frames of a stream, including the protocol's own ending. An `error` delta ends it in the protocol's error
   * format.
   */
  encodeStream(context: EncodeContext): Machine<unknown, Delta, Frame>
  /** Deltas → a whole body. The deltas contain no failures: `encodeError` encodes those. */
  encodeBody(deltas: readonly Delta[], context: EncodeContext): JsonObject
  /** Does the same work in slices. Left out if no body takes long. */
  encodeBodyInSteps?(deltas: readonly Delta[], context: EncodeContext): Steps<JsonObject>
  encodeError(error: GatewayError, requestId: string): ClientErrorBody
  /** Item types, annotations and fields that its clients support; anything else is a recorded loss. */
  readonly supports: ClientSupport
  /** Where the protocol has texts that only their issuer can read. Left out: its answers have none. */
  readonly sealedTexts?: SealedTexts
  /** Its answers list the pages that a search found, so the upstream is requested to include them. */
  readonly showsSources?: true
  /**
   * Whether an object of the history has a mark of this gateway that its own vendor refuses, beside envelopes. Left out
   * if there are no such marks.
   */
  isIssued?(object: JsonRecord): boolean
  /** How its clients request a count of tokens. Left out: they do not. */
  readonly counts?: ClientCounts
  /** Left out if its clients read the list of models of the Responses API. */
  readonly models?: ModelListing
  /**
   * Sent in a silent stream; null if the protocol has no such frame. A comment of the framing, if it has comments, then
   * replaces it.
   */
  readonly keepAlive: Frame | null
}
