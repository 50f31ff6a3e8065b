import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { crc32 } from '../../src/framing/crc32.ts'
import { encodeEventStream, encodeMessage } from '../../src/framing/encode-event-stream.ts'
import type { Headers } from '../../src/framing/eventstream-headers.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { slices } from '../arbitraries/bytes.ts'
import { optionsOf, toBytes } from '../engine/run-engine.ts'
import { both, fresh } from './both.ts'

/** Streams that the fast path could confuse with others. Each of them is a past failure. */

const optionsFor = (wire: WireName): TranslationOptions => optionsOf(DIALECTS.openai, {}, 'x', fresh(WIRES[wire]))

const sse = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const chat = (content: string): string => sse({ choices: [{ index: 0, delta: { content } }] })
const message = (text: string): Uint8Array =>
  encodeEventStream({ event: 'contentBlockDelta', data: JSON.stringify({ contentBlockIndex: 0, delta: { text } }) })
const joined = (messages: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(messages))
/** Enough chunks to learn a template, drop it, and learn it again. */
const WORDS = Array.from({ length: 30 }, (_, i) => ` word${i}`)

describe('an event over the size limit', () => {
  const limits = { ...LIMITS, upstreamEvent: 300 }
  it.each([1 << 20, 300, 100, 7])('ends the stream on both paths in reads of %i bytes', (size) => {
    const text = [...WORDS.map(chat), chat('x'.repeat(500)), chat('g')].join('')
    both({ ...optionsFor('openai-chat'), limits }, slices(toBytes(text), size))
    const binary = joined([...WORDS.map(message), message('x'.repeat(500)), message('g')])
    both({ ...optionsFor('bedrock-converse'), limits }, slices(binary, size))
    both({ ...optionsFor('bedrock-converse'), limits }, slices(binary.subarray(0, binary.length - 300), size))
  })
})

describe('chunks that differ from the template in one detail', () => {
  it('keep citation offsets right if a chunk holds half a surrogate pair', () => {
    const start = (index: number) =>
      sse({ type: 'content-start', index, delta: { message: { content: { type: 'text' } } } })
    const delta = (index: number, text: string) =>
      sse(`{"type":"content-delta","index":${index},"delta":{"message":{"content":{"text":"${text}"}}}}`)
    const sources = [{ type: 'document', document: { url: 'https://a.example' } }]
    const citations = { start: 0, end: 5, content_index: 1, sources }
    const end = [
      start(1),
      delta(1, 'hello'),
      sse({ type: 'citation-start', index: 0, delta: { message: { citations } } }),
    ]
    const first = WORDS.map((word) => delta(0, word))
    for (const halves of [['\\ud83d', '\\ude00'], ['\\ude00'], ['\\ud83d']]) {
      const cut = halves.map((half) => `${delta(0, half)}: ping\n\n`)
      const text = [start(0), ...first, ...cut, ...first, ...end].join('')
      expect(both(optionsFor('cohere-chat'), [toBytes(text)])).toBeGreaterThan(40)
    }
  })

  it('update a token count that changes only in later chunks', () => {
    const gemini = (text: string, i: number): string =>
      sse({
        candidates: [{ content: { parts: [{ text }] } }],
        usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 + Math.max(0, i - 25) },
      })
    const words = [...WORDS, ...WORDS]
    const reads = words.map((word, i) => toBytes(gemini(word, i)))
    expect(both(optionsFor('gemini-generate'), reads, true)).toBeGreaterThan(0.8 * words.length)
  })

  it('parse a number with an exponent behind the digits of a counter', () => {
    const chunk = (tokens: string) =>
      sse(`{"choices":[{"index":0,"delta":{"content":"w"}}],"usage":{"prompt_tokens":${tokens},"total_tokens":2}}`)
    const text = [...WORDS.map((_, i) => chunk(`${i + 1}1e1`)), chunk('999999999999999e1')].join('')
    both(optionsFor('openai-chat'), [toBytes(text)])
  })

  it('parse a field whose name contains a quote', () => {
    const chunk = (word: string, value: string, tokens: number) => {
      const details = `[{"type":"reasoning.text","index":0,"signature":"S","a\\"b":"${value}"}]`
      const delta = `{"reasoning":"${word}","reasoning_details":${details}}`
      return sse(`{"choices":[{"index":0,"delta":${delta}}],"usage":{"prompt_tokens":${tokens},"total_tokens":2}}`)
    }
    const alike = WORDS.map((word, i) => chunk(word, `v${i}`, i))
    const text = [...alike, chunk('x', 'Z', 5), chunk('x', '', 6), chunk('x', '', 7), chat('end')].join('')
    both(optionsFor('openai-chat'), [toBytes(text)])
  })

  it('replace bytes that are not UTF-8 as the slow path does', () => {
    const text = WORDS.map((word) => chat(`${word}\u00e9`)).join('')
    for (const word of [' word3', ' word20', ' word29']) {
      const bytes = Buffer.from(text)
      bytes.set([0xc3, 0x28], bytes.indexOf(word) + word.length)
      expect(both(optionsFor('openai-chat'), slices(bytes, 100))).toBeGreaterThan(10)
    }
  })

  it('handle a text field that holds another type in one chunk', () => {
    const chunk = (word: string, more: object): string => {
      const details = [{ type: 'reasoning.text', index: 0, ...more }]
      return sse({ choices: [{ index: 0, delta: { reasoning: word, reasoning_details: details } }] })
    }
    const alike = WORDS.map((word) => chunk(word, { text: word }))
    const end = [chunk('', { signature: 'c2ln' }), chat('end')]
    for (const other of [1, null, {}, ['x']]) {
      const text = [...alike, chunk(' odd', { text: other }), ...alike, ...end].join('')
      expect(both(optionsFor('openai-chat'), [toBytes(text)])).toBeGreaterThan(20)
    }
  })

  it('handle deeply nested fields beside the reasoning text', () => {
    const nested = `${'['.repeat(3_900)}${']'.repeat(3_900)}`
    const chunk = (word: string): string => {
      const details = `[{"type":"reasoning.text","text":"${word}","meta":${nested}}]`
      return sse(`{"choices":[{"index":0,"delta":{"reasoning":"${word}","reasoning_details":${details}}}]}`)
    }
    both(optionsFor('openai-chat'), WORDS.map(chunk).map(toBytes))
  })

  it('handle blank lines and events inside a JSON array', () => {
    const chunk = (text: string) => sse({ candidates: [{ content: { parts: [{ text }] } }] })
    const text = `[${WORDS.map(chunk).join('')}{"candidates":[\n\n${chunk('inside')}${chunk('of it')}]}${chunk('after')}`
    for (const size of [1 << 20, 100, 1]) both(optionsFor('gemini-generate'), slices(toBytes(text), size))
    both(optionsFor('gemini-generate'), [toBytes('\n '), ...slices(toBytes(text), 100)])
  })
})

describe('a payload that is not JSON', () => {
  const anthropic = (text: string): string =>
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}`
  const cohere = (text: string, type = 'content-delta'): string =>
    `{"type":"${type}","index":0,"delta":{"message":{"content":{"text":"${text}"}}}}`
  const BESIDE: Partial<Record<WireName, (text: string, beside: string) => string>> = {
    'ollama-chat': (text, x) => `{"message":{"content":"${text}"},"done":false,"x":${x},"thinking":"t${text}"}`,
    'gemini-generate': (text, x) =>
      `{"candidates":[{"content":{"parts":[{"text":"${text}"}]}}],"x":${x},"text":"t${text}"}`,
    'cohere-chat': (text, x) => cohere(text).replace(/}$/, `,"x":${x},"text":"t${text}"}`),
    'anthropic-messages': (text, x) => anthropic(text).replace(/}$/, `,"x":${x},"text":"t${text}"}`),
    'bedrock-converse': (text, x) => `{"contentBlockIndex":0,"delta":{"text":"${text}"},"x":${x},"text":"t${text}"}`,
  }
  const toRead = (wire: WireName, data: string): Uint8Array => {
    if (wire === 'bedrock-converse') return encodeEventStream({ event: 'contentBlockDelta', data })
    return toBytes(wire === 'ollama-chat' ? `${data}\n` : sse(data))
  }
  const read = (wire: WireName, payloads: readonly string[]): number =>
    both(
      optionsFor(wire),
      payloads.map((data) => toRead(wire, data)),
      true,
    )

  it('gives the same bytes on both paths if a quote is missing', () => {
    const broken = anthropic('c').replace('c"', 'c')
    read('anthropic-messages', [anthropic('a'), anthropic('b'), broken, ...WORDS.map((word) => anthropic(word))])
  })

  it('gives the same bytes on both paths if a field that is read has an invalid escape', () => {
    const broken = cohere('c', 'content-d\\elta')
    read('cohere-chat', [cohere('a'), cohere('b'), broken, ...WORDS.map((word) => cohere(word))])
  })

  it.each(Object.keys(BESIDE) as WireName[])(
    'gives the same bytes on both paths if a field beside the text is invalid: %s',
    (wire) => {
      const chunkOf = BESIDE[wire] as (text: string, beside: string) => string
      const rest = WORDS.map((word, i) => chunkOf(word, `${i}`))
      for (const bad of ['01', 'NaN', '"\\x"', '-', 'tru']) {
        read(wire, [chunkOf('a', '1'), chunkOf('b', '2'), chunkOf('c', bad), ...rest])
        read(wire, [chunkOf('a', '1'), chunkOf('b', bad), ...rest])
        read(wire, [chunkOf('a', bad), chunkOf('b', bad), ...rest])
      }
    },
  )
})

describe('chunks that cost more to match than to parse', () => {
  const beside = (x: string, i: number): string => `{"x":${x},"choices":[{"index":0,"delta":{"content":"w${i}"}}]}`
  it.each<[string, (i: number) => string]>([
    ['deeply nested values', (i) => `${'['.repeat(20)}${i}${']'.repeat(20)}`],
    ['long chunks', (i) => `[${`${i},`.repeat(5000)}0]`],
    ['many fields', (i) => `[${`{"a":${i}},`.repeat(300)}0]`],
    ['long strings', (i) => JSON.stringify(`${i}`.repeat(2000))],
  ])('take the slow path: %s', (_name, x) => {
    const reads = Array.from({ length: 60 }, (_, i) => toBytes(sse(beside(x(i), i))))
    expect(both(optionsFor('openai-chat'), reads)).toBe(0)
  })

  it('mostly take the slow path if the kind of chunk changes every few chunks', () => {
    const chunkOf = (i: number): string =>
      Math.floor(i / 6) % 2 === 0
        ? chat(`w${i}`)
        : sse({ choices: [{ index: 0, delta: { reasoning_content: `w${i}` } }] })
    const reads = Array.from({ length: 600 }, (_, i) => toBytes(chunkOf(i)))
    const options = optionsFor('openai-chat')
    // No other stream has the same decoder, so that no shape is recalled.
    const alone = { ...options.wire, decodeStream: (quirks: Quirks) => options.wire.decodeStream(quirks) }
    expect(both({ ...options, wire: alone }, reads)).toBeLessThan(60)
  })
})

describe('binary messages on both paths', () => {
  const bedrock = optionsFor('bedrock-converse')

  it('read a boolean header that is changed under a valid checksum', () => {
    const flag = ['', { type: 'boolean', value: true }] as const
    const headers: Headers = [
      flag,
      flag,
      flag,
      flag,
      [':event-type', { type: 'string', value: 'contentBlockDelta' }],
      [':message-type', { type: 'string', value: 'event' }],
    ]
    const own = (text: string) =>
      encodeMessage(headers, toBytes(JSON.stringify({ contentBlockIndex: 0, delta: { text } })))
    const wrong = own('wrong')
    wrong[12 + 7] = 0x80
    new DataView(wrong.buffer, wrong.byteOffset).setUint32(wrong.length - 4, crc32(wrong, wrong.length - 4))
    both(bedrock, [joined([...WORDS.map(own), wrong, own('g')])])
  })

  it('report a damaged prelude as soon as it is complete', () => {
    const damaged = message('hi').slice()
    const view = new DataView(damaged.buffer, damaged.byteOffset)
    view.setUint32(4, 5000)
    view.setUint32(8, crc32(damaged, 8))
    for (const ask of [false, true]) {
      both(bedrock, [damaged.subarray(0, 40)], ask)
      both(bedrock, slices(joined([...WORDS.map(message), damaged]), 50), ask)
    }
  })

  it('give the same outcome if it is requested inside an incomplete message', () => {
    const stream = joined(Array.from({ length: 200 }, (_, i) => message(` word${i}`)))
    for (const size of [97, 1400]) {
      expect(both(bedrock, slices(stream, size), true)).toBeGreaterThan(190)
    }
    const nested = encodeEventStream({ event: 'x', data: new TextDecoder('latin1').decode(message('inner')) })
    const whole = joined([...WORDS.map(message), nested, message('after')])
    both(bedrock, slices(whole, 60), true)
  })
})

it.each([1, 2, 3, 5, 8])('a stream takes the fast path if each read has %i small chunks', (size) => {
  const words = [...WORDS, ...WORDS, ...WORDS]
  const reads = Array.from({ length: words.length / size }, (_, i) => words.slice(i * size, (i + 1) * size))
  const fast = both(
    optionsFor('openai-chat'),
    reads.map((read) => toBytes(read.map(chat).join(''))),
  )
  expect(fast).toBeGreaterThan(0.8 * words.length)
})

it.each([
  ['escapes', '"caf\\u00e9"'],
  ['a long text', `"${'x'.repeat(1_100)}"`],
  ['deeply nested values', `${'['.repeat(10)}1${']'.repeat(10)}`],
])('a stream takes the fast path if a constant field is beside a changing field: %s', (_, constant) => {
  const chunk = (word: string, i: number): string =>
    sse(`{"n":${Math.floor(i / 10)},"sys":${constant},"choices":[{"index":0,"delta":{"content":"${word}"}}]}`)
  const words = [...WORDS, ...WORDS, ...WORDS]
  expect(both(optionsFor('openai-chat'), words.map(chunk).map(toBytes))).toBeGreaterThan(0.8 * words.length)
})

it('a read that is larger than the scratch buffer takes the fast path', () => {
  const text = Array.from({ length: 3_000 }, (_, i) => chat(` word${i}`)).join('')
  expect(text.length).toBeGreaterThan(150_000)
  expect(both(optionsFor('openai-chat'), [toBytes(text)])).toBeGreaterThan(2_900)
})

/** Returns the CPU time of this stream in milliseconds. */
function processorMs(options: TranslationOptions, reads: readonly Uint8Array[]): number {
  const begun = process.cpuUsage()
  const stream = createTranslation(options)
  for (const read of reads) stream.push(read)
  stream.push('end')
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

it.each(['openai-chat', 'bedrock-converse'] as const)('a cut chunk is not scanned again at each read: %s', (wire) => {
  const long = 'x'.repeat(60_000)
  const messages = wire === 'openai-chat' ? [...WORDS, long].map(chat).map(toBytes) : [...WORDS, long].map(message)
  const reads = slices(joined(messages), 1)
  const options = optionsFor(wire)
  const { template: _, ...slow } = options.wire
  const baseline = processorMs({ ...options, wire: slow }, reads)
  // Scanning all buffered bytes at each read would cost more than a hundred times the slow path.
  expect(processorMs(options, reads) / baseline).toBeLessThan(30)
})

const callPiece = (piece: string): string =>
  sse(
    `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(piece)}}}]}}]}`,
  )

it.each([
  ['between members', ['"k":{"a":"', 'x', 'y"', '},']],
  ['inside a string', ['"k":"', ' if (x) {', ' \\"}', '",']],
])('arguments of a call take the fast path with brackets: %s', (_, pieces) => {
  const begun = '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]}}]}'
  const words = ['{', ...Array.from({ length: 50 }, () => pieces).flat(), '"z":1}', '}', ' ', '{"z":2}']
  const reads = [sse(begun), ...words.map(callPiece)].map(toBytes)
  expect(both(optionsFor('openai-chat'), reads)).toBeGreaterThan(0.9 * words.length)
})

describe('arguments of Responses that are held back until they begin an object', () => {
  const event = (type: string, members: object) => sse({ type, ...members })
  const item = { id: 'f', type: 'function_call', call_id: 'c', name: 'look', arguments: '', status: 'in_progress' }
  const started = [
    event('response.created', { response: { id: 'r', model: 'm', status: 'in_progress', output: [] } }),
    event('response.output_item.added', { output_index: 0, item }),
  ]
  const piece = (delta: string) =>
    event('response.function_call_arguments.delta', { output_index: 0, item_id: 'f', delta })

  it.each([
    ['white space behind the bracket', ['{', ' ', ' ', ' ', ' ', '"a" ', ':1', '}']],
    ['lines before the bracket', ['\n', '\n', '\n', '\n', '{"a"', ':1', '}']],
    ['an empty object', ['{', ' ', ' ', ' ', ' ', '}']],
    ['no object', ['a', 'b', 'c', 'd', 'e', 'f']],
  ])('arrive in the same pieces on both paths: %s', (_, pieces) => {
    const blanks = pieces.flatMap((one) => (one.trim() === '' ? Array.from({ length: 10 }, () => one) : [one]))
    for (const all of [pieces, blanks]) {
      const whole = all.join('')
      const done = { ...item, arguments: whole, status: 'completed' }
      const events = [
        ...started,
        ...all.map(piece),
        event('response.output_item.done', { output_index: 0, item: done }),
        event('response.completed', { response: { id: 'r', model: 'm', status: 'completed', output: [done] } }),
      ]
      both(optionsFor('openai-responses'), events.map(toBytes))
      both(optionsFor('openai-responses'), [toBytes(events.join(''))])
    }
  })
})
