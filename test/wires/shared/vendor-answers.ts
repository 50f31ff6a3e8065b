import { expect } from 'vitest'
import { checkStream } from '../../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { createBodyCollector, translateWholeBody } from '../../../src/engine/body-collector.ts'
import { createTranslation } from '../../../src/engine/translation.ts'
import { encodeEventStream } from '../../../src/framing/encode-event-stream.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { eventsOf, optionsOf, toBytes } from '../../engine/run-engine.ts'
import type { Loose } from '../client-stream.ts'

/** The properties that both forms of an answer must have, streamed and collected. Left out: not compared. */
export interface Expected {
  readonly status?: string | readonly string[]
  readonly text?: string
  readonly reasoning?: string
  /** Name and parsed arguments of every call. */
  readonly calls?: readonly (readonly [name: string, args: unknown])[]
  readonly items?: readonly string[]
  readonly images?: number
  /** A part of the message of the error. */
  readonly error?: string
  readonly code?: string
  /** A part of a recorded loss. */
  readonly loss?: string
  readonly noLoss?: string
}

/** One answer of a vendor: a list of payloads is a stream, anything else a whole body. */
export interface VendorAnswer {
  readonly wire: WireName
  readonly title: string
  /** A text is sent as it is, anything else as JSON. For Bedrock: `[event, payload]`. */
  readonly stream?: readonly unknown[]
  readonly body?: unknown
  readonly expected: Expected
  /** What differs if the stream is collected to a body. */
  readonly collected?: Expected
}

const jsonOf = (payload: unknown): string => (typeof payload === 'string' ? payload : JSON.stringify(payload))

function bytesOf(wire: WireName, stream: readonly unknown[]): Uint8Array {
  if (wire === 'bedrock-converse') {
    const messages = (stream as readonly (readonly [string, unknown])[]).map(([event, payload]) =>
      encodeEventStream({ event, data: jsonOf(payload) }),
    )
    return Uint8Array.from(messages.flatMap((message) => [...message]))
  }
  const end = wire === 'ollama-chat' ? '\n' : '\n\n'
  const start = wire === 'ollama-chat' ? '' : 'data: '
  return toBytes(stream.map((payload) => `${start}${jsonOf(payload)}${end}`).join(''))
}

const partsOf = (response: Loose, type: string, field: string): string =>
  response.output
    .filter((item: Loose) => item.type === type)
    .flatMap((item: Loose) => item[field] ?? [])
    .map((part: Loose) => part.text ?? '')
    .join('')

function compare(response: Loose, losses: readonly string[], expected: Expected): void {
  const { status, text, reasoning, calls, items, images, error, code, loss, noLoss } = expected
  const ofType = (type: string): readonly Loose[] => response.output.filter((item: Loose) => item.type === type)
  if (status !== undefined) expect([status].flat()).toContain(response.status)
  if (text !== undefined) expect(partsOf(response, 'message', 'content')).toBe(text)
  if (reasoning !== undefined)
    expect(partsOf(response, 'reasoning', 'summary') + partsOf(response, 'reasoning', 'content')).toContain(reasoning)
  if (calls !== undefined)
    expect(ofType('function_call').map((call) => [call.name, JSON.parse(call.arguments)])).toEqual(calls)
  if (items !== undefined) expect(response.output.map(({ type }: Loose) => type)).toEqual(items)
  if (images !== undefined) expect(ofType('image_generation_call')).toHaveLength(images)
  if (error !== undefined) expect(response.error?.message).toContain(error)
  if (code !== undefined) expect(response.error?.code).toBe(code)
  if (loss !== undefined) expect(losses.join('\n')).toContain(loss)
  if (noLoss !== undefined) expect(losses.join('\n')).not.toContain(noLoss)
}

/** Translates an answer to a stream of every dialect, which is checked, and to a body, and compares both. */
export function checkAnswer({ wire, stream, body, expected, collected = {} }: VendorAnswer): void {
  const options = optionsOf(DIALECTS.openai, {}, 'x', WIRES[wire])
  if (stream === undefined) {
    const whole = translateWholeBody(options, JSON.stringify(body))
    compare(whole.body, whole.outcome.losses, expected)
    return
  }
  const bytes = bytesOf(wire, stream)
  for (const dialect of Object.values(DIALECTS)) {
    const translation = createTranslation(optionsOf(dialect, {}, 'x', WIRES[wire]))
    const decoder = new TextDecoder()
    const text = decoder.decode(translation.push(bytes), { stream: true }) + decoder.decode(translation.push('end'))
    expect(checkStream(text, dialect)).toEqual([])
    if (dialect !== DIALECTS.openai) continue
    const last: Loose = eventsOf(text).findLast((event) => 'response' in event)
    compare(last.response, translation.outcome().losses, expected)
  }
  const collector = createBodyCollector(options)
  collector.push(bytes)
  collector.push('end')
  compare(collector.body(), collector.outcome().losses, { ...expected, ...collected })
}
