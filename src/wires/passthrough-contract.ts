import type { Frame } from '../framing/frame.ts'
import type { ModelFacts } from '../models/facts.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Json, JsonObject, JsonRecord } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import type { PathMap } from '../protocol/source-map.ts'
import type { Steps } from '../text/steps.ts'
import type { SettingName } from './body-contract.ts'
import type { Quirks } from './quirks.ts'
import type { Redact } from './redact.ts'

/** The context of an edit: everything that it reads beside the client's body. */
export interface EditContext {
  /** The upstream's own name of the model. */
  readonly model: string
  readonly quirks: Quirks
  /** Encodes the settings and the tools for the same upstream, once; the conversation of that body is another one. */
  readonly settings: () => Steps<EncodedSettings>
  /** The losses of reading the client's body, most of which passing it through avoids. */
  readonly unread: readonly Loss[]
  /** Opens encrypted reasoning that this gateway issued for this upstream; undefined for any other. */
  readonly open: (encryptedContent: string) => Json | undefined
}

/** The client's settings as the hub encodes them. */
export interface EncodedSettings {
  readonly body: JsonObject
  /** The losses of that encoding, with the client's own paths. */
  readonly losses: readonly Loss[]
}

/** A body after an edit: the same object if the edit had nothing to change. */
export interface EditedBody {
  readonly body: JsonObject
  /** With paths of the body before the edit. */
  readonly losses: readonly Loss[]
  /** Translates paths of this body to those of the body before the edit. Left out: no entry of a list has moved. */
  readonly toEarlier?: PathMap
}

/**
 * A declared change to a body that is otherwise passed through. Members keep their order, and new ones follow. An edit
 * that reads the encoded settings has steps, and requests them only if the body has a member that depends on them.
 */
export type EditBody = (body: JsonObject, context: EditContext) => EditedBody | Steps<EditedBody>

/** Conditions that no edit covers: a request that meets one of them is translated by the hub. */
export interface HubRules {
  /** The member of the body that holds the conversation. */
  readonly history: string
  /** An edit opens the encrypted content that this gateway issued. Left out: the hub translates a request with any. */
  readonly opensEnvelopes?: true
  /** Applies to the other members. */
  readonly settings: (body: JsonRecord, quirks: Quirks, request: Request, facts: ModelFacts) => boolean
  /**
   * The settings whose form the model refuses, whatever it requests, such as a budget in place of an effort. Left out:
   * there is one form.
   */
  readonly refusedForms?: (body: JsonRecord, facts: ModelFacts) => readonly SettingName[]
  /** The settings that an edit of the table sets. Left out: none. */
  readonly editedSettings?: readonly SettingName[]
  /**
   * The settings that only some vendors accept. Those that the hub drops or lowers for this vendor are dropped or lowered
   * in the body as well.
   */
  readonly settingsOfVendors?: VendorSettings
  /** Applies to one entry of the conversation. */
  readonly entry: (entry: JsonRecord, quirks: Quirks) => boolean
  /**
   * Names of settings that not every vendor has. If the hub encodes a body without one of them, the upstream receives
   * none of its members. Left out: there are none.
   */
  readonly settingsOfSome?: (quirks: Quirks) => readonly string[]
}

/** Settings whose encoding by the hub may be a loss, which depends on the vendor. */
export interface VendorSettings {
  /** Their paths in a body. */
  readonly paths: readonly string[]
  /** Whether the hub's encoding has no loss, decided by the setting alone. Left out: the encoding decides. */
  takes?(path: string, value: unknown, quirks: Quirks): boolean
}

/** How the body of a request is passed through. */
export interface RequestPassthrough {
  readonly rules: HubRules
  /**
   * The edits of a request, in their order, by the names that the log has. One with the name of a rule
   * (`engine/rules/`) makes the change of that rule.
   */
  readonly edits: Readonly<Record<string, EditBody>>
}

export interface AnswerEditContext {
  /** Properties of the client's request, e.g. whether usage was requested. */
  readonly settings: JsonObject
  /** Returns reasoning that the upstream encrypted as an envelope. */
  readonly seal: (payload: Json) => string
  /**
   * Does the same with a text in the protocol's own form, which its clients send back as they receive it. Null if no
   * other account answers the conversation, so that it needs no envelope.
   */
  readonly sealText: ((text: string) => string) | null
  /** Hides secrets and keys in a text that the upstream wrote about itself. */
  readonly redact: Redact
  /** Hides only the secrets that were sent to the upstream, in a text of any kind. */
  readonly redactSent: Redact
}

/** The edit of all protocols: secrets that were sent to the upstream leave in no event and no body. */
export const SECRETS_EDIT = 'secrets'

/** The edits of streams that are not in a table: events that are no JSON object, and names of events. */
export const UNREADABLE_EDIT = 'unreadable events'
export const NAMES_EDIT = 'names of events'

/**
 * A declared change to an event of a stream, or to a whole body. Returns the object itself if nothing changes, and null
 * if the client must not receive the event.
 */
export type EditAnswer = (value: JsonObject, context: AnswerEditContext) => JsonObject | null

/** The event, and the memory of the edits of its stream: plain JSON, which an edit replaces. */
export interface StreamMemory {
  /** The name of the event, as the frame has it; empty if it has none. */
  readonly event: string
  memory: JsonObject
}

/** As `EditAnswer`, for an event of a stream. */
export type EditEvent = (value: JsonObject, stream: StreamMemory) => JsonObject | null

/**
 * How an event ends a stream: as complete, as failed, or with a failure that another event of the protocol repeats.
 */
export type EventEnding = 'complete' | 'failed' | 'failing'

/** How an answer is passed through. */
export interface AnswerPassthrough {
  /** The edits of an event and of a body, in their order, by the names that the log has. */
  readonly edits: Readonly<Record<string, EditAnswer>>
  /** Every body that an edit changes contains one of these texts. Other bodies are not parsed for edits. */
  readonly marks: readonly string[]
  /** Edits of a stream, before the others: what the protocol's official clients require of each event. */
  readonly eventEdits?: Readonly<Record<string, EditEvent>>
  /** Returns the name that the frame of an event must have. Left out: any name. */
  eventName?(value: JsonObject, event: string): string
  /** Whether clients read only frames of one line, which has the data: no name, id or comment. */
  readonly dataOnly?: true
  /** Whether the data of a frame may be a list of events, which clients read only one by one. */
  readonly readsLists?: true
  /**
   * Whether a frame that is no event ends the stream, because it ends that of the decoder. `memory`: of the edits of
   * events.
   */
  unreadEnds?(frame: Frame, memory: JsonObject): boolean
  /** Whether clients read a stream that begins with this event. Left out: any. Another stream is translated. */
  begins?(value: JsonObject, event: string): boolean
  /** How an event ends the stream; null if it does not. Nothing follows an end. */
  ending(value: JsonObject, event: string): EventEnding | null
  /** Frames that a complete stream still lacks, before the terminator. Left out: none. */
  missing?(memory: JsonObject): readonly Frame[]
  /**
   * The frames with which a stream fails that its client has received in part. `isReported`: the upstream has sent the
   * failure itself, but not the end. Left out: the failure of the client's protocol.
   */
  failure?(memory: JsonObject, error: GatewayError, isReported: boolean): readonly Frame[]
  /** The frame that ends a stream, for upstreams that leave it out. Left out if the protocol has none. */
  readonly terminator?: {
    readonly frame: Frame
    matches(frame: Frame): boolean
    /** It also ends a stream that failed. */
    readonly afterFailure?: true
  }
}

/** How a wire passes bodies between its own clients and its upstreams (docs/passthrough.md). */
export interface Passthrough {
  readonly request: RequestPassthrough
  readonly answer: AnswerPassthrough
}
