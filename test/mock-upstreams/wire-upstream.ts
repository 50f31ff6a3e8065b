import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'

/** Upstreams of every wire that send a given turn in the format of their wire. */

export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly args: object
  /** Of `openai-responses`: the namespace of the tool, and the text that a custom tool receives in place of `args`. */
  readonly namespace?: string
  readonly input?: string
}

/** One answer: reasoning with its signature, text in pieces, and calls. */
export interface ScriptedTurn {
  readonly reasoning?: { readonly text: string; readonly seal: string }
  readonly text: readonly string[]
  readonly calls: readonly ScriptedCall[]
  /** Of `openai-responses`: the encrypted content of a compaction item, which is the whole answer. */
  readonly compaction?: string
  /** 11 input tokens and 7 output tokens if absent. */
  readonly usage?: ScriptedUsage
}

export interface ScriptedUsage {
  readonly input: number
  readonly output: number
}

export const USAGE: ScriptedUsage = { input: 11, output: 7 }

export interface WireUpstream {
  readonly wire: WireName
  readonly model: string
  readonly quirks: Quirks
  readonly contentType: string
  /** The path of the request, below the base URL. */
  readonly path: string
  /** The header in which the upstream expects its key. */
  readonly keyHeader: string
  /** Returns the bytes of a whole stream. */
  encodeTurn(turn: ScriptedTurn): Uint8Array
}

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
export const sse = (events: readonly object[], eol = '\n'): string =>
  events.map((event) => `data: ${JSON.stringify(event)}${eol}${eol}`).join('')
export const named = (events: readonly Readonly<Record<string, unknown>>[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

/** Splits the JSON arguments of a call into two pieces. */
export const halves = ({ args }: ScriptedCall): readonly [string, string] => {
  const json = JSON.stringify(args)
  return [json.slice(0, 5), json.slice(5)]
}
