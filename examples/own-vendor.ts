// A gateway of one house in front of a known protocol: its difference, its rule, its facts, and its dialect of events.
import { createTranslator } from 'millrace'
import { adaptWire, type Dialect, type RequestRule } from 'millrace/core'
import { openai } from 'millrace/dialects/openai'
import { openaiChat } from 'millrace/wires/openai-chat'

/** It wants a member of its own, and has a word of its own for the end. */
const wire = adaptWire(openaiChat, {
  request: (body) => ({ ...body, department: 'search' }),
  frame: (frame) => ({ ...frame, data: frame.data.replace('"finish_reason":"done"', '"finish_reason":"stop"') }),
})

/** It refuses temperatures above 1. The same request: nothing to mend. */
const temperature: RequestRule = {
  name: 'temperature of the house',
  mend: (request) =>
    (request.temperature ?? 0) > 1
      ? {
          request: { ...request, temperature: 1 },
          losses: [{ path: 'temperature', action: 'mapped', why: 'the house allows 1' }],
        }
      : { request, losses: [] },
}

/** Events without numbers, for a client that counts itself. */
const plain: Dialect = { ...openai, name: 'plain', numbered: false }

const translator = createTranslator({
  client: plain,
  upstream: {
    vendor: { name: 'house', wire, baseUrl: 'https://house.example/v1', keyVariable: 'HOUSE_KEY' },
    quirks: { modelFacts: { 'house-1': { reasons: 'never' } } },
    apiKey: 'key',
  },
  rules: [temperature],
  // Runs before the request is encoded; `{ refusal }` in place of a request refuses it.
  requests: [(request) => ({ ...request, instructions: `${request.instructions ?? ''} Today is Monday.`.trim() })],
})
const call = translator.encodeRequest({
  model: 'house-1',
  input: 'Hello!',
  temperature: 1.5,
  reasoning: { effort: 'high' },
  stream: true,
})
if (!call.ok) throw new Error(call.error.message)
console.log(JSON.stringify(call.body))
for (const { path, action, why } of call.losses) console.log(`${path} ${action}: ${why}`)

const answer = new Response(
  'data: {"choices":[{"index":0,"delta":{"content":"Good day."},"finish_reason":"done"}]}\n\ndata: [DONE]\n\n',
)
for await (const event of translator.events(answer, call))
  if (event.type === 'response.output_text.delta' || event.type === 'response.completed')
    console.log(event.type, 'sequence_number' in event)
