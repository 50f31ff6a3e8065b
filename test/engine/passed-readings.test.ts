import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { openAnswerBody } from '../../src/engine/passthrough/answers.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { writeFrame } from '../framing/write-frame.ts'
import { answersOf, encodeTurn, framesOf, joined, optionsFor, PASSING, pass, spelled, text } from './passing.ts'
import { endsOf } from './stream-ends.ts'

/** Events and bodies that are not strict JSON: long ones are read as short ones, and clients receive JSON. */

const READINGS: Readonly<Record<string, (json: string) => string>> = {
  'a list of one event': (json) => `[${json}]`,
  'a comma behind the last member': (json) => json.replace(/\}$/, ',}'),
  'a value of Python': (json) => json.replace(/\}$/, ',"none":None}'),
  'the name of the field twice': (json) => `data: ${json}`,
  'JSON text of JSON': (json) => JSON.stringify(json),
  'joined objects': (json) => `${json}{}`,
}

const LENGTHS = [
  ['short', 1],
  ['long', 70_000],
] as const

const padded = (json: string, pad: number): string => json.replace(/^\{/, `{"pad":"${'x'.repeat(pad)}",`)

const bytesOf = ({ framing }: KnownWire, frames: readonly Frame[]): Uint8Array =>
  joined(frames.map(({ event, data }) => writeFrame({ event, data }, framing.format)))

function outputOf(wire: KnownWire, bytes: Uint8Array) {
  const collector = createBodyCollector({ ...optionsFor(wire), target: dialectTarget(openai) })
  collector.push(bytes)
  collector.push('end')
  return collector.body().output
}

function translated(wire: KnownWire, bytes: Uint8Array) {
  const translation = createTranslation(optionsFor(wire))
  translation.push(bytes)
  translation.push('end')
  return translation.outcome()
}

describe.each(PASSING.map((wire) => [wire.name, wire] as const))('an event of %s', (_, wire) => {
  const frames = framesOf(wire, encodeTurn(wire, ['Hello', ' and', ' bye']))
  const at = frames.findIndex(({ data }) => data.includes(' and'))
  const given = frames[at] as Frame

  describe.each(Object.entries(READINGS))('as %s', (__, write) => {
    it.each(LENGTHS)('reaches the client, %s', (___, pad) => {
      const whole = bytesOf(wire, frames.with(at, { ...given, data: padded(given.data, pad) }))
      const bytes = bytesOf(wire, frames.with(at, { ...given, data: write(padded(given.data, pad)) }))
      const { output, stream } = pass(optionsFor(wire, { usage: true }), wire, [bytes], 'end')
      expect(stream.outcome()).toMatchObject({
        status: 'completed',
        edits: expect.arrayContaining(['unreadable events']),
      })
      expect(outputOf(wire, output)).toEqual(outputOf(wire, whole))
      expect(outputOf(wire, bytes)).toEqual(outputOf(wire, whole))
      for (const { data } of framesOf(wire, output))
        if (data.trim() !== '[DONE]') expect(isObject(parseJson(data))).toBe(true)
    })
  })
})

describe.each(PASSING.map((wire) => [wire.name, wire] as const))('an event of %s that is named error', (name, wire) => {
  const frames = framesOf(wire, encodeTurn(wire, ['Hello', ' and', ' bye'])).map(({ data }) => ({ event: '', data }))
  const parts = frames.filter(({ data }) => parseJson(data) !== undefined).slice(-2)
  const [first, second] = parts.map(({ data }) => data)

  it.each([`${first}${second}`, `[${first},${second}]`, '{"message":"Overloaded","code":503}{"trace":1}'])(
    'has the outcome of its translation: %s',
    (data) => {
      for (const long of [data, data.replace(/\{/, `{"pad":"${'x'.repeat(70_000)}",`)]) {
        const bytes = bytesOf(wire, frames.toSpliced(-2, 2, { event: 'error', data: long }))
        const { output, stream } = pass(optionsFor(wire, { usage: true }), wire, [bytes], 'end')
        const { status, error } = translated(wire, bytes)
        expect(stream.outcome()).toMatchObject({ status, error })
        expect(endsOf(name, framesOf(wire, output))).toEqual([error === null ? 'complete' : 'failed'])
        expect(error?.message ?? '').not.toMatch(/bye|[{}]/)
      }
    },
  )
})

const datasOf = (wire: KnownWire, bytes: Uint8Array) => spelled(framesOf(wire, bytes)).map(({ data }) => data)

const EVENTS = PASSING.filter(({ framing }) => framing.format === 'sse')

describe.each(EVENTS.map((wire) => [wire.name, wire] as const))('a stream of %s', (_, wire) => {
  const frames = framesOf(wire, encodeTurn(wire, ['Hello', ' bye']))
  const options = optionsFor(wire, { usage: true })
  const plain = pass(options, wire, [bytesOf(wire, frames)], 'end').output

  it.each(['event: beat\n\n', 'event: error\n\n', 'id: 1\nevent: beat\n\n', 'event: beat\ndata:\n\n'])(
    'has no event without data: %j',
    (blank) => {
      const pieces = frames.map((frame) => writeFrame(frame, 'sse')).toSpliced(1, 0, new TextEncoder().encode(blank))
      const { output, stream } = pass(options, wire, pieces, 'end')
      expect(datasOf(wire, output)).toEqual(datasOf(wire, plain))
      expect(text(output)).not.toContain(blank.split('\n').find((line) => line.startsWith('event')))
      if (answersOf(wire).dataOnly !== true) expect(stream.outcome().edits).toEqual(['unreadable events'])
    },
  )

  it.each(['\n', '\r\n', '\r'])(
    'has frames that clients of events can read, from objects with the line ends %j',
    (end) => {
      const lines = (json: string): string => JSON.stringify(parseJson(json), null, 1).replaceAll('\n', end)
      const objects = frames.flatMap(({ data }) => (parseJson(data) === undefined ? [] : [lines(data)]))
      const bytes = new TextEncoder().encode(`[${objects.join(',')}]`)
      const isArray = wire.framing.boundary.begins(bytes) === false
      if (!isArray) return
      const { output } = pass(options, wire, [bytes], 'end')
      expect(datasOf(wire, output)).toEqual(datasOf(wire, plain))
    },
  )
})

it('events that are joined in a long one are sent with pauses between them', () => {
  const { output, pauses } = slicedly('{"x":"y"}'.repeat(20_000))
  expect(pauses).toBeGreaterThan(2_000)
  expect(output).toContain('{"x":"y"')
})

function slicedly(data: string) {
  const stream = new PassedStream({ ...optionsFor(CHAT), slice: 64 }, answersOf(CHAT), null)
  const bytes = bytesOf(CHAT, [{ event: '', data }])
  let output = text(stream.push(bytes))
  let pauses = 0
  for (; stream.busy(); pauses += 1) output += text(stream.resume())
  return { output, pauses }
}

const CHAT: KnownWire = WIRES['openai-chat']

const BODY = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'The answer' }, finish_reason: 'stop' }],
})

function bodyOf(body: string, passed = true) {
  const answer = openAnswerBody(optionsFor(CHAT), passed ? answersOf(CHAT) : null)
  answer.push({ body })
  return { body: answer.body(), outcome: answer.outcome() }
}

describe('a whole body', () => {
  it.each([
    ['a comma', (json: string) => json.replace(/\}$/, ',}')],
    ['an envelope', (json: string) => `{"success":true,"data":${json}}`],
    ['JSON text of JSON', (json: string) => JSON.stringify(json)],
  ])('is an answer with %s, short or long, which the log names', (_, write) => {
    for (const [, pad] of LENGTHS) {
      const { body, outcome } = bodyOf(write(padded(BODY, pad)))
      expect(outcome).toMatchObject({ status: 'completed', edits: ['unreadable events'] })
      expect(body).toEqual(JSON.parse(padded(BODY, pad)))
    }
  })

  it.each([JSON.stringify(`${BODY},`), JSON.stringify('Too long '.repeat(100)), `{"x":"${BODY}`])(
    'is in no message of an error',
    (body) => {
      for (const passed of [true, false])
        expect(bodyOf(body, passed).outcome.error?.message).toMatch(/^The upstream returned a body that is not /)
      const { stream } = pass(optionsFor(CHAT), CHAT, [new TextEncoder().encode(body)], 'end')
      expect(stream.outcome().status).toBe('failed')
      expect(stream.outcome().error?.message).not.toContain('answer')
      expect(stream.outcome().error?.message).not.toContain('Too long')
    },
  )

  it('is the answer behind a comment in place of a stream', () => {
    const bytes = new TextEncoder().encode(`: k\n\n${BODY}`)
    const { output, stream } = pass(optionsFor(CHAT), CHAT, [bytes.subarray(0, 20), bytes.subarray(20)], 'end')
    expect(stream.outcome().status).toBe('completed')
    expect(text(output)).toContain('The answer')
    expect(translated(CHAT, bytes).status).toBe('completed')
  })

  it('that is one sentence is the message', () => {
    expect(bodyOf('"The service is busy."').outcome.error?.message).toBe('The service is busy.')
  })
})
