import type { Frame } from '../framing/frame.ts'
import type { Framing } from '../framing/framing.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Json, JsonObject, JsonRecord } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import type { NativeSearch } from '../protocol/search.ts'
import type { Citing, Hosting } from '../responses/capabilities.ts'
import type { Steps } from '../text/steps.ts'
import type { AbsentMembers, ProtocolName } from './absent-members.ts'
import type { BodyShape } from './body-contract.ts'
import type { CacheSupport } from './cache-support.ts'
import type { ClientCodec } from './client-contract.ts'
import type { UpstreamCounts } from './count-contract.ts'
import type { ModelLister } from './model-list-contract.ts'
import type { Origins } from './origins.ts'
import type { Passthrough } from './passthrough-contract.ts'
import type { ClientHeader, Quirks } from './quirks.ts'

/** Members of the input that are not part of the Responses API: `failed` of an output, `cited` of a file. */
export type InputMember = 'failed' | 'cited'

export type WireName = ProtocolName

/** The wire of the Responses API itself, whose client side is a dialect. */
export const RESPONSES_WIRE: WireName = 'openai-responses'

/**
 * Whether breakpoints are placed for clients that set none (`auto`), only those of the client are sent (`client`), or
 * none at all (`off`).
 */
export type CachePolicy = 'auto' | 'client' | 'off'

/** Settings of sampling that the Responses API has no field for. */
export type SamplingSetting = 'seed' | 'top_k'

/** The upstream that a request goes to. */
export interface UpstreamContext {
  /** The upstream's own name of the model. */
  readonly model: string
  readonly quirks: Quirks
  /**
   * Returns the payload of an `encrypted_content` that this same upstream issued; undefined if another one issued it or
   * it is damaged.
   */
  readonly open: (encryptedContent: string) => Json | undefined
  /** Left out: `client`. `auto` is for clients whose own vendor caches prompts without breakpoints. */
  readonly cache?: CachePolicy
  /** The meanings of members that the client left out. Left out: its protocol is the upstream's own. */
  readonly absent?: AbsentMembers
  /** Records the origins of what the body contains (docs/wires/README.md, Origins). Left out: nothing needs them. */
  readonly origins?: Origins
}

/** The request in the wire's format, or the reason why the request cannot be encoded. */
export type Encoded =
  | {
      readonly ok: true
      readonly body: JsonObject
      /** Requested features that cannot be carried unchanged. */
      readonly losses: readonly Loss[]
    }
  | { readonly ok: false; readonly error: GatewayError }

/** Where a body is sent. */
export interface UpstreamAddress {
  /** Appended to the vendor's base URL, e.g. `/chat/completions`; may contain a query. */
  readonly path: string
  /** Headers of this body alone: versions and features that the wire names in headers. Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The part of a wire that decodes answers, for programs that only translate streams. A wire decodes chunks into deltas
 * and never decides their order. The named fields of `Quirks` distinguish the vendors of a wire.
 */
export interface StreamWire {
  /** A wire of a program has a name that none of the project's own has. */
  readonly name: string
  readonly framing: Framing
  /** Frames of a stream → deltas. Its `end` decides how a stream without an explicit ending is interpreted. */
  decodeStream(quirks: Quirks): Machine<unknown, Frame, Delta>
  /**
   * Names of fields in its chunks, for the fast path (`fast-path/`): fields that hold the text of a delta, and counts of
   * which the last value is final. The names are hints where to look: each stream proves which of them its template may
   * use. `edited`: those that only the edits of a passed stream read.
   */
  readonly template?: {
    readonly leaves: readonly string[]
    readonly counts: readonly string[]
    readonly edited?: readonly string[]
  }
  /** `CITATIONS` of `responses/apply-citations.ts`. Left out: its answers have no citations. */
  readonly citations?: Citing
  /**
   * `hostingOf(…)` of `responses/hosted-tools.ts` with the rows of its items, or `HOSTED_ITEMS` with all of them. Left
   * out: its answers have no items that the upstream runs itself.
   */
  readonly hosted?: Hosting
  /** Its messages have phases. Left out: they have none, and dialects with phases infer them. */
  readonly reportsPhases?: true
  /** A program has changed a wire of the project, whose exceptions end only their own answer. */
  readonly isAdapted?: true
  /** A whole body (HTTP 2xx) → the same deltas, including the end. */
  decodeBody(body: unknown, quirks: Quirks): readonly Delta[]
  /** Maps an HTTP status ≥ 400 and its body to a failure. `headers` have lower-case names. */
  decodeError(status: number, headers: Readonly<Record<string, string | undefined>>, body: string): GatewayError
}

/** One of the project's own wires. Programs may give others, with names of their own. */
export type KnownStreamWire = StreamWire & { readonly name: WireName }

/** The effect of a client's header on the one that the wire sets: it takes its place, or adds to its list. */
export type HeaderRule = 'replaces' | 'joins'

/** One upstream protocol: its streams, its requests, and its client side if it has clients. */
export interface Wire extends StreamWire {
  /** Encodes a request in slices. The passes (`engine/passes/`) have changed what the wire does not have. */
  encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded>
  /**
   * Returns the address of a body, which the hub has encoded or the client has written; null if the model's name cannot
   * be part of a path.
   */
  address(body: JsonRecord, stream: boolean, target: Pick<UpstreamContext, 'model' | 'quirks'>): UpstreamAddress | null
  /** Headers that carry the key. */
  authorize(key: string, quirks: Quirks): Readonly<Record<string, string>>
  /** The places and the rules of its bodies, for explanations. Left out: none. */
  readonly body?: BodyShape
  /** The paths of members of its bodies that the Responses API has no field for. Left out: it has none of them. */
  readonly sampling?: Readonly<Partial<Record<SamplingSetting, readonly string[]>>>
  /** Requests have the model in their path and not in their body, so that its name is bounded by what a path may have. */
  readonly modelInPath?: true
  /** Models have the limits of Chat Completions: `chatEfforts` and `chatTools` of their facts. */
  readonly chatLimits?: true
  /** The highest temperature that its upstreams accept, unless the vendor has another one. Left out: its vendors have none. */
  readonly mostTemperature?: number
  /** The data of a file is a data URL. Left out: base64, whose type stands beside it. */
  readonly dataUrls?: true
  /** Reads base64 with the letters of URLs (RFC 4648, 5) as well. */
  readonly urlBase64?: true
  /** The media types of images that it accepts as data. Left out: its models decide, or an encoder. */
  readonly imageTypes?: readonly string[]
  /** The media types of text files that a host accepts; `none`: it reads no files. Left out: all, or an encoder decides. */
  readonly textFiles?: (
    host: Pick<Quirks, 'platform' | 'files'>,
    model: { readonly family?: string | undefined },
  ) => RegExp | 'none' | undefined
  /** Has no names of files, except in requests of its own clients. */
  readonly namelessFiles?: true
  /** Has Anthropic's own tools, whose types end with a date. */
  readonly datedTools?: true
  /** A model with a budget reasons only behind a turn that begins with its signed reasoning: it refuses any other. */
  readonly needsSealedReasoning?: true
  /**
   * Where a system message after the beginning of a conversation goes: into the system prompt, whose caches and
   * signatures it changes, or, where that matters, to the user. Left out: it stays in its place.
   */
  readonly lateSystem?: 'system' | 'user'
  /**
   * The headers of its clients that reach an upstream of this same wire: versions and features, never what identifies a
   * client or selects who pays. Left out: none.
   */
  readonly clientHeaders?: Readonly<Partial<Record<ClientHeader, HeaderRule>>>
  /** Members of the input, beyond the Responses API, for which it has fields. Left out: none. */
  readonly inputMembers?: readonly InputMember[]
  /**
   * The web search of its upstreams, unless a vendor's row overrides it (docs/wires/README.md, 5). Left out: they have
   * none.
   */
  readonly nativeSearch?: NativeSearch
  /** Whether a model has that search only in requests without functions. Left out: no model has this restriction. */
  readonly searchExcludesFunctions?: (target: Pick<UpstreamContext, 'model' | 'quirks'>) => boolean
  /** The cache breakpoints that a model accepts; null if it has none. Left out: no model has any. */
  readonly cacheSupport?: (target: Pick<UpstreamContext, 'model' | 'quirks'>) => CacheSupport | null
  /**
   * Some of its vendors search X; the wire itself rejects such a search for the others. Left out: none of them does.
   */
  readonly searchesX?: true
  /** Claude Code's billing line is meant for some of its upstreams (quirk `billingLine`). Left out: for none. */
  readonly readsBillingLine?: true
  /** How its upstreams list their models. Left out: the list has another address than the models. */
  readonly modelList?: ModelLister
  /** How its upstreams count the tokens of a request. Left out: none of them does. */
  readonly counts?: UpstreamCounts
  /** The client side, if the wire has clients. */
  readonly client?: ClientCodec
  /** How bodies of its clients pass to its upstreams, if the wire has clients. */
  readonly passthrough?: Passthrough
  /**
   * The name of the dialect that is its client side. Only the wire of the Responses API has one: its streams are our
   * events.
   */
  readonly dialect?: string
}

/** One of the project's own wires. */
export type KnownWire = Wire & KnownStreamWire & { readonly body: BodyShape }
