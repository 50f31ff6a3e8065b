import type { Frame } from '../../src/framing/frame.ts'
import type { Json, JsonObject, JsonRecord } from '../../src/protocol/json.ts'
import type { AnswerMembers } from '../../src/wires/shared/upstream/answers/members.ts'
import type { Answers } from '../arbitraries/wires.ts'
import type { ScriptedTurn, WireUpstream } from '../mock-upstreams/wire-upstream.ts'
import type { ReadAnswer } from '../reference-readers/read-stream.ts'
import type { VendorSchema } from '../vendor-schemas/schema.ts'

/** The texts of a conversation with two calls, `call_a` and `call_b` of `get_weather`. */
export interface ConversationTexts {
  readonly question: string
  readonly reasoning: string
  readonly seal: string
  readonly texts: string
  readonly calls: readonly { readonly id: string; readonly args: JsonObject; readonly output: string }[]
}

/** Pieces of streams with a mark in their ids and in fields that no decoder reads. */
export interface StreamForm {
  readonly begin: (mark: string) => readonly Uint8Array[]
  /** `more`: further fields of the payload that no decoder reads. */
  readonly chunk: (text: string, mark: string, more: object, at: number) => Uint8Array
  readonly end: (mark: string) => readonly Uint8Array[]
}

/** What the shared tests need of a wire: `test/wires/<wire>/kit.ts` exports it as `<wire>Kit`. */
export interface WireKit {
  /** A vendor of the wire, and one of its models that has tools and reasoning. */
  readonly vendor: string
  readonly model: string
  /** Random answers. */
  readonly answers: Answers
  /** The request bodies that a vendor accepts. */
  readonly schema: VendorSchema
  /** Writes scripted turns as streams. */
  readonly upstream: WireUpstream
  /** Writes a scripted turn as a body. */
  readonly bodyOf: (turn: ScriptedTurn) => object
  /** Reads text and reasoning of the frames of a stream, independently of the decoder. */
  readonly read: (frames: readonly Frame[]) => ReadAnswer
  /** The member of a request with the conversation, and the conversation in the form of the wire. */
  readonly historyOf: (texts: ConversationTexts) => readonly [member: string, history: readonly unknown[]]
  readonly form: StreamForm
  /** The payload of a frame with this text, as JSON. */
  readonly payloadOf: (text: string) => string
  /** Whether a frame ends the stream. */
  readonly isTerminal: (frame: Frame) => boolean
  /** A text that occurs only in the frame that finishes an answer. */
  readonly finish: string
  /** An answer with one call of `f`, with the id `c`; `args` are its arguments as JSON text. */
  readonly callStream: (args: string) => Uint8Array
  readonly callBody: (args: string) => string
  /** Whether all arguments arrive as JSON text, so that their digits are known. */
  readonly argumentsAre: 'text' | 'objects'
  /** Whether a request can force a call of a tool. */
  readonly forcesTools: boolean
  /** The payloads of the beginning of an answer with this text, and of its end with this reason. */
  readonly opening: (text: string) => readonly unknown[]
  readonly ending: (reason: string) => readonly unknown[]
  readonly usualReason: string
  /** The members that the decoder reads, and an answer with each object of that table that is inside another. */
  readonly members: AnswerMembers
  readonly fullAnswer: { readonly frames: readonly JsonRecord[]; readonly body: JsonRecord }
  /** A whole answer with the text "The sun is up.", and the names of its members that are lists. */
  readonly plainBody: { readonly lists: readonly string[]; readonly body: Record<string, Json> }
}
