import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createBodyCollector, translateWholeBody } from '../../src/engine/body-collector.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { run } from '../../src/machine/run.ts'
import { gatewayError } from '../../src/protocol/error.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { jsonOf } from '../arbitraries/json.ts'
import { hostile } from '../arbitraries/strings.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { endOf, eventsOf, optionsOf, toBytes } from '../engine/run-engine.ts'
import { check, expectNone, expectSame } from '../property.ts'

/** Law 11: no input makes the core throw, and every stream has exactly one end. */

const WIRE_LIST = Object.values(WIRES)
const BROKEN = gatewayError('server_error', 'The connection broke.')
const TERMINAL = /^response\.(?:completed|incomplete|failed)$/

const anyJson = jsonOf(['error', 'message', 'code', 'type', 'status', 'metadata', 'details', 'detail'], ['x'])
const dialects = fc.constantFrom<Dialect>(...Object.values(DIALECTS))

/**
 * Writes the whole answer to these pieces. The stream breaks after `breaks` pieces, or ends after the last if it is
 * null.
 */
function translateBroken(options: TranslationOptions, pieces: readonly Uint8Array[], breaks: number | null): string {
  const stream = createTranslation(options)
  const decoder = new TextDecoder()
  const parts = pieces.slice(0, breaks ?? pieces.length).map((piece) => stream.push(piece))
  parts.push(breaks === null ? stream.push('end') : stream.push({ error: BROKEN }))
  expectSame(stream.progress.over(), true)
  expectSame(stream.outcome().status === 'in_progress', false)
  // Input after the end is ignored.
  for (const late of [stream.push(toBytes('data: {}\n\n')), stream.push('end'), stream.push({ error: BROKEN })])
    parts.push(late)
  return parts.map((part) => decoder.decode(part, { stream: true })).join('')
}

function expectOneEnd(text: string, dialect: Dialect): void {
  const ends = eventsOf(text).filter(({ type }) => TERMINAL.test(String(type)))
  if (ends.length !== 1) expect(ends).toHaveLength(1)
  expectSame(text.endsWith(`data: ${dialect.terminator}\n\n`), true)
  expectSame(
    text.startsWith(dialect.eventLines ? 'event: response.created\n' : 'data: {"type":"response.created"'),
    true,
  )
}

const deep = '['.repeat(20_000) + ']'.repeat(20_000)

const breaks = fc.option(fc.nat({ max: 12 }), { freq: 1 })

describe.each(WIRE_LIST)('law 11, random input of $name', (wire) => {
  const optionsFor = (dialect: Dialect, quirks: Quirks = {}) => optionsOf(dialect, quirks, 'x', wire)
  const { frame, stream: streams, body: bodies, quirks: quirkSets } = ANSWERS[wire.name]

  it('ends once for random bytes that break off anywhere', () => {
    check(
      fc.property(fc.uint8Array({ maxLength: 300 }), cuts, breaks, dialects, (bytes, at, end, dialect) => {
        expectOneEnd(translateBroken(optionsFor(dialect), cutBytes(bytes, at), end), dialect)
      }),
    )
  })

  it('ends once and conforms to the dialect for random chunks that break off anywhere', () => {
    check(
      fc.property(streams, cuts, breaks, dialects, quirkSets, (stream, at, end, dialect, quirks) => {
        const text = translateBroken(optionsFor(dialect, quirks), cutBytes(stream, at), end)
        expectOneEnd(text, dialect)
        expectNone(checkStream(text, dialect))
      }),
      1500,
    )
  })

  it('decodes random frames without throwing', () => {
    const frames = fc.array(frame)
    check(
      fc.property(frames, (list) => {
        run(wire.decodeStream({}), list)
      }),
    )
  })

  it('gives a final status for random whole bodies', () => {
    check(
      fc.property(
        fc.oneof(
          bodies,
          anyJson.map((value) => JSON.stringify(value)),
          hostile,
        ),
        dialects,
        (body, dialect) => {
          const { body: response, outcome } = translateWholeBody(optionsFor(dialect), body)
          expectSame(response.status, outcome.status)
          expectSame(outcome.status === 'in_progress', false)
        },
      ),
    )
  })

  it('maps random error responses to a message and a status from 400 to 599', () => {
    const headers = fc.dictionary(fc.constantFrom('retry-after', 'retry-after-ms', 'date'), hostile, {
      noNullPrototype: true,
    })
    const errorBody = fc.oneof(
      anyJson.map((value) => JSON.stringify(value)),
      hostile,
    )
    check(
      fc.property(fc.integer({ min: 400, max: 599 }), headers, errorBody, (status, head, body) => {
        const error = wire.decodeError(status, head, body)
        expectSame(error.message === '', false)
        expectSame(Number.isInteger(error.status) && error.status >= 400 && error.status <= 599, true)
      }),
    )
  })
})

it('an unknown upstream item that is nested too deep is written without its nested value', () => {
  const item = `{"type":"mcp_call","id":"mcp_1","status":"completed","x":${deep}}`
  const events = [
    '{"type":"response.created","response":{"id":"r","model":"m","output":[],"status":"in_progress"}}',
    `{"type":"response.output_item.done","output_index":0,"item":${item}}`,
    `{"type":"response.completed","response":{"id":"r","status":"completed","output":[${item}],"usage":null}}`,
  ]
  const bytes = toBytes(events.map((event) => `data: ${event}\n\n`).join(''))
  const options = optionsOf(DIALECTS.openai, {}, 'x', WIRES['openai-responses'])
  const text = translateBroken(options, [bytes], null)
  expectOneEnd(text, DIALECTS.openai)
  expect(text).toContain('"x":null')
})

describe('the limits of an upstream', () => {
  const small = { ...LIMITS, upstreamEvent: 200, upstreamTotal: 1000, requestBody: 1000 }
  const long = `data: ${'x'.repeat(300)}`
  const ping = 'data: {"choices":[]}\n\n'

  it.each([
    ['an event too large, in one piece', [`${long}\n\n`]],
    [
      'an event too large, in pieces',
      Array.from({ length: 301 }, () => 'x').map((x, i) => (i === 0 ? `data: ${x}` : x)),
    ],
    ['an answer too large', Array.from({ length: 60 }, () => ping)],
    ['a line that never ends', Array.from({ length: 50 }, () => 'y'.repeat(50))],
  ])('end the stream as failed exactly once: %s', (_, pieces) => {
    for (const dialect of Object.values(DIALECTS)) {
      const options = { ...optionsOf(dialect), limits: small }
      const stream = createTranslation(options)
      const text = pieces.map((piece) => new TextDecoder().decode(stream.push(toBytes(piece)))).join('')
      expect(stream.progress.over()).toBe(true)
      expect(stream.outcome()).toMatchObject({ status: 'failed', error: { code: 'upstream_too_large' } })
      expectOneEnd(text, dialect)
      expectNone(checkStream(text, dialect))
      const answer = createBodyCollector(options)
      for (const piece of pieces) answer.push(toBytes(piece))
      expect(answer.progress.over()).toBe(true)
      expect(answer.outcome().status).toBe('failed')
      // `end` must still return the response.
      expect(endOf(answer)).toMatchObject({ status: 'failed' })
    }
  })

  it('end any random stream once, within the limits', () => {
    check(
      fc.property(ANSWERS['openai-chat'].stream, cuts, dialects, (stream, at, dialect) => {
        const text = translateBroken({ ...optionsOf(dialect), limits: small }, cutBytes(stream, at), null)
        expectOneEnd(text, dialect)
        expectNone(checkStream(text, dialect))
      }),
    )
  })
})
