import { readFileSync } from 'node:fs'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import type { WireName } from '../../src/wires/contract.ts'

/**
 * The contents of a stream. `nonce` is text with an unknown field in every chunk, whose value is a random list; in
 * `random` the name of that field is also one of sixteen. `short` is text that ends soon after its start.
 */
export const KINDS = ['text', 'reasoning', 'arguments', 'nonce', 'random', 'short'] as const
/**
 * Only the comparison with a base and the guard of CI measure these: `brackets` is arguments with nested objects, `reply`
 * the shortest text, and `calls` a response with two calls, as most turns of agents are.
 */
export type Kind = (typeof KINDS)[number] | 'brackets' | 'reply' | 'calls'

/** The cuts of a network: one event a read, an Ethernet frame, a socket buffer. */
export const CUTS = { event: 0, '1,400 B': 1_400, '16 KiB': 16 * 1024 } as const
export type Cut = keyof typeof CUTS

/** Chunks with text: in a long response, in a short one, and in the shortest. */
const LONG = 3_000
const SHORT = 100
const SHORTEST = 6

const chunksOf = (kind: Kind): number => (kind === 'short' ? SHORT : kind === 'reply' ? SHORTEST : LONG)

/** A fixture, and the field of its chunks that holds the text. */
interface Case {
  readonly fixture: string
  readonly leaf: string
  /** A string that occurs in these chunks only, for a field name that does not distinguish them. */
  readonly mark?: string
}

type Cases = Readonly<Record<'text' | 'reasoning' | 'arguments', Case | null>>

const hello = (leaf: string, mark = ''): Case => ({ fixture: 'hello', leaf, mark })
const reasoning = (leaf: string, mark = ''): Case => ({ fixture: 'reasoning', leaf, mark })
const tools = (leaf: string, fixture = 'parallel-tools', mark = ''): Case => ({ fixture, leaf, mark })

/** null, or no row: the wire has no such stream. Ollama sends a call in one chunk. */
const CASES = {
  'openai-chat': {
    text: hello('content'),
    reasoning: reasoning('reasoning_content'),
    arguments: tools('arguments', 'weather-tool'),
  },
  'anthropic-messages': { text: hello('text'), reasoning: reasoning('thinking'), arguments: tools('partial_json') },
  'gemini-generate': {
    text: hello('text'),
    reasoning: reasoning('text', '"thought": true'),
    arguments: tools('stringValue', 'streamed-arguments'),
  },
  'openai-responses': {
    text: hello('delta'),
    reasoning: reasoning('delta', 'summary_text.delta'),
    arguments: tools('delta', 'weather-tool', 'arguments.delta'),
  },
  'gemini-interactions': {
    text: hello('text'),
    reasoning: reasoning('text', 'thought_summary'),
    arguments: tools('arguments', 'parallel-tools', 'arguments_delta'),
  },
  'cohere-chat': { text: hello('text'), reasoning: reasoning('thinking'), arguments: tools('arguments') },
  'ollama-chat': { text: hello('content'), reasoning: reasoning('thinking'), arguments: null },
  'bedrock-converse': {
    text: hello('text'),
    reasoning: reasoning('text', 'reasoningContent'),
    arguments: tools('input'),
  },
} satisfies Partial<Record<WireName, Cases>>

export const caseOf = (wire: WireName, kind: Kind): Case | null =>
  (CASES as Partial<Record<WireName, Cases>>)[wire]?.[fieldOf(kind)] ?? null

function fieldOf(kind: Kind): keyof Cases {
  if (kind === 'brackets') return 'arguments'
  return kind === 'reasoning' || kind === 'arguments' ? kind : 'text'
}

/** The messages of a fixture, as text. Fixtures of Bedrock are stored as lines. */
function messagesOf(wire: WireName, fixture: string): readonly string[] {
  const lines = wire === 'bedrock-converse' || wire === 'ollama-chat'
  const text = readFileSync(`fixtures/${wire}/${fixture}.stream.${lines ? 'ndjson' : 'sse'}`, 'utf8')
  return text.split(lines ? /(?<=\n)/ : /(?<=\n\r?\n)/)
}

const encoder = new TextEncoder()

/** A line of a Bedrock fixture has the contents of one binary message. */
function toBytes(wire: WireName, message: string): Uint8Array {
  if (wire !== 'bedrock-converse') return encoder.encode(message)
  const { event, data } = JSON.parse(message) as { event: string; data: unknown }
  return encodeEventStream({ event, data: JSON.stringify(data) })
}

/** Arguments that together are valid JSON with one long text, regardless of the arguments in the fixture. */
const argumentAt = (i: number, last: number): string =>
  i === 0 ? '{\\"text\\":\\"' : i === last ? '\\"}' : i % 10 === 9 ? ' and,\\\\n' : ' grinds'

/** The same with a nested object in every eight pieces. */
const bracketsAt = (i: number, last: number): string =>
  i === 0
    ? '{'
    : i === last
      ? '\\"end\\":1}'
      : i % 8 === 1
        ? '\\"k\\":{\\"a\\":\\"'
        : i % 8 === 6
          ? '\\"},'
          : i % 8 === 7 || i % 8 === 0
            ? ' '
            : ' grinds'

/** The position after the opening brace of the chunk, which in Bedrock's lines is nested. */
const PAYLOAD = /((?:^\{"event":"\w+","data":|^(?:event: .*\n)?data: |^)\{)/

/** A number from 0 to 15. */
const drawnAt = (i: number): number => ((i * 2_654_435_761) % 4_294_967_296) >>> 28

/** A list of one to ten digits. */
const digitsAt = (i: number): string => [...String((i * 2_654_435_761) % 10 ** (1 + ((i * 7) % 10)))].join()

/** Gives each message the fields that differ from message to message in a real stream. */
const numbered = (message: string, i: number): string =>
  message
    .replace(/"sequence_number":\d+/, `"sequence_number":${i}`)
    .replace(/"created_at":"2026-02-03T[^"]*Z"/, `"created_at":"${new Date(1_770_112_800_000 + i * 37).toISOString()}"`)
    .replace(/"(candidatesTokenCount|thoughtsTokenCount)": \d+/, `"$1": ${5 * (i + 1)}`)
    .replace(/"totalTokenCount": \d+/, `"totalTokenCount": ${4 + 5 * (i + 1)}`)

/**
 * Builds a long stream from a fixture, one element an event. Its first uninterrupted run of messages with text is
 * repeated, between the fixture's own start and end. The calls of `calls` are those of the fixture. `chunks`: how many
 * messages with text it has.
 */
export function longStream(wire: WireName, kind: Kind, chunks: number = chunksOf(kind)): readonly Uint8Array[] {
  if (kind === 'calls') return toNumberedBytes(wire, messagesOf(wire, 'parallel-tools'))
  const { fixture, leaf, mark = '' } = caseOf(wire, kind) as Case
  const messages = messagesOf(wire, fixture)
  const value = new RegExp(`(?<="${leaf}": ?")(?:[^"\\\\]|\\\\.)+(?=")`)
  const hasLeaf = (message: string): boolean => value.test(message) && message.includes(mark)
  const start = messages.findIndex(hasLeaf)
  const silent = messages.findIndex((message, i) => i > start && !hasLeaf(message))
  const end = silent < 0 ? messages.length : silent
  const middle = Array.from({ length: chunks }, (_, i): string => {
    const message = messages[start + (i % (end - start))] as string
    if (kind === 'arguments' && leaf !== 'stringValue') return message.replace(value, argumentAt(i, chunks - 1))
    if (kind === 'brackets') return message.replace(value, bracketsAt(i, chunks - 1))
    if (kind === 'nonce') return message.replace(PAYLOAD, `$1"nonce":[${digitsAt(i)}],`)
    return kind === 'random' ? message.replace(PAYLOAD, `$1"nonce${drawnAt(i)}":[${digitsAt(i)}],`) : message
  })
  return toNumberedBytes(wire, [...messages.slice(0, start), ...middle, ...messages.slice(end)])
}

const toNumberedBytes = (wire: WireName, messages: readonly string[]): readonly Uint8Array[] =>
  messages.map((message, i) => toBytes(wire, numbered(message, i)))

export function cut(events: readonly Uint8Array[], size: number): readonly Uint8Array[] {
  if (size === 0) return events
  const bytes = Buffer.concat(events)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    Uint8Array.from(bytes.subarray(i * size, (i + 1) * size)),
  )
}
