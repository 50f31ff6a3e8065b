import { createEventStreamReader } from '../framing/eventstream.ts'
import type { Frame, FrameReader } from '../framing/frame.ts'
import { createJsonArrayReader } from '../framing/json-array.ts'
import { createSseReader } from '../framing/sse.ts'
import { isObject, parseJson } from '../text/json.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import type { WireName } from './contract.ts'
import type { WireTraits } from './traits.ts'
import { WIRE_TRAITS } from './traits-registry.ts'

const TRAITS = Object.entries<WireTraits>(WIRE_TRAITS) as readonly (readonly [WireName, WireTraits])[]

/** Each shape belongs to one wire. */
const find = (fits: (traits: WireTraits) => boolean): WireName | null =>
  TRAITS.find(([, traits]) => fits(traits))?.[0] ?? null

const answerOf = (value: unknown): WireName | null => (isObject(value) ? find(({ isAnswer }) => isAnswer(value)) : null)

/** Failures in place of an answer. They decide only where no answer does. */
const failureOf = (value: unknown): WireName | null =>
  isObject(value) ? find(({ isFailure }) => isFailure?.(value) === true) : null

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
    const wire = answerOf(value)
    if (wire !== null) return wire
    failure ??= failureOf(value)
  }
  return failure
}

function wireOfMessages(bytes: Uint8Array): WireName | null {
  for (const { event } of framesOf(createEventStreamReader(LIMIT), bytes)) {
    const wire = find(({ eventNames }) => eventNames?.test(event) === true)
    if (wire !== null) return wire
  }
  return null
}

/** A body, or lines of JSON. */
function wireOfObjects(bytes: Uint8Array): WireName | null {
  const text = decodeUtf8(bytes).replace(/^\ufeff/, '')
  const lines = text.split('\n', LINES)
  const wire = answerOf(parseJson(text)) ?? lines.map((line) => answerOf(parseJson(line))).find(isStreamed)
  return wire ?? failureOf(parseJson(text)) ?? failureOf(parseJson(lines[0] ?? ''))
}

/** A damaged line does not hide the lines after it. */
const LINES = 100

const isStreamed = (wire: WireName | null): boolean => wire !== null && WIRE_TRAITS[wire].streamsLines === true
