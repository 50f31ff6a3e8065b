import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DeltaMachine } from '../../src/engine/hooks.ts'
import { NODE_HASHES } from '../../src/host/node-hashes.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { toHex } from '../../src/text/bytes.ts'
import { streamOf } from '../mock-upstreams/server.ts'
import { check } from '../property.ts'
import { importProgram, readExample } from './programs.ts'

/** The example of hooks masks card numbers wherever chunks cut them. */

const KEY = 'key-of-nobody'
let redactCards: DeltaMachine
let handle: (request: globalThis.Request) => Promise<Response>
let received: string[] = []
beforeAll(async () => {
  Object.assign(globalThis, {
    upstreamOfExample: async (_: URL, { body }: RequestInit) => {
      received.push(await new Response(body ?? null).text())
      const words = ['Your card 41', '11 1111', ' 1111 11', '11 ends in 1111.']
      return new Response(streamOf(...words), { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const program = await importProgram(readExample('redact-cards.ts'), {
    "process.env.CLIENT_KEY_SHA256 ?? ''": `'${toHex(NODE_HASHES.sha256(KEY))}'`,
    'env: process.env,': "env: { GROQ_API_KEY: 'x' }, fetch: globalThis.upstreamOfExample,",
  })
  redactCards = program.redactCards as DeltaMachine
  handle = (program.default as { readonly fetch: typeof handle }).fetch
})

const text = (words: string): Delta => ({ kind: 'text', key: 'm', part: '', text: words, logprobs: null })
const call = (json: string, key = 'c', name: string | null = null): Delta => ({
  kind: 'call',
  key,
  type: 'function_call',
  callId: name === null ? null : `call_${key}`,
  name,
  arguments: json,
})
const joined = (deltas: readonly Delta[], key: string): string =>
  deltas
    .map((delta) =>
      'key' in delta && delta.key === key
        ? 'text' in delta
          ? delta.text
          : 'arguments' in delta
            ? delta.arguments
            : ''
        : '',
    )
    .join('')
const cutAt = (words: string, places: readonly number[]): readonly string[] => {
  const ends = [...new Set(places)].filter((at) => at < words.length).sort((one, other) => one - other)
  return [0, ...ends].map((start, i) => words.slice(start, ends[i] ?? words.length))
}
const CARDS = ['4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005', '6011111111111117']
const maskOf = (card: string, by: string): string => {
  let left = card.replace(/\D/g, '').length - 4
  return card.replace(/\d/g, (digit) => (left-- > 0 ? by : digit))
}
const places = fc.array(fc.nat(120), { maxLength: 40 })
const card = fc.constantFrom(...CARDS)

describe('the example redact-cards.ts', () => {
  it('masks cards of texts wherever they are cut, and no other digits', () => {
    check(
      fc.property(card, card, places, (one, other, at) => {
        const plain = (by: (number: string) => string): string =>
          `Order 1234567890123 from 2026-11-26: ${by(one)}, or ${by(other)}. Not 12345678901234567890123, ${by(one)}`
        const deltas = cutAt(
          plain((number) => number),
          at,
        ).map(text)
        expect(joined(run(redactCards, deltas), 'm')).toBe(plain((number) => maskOf(number, '*')))
      }),
      1000,
    )
  })

  it('masks cards in arguments of calls that are written in turns, which stay valid JSON', () => {
    check(
      fc.property(card, card, places, places, (one, other, at, otherAt) => {
        const [first, second] = [`{"card":"${one}"}`, `{"card":${other.replace(/\D/g, '')}}`]
        const [pieces, others] = [cutAt(first, at), cutAt(second, otherAt)]
        const deltas = [call('', 'c', 'pay'), call('', 'd', 'pay')]
        for (let i = 0; i < Math.max(pieces.length, others.length); i += 1) {
          if (pieces[i] !== undefined) deltas.push(call(pieces[i] ?? ''))
          if (others[i] !== undefined) deltas.push(call(others[i] ?? '', 'd'))
        }
        const out = run(redactCards, deltas)
        expect(JSON.parse(joined(out, 'c'))).toEqual({ card: maskOf(one, '9') })
        expect(JSON.parse(joined(out, 'd'))).toEqual({ card: Number(maskOf(other.replace(/\D/g, ''), '9')) })
        expect(out.filter((delta) => delta.kind === 'call' && delta.name !== null)).toHaveLength(2)
      }),
      1000,
    )
  })

  it('masks a text that its upstream repeats, and keeps the order of texts and calls', () => {
    const [whole] = CARDS as [string]
    const out = run(redactCards, [
      text('Card 4111 1111'),
      text(' 1111 1111'),
      { kind: 'final', whole: text(`Card ${whole}`) as Extract<Delta, { kind: 'text' }> },
      text(' 12'),
      call('{}', 'c', 'pay'),
      { kind: 'finish', reason: 'stop' },
    ])
    expect(joined(out, 'm')).toBe('Card **** **** **** 1111 12')
    expect(out.filter(({ kind }) => kind === 'final')).toMatchObject([{ whole: { text: 'Card **** **** **** 1111' } }])
    expect(out.map(({ kind }) => kind).slice(-3)).toEqual(['text', 'call', 'finish'])
  })

  it('masks the texts of requests and of answers in a gateway', async () => {
    received = []
    const send = (body: object) =>
      handle(
        new Request('https://gateway.example/openai/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'groq/llama-3.3-70b', ...body }),
        }),
      )
    const answer = await send({ messages: [{ role: 'user', content: `Charge ${CARDS[0]}` }], stream: true })
    const words = [...(await answer.text()).matchAll(/"content":"([^"]*)"/g)].map(([, one]) => one).join('')
    expect(words).toContain('Your card **** **** **** 1111 ends in 1111.')
    expect(received.join('')).toContain('Charge **** **** **** 1111')
    expect(received.join('')).not.toContain('4111')
  })
})
