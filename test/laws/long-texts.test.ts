import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { DeltaList } from '../../src/engine/delta-list.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { GatewayError } from '../../src/protocol/error.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { BLOCK } from '../../src/text/flat-string.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { endOf, eventsOf, optionsOf, toBytes, translated } from '../engine/run-engine.ts'

/** Texts longer than a block are accumulated block by block. */

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, ...more }] })}\n\n`
const END = `${chunk({}, { finish_reason: 'stop' })}data: [DONE]\n\n`

const WORDS = Array.from({ length: 700 }, (_, at) => `${at} ${'λόγος "water" \u{1f30a}\n'.repeat(20)}`)
const TEXT = WORDS.join('')

/** Chunks with nothing but text take the fast path. A field that counts, or that changes its position, prevents it. */
const STREAMS = {
  'chunks alike': WORDS.map((content) => chunk({ content })),
  'chunks that count': WORDS.map((content, at) =>
    chunk({ content }, { usage: { prompt_tokens: 1, completion_tokens: at, total_tokens: at + 1 } }),
  ),
  'chunks unlike each other': WORDS.map((content, at) => chunk(at % 2 === 0 ? { content } : { role: 'x', content })),
}

it('the text of these tests spans several blocks', () => {
  expect(TEXT.length).toBeGreaterThan(3 * BLOCK)
})

describe.each(Object.entries(STREAMS))('a long text in %s', (_, frames) => {
  const stream = toBytes([...frames, END].join(''))
  const pieces = [...frames, END].map(toBytes)

  it.each(Object.values(DIALECTS))('is repeated in full at the end of the stream in $name', (dialect) => {
    for (const reads of [[stream], pieces]) {
      const events = eventsOf(translated(optionsOf(dialect), reads))
      const deltas = events.flatMap(({ delta }) => (typeof delta === 'string' ? [delta] : []))
      expect(deltas.join('')).toBe(TEXT)
      const last = events.find(({ type }) => type === 'response.completed')
      expect(last).toMatchObject({ response: { output: [{ content: [{ text: TEXT }] }] } })
    }
  })

  it.each(CLIENT_WIRES)('is complete for clients of $name', (to) => {
    const options = optionsOf(DIALECTS.openai)
    const collection = createBodyCollector({ ...options, target: wireTarget(to) })
    for (const piece of pieces) collection.push(piece)
    expect(JSON.stringify(endOf(collection))).toContain(JSON.stringify(TEXT).slice(1, -1))
  })

  it('ends the answer at the size limit, wherever its blocks end', () => {
    const limits = { ...LIMITS, answerSize: 2 * BLOCK }
    const collection = createBodyCollector({ ...optionsOf(DIALECTS.openai), limits })
    const translation = createTranslation({ ...optionsOf(DIALECTS.openai), limits })
    let read = 0
    for (const [at, frame] of frames.entries()) {
      if (translation.progress.over()) break
      translation.push(toBytes(frame))
      collection.push(toBytes(frame))
      read += WORDS[at]?.length ?? 0
    }
    // The fast path buffers some of the text before it applies the limit.
    expect(read).toBeLessThan(3 * BLOCK)
    expect(translation.outcome().error?.code).toBe('upstream_too_large')
    expect(endOf(collection)).toMatchObject({ error: { code: 'upstream_too_large' } })
  })
})

it('a citation quotes the beginning of a long text', () => {
  const to = CLIENT_WIRES.find(({ name }) => name === 'anthropic-messages')
  if (to === undefined) throw new Error('there is no such wire')
  const annotation = { type: 'url_citation', url_citation: { url: 'https://a.example', start_index: 2, end_index: 7 } }
  const frames = [
    ...WORDS.map((content) => chunk({ content })),
    chunk({ content: '.', annotations: [annotation] }),
    END,
  ]
  const options = optionsOf(DIALECTS.openai)
  const translation = createTranslation({ ...options, target: wireTarget(to) })
  const texts = frames.map((frame) => new TextDecoder().decode(translation.push(toBytes(frame))))
  expect(texts.join('')).toContain('"cited_text":"λόγος"')
})

it('a list of deltas joins long texts and long arguments', () => {
  const text = (key: string, piece: string): Delta => ({ kind: 'text', key, part: '', text: piece, logprobs: null })
  const call = (piece: string): Delta => ({
    kind: 'call',
    key: 'c',
    type: 'function_call',
    callId: null,
    name: null,
    arguments: piece,
  })
  const opening: Delta = { ...call(''), callId: 'c1', name: 'f' } as Delta
  const half = 'x'.repeat(BLOCK / 2 + 1)
  const deltas = new DeltaList()
  const added = [
    ...[text('a', half), text('a', half), text('a', half), text('b', '1')],
    ...[opening, call(half), call(half), call(half), text('b', '2'), text('b', half + half), text('b', '3')],
  ]
  for (const delta of added) deltas.add(delta)
  expect(deltas.all()).toEqual([
    text('a', half.repeat(3)),
    text('b', '1'),
    { ...opening, arguments: half.repeat(3) },
    text('b', `2${half}${half}3`),
  ])
})

describe('an answer that its client no longer reads', () => {
  const failure: GatewayError = {
    party: 'client',
    code: 'client_gone',
    message: 'Gone.',
    status: 499,
    param: null,
    retryAfter: null,
  }
  const options = { ...optionsOf(DIALECTS.openai), slice: 8 }

  it.each([
    ['a dialect', () => createTranslation(options)],
    ...CLIENT_WIRES.map((to) => [to.name, () => createTranslation({ ...options, target: wireTarget(to) })] as const),
  ] as const)('has an outcome and writes no more bytes: %s', (_, open) => {
    const translation = open()
    for (const content of WORDS) {
      translation.push(toBytes(chunk({ content })))
      while (translation.busy()) translation.resume()
    }
    translation.discard()
    const written = [translation.push({ error: failure })]
    while (translation.busy()) written.push(translation.resume())
    expect(written.every((bytes) => bytes.length === 0)).toBe(true)
    expect(translation.outcome()).toMatchObject({ status: 'failed', error: { code: 'client_gone' } })
  })
})
