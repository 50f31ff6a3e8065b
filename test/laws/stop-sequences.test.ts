import { describe, expect, it } from 'vitest'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { createStreamTranslator, translateBody } from '../../src/index.ts'
import type { JsonObject } from '../../src/protocol/json.ts'

/** The stop sequence that ended an answer reaches clients whose protocol has a place for it, and is a loss for others. */

const encoder = new TextEncoder()
const sse = (...events: readonly object[]): Uint8Array =>
  encoder.encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))

interface Answer {
  readonly stream: Uint8Array
  readonly body: JsonObject
}

const chat = (more: JsonObject): Answer => ({
  stream: sse({ model: 'm', choices: [{ index: 0, delta: { content: 'A' }, finish_reason: 'stop', ...more }] }),
  body: { model: 'm', choices: [{ index: 0, message: { content: 'A' }, finish_reason: 'stop', ...more }] },
})
const stopped = { stop_reason: 'stop_sequence', stop_sequence: 'END' }
const content = [{ type: 'text', text: 'A' }]
const MESSAGES: Answer = {
  stream: sse(
    { type: 'message_start', message: { id: 'm', model: 'm', content: [] } },
    { type: 'content_block_start', index: 0, content_block: content[0] },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stopped },
    { type: 'message_stop' },
  ),
  body: { type: 'message', role: 'assistant', id: 'm', model: 'm', content, ...stopped },
}
const ended = { stopReason: 'stop_sequence', additionalModelResponseFields: { stop_sequence: 'END' } }
const BEDROCK: Answer = {
  stream: Buffer.concat(
    [
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'A' } }],
      ['messageStop', ended],
    ].map(([event, data]) => encodeEventStream({ event: event as string, data: JSON.stringify(data) })),
  ),
  body: { output: { message: { role: 'assistant', content: [{ text: 'A' }] } }, ...ended },
}

// biome-ignore format: a row a place
const PLACES: readonly (readonly [place: string, wire: string, answer: Answer])[] = [
  ['stop_sequence of a message', 'anthropic-messages', MESSAGES],
  ['stop_reason of a choice (vLLM)', 'openai-chat', chat({ stop_reason: 'END' })],
  ['matched_stop of a choice (SGLang)', 'openai-chat', chat({ matched_stop: 'END' })],
  ['additionalModelResponseFields of Converse', 'bedrock-converse', BEDROCK],
]

describe.each(PLACES)('a stop sequence in %s', (_, wire, { stream, body }) => {
  const translate = (to: string) => {
    const options = { from: wire as 'openai-chat', to: to as 'openai' }
    const translator = createStreamTranslator(options)
    const text = [translator.push(stream), translator.end()].map((out) => new TextDecoder().decode(out)).join('')
    const whole = translateBody(JSON.stringify(body), options)
    return [
      { text, losses: translator.outcome.losses },
      { text: JSON.stringify(whole.body), losses: whole.outcome.losses },
    ]
  }

  it('reaches Messages clients, streamed and whole', () => {
    for (const { text, losses } of translate('anthropic-messages')) {
      expect(text).toContain('"stop_reason":"stop_sequence","stop_sequence":"END"')
      expect(losses).toEqual([])
    }
  })

  it.each(['openai', 'openai-chat', 'gemini-generate'])('is a loss for clients of %s', (to) => {
    for (const { text, losses } of translate(to)) {
      expect(text).not.toContain('END')
      expect(losses).toContain('stop_sequence')
    }
  })
})

it('the number of a token that ended an answer of SGLang is no stop sequence', () => {
  const { body } = chat({ matched_stop: 151_645 })
  const { outcome } = translateBody(JSON.stringify(body), { from: 'openai-chat', to: 'anthropic-messages' })
  expect(outcome.losses).toEqual([])
})
