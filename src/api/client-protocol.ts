import type { Dialect } from '../dialects/dialect.ts'
import { type AnswerWire, type ClientTargetOptions, type ClientWire, wireTarget } from '../engine/client-target.ts'
import { dialectTarget, type Target } from '../engine/target.ts'
import { checkProtocol } from '../validation/arguments.ts'

/** A protocol of clients: a dialect of the Responses API, or a wire that has clients. */
export type ClientProtocolObject = Dialect | ClientWire

/** The protocol in which an answer is written: that of a client, or a target that a program has made itself. */
export type AnswerProtocol = Dialect | AnswerWire | Target

/** A protocol of clients whose requests are read. */
export type NamedClient =
  | { readonly dialect: Dialect; readonly wire: null }
  | { readonly dialect: null; readonly wire: ClientWire }

export const isDialect = (form: AnswerProtocol): form is Dialect => 'events' in form

/** Throws a TypeError for a value that is no protocol, and for one whose requests are not read. `option`: its name. */
export function toClient(given: ClientProtocolObject, option = 'client'): NamedClient {
  checkProtocol(given, option, 'a dialect, or a protocol of clients', ['name'])
  if (isDialect(given)) return { dialect: given, wire: null }
  checkProtocol(given.client, `${option}.client`, 'the client side of a protocol', ['decodeRequest', ...WRITERS])
  return { dialect: null, wire: given }
}

/** The members without which no answer is written. */
const WRITERS = ['format', 'encodeStream', 'encodeBody', 'encodeError', 'supports']

/** Throws a TypeError for a value that is no protocol in which an answer can be written. */
export function checkForm(form: AnswerProtocol, option = 'to'): void {
  checkProtocol(form, option, 'a dialect, a target, or an object with name and client', ['name'])
  if (isDialect(form)) return
  if ('openBody' in form) checkProtocol(form, option, 'a target', ['stream', 'objects', 'errorBody'])
  else checkProtocol(form.client, `${option}.client`, 'the client side of a protocol', WRITERS)
}

/** The target of a form. A target of a program has its settings already. */
export function targetOfForm(form: AnswerProtocol, options?: ClientTargetOptions): Target {
  if ('openBody' in form) return form
  return isDialect(form) ? dialectTarget(form) : wireTarget(form, options)
}

export const targetOf = ({ dialect, wire }: NamedClient, options?: ClientTargetOptions): Target =>
  targetOfForm(dialect ?? wire, options)
