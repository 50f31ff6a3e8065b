import type { Quirks } from '../../src/wires/quirks.ts'
import type { WireName } from '../../src/wires/wire.ts'

/** Upstreams of every wire that say what they are told to, in the words of their wire. */

export interface SaidCall {
  readonly id: string
  readonly name: string
  readonly args: object
}

/** One answer: a thought with what signs it, a text in pieces, calls. */
export interface Turn {
  readonly thought?: { readonly text: string; readonly seal: string }
  readonly text: readonly string[]
  readonly calls: readonly SaidCall[]
}

export interface Speaker {
  readonly wire: WireName
  readonly model: string
  readonly quirks: Quirks
  readonly contentType: string
  /** What is asked, below the base URL. */
  readonly path: string
  /** Where it looks for its key. */
  readonly keyHeader: string
  /** The bytes of a whole stream. */
  say(turn: Turn): Uint8Array
}

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
export const sse = (events: readonly object[], eol = '\n'): string =>
  events.map((event) => `data: ${JSON.stringify(event)}${eol}${eol}`).join('')
export const named = (events: readonly Readonly<Record<string, unknown>>[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

/** The arguments of a call in two pieces. */
export const halves = ({ args }: SaidCall): readonly [string, string] => {
  const json = JSON.stringify(args)
  return [json.slice(0, 5), json.slice(5)]
}
