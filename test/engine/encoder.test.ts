import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { createDecoder } from '../../src/engine/decoder.ts'
import { createBodyEncoder, createEncoder } from '../../src/engine/encoder.ts'
import { translate } from '../../src/engine/translate.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { check } from '../property.ts'
import { ALL_FIXTURES, collected, optionsOf, toBytes, translated } from './run-engine.ts'

/** Decoder and encoder, used separately and combined, give the same bytes as one translation. */

const decoder = new TextDecoder()

function inHalves(options: ReturnType<typeof optionsOf>, pieces: readonly Uint8Array[]): string {
  const ear = createDecoder(options)
  const mouth = createEncoder(options)
  const written = pieces.map((piece) => decoder.decode(mouth.write(ear.receive(piece))))
  return written.join('') + decoder.decode(mouth.write(ear.end())) + decoder.decode(mouth.end())
}

describe('a separate decoder and encoder', () => {
  const cases = ALL_FIXTURES.flatMap((fixture) =>
    Object.values(DIALECTS).map((dialect) => [`${fixture.wire.name} ${fixture.name}`, dialect.name, fixture] as const),
  )

  it.each(cases)('give the same bytes and body as one translation: %s in %s', (_, name, { stream, quirks, wire }) => {
    const options = optionsOf(DIALECTS[name], quirks, 'x', wire)
    expect(inHalves(options, [stream])).toBe(translated(options, [stream]))
    const ear = createDecoder(options)
    const mouth = createBodyEncoder(options)
    mouth.write(ear.receive(stream))
    mouth.write(ear.end())
    expect(mouth.end()).toEqual(collected(options, [stream]))
    expect(ear.chunks()).toBeGreaterThan(0)
  })

  it.each(cases)('give the same output in slices of one step: %s in %s', (_, name, { stream, quirks, wire }) => {
    const options = { ...optionsOf(DIALECTS[name], quirks, 'x', wire), slice: 1 }
    const at = stream.length >> 1
    const ear = createDecoder(options)
    const [mouth, whole] = [createEncoder(options), createBodyEncoder(options)]
    const bytes: Uint8Array[] = []
    const follow = (deltas: readonly Delta[]): void => {
      bytes.push(mouth.write(deltas))
      whole.write(deltas)
      while (mouth.busy()) bytes.push(mouth.resume())
      while (whole.busy()) whole.resume()
    }
    for (const read of [() => ear.receive(stream.subarray(0, at)), () => ear.receive(stream.subarray(at)), ear.end]) {
      follow(read())
      while (ear.busy()) follow(ear.resume())
    }
    bytes.push(mouth.close())
    while (mouth.busy()) bytes.push(mouth.resume())
    whole.close()
    while (whole.busy()) whole.resume()
    const plain = optionsOf(DIALECTS[name], quirks, 'x', wire)
    expect(decoder.decode(Buffer.concat(bytes))).toBe(translated(plain, [stream]))
    expect(whole.end()).toEqual(collected(plain, [stream]))
  })

  it('emit at most twice the slice size at once', () => {
    const chunk = (i: number): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: i % 2 === 0 ? { content: 'a' } : { reasoning_content: 'b' } }] })}\n\n`
    const frames = toBytes(Array.from({ length: 500 }, (_, i) => chunk(i)).join(''))
    const options = { ...optionsOf(DIALECTS.openai), slice: 50 }
    const ear = createDecoder(options)
    const mouth = createEncoder(options)
    let list = ear.receive(frames)
    const [deltas, events] = [[list.length], [] as number[]]
    const count = (bytes: Uint8Array): number => decoder.decode(bytes).split('\n\n').length
    for (;;) {
      events.push(count(mouth.write(list)))
      while (mouth.busy()) events.push(count(mouth.resume()))
      if (!ear.busy()) break
      list = ear.resume()
      deltas.push(list.length)
    }
    expect(deltas.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(500)
    expect(Math.max(...deltas)).toBeLessThanOrEqual(100)
    expect(Math.max(...events)).toBeLessThanOrEqual(100)
  })

  it('decode a whole body like a stream of it', () => {
    const body = '{"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}'
    const pad = `{"Kq7":"${'x'.repeat(100_000)}",`
    for (const text of [body, pad + body.slice(1)]) {
      const options = { ...optionsOf(DIALECTS.openai), slice: 16 }
      const ear = createDecoder(options)
      const mouth = createBodyEncoder(options)
      mouth.write(ear.receiveBody(text))
      while (ear.busy()) mouth.write(ear.resume())
      expect(ear.over()).toBe(true)
      expect(ear.chunks()).toBe(1)
      expect(mouth.end()).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hi' }] }] })
    }
  })

  it('give the same bytes wherever the stream is cut or breaks off', () => {
    const lost = upstreamError('upstream_disconnected', 'Lost.')
    check(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.boolean(), (which, at, to, broken) => {
        const { stream, quirks, wire } = ALL_FIXTURES[which % ALL_FIXTURES.length] as (typeof ALL_FIXTURES)[number]
        const options = optionsOf(DIALECTS.openai, quirks, 'x', wire)
        const [first = 0, second = 0] = [at % stream.length, to % stream.length].sort((a, b) => a - b)
        const pieces = [stream.subarray(0, first), stream.subarray(first, second)]
        const plain = translate(options)
        const ear = createDecoder(options)
        const mouth = createEncoder(options)
        let [one, other] = ['', '']
        for (const piece of pieces) {
          one += decoder.decode(plain.receive(piece))
          other += decoder.decode(mouth.write(ear.receive(piece)))
        }
        one += decoder.decode(broken ? plain.fail(lost) : plain.end())
        other += decoder.decode(mouth.write(broken ? ear.fail(lost) : ear.end()))
        expect(other + decoder.decode(mouth.end())).toBe(one)
        const { chunks: _, ...outcome } = plain.outcome()
        expect(mouth.outcome(0)).toMatchObject(outcome)
      }),
      300,
    )
  })

  it('stop at the same limits as one translation', () => {
    const [{ stream, quirks, wire }] = ALL_FIXTURES as [(typeof ALL_FIXTURES)[number]]
    for (const limits of [
      { ...LIMITS, upstreamEvent: 40, upstreamTotal: 1e6, requestBody: 1 },
      { ...LIMITS, upstreamEvent: 1e6, upstreamTotal: 300, requestBody: 1 },
    ]) {
      const options = { ...optionsOf(DIALECTS.openai, quirks, 'x', wire), limits }
      const ear = createDecoder(options)
      const text = inHalves(options, [stream])
      expect(text).toBe(translated(options, [stream]))
      expect(text).toContain('upstream_too_large')
      ear.receive(stream)
      expect(ear.over()).toBe(true)
      expect([ear.receive(stream), ear.end(), ear.fail(upstreamError('x', 'x'))]).toEqual([[], [], []])
    }
  })

  it('emit nothing after the end', () => {
    const options = optionsOf(DIALECTS.openai)
    const mouth = createEncoder(options)
    mouth.end()
    expect(mouth.write([{ kind: 'finish', reason: 'stop' }])).toHaveLength(0)
    expect(mouth.end()).toHaveLength(0)
  })
})
