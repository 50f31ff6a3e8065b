import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions, UpstreamInput } from '../../src/engine/answer.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { LIMITS, MAX_LENGTHS } from '../../src/protocol/limits.ts'
import { LONG_JSON } from '../../src/text/json-long.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { ALL_FIXTURES, collected, endOf, optionsOf, toBytes, translated } from '../engine/run-engine.ts'
import { writeFrame } from '../framing/write-frame.ts'

/** A long event is parsed in slices, with the same result as a short one. */

const member = (length: number): string => `"Kq7":"${'é'.repeat(length)}",`
const [SHORT, LONG] = [member(1), member(LONG_JSON)]

const TEXTS = ALL_FIXTURES.filter(({ wire }) => wire.framing.name !== 'eventstream')

/** Adds an unknown member to every event. */
const padded = (stream: Uint8Array, pad: string): Uint8Array =>
  toBytes(new TextDecoder().decode(stream).replace(/^((?:data: ?)?)\{(?=")/gm, (_, before) => `${before}{${pad}`))

function sliced(options: TranslationOptions, stream: Uint8Array): string {
  const translation = createTranslation({ ...options, slice: 16 })
  const pieces = [translation.push(stream)]
  while (translation.busy()) pieces.push(translation.resume())
  pieces.push(translation.push('end'))
  while (translation.busy()) pieces.push(translation.resume())
  return new TextDecoder().decode(Buffer.concat(pieces))
}

describe.each(TEXTS)('long events of $wire.name/$name', ({ wire, name, quirks, stream }) => {
  const options = optionsOf(DIALECTS.openai, quirks, name, wire)

  it('translate to the same bytes as short events, in slices and at once', () => {
    const expected = translated(options, [padded(stream, SHORT)])
    expect(translated(options, [padded(stream, LONG)])).toBe(expected)
    expect(sliced(options, padded(stream, LONG))).toBe(expected)
  })
})

/** The number of code units is that of a long text. */
const nested = (levels: number): string =>
  `{"Kq7":${'['.repeat(levels - 1)}"${'x'.repeat(LONG_JSON)}"${']'.repeat(levels - 1)}}`
const MOST = MAX_LENGTHS.nesting

describe.each(Object.values(WIRES))('a long event of $name', (wire) => {
  const options = optionsOf(DIALECTS.openai, {}, 'x', wire)
  const { framing } = wire
  const framed = (data: string): Uint8Array =>
    framing.name === 'eventstream'
      ? encodeEventStream({ event: 'metadata', data })
      : writeFrame({ event: '', data }, framing.format)
  const errorOf = (...inputs: readonly UpstreamInput[]): unknown => {
    const collection = createBodyCollector({ ...options, slice: 16 })
    for (const input of inputs) {
      collection.push(input)
      while (collection.busy()) collection.resume()
    }
    return collection.outcome().error
  }
  const TOO_DEEP = { code: 'upstream_too_large', message: expect.stringContaining(`${MOST} levels`) }

  it('ends the answer as upstream_too_large if it is nested deeper than a whole answer may be', () => {
    expect(errorOf(framed(nested(MOST + 1)))).toMatchObject(TOO_DEEP)
    expect(errorOf(framed(nested(MOST)), 'end')).not.toMatchObject(TOO_DEEP)
  })

  it('has the bound also as a body, which nobody has counted where it came in place of a stream', () => {
    expect(errorOf({ body: nested(MOST + 1) })).toMatchObject(TOO_DEEP)
    expect(errorOf({ body: nested(MOST) })).not.toMatchObject(TOO_DEEP)
  })
})

describe('a long event of openai-chat', () => {
  const options = optionsOf(DIALECTS.openai)
  const chunk = (delta: object): string => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`
  const done = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  const numbers = (count: number): string => `data: {"nothing":[${'1234567890,'.repeat(count - 1)}1]}\n\n`

  it('ends an answer as upstream_too_large if it exceeds the limit of values, and keeps the earlier output', () => {
    const limits = { ...LIMITS, upstreamValues: 10_000 }
    const failing = chunk({ content: 'Hi' }) + numbers(10_001) + chunk({ content: ' there' }) + done
    const collection = createBodyCollector({ ...options, limits })
    collection.push(toBytes(failing))
    const response = endOf(collection)
    expect(response.status).toBe('failed')
    expect(collection.outcome().error).toMatchObject({
      code: 'upstream_too_large',
      message: 'One event of the upstream has more than 10000 values.',
    })
    expect(JSON.stringify(response.output)).toContain('"Hi"')
    const within = chunk({ content: 'Hi' }) + numbers(9_000) + done
    expect(collected({ ...options, limits }, [toBytes(within)]).status).toBe('completed')
  })

  it.each([
    ['without its end', numbers(10_000).replace(']}\n', '\n')],
    ['whose brackets do not match', numbers(10_000).replace(']}\n', '}]\n')],
    ['with an error in the middle', numbers(10_000).replace('1234567890,1234567890', '1234567890 1234567890')],
  ])('is dropped as a payload that is not JSON: %s', (_, broken) => {
    const collection = createBodyCollector({ ...options, slice: 16 })
    collection.push(toBytes(broken + chunk({ content: 'Hi' }) + done))
    while (collection.busy()) collection.resume()
    expect(endOf(collection).status).toBe('completed')
    expect(collection.outcome().losses).toEqual(['a payload that is not a JSON object'])
  })

  it('gives the same response as a short one if it is a whole body', () => {
    const body = (pad: string): string =>
      `{${pad}"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}`
    const answers = [SHORT, LONG].map((pad) => {
      const collection = createBodyCollector({ ...options, slice: 16 })
      collection.push({ body: body(pad) })
      while (collection.busy()) collection.resume()
      return endOf(collection)
    })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[1]?.status).toBe('completed')
    const broken = createBodyCollector({ ...options, slice: 16 })
    broken.push({ body: body(LONG).slice(0, -1) })
    while (broken.busy()) broken.resume()
    expect(broken.body()).toMatchObject({ status: 'failed', error: { code: 'upstream_invalid' } })
  })
})
