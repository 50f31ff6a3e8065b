import { expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { TargetName } from '../../src/api/names.ts'
import { givenPath } from '../../src/validation/input/given-path.ts'

/** Bodies in the forms of other protocols, whose errors and losses have the places that the client has given. */

const asks = { role: 'user', content: 'Hi' }
const calls = [
  { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
  { id: 'b', type: 'function', function: { name: 'f', arguments: '{}', far: 1 } },
]
const turns = [
  asks,
  { role: 'assistant', content: 'x', tool_calls: calls },
  { role: 'tool', tool_call_id: 'a', content: 'x' },
  { role: 'tool', tool_call_id: 'b', content: 'x' },
]
const bad = { role: 'user', content: [{ type: 'bad' }] }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUFB', far: 1 } }

const ERRORS: readonly (readonly [TargetName, object, string])[] = [
  ['openai', { messages: [...turns, bad] }, 'messages[4].content[0].type'],
  ['openai', { input: [...turns, bad] }, 'input[4].content[0].type'],
  [
    'openai',
    { input: [asks, { ...turns[1], tool_calls: [{ function: { name: 7 } }] }] },
    'input[1].tool_calls[0].function.name',
  ],
  [
    'openai',
    { input: [...turns, { role: 'tool', tool_call_id: 'a', content: [{ type: 'bad' }] }] },
    'input[4].content[0].type',
  ],
  ['openai', { input: 'Hi', max_tokens: 'x' }, 'max_tokens'],
  ['openai', { input: 'Hi', reasoning_effort: 7, reasoning: 'high' }, 'reasoning'],
  [
    'openai',
    { input: 'Hi', response_format: { type: 'json_schema', json_schema: { name: 'n', schema: 7 } } },
    'response_format.json_schema.schema',
  ],
  [
    'openai',
    { input: 'Hi', tools: [{ type: 'function', function: { name: 'f', parameters: 7 } }] },
    'tools[0].function.parameters',
  ],
  ['openai-chat', { messages: [asks], tools: [{ name: 'f', input_schema: 'x' }] }, 'tools[0].input_schema'],
  [
    'anthropic-messages',
    { messages: [asks], tools: [{ ...tool, function: { name: 'f', parameters: 7 } }] },
    'tools[0].function.parameters',
  ],
]

it.each(ERRORS)('the error of %s with %j names %s', (client, body, place) => {
  const found = explainRequest(
    { model: 'm', max_tokens: client === 'openai' ? undefined : 100, ...body },
    { client, vendor: 'cohere', model: 'm' },
  )
  if (found.ok) return expect.unreachable('no error')
  expect(found.error.param).toBe(place)
  expect(found.error.message.startsWith(`${place}:`)).toBe(true)
})

const LOSSES: readonly (readonly [TargetName, object, string])[] = [
  ['openai', { messages: [...turns, { ...asks, far: 1 }] }, 'messages[4].far'],
  ['openai', { input: turns }, 'input[1].tool_calls[1].function.far'],
  ['openai', { input: 'Hi', verbosity: 'low' }, 'verbosity'],
  ['openai', { input: 'Hi', tools: [{ ...tool, function: { ...tool.function, far: 1 } }] }, 'tools[0].function.far'],
  ['openai', { input: [{ role: 'user', content: [image] }] }, 'input[0].content[0].image_url.far'],
  [
    'openai',
    { input: 'Hi', text: { format: { type: 'json_schema', json_schema: { schema: { type: 'object' }, far: 1 } } } },
    'text.format.json_schema.far',
  ],
  [
    'openai-chat',
    { messages: [{ role: 'user', content: { type: 'text', text: 'x', far: 1 } }] },
    'messages[0].content.far',
  ],
  ['openai-chat', { messages: [asks], tools: [{ name: 'f', parameters: { type: 'object' }, far: 1 }] }, 'tools[0].far'],
  [
    'anthropic-messages',
    { messages: [asks], tools: [{ ...tool, function: { ...tool.function, far: 1 } }] },
    'tools[0].function.far',
  ],
  ['anthropic-messages', { messages: [{ role: 'user', content: [image] }] }, 'messages[0].content[0].image_url.far'],
]

it.each(LOSSES)('the loss of %s with %j names %s', (client, body, place) => {
  const found = explainRequest(
    { model: 'm', max_tokens: client === 'openai' ? undefined : 100, ...body },
    { client, vendor: 'cohere', model: 'm' },
  )
  if (!found.ok) return expect.unreachable(found.error.message)
  expect(found.losses.map(({ path }) => path)).toContain(place)
})

it('a body in the form of its protocol keeps its paths, also of what is missing', () => {
  const places = [
    ['openai', { input: [{ type: 'function_call', call_id: 'a', arguments: '{}' }] }, 'input[0].name'],
    [
      'openai-chat',
      { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
      'messages[0].content[0].image_url',
    ],
    [
      'anthropic-messages',
      { messages: [{ role: 'user', content: [{ type: 'image' }] }] },
      'messages[0].content[0].source',
    ],
  ] as const
  for (const [client, body, place] of places) {
    const given = { model: 'm', ...(client === 'anthropic-messages' ? { max_tokens: 100 } : {}), ...body }
    const found = explainRequest(given, { client, vendor: 'cohere', model: 'm' })
    expect(found.ok ? null : found.error.param).toBe(place)
  }
})

it.each([
  [{ user: 'ada' }, 'metadata.user', 'metadata.user'],
  [{ tools: [{ type: 'function' }] }, 'tools[0].function.name', 'tools[0].function.name'],
  [{ tools: [{ name: 'f' }] }, 'tools[0].function.name', 'tools[0].name'],
  [{ tools: [{ name: 'f' }] }, 'tools[0].function', 'tools[0].function'],
  [{ tools: [{ name: 'f' }] }, 'tools[0].options.name', 'tools[0].options.name'],
  [{ messages: { role: 'user' } }, 'messages[0].role', 'messages.role'],
  [{ messages: { role: 'user' } }, 'messages[1].role', 'messages[1].role'],
])('of %j, the path %s is %s: only what another form has around a member is left out', (given, path, own) => {
  expect(givenPath(given, path)).toBe(own)
})

it.each(['openai', 'openai-chat'] as const)('the last one of countless losses of %s keeps its words', (client) => {
  const messages = Array.from({ length: 200 }, () => ({ ...asks, far: 1 }))
  const found = explainRequest({ model: 'm', messages }, { client, vendor: 'cohere', model: 'm' })
  expect(found.ok ? found.losses.at(-1)?.path : null).toBe('and more')
})
