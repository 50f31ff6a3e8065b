import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createBodyCollector, translateWholeBody } from '../../src/engine/body-collector.ts'
import { type ClientWire, wireTarget } from '../../src/engine/client-target.ts'
import { createTranslation, streamWholeBody } from '../../src/engine/translation.ts'
import { FORMATS, type FormatName } from '../../src/framing/format.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { createNdjsonReader } from '../../src/framing/ndjson.ts'
import { createSseReader } from '../../src/framing/sse.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { gatewayError } from '../../src/protocol/error.ts'
import type { Json } from '../../src/protocol/json.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { sealReasoning } from '../../src/responses/encrypted-content.ts'
import type { DecodedRequest } from '../../src/wires/client-contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { anyString } from '../arbitraries/strings.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { check } from '../property.ts'
import { endOf, headOf, toBytes } from './run-engine.ts'

const EMPTY: DecodedRequest = {
  ok: true,
  body: {},
  toClientPath: (path) => path,
  stop: null,
  settings: {},
  losses: [],
  required: null,
  unsupported: new Set(),
}

/** A minimal client codec that writes every delta as it arrives, for tests of the engine. */
const tiny = (name: ClientWire['name'] = 'ollama-chat'): ClientWire => ({
  name,
  client: {
    format: 'sse',
    *decodeRequest() {
      yield
      return EMPTY
    },
    encodeStream: ({ model, settings, open, seal }) => ({
      initial: 0,
      step: (count, delta) => {
        const opened = delta.kind === 'opaque' ? (open(String(delta.payload)) ?? null) : null
        const sealed = delta.kind === 'opaque' ? seal(String(delta.payload)) : null
        const data = JSON.stringify({ ...delta, model, settings, opened, sealed } as unknown as Json)
        return { state: Number(count) + 1, events: [{ event: delta.kind, data }] }
      },
      end: (count) => [{ event: 'end', data: `${count}` }],
    }),
    encodeBody: (deltas, { id, settings }) => ({ id, settings, deltas: deltas as unknown as Json }),
    encodeError: ({ status, code }, id) => ({ status, body: { code, id } }),
    supports: {
      hosted: [],
      annotations: [],
      logprobs: true,
      argumentObjects: 'none',
      namespaces: false,
      sealed: true,
      cost: false,
      details: [],
      parts: [],
      lifetimes: [],
      openedPages: false,
      served: [],
    },
    keepAlive: null,
  },
})

const optionsFrom = (wire: TranslationOptions['wire'], more: Partial<TranslationOptions> = {}): TranslationOptions => ({
  wire,
  target: wireTarget(tiny(), { settings: { loud: true } }),
  head: headOf('one-1'),
  ...more,
})

const chat = WIRES['openai-chat']
const BROKEN = gatewayError('server_error', 'The connection broke.')
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const HELLO = `${chunk({ content: 'Hel' })}${chunk({ content: 'lo' })}${chunk({}, 'stop')}data: [DONE]\n\n`

function writtenFor(options: TranslationOptions, pieces: readonly Uint8Array[]): string {
  const stream = createTranslation(options)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return [...pieces.map((piece) => stream.push(piece)), stream.push('end')]
    .map((bytes) => decoder.decode(bytes, { stream: true }))
    .join('')
}

const framesIn = (text: string): readonly Frame[] => {
  const reader = createSseReader(1 << 26)
  return [...reader.push(toBytes(text)), ...reader.end()]
}

describe('the translation of a stream for a client of a wire', () => {
  it('encodes an answer for a client of another wire', () => {
    const frames = framesIn(writtenFor(optionsFrom(chat), [toBytes(HELLO)]))
    expect(frames.map(({ event }) => event)).toEqual(['start', 'text', 'text', 'stop', 'finish', 'end'])
    expect(JSON.parse(frames[1]?.data ?? '')).toMatchObject({
      text: 'Hel',
      key: 'msg_one-1_0',
      part: '0',
      settings: { loud: true },
    })
  })

  it.each(Object.values(WIRES))('writes the same text wherever the bytes of $name are cut, in whole frames', (wire) => {
    const { stream: streams, quirks } = ANSWERS[wire.name]
    check(
      fc.property(streams, cuts, quirks, (bytes, at, given) => {
        const options = optionsFrom(wire, { quirks: given })
        expect(writtenFor(options, cutBytes(bytes, at))).toBe(writtenFor(options, [bytes]))
        const stream = createTranslation(options)
        for (const piece of cutBytes(bytes, at)) {
          const text = new TextDecoder().decode(stream.push(piece))
          expect(text === '' || text.endsWith('\n\n')).toBe(true)
        }
      }),
      200,
    )
  })

  it('ends once for an error, and ignores later input', () => {
    const stream = createTranslation(optionsFrom(chat))
    stream.push(toBytes(chunk({ content: 'Hel' })))
    expect(stream.progress.started()).toBe(true)
    const frames = framesIn(new TextDecoder().decode(stream.push({ error: BROKEN })))
    expect(frames.map(({ event }) => event)).toEqual(['stop', 'error', 'end'])
    expect(stream.progress.over()).toBe(true)
    expect(stream.outcome()).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
    for (const late of [stream.push(toBytes(HELLO)), stream.push('end'), stream.push({ error: BROKEN })])
      expect(late).toHaveLength(0)
  })

  it('applies the size limits of an upstream', () => {
    const limits = { ...LIMITS, upstreamEvent: 200, upstreamTotal: 300, requestBody: 1000 }
    for (const text of [`data: ${'x'.repeat(300)}`, chunk({ content: 'Hel' }).repeat(9)]) {
      const stream = createTranslation(optionsFrom(chat, { limits }))
      const output = new TextDecoder().decode(stream.push(toBytes(text)))
      expect(stream.progress.over()).toBe(true)
      expect(framesIn(output).at(-2)?.event).toBe('error')
      expect(stream.outcome().error?.code).toBe('upstream_too_large')
    }
  })

  it('opens envelopes only for clients of the same wire', () => {
    const origin = { wire: 'openai-chat', vendor: 'acme', model: 'mock-1' }
    const text = chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz' }] })
    const seen = (to: ClientWire): readonly Delta[] =>
      framesIn(writtenFor(optionsFrom(chat, { target: wireTarget(to), origin }), [toBytes(text + HELLO)])).flatMap(
        ({ event, data }) => (event === 'opaque' ? [JSON.parse(data)] : []),
      )
    expect(seen(tiny('ollama-chat'))).toMatchObject([{ opened: null }])
    const [own] = seen(tiny('openai-chat')) as unknown as { sealed: string; opened: Json }[]
    expect(own?.opened).not.toBeNull()
    expect(own?.sealed).toBe(sealReasoning(origin, own?.opened ?? null))
  })
})

describe('the sign of life of a stream for a client of a wire', () => {
  const { client, name } = tiny()
  const pinging: ClientWire = { name, client: { ...client, keepAlive: { event: 'ping', data: '{}' } } }

  it.each(Object.keys(FORMATS) as FormatName[])('is a comment of the format, if the wire has none: %s', (format) => {
    expect(wireTarget(tiny(), { format }).keepAlive).toBe(FORMATS[format].comment)
  })

  it('is a message of the wire, but not in a JSON array, where it would be a part of the answer', () => {
    expect(wireTarget(pinging, { format: 'sse' }).keepAlive).toBe('event: ping\ndata: {}\n\n')
    expect(wireTarget(pinging, { format: 'array' }).keepAlive).toBeNull()
  })
})

describe('the body for a client of a wire', () => {
  const BODY = JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  })
  const textIn = (deltas: unknown): string =>
    (deltas as readonly Delta[]).map((delta) => (delta.kind === 'text' ? delta.text : '')).join('')

  it('contains the same text as the stream', () => {
    const collection = createBodyCollector(optionsFrom(chat))
    collection.push(toBytes(HELLO))
    const streamed = endOf(collection)
    const { body: response, outcome } = translateWholeBody(optionsFrom(chat), BODY)
    expect(outcome.status).toBe('completed')
    expect(response.id).toBe('one_1')
    expect([textIn(streamed.deltas), textIn(response.deltas)]).toEqual(['Hello', 'Hello'])
    const { bytes } = streamWholeBody(optionsFrom(chat), BODY)
    expect(framesIn(new TextDecoder().decode(bytes)).map(({ event }) => event)).toEqual([
      'start',
      'text',
      'stop',
      'finish',
      'end',
    ])
  })

  it('is the error body if the answer fails', () => {
    const collection = createBodyCollector(optionsFrom(chat))
    collection.push(toBytes(chunk({ content: 'Hel' })))
    collection.push({ error: BROKEN })
    expect(collection.body()).toEqual({ code: 'server_error', id: 'resp_one-1' })
    expect(translateWholeBody(optionsFrom(chat), '{"no JSON').body).toMatchObject({ code: 'upstream_invalid' })
  })
})

describe('frames written as text', () => {
  const frame = fc.record({ event: fc.constantFrom('', 'ping', 'message_stop'), data: anyString })
  const json = fc.record({ event: fc.constant(''), data: fc.json().map((text) => JSON.stringify(JSON.parse(text))) })
  const textOf = (format: FormatName, frames: readonly Frame[]): string => run(FORMATS[format].write, frames).join('')

  it('are read back unchanged as SSE', () => {
    const plain = frame.filter(({ data }) => !data.includes('\r') && Buffer.from(data).toString() === data)
    check(
      fc.property(fc.array(plain), (frames) => {
        expect(framesIn(textOf('sse', frames))).toEqual(frames)
      }),
    )
  })

  it('are read back unchanged as NDJSON', () => {
    check(
      fc.property(fc.array(json), (frames) => {
        const reader = createNdjsonReader(1 << 26)
        const read = [...reader.push(toBytes(textOf('ndjson', frames))), ...reader.end()]
        expect(read.map(({ data }) => data)).toEqual(frames.map(({ data }) => data))
      }),
    )
  })

  it('are read back unchanged as one JSON array', () => {
    check(
      fc.property(fc.array(json), (frames) => {
        expect(JSON.parse(textOf('array', frames))).toEqual(frames.map(({ data }) => JSON.parse(data)))
      }),
    )
  })
})
