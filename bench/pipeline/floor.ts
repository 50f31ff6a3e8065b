import { createParser } from 'eventsource-parser'
import type { WireName } from '../../src/wires/contract.ts'

/**
 * The floor: the simplest program with suitable libraries. It uses eventsource-parser (or lines, or the lengths of
 * binary messages), JSON.parse, the event object, JSON.stringify and UTF-8, one event at a time. It opens, closes,
 * checks and collects nothing.
 */

/** Takes bytes, and emits the payloads that they complete. */
type Split = (onData: (data: string) => void) => (piece: Uint8Array) => void

const sse: Split = (onData) => {
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: ({ data }) => onData(data) })
  return (piece) => parser.feed(decoder.decode(piece, { stream: true }))
}

const lines: Split = (onData) => {
  const decoder = new TextDecoder()
  let rest = ''
  return (piece) => {
    const found = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = found.pop() as string
    for (const line of found) if (line !== '') onData(line)
  }
}

const PRELUDE = 12
const CHECKSUM = 4

/** Reads neither checksums nor headers: the fields of a payload identify it. */
const messages: Split = (onData) => {
  const decoder = new TextDecoder()
  let rest = new Uint8Array(0)
  return (piece) => {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const view = new DataView(all.buffer, all.byteOffset, all.length)
    let at = 0
    while (at + PRELUDE <= all.length && at + view.getUint32(at) <= all.length) {
      const end = at + view.getUint32(at)
      onData(decoder.decode(all.subarray(at + PRELUDE + view.getUint32(at + 4), end - CHECKSUM)))
      at = end
    }
    rest = all.slice(at)
  }
}

interface Wanted {
  readonly split: Split
  /** Returns the text of a chunk; undefined or empty for a chunk without text. */
  readonly textOf: (chunk: Loose) => string | undefined
}

/** The fields of a chunk of any wire that the floor reads. */
interface Loose {
  readonly type?: string
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string
      readonly reasoning_content?: string
      readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[]
    }
  }[]
  readonly candidates?: readonly {
    readonly content?: {
      readonly parts?: readonly {
        readonly text?: string
        readonly functionCall?: { readonly partialArgs?: readonly { readonly stringValue?: string }[] }
      }[]
    }
  }[]
  readonly message?: { readonly content?: string; readonly thinking?: string }
  readonly delta?: string | LooseDelta
}

interface LooseDelta {
  readonly text?: string
  readonly thinking?: string
  readonly partial_json?: string
  readonly content?: { readonly text?: string }
  readonly arguments?: string
  readonly reasoningContent?: { readonly text?: string }
  readonly toolUse?: { readonly input?: string }
  readonly message?: {
    readonly content?: { readonly text?: string; readonly thinking?: string }
    readonly tool_calls?: { readonly function?: { readonly arguments?: string } }
  }
}

const deltaOf = ({ delta }: Loose): LooseDelta => (typeof delta === 'object' ? delta : {})

const WANTED = {
  'openai-chat': {
    split: sse,
    textOf: ({ choices }) => {
      const delta = choices?.[0]?.delta
      return delta?.content ?? delta?.reasoning_content ?? delta?.tool_calls?.[0]?.function?.arguments
    },
  },
  'anthropic-messages': {
    split: sse,
    textOf: (chunk) => {
      const { text, thinking, partial_json } = deltaOf(chunk)
      return text ?? thinking ?? partial_json
    },
  },
  'gemini-generate': {
    split: sse,
    textOf: ({ candidates }) => {
      const part = candidates?.[0]?.content?.parts?.[0]
      return part?.text ?? part?.functionCall?.partialArgs?.[0]?.stringValue
    },
  },
  'openai-responses': { split: sse, textOf: ({ delta }) => (typeof delta === 'string' ? delta : undefined) },
  'gemini-interactions': {
    split: sse,
    textOf: (chunk) => {
      const { text, content, arguments: args } = deltaOf(chunk)
      return text ?? content?.text ?? args
    },
  },
  'cohere-chat': {
    split: sse,
    textOf: (chunk) => {
      const { message } = deltaOf(chunk)
      return message?.content?.text ?? message?.content?.thinking ?? message?.tool_calls?.function?.arguments
    },
  },
  'ollama-chat': { split: lines, textOf: ({ message }) => message?.content || message?.thinking },
  'bedrock-converse': {
    split: messages,
    textOf: (chunk) => {
      const { text, reasoningContent, toolUse } = deltaOf(chunk)
      return text ?? reasoningContent?.text ?? toolUse?.input
    },
  },
} satisfies Partial<Record<WireName, Wanted>>

/** Runs one stream through the floor; `write` receives the bytes of each event. */
export function runFloor(wire: WireName, pieces: readonly Uint8Array[], write: (bytes: Uint8Array) => void): void {
  const wanted = (WANTED as Partial<Record<WireName, Wanted>>)[wire]
  if (wanted === undefined) throw new Error(`The wire ${wire} has no row in bench/pipeline/floor.ts.`)
  const { split, textOf } = wanted
  const encoder = new TextEncoder()
  let sequence = 0
  const feed = split((data) => {
    if (data === '[DONE]') return
    const text = textOf(JSON.parse(data) as Loose)
    if (!text) return
    const event = {
      type: 'response.output_text.delta',
      sequence_number: sequence++,
      item_id: 'msg_0123456789abcdef_0',
      output_index: 0,
      content_index: 0,
      delta: text,
      logprobs: [],
    }
    write(encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
  })
  for (const piece of pieces) feed(piece)
}
