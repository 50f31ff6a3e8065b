import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { clientStreamOf, type Loose, textOf } from '../client-stream.ts'

/**
 * A whole body may hold its answer in several fields. The decoder reads the text from each of them, and emits it once.
 */

const HI = 'Grüezi mitenand.'
const choice = (more: object): object => ({
  object: 'chat.completion',
  model: 'm-1',
  choices: [{ index: 0, finish_reason: 'stop', ...more }],
})
const ROLE = { role: 'assistant' }
const EMPTY = { ...ROLE, content: '' }
const message = (content: unknown): object => ({ ...ROLE, content })

const BODIES: readonly (readonly [wire: WireName, place: string, body: object])[] = [
  ['openai-chat', 'message', choice({ message: message(HI) })],
  ['openai-chat', 'message beside an empty delta', choice({ message: message(HI), delta: EMPTY })],
  ['openai-chat', 'message beside a delta of nothing', choice({ delta: {}, message: message(HI) })],
  ['openai-chat', 'message beside the same delta', choice({ delta: message(HI), message: message(HI) })],
  ['openai-chat', 'message beside a part of it', choice({ delta: message('d.'), message: message(HI) })],
  ['openai-chat', 'delta beside an empty message', choice({ delta: message(HI), message: EMPTY })],
  ['openai-chat', 'delta', choice({ delta: message(HI) })],
  ['openai-chat', 'text', choice({ text: HI })],
  ['openai-chat', 'text beside an empty message', choice({ text: HI, message: EMPTY })],
  ['openai-chat', 'a list of texts', choice({ message: message([HI]) })],
  ['openai-responses', 'output_text beside no items', { status: 'completed', output: [], output_text: HI }],
  [
    'openai-responses',
    'output_text beside thoughts',
    { status: 'completed', output: [{ type: 'reasoning', summary: [] }], output_text: HI },
  ],
  [
    'openai-responses',
    'output_text beside the same message',
    {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: HI }] }],
      output_text: HI,
    },
  ],
  ['openai-responses', 'a text as content', { status: 'completed', output: [{ type: 'message', content: HI }] }],
  ['anthropic-messages', 'a text as content', { type: 'message', content: HI, stop_reason: 'end_turn' }],
  ['anthropic-messages', 'a list of texts', { type: 'message', content: [HI], stop_reason: 'end_turn' }],
  ['gemini-generate', 'one part', { candidates: [{ content: { parts: { text: HI } }, finishReason: 'STOP' }] }],
  ['gemini-generate', 'a text as content', { candidates: [{ content: HI, finishReason: 'STOP' }] }],
  ['gemini-generate', 'the text of content', { candidates: [{ content: { text: HI }, finishReason: 'STOP' }] }],
  ['bedrock-converse', 'a text as content', { output: { message: message(HI) }, stopReason: 'end_turn' }],
  ['cohere-chat', 'a text as content', { message: message(HI), finish_reason: 'COMPLETE' }],
  ['ollama-chat', 'message', { message: message(HI), done: true }],
  ['ollama-chat', 'response', { response: HI, done: true }],
]

describe('the text of a whole body', () => {
  it.each(BODIES)('is emitted once over %s from %s', (name, _, body) => {
    const response = clientStreamOf(WIRES[name]).responseOfBody(body)
    expect([response.status, textOf(response)]).toEqual(['completed', HI])
  })
})

describe('openai-chat with delta and message in one choice', () => {
  const { responseOfStream } = clientStreamOf(WIRES['openai-chat'])
  const stream = (...choices: readonly object[]): string =>
    [...choices.map((it) => JSON.stringify(choice(it))), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')

  it.each<[string, readonly object[]]>([
    ['the message repeats', [1, 2, 3].map((n) => ({ finish_reason: null, ...pieceOf(n) }))],
    ['the first delta is empty', [{ delta: EMPTY, message: message('Grüezi ') }, { delta: { content: 'mitenand.' } }]],
    ['the last delta is empty', [{ delta: { content: HI } }, { delta: EMPTY, message: message(HI) }]],
    ['all deltas are empty', [{ delta: EMPTY }, { delta: EMPTY, message: message(HI) }]],
  ])('emits the text of a stream once if %s', (_, choices) => {
    expect(textOf(responseOfStream(stream(...choices)))).toBe(HI)
  })

  function pieceOf(n: number): object {
    const words = ['Grüezi ', 'miten', 'and.']
    return { delta: message(words[n - 1]), message: message(words.slice(0, n).join('')) }
  }
})

describe('openai-chat with content that is not text', () => {
  const { responseOfBody, outcomeOf, responseOfStream } = clientStreamOf(WIRES['openai-chat'])
  const NAME = { name: 'Emily Wilson', age: 32 }
  const lossesOf = (content: unknown): readonly string[] => outcomeOf(choice({ message: message(content) })).losses

  it.each<[unknown]>([[NAME], [[NAME, NAME]], [['a', 'b']], [7], [true], [{ type: 'cat' }]])(
    'emits %j as the text if the client requested JSON',
    (content) => {
      const whole: Loose = responseOfBody(choice({ message: message(content) }), { jsonAnswer: true })
      expect(textOf(whole)).toBe(JSON.stringify(content))
      const chunk = `data: ${JSON.stringify(choice({ delta: message(content) }))}\n\n`
      expect(textOf(responseOfStream(chunk, { jsonAnswer: true }))).toBe(JSON.stringify(content))
    },
  )

  it.each<[unknown, string]>([
    [NAME, 'content that is a JSON object'],
    [7, 'content that is a JSON number'],
    [[NAME], 'content part'],
    [[7], 'content part'],
  ])('records %j as a loss if the client did not request JSON', (content, loss) => {
    expect(lossesOf(content)).toEqual([loss])
  })

  it.each<[unknown]>([[null], [''], [[]], ['{"a":1}'], [[{ type: 'text', text: 'a' }]]])(
    'decodes %j without a loss, with or without a request for JSON',
    (content) => {
      expect(lossesOf(content)).toEqual([])
      const [plain, asked] = [{}, { jsonAnswer: true }].map((quirks) =>
        textOf(responseOfBody(choice({ message: message(content) }), quirks)),
      )
      expect(asked).toBe(plain)
    },
  )
})
