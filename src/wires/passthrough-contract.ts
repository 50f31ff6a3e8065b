import type { Frame } from '../framing/frame.ts'
import type { ModelFacts } from '../models/facts.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Json, JsonObject, JsonRecord } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import type { Head } from '../protocol/response.ts'
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
  readonly unsupported: readonly Loss[]
  /** Opens encrypted reasoning that this gateway issued for this upstream; undefined for any other. */
  readonly open: (encryptedContent: string) => Json | undefined
  /** Whether any text of the conversation may be such an envelope. */
  readonly hasEnvelopes: boolean
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
  /**
   * Joins an object of the client with the one that the hub sets in its place. Left out: the hub's. `path`: of the
   * object. `body`: the client's.
   */
  readonly joinMembers?: (
    path: string,
    own: JsonObject,
    encoded: JsonObject,
    body: JsonRecord,
    facts: ModelFacts,
  ) => JsonObject
  /** The settings that an edit of the table sets. Left out: none. */
  readonly editedSettings?: readonly SettingName[]
  /**
   * The settings that only some vendors accept. Those that the hub drops or lowers for this vendor are dropped or lowered
   * in the body as well.
   */
  readonly settingsOfVendors?: VendorSettings
  /** Whether the upstream refuses a member that the hub does not read, by its path. Left out: it takes each of them. */
  readonly isWithheld?: (path: string, quirks: Quirks) => boolean
  /**
   * Mends members that the hub does not read, such as the name of a participant, before they are carried into a body that
   * the hub encodes. An edit of the table does the same where the body is passed. Left out: none is refused.
   */
  readonly mendOwn?: (body: JsonObject, quirks: Quirks) => EditedBody
  /** Applies to one entry of the conversation. */
  readonly entry: (entry: JsonRecord, quirks: Quirks) => boolean
  /**
   * Creates the check of one conversation, which reads its entries in their order: whether upstreams refuse the form of
   * the entry, or its place, such as a result that does not follow its call. The hub writes both in the right one. Left
   * out: they accept any.
   */
  readonly refusesEntries?: (quirks: Quirks, facts: ModelFacts) => (entry: JsonRecord) => boolean
  /**
   * Names of settings that not every vendor or model has, for this body. If the hub encodes a body without one of them,
   * the upstream receives none of its members. Left out: there are none. `encoded`: the body of the hub.
   */
  readonly settingsOfSome?: (
    quirks: Quirks,
    facts: ModelFacts,
    body: JsonRecord,
    encoded: JsonRecord,
  ) => readonly string[]
}

/** Settings whose encoding by the hub may be a loss, which depends on the vendor. */
export interface VendorSettings {
  /** Their paths in a body. */
  readonly paths: readonly string[]
  /** Paths of which none has a meaning without the others. Left out: each has one. */
  readonly together?: readonly string[]
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

/** An event of a stream: its name, as the frame has it, and the state of the decoder before and after it. */
export interface StreamEvent<State> {
  /** Empty if the frame has none. */
  readonly name: string
  readonly before: State
  readonly after: State
}

/** How a stream that is passed on has ended. */
export interface AnswerEnd {
  /** Null if the answer is complete. */
  readonly error: GatewayError | null
  /** The id, the time and the model that the answer has if its upstream has named none. */
  readonly head: Head
  /** The upstream's last frame, which is not sent yet. Null if the stream ended without one, such as by a broken connection. */
  readonly last: Frame | null
  /** Whether clients read the last frame as a failure. */
  readonly lastFails: boolean
  /** Whether the client has received an event that it reads as the failure. */
  readonly isReported: boolean
  /** The number that the next event has, in protocols that number events. */
  readonly sequence: number
  /** The frames with which a stream of the client's protocol fails. */
  failure(): readonly Frame[]
}

/** How an answer is passed through. `State` is the state of the decoder, which alone decides what a frame is. */
export interface AnswerPassthrough<State = unknown> {
  /** The edits of an event and of a body, in their order, by the names that the log has. */
  readonly edits: Readonly<Record<string, EditAnswer>>
  /** The name of `form` in the log. */
  readonly formName: string
  /**
   * Gives an event the form that the protocol's official clients require, before the other edits. Returns the event
   * itself if nothing changes, and null if the client must not receive it.
   */
  form(value: JsonObject, event: StreamEvent<State>): JsonObject | null
  /**
   * The events that the upstream has left out before this one, and that clients require. They have the form already.
   * Left out: clients require none.
   */
  omitted?(value: JsonObject, event: StreamEvent<State>): readonly JsonObject[]
  /** Returns the name that the frame of an event must have. Left out: any name. */
  eventName?(value: JsonObject, event: string): string
  /** Whether clients read only frames of one line, which has the data: no name, id or comment. */
  readonly dataOnly?: true
  /** Whether the data of a frame may be a list of events, which clients read only one by one. */
  readonly readsLists?: true
  /**
   * Whether the event with which clients begin has arrived: a stream with content before it is translated. `fails`: it
   * is a failure. Left out: a stream may begin with any event.
   */
  hasStarted?(state: State, fails: boolean): boolean
  /**
   * Whether the answer of an upstream with these quirks is another one than the client of this body reads. Left out: it
   * is the same.
   */
  isForeign?(body: JsonRecord, quirks: Quirks): boolean
  /** Whether clients can read a whole body: any other one is translated. Left out: they can read each of them. */
  isReadable?(body: JsonObject): boolean
  /** Whether clients read an event, after its edits, as a failure. */
  isFailure(value: JsonObject, event: string): boolean
  /**
   * The frames with which the stream ends: its last frame, if it is sent, and what the upstream has left out, or the
   * failure. A frame with a value is written from it.
   */
  close(state: State, end: AnswerEnd): readonly Frame[]
}

/** How a wire passes bodies between its own clients and its upstreams (docs/passthrough.md). */
export interface Passthrough {
  readonly request: RequestPassthrough
  readonly answer: AnswerPassthrough
}
