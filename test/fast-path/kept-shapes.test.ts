import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { keptShapes } from '../../src/fast-path/kept-shapes.ts'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import type { StreamWire, WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { damage, damages } from '../arbitraries/corrupt-bytes.ts'
import { hostile } from '../arbitraries/strings.ts'
import { CLIENT_WIRES, REQUEST_WITH_EVERYTHING } from '../cross-translate.ts'
import { ALL_FIXTURES, optionsOf, toBytes } from '../engine/run-engine.ts'
import { check, expectNone, expectSame, runsOf, someOf } from '../property.ts'
import { withKits } from '../wires/with-kits.ts'
import { both, fresh, toBinary } from './both.ts'

/** Streams that use what earlier streams have shown are written like the first stream of a process. */

const sse = (data: object, event = ''): Uint8Array =>
  toBytes(`${event === '' ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`)
const typed = (data: { readonly type: string }): Uint8Array => sse(data, data.type)
const binary = (event: string, data: object): Uint8Array => encodeEventStream({ event, data: JSON.stringify(data) })

interface Form {
  readonly begin: (mark: string) => readonly Uint8Array[]
  /** `more`: fields that no decoder reads. */
  readonly chunk: (text: string, mark: string, more: object, at: number) => Uint8Array
  readonly end: (mark: string) => readonly Uint8Array[]
}

/** For each wire, streams with `mark` in their ids and in fields that no decoder reads. */
const FORMS: Readonly<Record<WireName, Form>> = withKits(
  {
    'openai-chat': {
      begin: () => [],
      chunk: (content, id, more) => sse({ id, ...more, model: 'm', choices: [{ index: 0, delta: { content } }] }),
      end: (id) => [sse({ id, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })],
    },
    'openai-responses': {
      begin: (id) => [
        typed({ type: 'response.created', response: { id, model: 'm', output: [] } } as never),
        typed({
          type: 'response.output_item.added',
          output_index: 0,
          item: { type: 'message', id, role: 'assistant', content: [] },
        } as never),
      ],
      chunk: (delta, item_id, more) =>
        typed({
          type: 'response.output_text.delta',
          ...more,
          item_id,
          output_index: 0,
          content_index: 0,
          delta,
        } as never),
      end: (id) => [typed({ type: 'response.completed', response: { id, model: 'm', status: 'completed' } } as never)],
    },
    'anthropic-messages': {
      begin: (id) => [
        typed({ type: 'message_start', message: { id, model: 'm', usage: { input_tokens: id.length } } } as never),
        typed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
      ],
      chunk: (text, mark, more) =>
        typed({ type: 'content_block_delta', mark, ...more, index: 0, delta: { type: 'text_delta', text } } as never),
      end: () => [
        typed({ type: 'message_delta', delta: { stop_reason: 'end_turn' } } as never),
        typed({ type: 'message_stop' }),
      ],
    },
    'gemini-generate': {
      begin: () => [],
      chunk: (text, responseId, more, at) =>
        sse({
          candidates: [{ content: { parts: [{ text }] } }],
          usageMetadata: { promptTokenCount: 7 + responseId.length, candidatesTokenCount: 5 + at },
          modelVersion: 'm',
          ...more,
          responseId,
        }),
      end: (responseId) => [sse({ candidates: [{ finishReason: 'STOP' }], responseId })],
    },
    'bedrock-converse': {
      begin: (p) => [binary('messageStart', { role: 'assistant', p })],
      chunk: (text, p, more) => binary('contentBlockDelta', { contentBlockIndex: 0, ...more, delta: { text }, p }),
      end: (p) => [
        binary('contentBlockStop', { contentBlockIndex: 0, p }),
        binary('messageStop', { stopReason: 'end_turn' }),
      ],
    },
    'cohere-chat': {
      begin: (id) => [
        sse({ type: 'message-start', id }),
        sse({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } }),
      ],
      chunk: (text, mark, more) =>
        sse({ type: 'content-delta', mark, ...more, index: 0, delta: { message: { content: { text } } } }),
      end: () => [
        sse({ type: 'content-end', index: 0 }),
        sse({ type: 'message-end', delta: { finish_reason: 'COMPLETE' } }),
      ],
    },
    'ollama-chat': {
      begin: () => [],
      chunk: (content, created_at, more) =>
        toBytes(
          `${JSON.stringify({ model: 'm', created_at, ...more, message: { role: 'assistant', content }, done: false })}\n`,
        ),
      end: () => [
        toBytes(`${JSON.stringify({ model: 'm', message: { content: '' }, done: true, done_reason: 'stop' })}\n`),
      ],
    },
  },
  ({ form }) => form,
)

const streamOf = (name: WireName, mark: string, texts: readonly string[], more: object = {}): readonly Uint8Array[] => {
  const { begin, chunk, end } = FORMS[name]
  return [...begin(mark), ...texts.map((text, at) => chunk(text, mark, more, at)), ...end(mark)]
}

const { beta, openai } = DIALECTS
const TARGETS = [
  dialectTarget(beta),
  dialectTarget(openai),
  ...CLIENT_WIRES.map((to) => wireTarget(to, { settings: REQUEST_WITH_EVERYTHING })),
]

function written(options: TranslationOptions, reads: readonly Uint8Array[]): { text: string; fast: number } {
  const stream = createTranslation(options)
  const text = [...reads.map((read) => toBinary(stream.push(read))), toBinary(stream.push('end'))].join('')
  return { text, fast: stream.outcome().chunks.fast }
}

const WORDS = Array.from({ length: 20 }, (_, i) => ` word${i}`)
const NAMES = Object.keys(WIRES) as WireName[]

describe.each(NAMES)('streams of %s after others', (name) => {
  it('take the fast path from the second chunk of text on, whatever their ids and texts are', () => {
    const wire = fresh(WIRES[name])
    const counts = TARGETS.flatMap((target, i) => {
      const reads = (at: number) => streamOf(name, `mark${i} ${at}`, [`a${at}`, ...WORDS])
      return [1, 2].map((at) => both({ ...optionsOf(openai, {}, 'x', wire), target }, reads(at)))
    })
    const [first, second, ...others] = counts as [number, number, ...number[]]
    expect(second).toBe(first)
    expect(first).toBeLessThan(WORDS.length - 1)
    for (const fast of others) expect(fast).toBeGreaterThanOrEqual(WORDS.length)
  })

  it('take the slow path if the texts of the last ones were short, until theirs is long', () => {
    const options = optionsOf(openai, {}, 'x', fresh(WIRES[name]))
    const fastOf = (words: number): number => both(options, streamOf(name, `mark ${words}`, WORDS.slice(0, words)))
    const long = WORDS.length - 12
    fastOf(20)
    fastOf(20)
    expect([fastOf(6), fastOf(6)]).toEqual([expect.any(Number), expect.any(Number)])
    expect([fastOf(6), fastOf(11)]).toEqual([0, 0])
    // One long text after them does not decide it, two do.
    for (const least of [long, long, WORDS.length - 2]) expect(fastOf(20)).toBeGreaterThanOrEqual(least - 1)
    expect(fastOf(6)).toBeGreaterThan(3)
  })

  it('are written like the first stream of a process, and contain nothing of the others', () => {
    const one = fc.record({
      target: fc.constantFrom(...TARGETS),
      texts: fc.array(fc.oneof(fc.constantFrom(...WORDS, ' ', '\n', '<think>', '</think>', '\ud83d'), hostile), {
        maxLength: 12,
      }),
      more: fc.constantFrom({}, { more: 1 }, { more: [null, 'x'] }, { usage: null }, { index: 1 }, { model: 'n' }),
      strokes: fc.option(damages),
    })
    check(
      fc.property(fc.array(one, { minLength: 2, maxLength: 12 }), (streams) => {
        const wire = fresh(WIRES[name])
        streams.forEach(({ target, texts, more, strokes }, i) => {
          const reads = streamOf(name, `canary<${i}>`, [`text<${i}>`, ...texts, ...WORDS.slice(0, 6)], more)
          const all = strokes === null ? reads : [damage(wire.framing, new Uint8Array(Buffer.concat(reads)), strokes)]
          const options = { ...optionsOf(openai, {}, `x${i}`, wire), target }
          both(options, all)
          const { text } = written(options, all)
          expectSame(written({ ...options, wire: fresh(WIRES[name]) }, all).text, text)
          expectNone([...text.matchAll(/(?:canary|text)<(\d+)>/g)].filter(([, at]) => at !== `${i}`))
        })
      }),
      100,
    )
  })

  it('are written like the first stream of a process after every fixture', () => {
    const wire = fresh(WIRES[name])
    for (const { stream, quirks } of ALL_FIXTURES.filter((fixture) => fixture.wire.name === name))
      written(optionsOf(beta, quirks, 'y', wire), [stream])
    for (const target of someOf(TARGETS, 3, NAMES.indexOf(name)))
      both({ ...optionsOf(openai, {}, 'x', wire), target }, streamOf(name, 'mark', WORDS))
  })
})

describe('the shapes that streams keep', () => {
  it('have no text and no unread field of a stream, and are few after many different streams', () => {
    const wire = fresh(WIRES['openai-chat'])
    const options = optionsOf(openai, {}, 'x', wire)
    for (let i = 0; i < runsOf(3000); i += 1) {
      const texts = WORDS.slice(0, 8).map((word) => `secret${word}`)
      written(options, streamOf('openai-chat', `secret ${i}`, texts, { [`field${i}`]: `secret ${i}` }))
    }
    const shapes = keptShapes({ decodeStream: wire.decodeStream, quirks: {} }).all()
    expect(shapes.length).toBeGreaterThan(0)
    expect(shapes.length).toBeLessThanOrEqual(8)
    const content = shapes.map((shape) => ({ ...shape, deltas: [...shape.deltas], known: [...shape.pattern.known] }))
    expect(JSON.stringify(content)).not.toContain('secret')
    const { fast } = written(options, streamOf('openai-chat', 'z', WORDS))
    expect(fast).toBeGreaterThan(0)
  })

  it('serve no stream whose decoder is in another state', () => {
    const wire = fresh(WIRES['openai-chat'])
    const quirks: Quirks = { thinkTags: true }
    for (const texts of [WORDS, WORDS, ['<think>', ...WORDS, '</think>', ...WORDS], ['<think>x</think>', ...WORDS]]) {
      both({ ...optionsOf(openai, quirks, 'x', wire) }, streamOf('openai-chat', 'm', texts))
      both({ ...optionsOf(openai, {}, 'x', wire) }, streamOf('openai-chat', 'm', texts))
    }
  })

  it('serve no first chunk of a text if the decoder treats that chunk in another way', () => {
    const { decodeStream, ...rest } = WIRES['openai-responses']
    /** Doubles the piece that follows the first one of a text. */
    const wire: StreamWire = {
      ...rest,
      decodeStream(quirks) {
        const { step, ...machine } = decodeStream(quirks)
        return {
          ...machine,
          step(state, frame) {
            const { live, text } = (
              state as { readonly inner: { readonly inner: { readonly live: object | null; readonly text: string } } }
            ).inner.inner
            const { events, ...after } = step(state, frame)
            const isSecond = live !== null && text === ''
            const doubled = events.map((delta) =>
              delta.kind === 'text' ? { ...delta, text: delta.text.repeat(2) } : delta,
            )
            return { ...after, events: isSecond ? doubled : events }
          },
        }
      },
    }
    const options = optionsOf(openai, {}, 'x', wire)
    const counts = [1, 2, 3].map((at) => both(options, streamOf('openai-responses', `mark ${at}`, WORDS)))
    expect(counts[2]).toBeGreaterThan(counts[0] as number)
    expect(counts[2]).toBeLessThan(WORDS.length - 1)
    expect(written(options, streamOf('openai-responses', 'z', WORDS)).text).toContain('" word1 word1"')
  })
})
