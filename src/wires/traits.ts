import type { JsonRecord } from '../protocol/json.ts'

/** Tests an object of a stream, or a body. */
export type Matches = (fields: JsonRecord) => boolean

/** Facts about a wire that the rest of the program reads without loading its code. */
export interface WireTraits {
  /** Its name for users. */
  readonly title: string
  /** Fits the paths of its requests. */
  readonly requestPath: RegExp
  /** Whether a JSON object of a stream, or a body, is an answer that only this wire has. */
  readonly isAnswer: Matches
  /** Whether it is a failure in place of an answer. Left out: its failures have no form of their own. */
  readonly isFailure?: Matches
  /** Its streams are lines of JSON. */
  readonly streamsLines?: true
  /** Its streams are messages of AWS with events of these names. */
  readonly eventNames?: RegExp
  /** Its requests have the model in their path and not in their body. */
  readonly modelInPath?: true
  /** The bodies of its clients. Left out: it has none. */
  readonly client?: ClientBodies
}

/** How a body shows that it belongs to clients of a wire. */
export interface ClientBodies {
  /** The member that holds the conversation, which several wires may have. */
  readonly conversation: 'contents' | 'input' | 'messages'
  /** Whether a body has a member or a value that only this wire has among those with the same conversation. */
  readonly isOwn: Matches
  /** Whether a body without such a member belongs to this wire. Left out: it does not. */
  readonly isUsual?: Matches
}
