import type { Dialect } from '../dialects/dialect.ts'
import { type AnswerWire, type ClientTargetOptions, type ClientWire, wireTarget } from '../engine/client-target.ts'
import { dialectTarget, type Target } from '../engine/target.ts'

/** A protocol of clients: a dialect of the Responses API, or a wire that has clients. */
export type ClientProtocolObject = Dialect | ClientWire

/** The protocol in which an answer is written: that of a client, or a target that a program has made itself. */
export type AnswerProtocol = Dialect | AnswerWire | Target

/** A protocol of clients whose requests are read. */
export type NamedClient =
  | { readonly dialect: Dialect; readonly wire: null }
  | { readonly dialect: null; readonly wire: ClientWire }

export const isDialect = (form: AnswerProtocol): form is Dialect => 'events' in form

export const toClient = (given: ClientProtocolObject): NamedClient =>
  isDialect(given) ? { dialect: given, wire: null } : { dialect: null, wire: given }

/** The target of a form. A target of a program has its settings already. */
export function targetOfForm(form: AnswerProtocol, options?: ClientTargetOptions): Target {
  if ('openBody' in form) return form
  return isDialect(form) ? dialectTarget(form) : wireTarget(form, options)
}

export const targetOf = ({ dialect, wire }: NamedClient, options?: ClientTargetOptions): Target =>
  targetOfForm(dialect ?? wire, options)
