import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { endOf, optionsOf, toBytes, writtenFrom } from './run-engine.ts'

/** The declared limits bound the memory of one answer. */

const chunk = (delta: object): string => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`

const SMALL = { ...LIMITS, answerSize: 2000, answerItems: 4, answerParts: 4, answerCitations: 3 }

const limited = (dialect: (typeof DIALECTS)[keyof typeof DIALECTS]): TranslationOptions => ({
  ...optionsOf(dialect),
  limits: SMALL,
})

const cited = (i: number) => ({
  type: 'url_citation',
  url_citation: { url: `https://a.example/${i}`, start_index: 0, end_index: 2 },
})

const STREAMS = {
  text: { frames: Array.from({ length: 400 }, () => chunk({ content: 'twenty characters, a' })), words: 'more text' },
  items: {
    frames: Array.from({ length: 40 }, (_, i) => chunk(i % 2 === 0 ? { content: 'a' } : { reasoning: 'b' })),
    words: 'more output items',
  },
  calls: {
    frames: Array.from({ length: 40 }, (_, i) =>
      chunk({ tool_calls: [{ index: i, id: `c${i}`, type: 'function', function: { name: 'f', arguments: '{}' } }] }),
    ),
    words: 'more output items',
  },
  citations: {
    frames: Array.from({ length: 40 }, (_, i) => chunk({ content: 'cited', annotations: [cited(i)] })),
    words: 'more citations',
  },
}

describe.each(Object.entries(STREAMS))('an answer with too much of: %s', (_, { frames, words }) => {
  it.each(Object.values(DIALECTS))('ends as failed with upstream_too_large in $name', (dialect) => {
    const stream = createTranslation(limited(dialect))
    const decoder = new TextDecoder()
    const pieces = frames.map((frame) => stream.push(toBytes(frame)))
    expect(stream.progress.over()).toBe(true)
    const text = [...pieces, stream.push('end')].map((piece) => decoder.decode(piece)).join('')
    expect(checkStream(text, dialect)).toEqual([])
    const { status, error } = stream.outcome()
    expect(status).toBe('failed')
    expect(error).toMatchObject({ code: 'upstream_too_large', message: expect.stringContaining(words) })
  })

  it.each(Object.values(DIALECTS))('ends once in $name if all of it arrives in one read', (dialect) => {
    const stream = createTranslation(limited(dialect))
    const bytes = [stream.push(toBytes(frames.join(''))), stream.push('end')]
    expect(checkStream(new TextDecoder().decode(Buffer.concat(bytes)), dialect)).toEqual([])
    expect(stream.outcome()).toMatchObject({ status: 'failed', error: { code: 'upstream_too_large' } })
  })

  it('fails with upstream_too_large if it is collected as one body', () => {
    const collection = createBodyCollector(limited(DIALECTS.openai))
    collection.push(toBytes(frames.join('')))
    expect(endOf(collection)).toMatchObject({ status: 'failed', error: { code: 'upstream_too_large' } })
  })

  it('has no error if it is within the limits', () => {
    const collection = createBodyCollector(limited(DIALECTS.openai))
    collection.push(toBytes(`${frames.slice(0, 2).join('')}data: [DONE]\n\n`))
    expect(collection.outcome().error).toBeNull()
  })
})

const LONG = 'x'.repeat(300)
const LARGE: readonly Delta[] = [
  { kind: 'opaque', key: 'k', payload: { signature: LONG } },
  { kind: 'hosted', key: 'k', item: { type: 'mcp_call', id: '', status: '', fields: { output: LONG } }, done: false },
  { kind: 'progress', key: 'k', name: 'mcp_call_arguments.delta', fields: { delta: LONG } },
  {
    kind: 'call',
    key: 'k',
    type: 'function_call',
    callId: 'c',
    name: 'f',
    arguments: '',
    origin: { caller: { caller_id: LONG } },
  },
  { kind: 'loss', feature: LONG },
]

it.each(LARGE)('an answer with too much data in deltas of kind $kind ends as failed', (delta) => {
  const deltas = Array.from({ length: 10 }, () => delta)
  const { outcome } = writtenFrom(limited(DIALECTS.openai), deltas)
  expect(outcome.error).toMatchObject({ code: 'upstream_too_large', message: expect.stringContaining('more text') })
})

it('an answer of several upstream answers has the same limits', () => {
  const text = (at: number): Delta => ({
    kind: 'text',
    key: `k${at}`,
    part: '0',
    text: 'twenty characters, a',
    logprobs: null,
  })
  const deltas = Array.from({ length: 400 }, (_, i): Delta[] => [text(i), { kind: 'stop', key: `k${i}` }])
  expect(writtenFrom(limited(DIALECTS.openai), deltas.flat()).outcome).toMatchObject({
    status: 'failed',
    error: { code: 'upstream_too_large' },
  })
})
