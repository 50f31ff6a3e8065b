import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { GEMINI, STRICT, TWO, userMessage } from '../requests.ts'
import { json, KEY, type Loose, startGateway } from '../test-server.ts'

/** An error in a request names a field of its own client API, whether validation or the upstream's wire detects it. */

const HI = [{ role: 'user', content: 'Hi' }]
const PARTS = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const CHAT_TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }

interface Asked {
  readonly path: string
  readonly bodies: readonly object[]
  /** The paths of all errors that one upstream or another reports for these bodies. */
  readonly places: readonly string[]
}

const FAMILIES: Partial<Record<WireName, Asked>> = {
  'openai-chat': {
    path: '/chat/completions',
    bodies: [
      { messages: [] },
      { messages: 'x' },
      { messages: [{ role: 'user', content: 3 }] },
      { messages: [{ role: 'user', content: [] }] },
      {
        messages: [
          ...HI,
          { role: 'assistant', tool_calls: [CALL] },
          { role: 'tool', tool_call_id: 'other', content: '' },
        ],
      },
      { messages: HI, temperature: 'hot' },
      { messages: HI, max_tokens: 0 },
      { messages: HI, top_logprobs: '9', logprobs: true },
      { messages: HI, reasoning_effort: 7 },
      { messages: HI, response_format: { type: 'json_schema', json_schema: { schema: 3 } } },
      { messages: HI, tools: [{ type: 'function', function: { name: 3 } }] },
      { messages: HI, tools: [CHAT_TOOL], tool_choice: 'required' },
      { messages: HI, metadata: { a: 7 } },
      { messages: HI, user: 7 },
    ],
    places: [
      'max_tokens',
      'messages',
      'messages[0].content',
      'metadata.a',
      'reasoning_effort',
      'response_format.json_schema.schema',
      'temperature',
      'tool_choice',
      'tools[0].function.name',
      'top_logprobs',
      'user',
    ],
  },
  'anthropic-messages': {
    path: '/messages',
    bodies: [
      { messages: [], max_tokens: 5 },
      { messages: HI, max_tokens: '5' },
      { messages: [{ role: 'user', content: [] }], max_tokens: 5 },
      { messages: [...HI, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }], max_tokens: 5 },
      { messages: HI, max_tokens: 5, temperature: 'hot' },
      { messages: HI, max_tokens: 5, system: 3 },
      { messages: HI, max_tokens: 5, thinking: { type: 'enabled', budget_tokens: 'x' } },
      { messages: HI, max_tokens: 5, tools: [{ name: '', input_schema: {} }] },
      {
        messages: HI,
        max_tokens: 5,
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
        tool_choice: { type: 'tool', name: 'f' },
      },
    ],
    places: [
      'max_tokens',
      'messages',
      'system',
      'temperature',
      'thinking.budget_tokens',
      'tool_choice',
      'tools[0].name',
    ],
  },
  'gemini-generate': {
    path: '/models/:generateContent',
    bodies: [
      { contents: [] },
      { contents: [{ role: 'user', parts: [] }] },
      { contents: PARTS, generationConfig: { temperature: 'hot', topP: 2 } },
      { contents: PARTS, generationConfig: { maxOutputTokens: 0 } },
      { contents: PARTS, generationConfig: { responseLogprobs: true, logprobs: '9' } },
      { contents: PARTS, labels: { a: 3 } },
      {
        contents: PARTS,
        tools: [{ functionDeclarations: [{ name: 'f' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      },
    ],
    places: [
      'contents',
      'generationConfig.logprobs',
      'generationConfig.maxOutputTokens',
      'generationConfig.temperature',
      'labels.a',
      'toolConfig.functionCallingConfig',
    ],
  },
  'gemini-interactions': {
    path: '/interactions',
    bodies: [
      { input: [] },
      { input: 3 },
      { input: [{ type: 'function_result', call_id: 'c', result: '' }] },
      { input: [{ type: 'image' }] },
      { input: 'Hi', generation_config: { max_output_tokens: 0 } },
      { input: 'Hi', generation_config: { thinking_level: 3 } },
      { input: 'Hi', labels: { a: 3 } },
      { input: 'Hi', previous_interaction_id: 'v1_x' },
      { input: 'Hi', background: true },
      { input: 'Hi', agent: 'deep-research' },
      { input: 'Hi', tools: [{ type: 'function', name: 'f' }], generation_config: { tool_choice: 'any' } },
    ],
    places: [
      'agent',
      'background',
      'generation_config.max_output_tokens',
      'generation_config.thinking_level',
      'generation_config.tool_choice',
      'input',
      'input[0]',
      'labels.a',
      'previous_interaction_id',
    ],
  },
  'ollama-chat': {
    path: '/api/chat',
    bodies: [
      { messages: [], stream: false },
      { messages: [...HI, { role: 'tool', content: 'x' }], stream: false },
      { messages: HI, options: { temperature: 'hot' }, stream: false },
      { messages: HI, options: { num_predict: 0 }, stream: false },
      { messages: HI, think: 7, stream: false },
      { messages: HI, format: 'xml', stream: false },
      { messages: HI, top_logprobs: '9', logprobs: true, stream: false },
    ],
    places: ['format', 'messages', 'options.num_predict', 'options.temperature', 'think', 'top_logprobs'],
  },
}

/** Returns the error message, in the error format of any client API. */
const messageIn = (body: Loose): string => (typeof body.error === 'string' ? body.error : body.error.message)

/** Field names of the Responses API that none of these client APIs has. */
const FOREIGN = /^(?:input|instructions|max_output_tokens|text\b|include|reasoning\.)/

const CLIENTS = Object.values(WIRES).flatMap((wire) => ('client' in wire ? [wire.name] : []))

it('every client API has requests in this test', () => {
  expect(Object.keys(FAMILIES).sort()).toEqual(CLIENTS.toSorted())
})

describe.each(CLIENTS)('clients of %s', (name) => {
  const { path, bodies, places } = FAMILIES[name] as Asked

  it('receive errors with their own field names from every upstream', async () => {
    const refused = new Set<string>()
    for (const { wire, model, quirks } of Object.values(WIRE_UPSTREAMS)) {
      const acme = { wire, base_url: 'http://127.0.0.1:9', key: 'x', quirks, passthrough: false }
      const { url } = await startGateway({ vendors: { acme }, retry: { attempts: 1 } })
      const address = `${url}/api/v1${path.replace('/:', `/acme/${encodeURIComponent(model)}:`)}`
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      for (const body of bodies) {
        const asked = JSON.stringify({ model: `acme/${model}`, ...body })
        const response = await fetch(address, { method: 'POST', headers, body: asked })
        const message = messageIn(await json(response))
        // No server listens at the upstream's address: a 502 means that the request was accepted.
        if (response.status === 502) continue
        expect([response.status, message]).toEqual([400, expect.stringMatching(/^[\w.[\]]+: ./)])
        const place = message.slice(0, message.indexOf(': '))
        // Some protocols have a name of the Responses API.
        if (!places.includes(place)) expect(message).not.toMatch(FOREIGN)
        refused.add(place)
      }
    }
    expect([...refused].toSorted()).toEqual(places)
  })
})

// ---------------------------------------------------------------- tools, whose positions change

const SEARCHES: readonly (readonly [place: string, path: string, body: object])[] = [
  ['tools[1].googleSearch', GEMINI, { contents: PARTS, tools: [...TWO, { googleSearch: {} }] }],
  ['tools[0].google_search', GEMINI, { contents: PARTS, tools: [{ ...TWO[0], google_search: {} }] }],
  ['web_search_options', '/chat/completions', { messages: HI, web_search_options: {} }],
  [
    'web_search_options',
    '/chat/completions',
    { messages: HI, functions: [{ name: 'f' }, { name: 'g' }], web_search_options: {} },
  ],
  ['plugins[1]', '/chat/completions', { messages: HI, plugins: [{ id: 'x' }, { id: 'web' }], tools: [STRICT] }],
  [
    'tools[1]',
    '/messages',
    { messages: HI, max_tokens: 5, tools: [{ type: 'mcp_toolset' }, { type: 'web_search_20250305', name: 's' }] },
  ],
  ['tools[1]', '/responses', { input: 'Hi', tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }] }],
  [
    'tools[1]',
    '/responses',
    {
      input: 'Hi',
      tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }] }, { type: 'web_search' }],
      tool_choice: { type: 'allowed_tools', tools: [{ type: 'web_search' }] },
    },
  ],
]

it.each(SEARCHES)('an offered search is dropped if none is available: %s of %s', async (place, path, body) => {
  const answer = await userMessage('openai-chat', path, body)
  // No server listens at the upstream's address.
  expect(answer.status).toBe(502)
  expect(answer.headers.get('x-responses-losses')?.split(', ')).toContain(`${place} dropped`)
})

/** The tool choice with which a client API demands the search among these tools. */
const DEMANDS: Readonly<Record<string, object>> = {
  '/messages': { tool_choice: { type: 'tool', name: 'web_search' } },
  '/responses': { tool_choice: { type: 'web_search' } },
}

it.each(SEARCHES.filter(([, path]) => DEMANDS[path] !== undefined))(
  'a demanded search is rejected if none is available: %s of %s',
  async (place, path, body) => {
    const answer = await userMessage('openai-chat', path, { ...body, ...DEMANDS[path] })
    expect([answer.status, messageIn(await json(answer))]).toEqual([
      400,
      expect.stringContaining(
        `${place}: this upstream has no web search of its own, and no search engine is configured: set "search"`,
      ),
    ])
  },
)

it("an error inside a search tool has the path of the client's field", async () => {
  const search = { type: 'web_search_20250305', name: 's', allowed_domains: ['a.example', '//'] }
  const there = { messages: HI, max_tokens: 5, tools: [{ type: 'mcp_toolset' }, search] }
  expect(messageIn(await json(await userMessage('openai-chat', '/messages', there)))).toMatch(
    /^tools\[1\]\.allowed_domains\[1\]: /,
  )
})

const ASKED_IN_VAIN: readonly (readonly [place: string, path: string, body: object])[] = [
  ['tool_choice', '/chat/completions', { messages: HI, tool_choice: 'required' }],
  ['tool_choice', '/chat/completions', { messages: HI, tools: [], tool_choice: 'required' }],
  ['tool_choice', '/messages', { messages: HI, max_tokens: 5, tool_choice: { type: 'any' } }],
  [
    'toolConfig.functionCallingConfig',
    GEMINI,
    { contents: PARTS, toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
  ],
  ['tool_choice', '/responses', { input: 'Hi', tool_choice: 'required' }],
]

it.each(ASKED_IN_VAIN)('a required call without any tools is rejected at %s of %s', async (place, path, body) => {
  for (const { wire, quirks } of Object.values(WIRE_UPSTREAMS)) {
    const answer = await userMessage(wire, path, body, quirks)
    expect([answer.status, messageIn(await json(answer))]).toEqual([
      400,
      `${place}: "required" needs at least one tool, got none. Add a tool, or send "auto"`,
    ])
  }
})

it.each([
  [
    'a mode that requests no call',
    GEMINI,
    { contents: PARTS, toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
  ],
  ['a search of the upstream', '/responses', { input: 'Hi', plugins: [{ id: 'web' }], tool_choice: 'required' }],
])('a request with %s is accepted without tools', async (_, path, body) => {
  // No server listens at the upstream's address: a 502 means that the request was accepted.
  expect((await userMessage('openai-responses', path, body)).status).toBe(502)
})

it.each(['/chat/completions', '/messages', GEMINI, '/api/chat', '/responses', '/responses/compact'])(
  'a body that is no JSON object is rejected as such at %s',
  async (path) => {
    const { url } = await startGateway({})
    for (const body of ['[]', 'null', '"x"', '5']) {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body })
      expect([answer.status, messageIn(await json(answer))]).toEqual([
        400,
        expect.stringMatching(/^body: expected a JSON object, got /),
      ])
    }
  },
)
