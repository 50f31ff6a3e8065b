import { expect } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget, type Target } from '../../src/engine/target.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { optionsOf } from './run-engine.ts'

/** Streams that are passed to clients of their own protocol. */

export const PASSING: readonly KnownWire[] = Object.values(WIRES).filter(
  ({ passthrough }: KnownWire) => passthrough !== undefined,
)

export const targetOf = ({ name, client }: KnownWire, settings: JsonObject = {}): Target =>
  client === undefined ? dialectTarget(openai) : wireTarget({ name, client }, { settings })

export const answersOf = ({ passthrough, name }: KnownWire) => passthrough?.answer ?? expect.unreachable(name)

export const joined = (pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces))

/** Of a connection that breaks, a frame without its end is lost. */
export function framesOf({ framing }: KnownWire, bytes: Uint8Array, ending: 'end' | 'fail' = 'end'): readonly Frame[] {
  const reader = framing.open(Number.MAX_SAFE_INTEGER)
  const frames = reader.push(bytes)
  return ending === 'fail' ? frames : [...frames, ...reader.end()]
}

export interface Run {
  readonly output: Uint8Array
  /** The bytes that were received before the answer was over. */
  readonly received: Uint8Array
  readonly stream: PassedStream
}

/** Runs a stream with work left, too. */
export function pass(
  options: TranslationOptions,
  wire: KnownWire,
  pieces: readonly Uint8Array[],
  ending: 'end' | 'fail',
  opener: typeof openFastPath | null = openFastPath,
): Run {
  const stream = new PassedStream(options, answersOf(wire), opener)
  const made: Uint8Array[] = []
  const received: Uint8Array[] = []
  const take = (bytes: Uint8Array): void => {
    made.push(bytes.slice())
    for (let i = 0; stream.busy(); i += 1) {
      made.push(stream.resume().slice())
      if (i > 100_000) expect.unreachable('never finishes')
    }
  }
  for (const piece of pieces) {
    if (stream.progress.over()) break
    received.push(piece)
    // The caller reuses its memory.
    const lent = piece.slice()
    const first = stream.push(lent).slice()
    lent.fill(0)
    take(first)
  }
  if (!stream.progress.over()) take(ending === 'end' ? stream.push('end') : stream.push({ error: CUT }))
  return { output: joined(made), received: joined(received), stream }
}

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const CUT = upstreamError('upstream_disconnected', 'The connection broke.')

export const SECRET = 'sk-secret-0123456789'
export const redact = (message: string): string => message.replaceAll(SECRET, '…')

/** Frames with their payloads in one spelling. Those without JSON are left out. */
export const spelled = (frames: readonly Frame[]): readonly Frame[] =>
  frames.flatMap(({ event, data }) => {
    const value = parseJson(data)
    if (isObject(value)) return [{ event, data: JSON.stringify(value) }]
    return data.trim() === '[DONE]' ? [{ event, data: '[DONE]' }] : []
  })

export const optionsFor = (wire: KnownWire, settings: JsonObject = {}): TranslationOptions => ({
  ...optionsOf(openai, {}, 'x', wire),
  target: targetOf(wire, settings),
})

export function encodeTurn({ name }: KnownWire, text: readonly string[]): Uint8Array {
  return WIRE_UPSTREAMS[name].encodeTurn({ text, calls: [] }) as Uint8Array
}
