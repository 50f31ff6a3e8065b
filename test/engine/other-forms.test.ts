import { expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { TargetName } from '../../src/api/names.ts'

/** Requests that mix protocols, with a value that must leave, or have a loss that names its place. */
const NO_INPUT = { type: 'object', properties: {} }
const asks = { role: 'user', content: 'Hi' }
const tool = { name: 'f', parameters: NO_INPUT }

const ROWS: readonly (readonly [title: string, client: TargetName, vendor: string, body: object, value: string])[] = [
  [
    'reasoning beside calls of another protocol',
    'openai-responses',
    'openai',
    {
      input: [
        asks,
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'x',
          tool_calls: [{ id: 'c', function: { name: 'f' } }],
        },
      ],
    },
    'reasoning_content',
  ],
  [
    'a refusal beside calls',
    'openai-responses',
    'groq',
    { input: [asks, { role: 'assistant', content: null, refusal: 'never', tool_calls: [] }] },
    'never',
  ],
  [
    'a conversation beside another one',
    'openai-responses',
    'groq',
    { input: 'Hi', messages: [{ role: 'system', content: 'x' }] },
    'messages',
  ],
  [
    'members of a tool',
    'anthropic-messages',
    'anthropic',
    { tools: [{ ...tool, defer_loading: true }] },
    'defer_loading',
  ],
  ['members of a function', 'openai-chat', 'groq', { tools: [{ ...tool, far: 1 }] }, 'far'],
  [
    'members of an image',
    'openai-chat',
    'alibaba',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: 'https://a.example/b.png', max_pixels: 3 }] },
      ],
    },
    'max_pixels',
  ],
  [
    'the settings of an earlier search',
    'gemini-generate',
    'google',
    { tools: [{ googleSearchRetrieval: { dynamicRetrievalConfig: { mode: 'MODE_DYNAMIC' } } }] },
    'dynamicRetrievalConfig',
  ],
]

it.each(ROWS)('%s: nothing vanishes', (_, client, vendor, body, value) => {
  const usual = client === 'gemini-generate' ? { contents: [{ parts: [{ text: 'Hi' }] }] } : { messages: [asks] }
  const given = { model: 'm', max_tokens: 100, ...(client === 'openai-responses' ? {} : usual), ...body }
  const found = explainRequest(given, { client, vendor, model: 'm' })
  if (!found.ok) throw new Error(found.error.message)
  expect(JSON.stringify([found.upstream, found.losses])).toContain(value)
})

it('a picture without data stays as it came', () => {
  const part = { type: 'image', source: { type: 'base64', media_type: 'image/png' } }
  const body = { model: 'm', messages: [{ role: 'user', content: [part] }] }
  const found = explainRequest(body, { client: 'openai-chat', vendor: 'groq', model: 'm' })
  expect(JSON.stringify(found)).not.toContain('undefined')
})

it.each(['openai', 'azure', 'anthropic'])('the settings of %s on another wire are those of the wire', (vendor) => {
  const body = { model: 'm', messages: [asks], stop: ['END'], seed: 7, user: 'u' }
  const options = { client: 'openai-chat', vendor, wire: 'openai-chat', model: 'm' } as const
  expect(explainRequest(body, options)).toMatchObject({ upstream: { stop: ['END'], seed: 7, user: 'u' }, losses: [] })
})
