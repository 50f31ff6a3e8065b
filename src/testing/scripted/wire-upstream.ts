import type { WireName } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'

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
  /** `length`: the answer is cut. `refusal`: its text is a refusal, on the wires that have one. */
  readonly finish?: 'length' | 'refusal'
  /** Of wires whose citations have places in the text, in UTF-16 units. */
  readonly citation?: ScriptedCitation
}

export interface ScriptedCitation {
  readonly url: string
  readonly title: string
  readonly start: number
  readonly end: number
}

export interface ScriptedUsage {
  readonly input: number
  readonly output: number
}

export const USAGE: ScriptedUsage = { input: 11, output: 7 }

/** The parts of a request that decide the form of its answer: the address of the request below the server, and its body. */
export interface AnsweredRequest {
  readonly url: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface WireUpstream {
  readonly wire: WireName
  readonly model: string
  readonly quirks: Quirks
  readonly contentType: string
  /** The path of the request, below the base URL. */
  readonly path: string
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

type Finish = 'stop' | 'calls' | 'length' | 'refusal'

export const finishOf = ({ finish, calls }: ScriptedTurn): Finish => finish ?? (calls.length > 0 ? 'calls' : 'stop')

/** The word with which the answers of a wire end. A wire without a word for refusals ends them as any text. */
export const SCRIPTED_ENDS = {
  'openai-chat': { stop: 'stop', calls: 'tool_calls', length: 'length', refusal: 'stop' },
  'openai-responses': { stop: 'completed', calls: 'completed', length: 'incomplete', refusal: 'completed' },
  'anthropic-messages': { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' },
  'gemini-generate': { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' },
  'gemini-interactions': { stop: 'completed', calls: 'requires_action', length: 'incomplete', refusal: 'completed' },
  'bedrock-converse': { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'content_filtered' },
  'cohere-chat': { stop: 'COMPLETE', calls: 'TOOL_CALL', length: 'MAX_TOKENS', refusal: 'COMPLETE' },
  'ollama-chat': { stop: 'stop', calls: 'stop', length: 'length', refusal: 'stop' },
} satisfies Partial<Record<WireName, Readonly<Record<Finish, string>>>>

export const chatAnnotations = ({ citation }: ScriptedTurn): readonly object[] => {
  if (citation === undefined) return []
  const { url, title, start, end } = citation
  return [{ type: 'url_citation', url_citation: { url, title, start_index: start, end_index: end } }]
}

/** The block of Anthropic that cites a page. It has the cited words in place of offsets. */
export const messagesCitation = ({ url, title }: ScriptedCitation): object => ({
  type: 'web_search_result_location',
  url,
  title,
  encrypted_index: 'aW5kZXg=',
  cited_text: title,
})

/** Google counts bytes of UTF-8. */
export const scriptedGrounding = ({ text, citation }: ScriptedTurn): object => {
  if (citation === undefined) return {}
  const { url, title, start, end } = citation
  const whole = text.join('')
  const bytes = (to: number): number => encode(whole.slice(0, to)).length
  return {
    groundingMetadata: {
      webSearchQueries: [title],
      groundingChunks: [{ web: { uri: url, title } }],
      groundingSupports: [
        {
          segment: { startIndex: bytes(start), endIndex: bytes(end), text: whole.slice(start, end) },
          groundingChunkIndices: [0],
        },
      ],
    },
  }
}
