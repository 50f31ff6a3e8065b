import { createEventStreamReader, EXCEPTION } from '../framing/eventstream.ts'
import type { Frame, FrameReader } from '../framing/frame.ts'
import { createJsonArrayReader } from '../framing/json-array.ts'
import { createSseReader } from '../framing/sse.ts'
import { isObject, parseJson } from '../text/json.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import type { WireName } from './contract.ts'

type Fields = Readonly<Record<string, unknown>>

/** A test of one JSON object of a stream, or of a body. */
type Shape = readonly [wire: WireName, matches: (fields: Fields) => boolean]

const has = (value: unknown, name: string): boolean => isObject(value) && name in value
const isText = (value: unknown): value is string => typeof value === 'string'

const ANTHROPIC_EVENT = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop))$/
const COHERE_EVENT = /^(?:(?:message|content|tool-call|citation)-(?:start|delta|end)|tool-plan-delta)$/
const BEDROCK_EVENT = /^(?:message(?:Start|Stop)|contentBlock(?:Start|Delta|Stop)|metadata)$/

const GOOGLE_EVENT = /^(?:interaction|step)\./

const COMPLETION = 'text_completion'
const isChatChoice = (choice: unknown): boolean => has(choice, 'delta') || has(choice, 'message')

/** Each shape belongs to one wire. Completions without messages are a protocol of their own, which no wire reads. */
const ANSWERS: readonly Shape[] = [
  ['openai-responses', ({ type, object }) => (isText(type) && type.startsWith('response.')) || object === 'response'],
  ['anthropic-messages', ({ type }) => isText(type) && ANTHROPIC_EVENT.test(type)],
  ['anthropic-messages', ({ type, content }) => type === 'message' && Array.isArray(content)],
  ['cohere-chat', ({ type }) => isText(type) && COHERE_EVENT.test(type)],
  ['cohere-chat', ({ message, finish_reason }) => isObject(message) && isText(finish_reason)],
  ['gemini-generate', ({ candidates }) => Array.isArray(candidates)],
  ['gemini-generate', ({ promptFeedback, usageMetadata }) => isObject(promptFeedback) || isObject(usageMetadata)],
  [
    'gemini-interactions',
    ({ object, event_type: type }) => object === 'interaction' || (isText(type) && GOOGLE_EVENT.test(type)),
  ],
  ['bedrock-converse', ({ output, stopReason }) => has(output, 'message') && isText(stopReason)],
  ['ollama-chat', ({ done, message }) => typeof done === 'boolean' && isObject(message)],
  ['openai-chat', ({ object }) => object === 'chat.completion.chunk' || object === 'chat.completion'],
  ['openai-chat', ({ choices }) => Array.isArray(choices) && choices.some(isChatChoice)],
  // Some vendors begin or end with such a chunk. Completions without messages do, too.
  ['openai-chat', ({ choices, object }) => Array.isArray(choices) && choices.length === 0 && object !== COMPLETION],
]

/** Failures in place of an answer. They decide only where no answer does. */
const FAILURES: readonly Shape[] = [
  ['anthropic-messages', ({ type, error }) => type === 'error' && isObject(error) && isText(error.type)],
  ['openai-responses', ({ type }) => type === 'error'],
  ['gemini-generate', ({ error }) => isObject(error) && isText(error.status)],
  ['openai-chat', ({ error }) => isObject(error)],
  ['ollama-chat', ({ error }) => isText(error)],
]

const wireOf = (shapes: readonly Shape[], value: unknown): WireName | null =>
  isObject(value) ? (shapes.find(([, matches]) => matches(value))?.[0] ?? null) : null

/**
 * Returns the wire of the recorded bytes of an upstream, a stream or a whole body, by the shape of the first JSON object
 * that only one wire sends; null if no object decides it. Reads only as many frames as it needs. Compatible vendors of a
 * wire are not distinguished. For `millrace translate` without `--from`, and for the page.
 */
export function detectWire(bytes: Uint8Array): WireName | null {
  const start = bytes.findIndex((byte) => !BLANK.has(byte))
  const first = bytes[start]
  if (first === undefined) return null
  if (first < SPACE) return wireOfMessages(bytes)
  if (first === BRACKET) return decide(framesOf(createJsonArrayReader(LIMIT), bytes.subarray(start)))
  return first === BRACE ? wireOfObjects(bytes) : decide(framesOf(createSseReader(LIMIT), bytes))
}

/** White space and the bytes of a byte order mark. */
const BLANK: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf])
const [SPACE, BRACKET, BRACE] = [0x20, 0x5b, 0x7b] as const

const LIMIT = Number.MAX_SAFE_INTEGER
const PIECE = 4_096

function* framesOf(reader: FrameReader, bytes: Uint8Array): Generator<Frame> {
  for (let at = 0; at < bytes.length; at += PIECE) yield* reader.push(bytes.subarray(at, at + PIECE))
  yield* reader.end()
}

function decide(frames: Iterable<Frame>): WireName | null {
  let failure: WireName | null = null
  for (const { data } of frames) {
    const value = parseJson(data)
    const wire = wireOf(ANSWERS, value)
    if (wire !== null) return wire
    failure ??= wireOf(FAILURES, value)
  }
  return failure
}

/** Other services of Amazon have the same framing with events of other names. */
function wireOfMessages(bytes: Uint8Array): WireName | null {
  for (const { event } of framesOf(createEventStreamReader(LIMIT), bytes)) {
    if (BEDROCK_EVENT.test(event) || event.startsWith(EXCEPTION)) return 'bedrock-converse'
  }
  return null
}

/** A body, or lines of JSON, which only one wire streams. */
function wireOfObjects(bytes: Uint8Array): WireName | null {
  const text = decodeUtf8(bytes).replace(/^\ufeff/, '')
  const lines = text.split('\n', LINES)
  const wire =
    wireOf(ANSWERS, parseJson(text)) ?? lines.map((line) => wireOf(ANSWERS, parseJson(line))).find(isStreamed)
  return wire ?? wireOf(FAILURES, parseJson(text)) ?? wireOf(FAILURES, parseJson(lines[0] ?? ''))
}

/** A damaged line does not hide the lines after it. */
const LINES = 100

const isStreamed = (wire: WireName | null): boolean => wire === 'ollama-chat'
