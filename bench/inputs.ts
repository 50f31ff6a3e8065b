import { readFileSync } from 'node:fs'
import { encodeEventStream } from '../src/framing/eventstream.ts'
import type { WireName } from '../src/wires/wire.ts'

/**
 * What a stream is made of. `nonce` is text with an unknown field in every chunk whose value is a random list; `random`
 * with one whose name is one of sixteen, too. `short` is text, too: an answer that ends when it has hardly begun.
 */
export const KINDS = ['text', 'reasoning', 'arguments', 'nonce', 'random', 'short'] as const
export type Kind = (typeof KINDS)[number]

/** How a network cuts a stream: an event a read, an Ethernet frame, a socket buffer. */
export const CUTS = { event: 0, '1,400 B': 1_400, '16 KiB': 16 * 1024 } as const
export type Cut = keyof typeof CUTS

/** Chunks that speak: of a long answer, and of a short one. */
const LONG = 3_000
const SHORT = 100

/** A fixture of ours, and the field of its chunks that holds the text. */
interface Case {
  readonly fixture: string
  readonly leaf: string
  /** What stands in these chunks and in no others, where the name of the field does not tell. */
  readonly mark?: string
}

type Cases = Readonly<Record<'text' | 'reasoning' | 'arguments', Case | null>>

const hello = (leaf: string, mark = ''): Case => ({ fixture: 'hello', leaf, mark })
const thoughts = (leaf: string, mark = ''): Case => ({ fixture: 'reasoning', leaf, mark })
const tools = (leaf: string, fixture = 'parallel-tools', mark = ''): Case => ({ fixture, leaf, mark })

/** null: of this wire there is no such stream. Ollama's calls come whole. */
const CASES = {
  'openai-chat': {
    text: hello('content'),
    reasoning: thoughts('reasoning_content'),
    arguments: tools('arguments', 'weather-tool'),
  },
  'anthropic-messages': { text: hello('text'), reasoning: thoughts('thinking'), arguments: tools('partial_json') },
  'gemini-generate': {
    text: hello('text'),
    reasoning: thoughts('text', '"thought": true'),
    arguments: tools('stringValue', 'streamed-arguments'),
  },
  'openai-responses': {
    text: hello('delta'),
    reasoning: thoughts('delta', 'summary_text.delta'),
    arguments: tools('delta', 'weather-tool', 'arguments.delta'),
  },
  'cohere-chat': { text: hello('text'), reasoning: thoughts('thinking'), arguments: tools('arguments') },
  'ollama-chat': { text: hello('content'), reasoning: thoughts('thinking'), arguments: null },
  'bedrock-converse': {
    text: hello('text'),
    reasoning: thoughts('text', 'reasoningContent'),
    arguments: tools('input'),
  },
} satisfies Record<WireName, Cases>

export const caseOf = (wire: WireName, kind: Kind): Case | null =>
  (CASES[wire] as Cases)[kind === 'reasoning' || kind === 'arguments' ? kind : 'text']

/** The messages of a fixture, as text: Bedrock's are kept as lines. */
function messagesOf(wire: WireName, fixture: string): readonly string[] {
  const lines = wire === 'bedrock-converse' || wire === 'ollama-chat'
  const text = readFileSync(`fixtures/${wire}/${fixture}.stream.${lines ? 'ndjson' : 'sse'}`, 'utf8')
  return text.split(lines ? /(?<=\n)/ : /(?<=\n\r?\n)/)
}

const encoder = new TextEncoder()

/** Bedrock's lines say what its binary messages hold. */
function toBytes(wire: WireName, message: string): Uint8Array {
  if (wire !== 'bedrock-converse') return encoder.encode(message)
  const { event, data } = JSON.parse(message) as { event: string; data: unknown }
  return encodeEventStream({ event, data: JSON.stringify(data) })
}

/** Arguments that are valid JSON, whatever they were in the fixture: one long text. */
const argumentAt = (i: number): string =>
  i === 0 ? '{\\"text\\":\\"' : i === LONG - 1 ? '\\"}' : i % 10 === 9 ? ' and,\\\\n' : ' grinds'

/** Where the chunk begins: Bedrock's is inside of the line. */
const PAYLOAD = /((?:^\{"event":"\w+","data":|^(?:event: .*\n)?data: |^)\{)/

/** One of sixteen. */
const drawnAt = (i: number): number => ((i * 2_654_435_761) % 4_294_967_296) >>> 28

/** A list of one to ten digits. */
const digitsAt = (i: number): string => [...String((i * 2_654_435_761) % 10 ** (1 + ((i * 7) % 10)))].join()

/** What differs from message to message of a real stream. */
const numbered = (message: string, i: number): string =>
  message
    .replace(/"sequence_number":\d+/, `"sequence_number":${i}`)
    .replace(/"created_at":"2026-02-03T[^"]*Z"/, `"created_at":"${new Date(1_770_112_800_000 + i * 37).toISOString()}"`)
    .replace(/"(candidatesTokenCount|thoughtsTokenCount)": \d+/, `"$1": ${5 * (i + 1)}`)
    .replace(/"totalTokenCount": \d+/, `"totalTokenCount": ${4 + 5 * (i + 1)}`)

/**
 * A long stream in the shape of a fixture, an element an event: the first of its messages that speak one after another,
 * again and again, between its own beginning and end.
 */
export function longStream(wire: WireName, kind: Kind): readonly Uint8Array[] {
  const { fixture, leaf, mark = '' } = caseOf(wire, kind) as Case
  const messages = messagesOf(wire, fixture)
  const value = new RegExp(`(?<="${leaf}": ?")(?:[^"\\\\]|\\\\.)+(?=")`)
  const isSpoken = (message: string): boolean => value.test(message) && message.includes(mark)
  const start = messages.findIndex(isSpoken)
  const silent = messages.findIndex((message, i) => i > start && !isSpoken(message))
  const end = silent < 0 ? messages.length : silent
  const middle = Array.from({ length: kind === 'short' ? SHORT : LONG }, (_, i): string => {
    const message = messages[start + (i % (end - start))] as string
    if (kind === 'arguments' && leaf !== 'stringValue') return message.replace(value, argumentAt(i))
    if (kind === 'nonce') return message.replace(PAYLOAD, `$1"nonce":[${digitsAt(i)}],`)
    return kind === 'random' ? message.replace(PAYLOAD, `$1"nonce${drawnAt(i)}":[${digitsAt(i)}],`) : message
  })
  return [...messages.slice(0, start), ...middle, ...messages.slice(end)].map((message, i) =>
    toBytes(wire, numbered(message, i)),
  )
}

export function cut(events: readonly Uint8Array[], size: number): readonly Uint8Array[] {
  if (size === 0) return events
  const bytes = Buffer.concat(events)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    Uint8Array.from(bytes.subarray(i * size, (i + 1) * size)),
  )
}
