import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { optionsFor, pass, text } from '../../../engine/passing.ts'
import { writeFrame } from '../../../framing/write-frame.ts'

/** The beginnings of parts and items, without which OpenAI's libraries fail, in responses that are passed on. */

const WIRE = WIRES['openai-responses']

const RESPONSE = { id: 'r', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] }
const MESSAGE = { id: 'msg', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
const REASONING = { id: 'rs', type: 'reasoning', status: 'in_progress', summary: [], content: [] }
const WHOLE = { ...MESSAGE, status: 'completed', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }
const THOUGHT = { ...REASONING, status: 'completed', content: [{ type: 'reasoning_text', text: 'Hm' }] }
const CREATED = { type: 'response.created', response: RESPONSE }
const ENDED = { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [THOUGHT, WHOLE] } }

const bytesOf = (events: readonly JsonObject[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      events.map((event, at) =>
        writeFrame({ event: String(event.type), data: JSON.stringify({ ...event, sequence_number: at }) }, 'sse'),
      ),
    ),
  )

async function readBy(sent: string) {
  const fetch = async () => new Response(sent, { headers: { 'content-type': 'text/event-stream' } })
  const client = new OpenAI({ apiKey: 'x', maxRetries: 0, fetch })
  return await client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
}

const passed = (bytes: Uint8Array, ending: 'end' | 'fail' = 'end') => {
  const { output, stream } = pass(optionsFor(WIRE), WIRE, [bytes], ending)
  return { sent: text(output), outcome: stream.outcome() }
}

const at = (output_index: number, item_id: string) => ({ output_index, content_index: 0, item_id })

it.each<[what: string, reasoning: readonly JsonObject[], message: readonly JsonObject[]]>([
  [
    'of parts',
    [
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.reasoning_text.delta', ...at(0, 'rs'), delta: 'Hm' },
    ],
    [
      { type: 'response.output_item.added', output_index: 1, item: MESSAGE },
      { type: 'response.output_text.delta', ...at(1, 'msg'), delta: 'Hel' },
      { type: 'response.output_text.delta', ...at(1, 'msg'), delta: 'lo' },
      { type: 'response.output_text.done', ...at(1, 'msg'), text: 'Hello' },
    ],
  ],
  [
    'of parts, and their indices (llama.cpp)',
    [
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.reasoning_text.delta', item_id: 'rs', delta: 'Hm' },
    ],
    [
      { type: 'response.output_item.added', output_index: 1, item: { ...MESSAGE, content: null } },
      { type: 'response.content_part.added', item_id: 'msg', part: { type: 'output_text', text: '' } },
      { type: 'response.output_text.delta', item_id: 'msg', delta: 'Hello' },
    ],
  ],
  [
    'of items, and the pieces',
    [{ type: 'response.reasoning_text.done', ...at(0, 'rs'), text: 'Hm' }],
    [{ type: 'response.output_text.done', ...at(1, 'msg'), text: 'Hello' }],
  ],
  [
    'under the usual name (vLLM)',
    [
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.reasoning_part.added', ...at(0, 'rs'), part: { type: 'reasoning_text', text: '' } },
      { type: 'response.reasoning_text.delta', ...at(0, 'rs'), delta: 'Hm' },
      { type: 'response.reasoning_part.done', ...at(0, 'rs'), part: { type: 'reasoning_text', text: 'Hm' } },
    ],
    [{ type: 'response.output_item.added', output_index: 1, item: MESSAGE }],
  ],
])('a response without the beginnings %s reaches the client', async (_, reasoning, message) => {
  const done = [THOUGHT, WHOLE].map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }))
  const { sent, outcome } = passed(
    bytesOf([CREATED, ...reasoning, done[0] as JsonObject, ...message, done[1] as JsonObject, ENDED]),
  )
  expect(outcome).toMatchObject({ status: 'completed', edits: expect.arrayContaining(['form of events']) })
  expect(sent.match(/"type":"response.content_part.added"/g)?.length ?? 0).toBeLessThanOrEqual(2)
  expect(await readBy(sent)).toMatchObject({
    output_text: 'Hello',
    output: [{ content: [{ text: 'Hm' }] }, { id: 'msg', content: [{ text: 'Hello' }] }],
  })
})

it('more of a part that has ended is passed as it came', () => {
  const part = { type: 'output_text', text: '', annotations: [] }
  const bytes = bytesOf([
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
    { type: 'response.content_part.added', ...at(0, 'msg'), part },
    { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hel' },
    { type: 'response.content_part.done', ...at(0, 'msg'), part: { ...part, text: 'Hel' } },
    { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'lo' },
    { type: 'response.output_item.done', output_index: 0, item: WHOLE },
    { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [WHOLE] } },
  ])
  const { sent, outcome } = passed(bytes)
  expect(outcome.edits).toEqual([])
  expect(sent.startsWith(text(bytes))).toBe(true)
})

it('the recorded response of a server without pieces reaches the client', async () => {
  const { sent } = passed(new Uint8Array(readFileSync('fixtures/openai-responses/no-pieces.stream.sse')))
  expect(await readBy(sent)).toMatchObject({ output_text: 'I will look it up.' })
})

it('a beginning that the gateway has added gets its end if the stream breaks', () => {
  const piece = { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hel' }
  const { sent, outcome } = passed(bytesOf([CREATED, piece]), 'fail')
  expect(outcome.status).toBe('failed')
  expect(sent.match(/(?<=event: ).*/g)).toEqual([
    'response.created',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'error',
    'response.failed',
  ])
})
