import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts, slices } from '../arbitraries/bytes.ts'
import { optionsOf, toBytes } from '../engine/run-engine.ts'
import { check, IS_WHOLE } from '../property.ts'
import { both, fresh } from './both.ts'

/** Chunks that repeat the same text in several fields, and texts that a decoder accumulates deep in its state. */

/** Options of a wire that has seen no stream: the texts of earlier ones decide which chunks take the fast path. */
const optionsFor = (wire: WireName): TranslationOptions => optionsOf(DIALECTS.openai, {}, 'x', fresh(WIRES[wire]))
const toRead = (data: string): Uint8Array => toBytes(`data: ${data}\n\n`)

/** Checks that both paths agree, and returns the number of chunks on the fast path. */
function fastOf(wire: WireName, payloads: readonly string[]): number {
  const reads = payloads.map(toRead)
  const joined = new Uint8Array(Buffer.concat(reads))
  const options = optionsFor(wire)
  both(options, slices(joined, 100))
  return Math.min(both(options, reads), both(options, [joined]))
}

const WORDS = Array.from({ length: 30 }, (_, i) => ` word${i}`)
const delta = (fields: string): string => `{"id":"c","choices":[{"index":0,"delta":{${fields}}}]}`
const details = (text: string, type = 'text', more = ''): string =>
  `"reasoning_details":[{"type":"reasoning.${type}","${type}":"${text}"${more},"index":0}]`

/** A signature ends the reasoning, so that the accumulated details appear in the output. */
const SEALED = ['text', 'summary'].map((type) => delta(details('', type, ',"signature":"c2ln"')))

/** Builds a chunk with a text and its repetition. */
type Twins = (text: string, twin: string) => string
const TWINS: readonly (readonly [string, Twins])[] = [
  ['after it', (text, twin) => delta(`"reasoning":"${text}",${details(twin)}`)],
  ['before it', (text, twin) => delta(`${details(twin)},"reasoning_content":"${text}"`)],
  ['as a summary', (text, twin) => delta(`"reasoning":"${text}",${details(twin, 'summary')}`)],
  ['in three places', (text, twin) => delta(`"reasoning_content":"${text}",${details(twin)},"reasoning":"${text}"`)],
  [
    'in an unread field',
    (text, twin) => `{"choices":[{"delta":{"content":"${text}"},"text":"${twin}"}],"x":"${twin}"}`,
  ],
]

describe.each(TWINS)('a text that a chunk repeats %s', (_, chunk) => {
  const same = (text: string): string => chunk(text, text)

  it('takes the fast path if both copies are equal', () => {
    expect(fastOf('openai-chat', WORDS.map(same))).toBeGreaterThan(24)
    const wide = ['\\n', ' \\"a\\"', '\\u00e9', 'é', '\\ud83d\\ude00', '😀', '\\/', ' ', '\\\\']
    expect(fastOf('openai-chat', [...WORDS, ...wide, ...WORDS].map(same))).toBeGreaterThan(50)
  })

  it.each([
    ['another', ' h'],
    ['another word', ' other'],
    ['longer', ' gg'],
    ['shorter', ' '],
    ['empty', ''],
    ['escaped differently', ' \\u0067'],
    ['no JSON', ' g\n'],
  ])('gives the same bytes on both paths if one copy is %s', (_, twin) => {
    fastOf('openai-chat', [...WORDS.map(same), chunk(' g', twin), ...WORDS.map(same), ...SEALED])
    fastOf('openai-chat', [...WORDS.map(same), chunk(twin, ' g'), ...WORDS.map(same), ...SEALED])
    fastOf('openai-chat', [chunk(' g', twin), ...WORDS.map(same), ...SEALED])
  })

  it('gives the same bytes on both paths if a chunk is cut at any byte', () => {
    const reads = WORDS.slice(0, 12).map(same).map(toRead)
    const [before, one, behind] = [reads.slice(0, 8), reads[8] as Uint8Array, reads.slice(9)]
    const options = optionsFor('openai-chat')
    for (let at = 0; at <= one.length; at += 1) {
      both(options, [...before, one.subarray(0, at), one.subarray(at), ...behind])
    }
  })
})

it('a text that equals another field by chance takes the fast path', () => {
  const chunk = (text: string): string => `{"choices":[{"delta":{"role":"assistant","content":"${text}"}}],"model":"m"}`
  const words = ['assistant', 'm', ...WORDS, 'assistant', 'a', 'b', ...WORDS]
  expect(fastOf('openai-chat', words.map(chunk))).toBeGreaterThan(55)
})

describe('texts that a decoder accumulates deep in its state', () => {
  it('take the fast path for details of signed reasoning', () => {
    const reasoningChunk = (text: string): string => delta(`"reasoning":"${text}",${details(text)}`)
    const signed = delta(`"reasoning":"",${details('', 'text', ',"signature":"c2ln"')}`)
    const contents = WORDS.map((word) => delta(`"content":"${word}"`))
    const all = [...WORDS.map(reasoningChunk), signed, ...contents, ...WORDS.map(reasoningChunk), signed, ...contents]
    expect(fastOf('openai-chat', all)).toBeGreaterThan(80)
  })

  const event = (type: string, fields: string): string => `{"type":"${type}",${fields}}`
  const start = (index: number, block: string): string =>
    event('content_block_start', `"index":${index},"content_block":${block}`)
  const input = (index: number) => (json: string) =>
    event('content_block_delta', `"index":${index},"delta":{"type":"input_json_delta","partial_json":"${json}"}`)
  const stop = (index: number): string => event('content_block_stop', `"index":${index}`)
  const tool = (id: number): string =>
    `{"type":"server_tool_use","id":"srvtoolu_${id}","name":"code_execution","input":{}}`
  const message = event('message_start', '"message":{"id":"m","model":"claude","content":[]}')
  const end = [event('message_delta', '"delta":{"stop_reason":"end_turn"}'), event('message_stop', '"a":1')]

  it('take the fast path for the input of a server tool', () => {
    const block = [start(0, tool(0)), ...['{\\"code\\":\\"', ...WORDS, '\\"}'].map(input(0)), stop(0)]
    const result = `{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_0","content":{"stdout":"x"}}`
    expect(fastOf('anthropic-messages', [message, ...block, start(1, result), stop(1), ...end])).toBeGreaterThan(24)
  })

  it('give the same bytes on both paths for two server tools in parallel', () => {
    const turns = WORDS.flatMap((word, i) => (i % 10 < 5 ? [input(0)(word), input(0)(word)] : [input(1)(word)]))
    fastOf('anthropic-messages', [message, start(0, tool(0)), start(1, tool(1)), ...turns, stop(0), stop(1), ...end])
  })
})

it('both paths write the same bytes for any texts in repeated fields', () => {
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...WORDS.slice(0, 3)) },
    fc.string({ unit: 'grapheme' }).map((it) => JSON.stringify(it).slice(1, -1)),
    fc.constantFrom('', '\\ud83d', '\\ude00', 'assistant', '\\u0041'),
  )
  const twin = fc.option(text, { freq: 6, nil: null })
  const runs = fc.array(fc.tuple(text, twin), { minLength: 6, maxLength: 30 })
  const forms = fc.constantFrom(...TWINS.map(([, chunk]) => chunk))
  const options = optionsFor('openai-chat')
  const shares: number[] = []
  check(
    fc.property(runs, forms, cuts, fc.boolean(), (texts, chunk, at, whole) => {
      const reads = [...texts.map(([words, other]) => chunk(words, other ?? words)), ...SEALED].map(toRead)
      const pieces = whole ? reads : cutBytes(new Uint8Array(Buffer.concat(reads)), at)
      shares.push(both(options, pieces, whole) / texts.length)
    }),
    600,
  )
  expect(Math.max(...shares)).toBeGreaterThan(IS_WHOLE ? 0.5 : 0)
})
