import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { MAX_LENGTHS, REQUEST_LIMITS } from '../../../src/protocol/limits.ts'
import { type Behaviour, bodyOf, inPieces, streamOf, withBody } from '../../mock-upstreams/server.ts'
import { json, KEY, post, REQUEST, startTestServer } from '../test-server.ts'

const FEW = { limits: { request_values: 200, request_items: 10, request_content_parts: 20, request_tools: 5 } }

const answer: Behaviour = (response, request) =>
  request.body.stream === true
    ? inPieces(streamOf('Hi'), 99)(response, request)
    : withBody(bodyOf('Hi'))(response, request)

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

const message = { role: 'user', content: 'a' }
const parts = (count: number) => ({ role: 'user', content: times(count, () => ({ type: 'input_text', text: 'a' })) })
const tool = (at: number) => ({ type: 'function', name: `f${at}` })
const chat = { model: 'acme/mock-1', messages: [message] }

/** Requests that contain exactly the maximum, requests that contain one more, and the error message for the latter. */
const LIMITS: readonly (readonly [path: string, place: string, exact: object, more: object, expected: string])[] = [
  [
    '/api/v1/responses',
    'input',
    { ...REQUEST, input: times(10, () => message) },
    { ...REQUEST, input: times(11, () => message) },
    'input: expected at most 10 entries, got 11',
  ],
  [
    '/api/v1/responses',
    'input',
    { ...REQUEST, input: times(2, () => parts(10)) },
    { ...REQUEST, input: [parts(10), parts(11)] },
    'input: expected at most 20 content parts in total, got 21',
  ],
  [
    '/api/v1/responses',
    'tools',
    { ...REQUEST, tools: times(5, tool) },
    { ...REQUEST, tools: times(6, tool) },
    'tools: expected at most 5 tools, got 6',
  ],
  [
    '/api/v1/responses',
    'tools',
    { ...REQUEST, tools: [{ type: 'namespace', name: 'n', tools: times(5, tool) }] },
    { ...REQUEST, tools: [{ type: 'namespace', name: 'n', tools: times(6, tool) }] },
    'tools: expected at most 5 tools in total, got 6',
  ],
  [
    '/openai/v1/chat/completions',
    'messages',
    { ...chat, messages: times(10, () => message) },
    { ...chat, messages: times(11, () => message) },
    'messages: expected at most 10 entries, got 11',
  ],
  [
    '/openai/v1/messages',
    'messages',
    { ...chat, max_tokens: 9, messages: times(10, () => message) },
    { ...chat, max_tokens: 9, messages: times(11, () => message) },
    'messages: expected at most 10 entries, got 11',
  ],
  [
    '/openai/v1/models/acme/mock-1:generateContent',
    'contents',
    { contents: times(10, () => ({ role: 'user', parts: [{ text: 'a' }] })) },
    { contents: times(11, () => ({ role: 'user', parts: [{ text: 'a' }] })) },
    'contents: expected at most 10 entries, got 11',
  ],
  [
    '/openai/v1/models/acme/mock-1:generateContent',
    'tools',
    {
      contents: [{ parts: [{ text: 'a' }] }],
      tools: [{ functionDeclarations: times(5, (at) => ({ name: `f${at}` })) }],
    },
    {
      contents: [{ parts: [{ text: 'a' }] }],
      tools: [{ functionDeclarations: times(6, (at) => ({ name: `f${at}` })) }],
    },
    'tools: expected at most 5 tools in total, got 6',
  ],
  [
    '/openai/v1/api/chat',
    'messages',
    { ...chat, messages: times(10, () => message) },
    { ...chat, messages: times(11, () => message) },
    'messages: expected at most 10 entries, got 11',
  ],
]

describe('a request', () => {
  it.each(LIMITS)('at %s may contain exactly the configured maximum in %s', async (path, _, exact, more, expected) => {
    const { url, upstream } = await startTestServer(answer, FEW)
    expect([(await post(url, exact, { path })).status, upstream.received.length]).toEqual([200, 1])
    const refused = await post(url, more, { path })
    expect(refused.status).toBe(400)
    expect(JSON.stringify(await refused.json())).toContain(expected)
    expect(upstream.received).toHaveLength(1)
  })

  it.each([
    [
      'values',
      `{"model":"acme/mock-1","input":"a","include":${JSON.stringify(times(300, () => 'x'))}}`,
      413,
      'request_too_large',
      'at most 200 values',
    ],
    [
      'members',
      JSON.stringify({ ...REQUEST, ...Object.fromEntries(times(MAX_LENGTHS.members, (at) => [`k${at}`, null])) }),
      413,
      'request_too_large',
      `at most ${MAX_LENGTHS.members} members in one object`,
    ],
    [
      'levels',
      `{"model":"acme/mock-1","input":${'['.repeat(8000)}${']'.repeat(8000)}}`,
      400,
      'invalid_json',
      `at most ${MAX_LENGTHS.nesting} levels`,
    ],
    [
      'brackets that do not match',
      `{"model":"acme/mock-1","input":[}`,
      400,
      'invalid_json',
      'text that is not valid JSON',
    ],
  ])('with too many %s is rejected', async (what, body, status, code, expected) => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hello')), what === 'values' ? FEW : {})
    const response = await post(url, body)
    expect(response.status).toBe(status)
    const { error } = await json(response)
    expect([error.code, error.param]).toEqual([code, 'body'])
    expect(error.message).toContain(expected)
    expect(upstream.received).toEqual([])
  })

  it('that exceeds a limit is rejected before its body is complete', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hello')), FEW)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      const call = httpRequest(`${url}/api/v1/responses`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode)
        call.destroy()
      })
      call.on('error', reject)
      call.write(`{"input":[${'1,'.repeat(500)}`)
    })
    expect(status).toBe(413)
  })

  it('with an item nested 8,000 levels deep receives a complete error in every client API', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hello')))
    const deep = (open: string, close: string): string => `${open.repeat(8000)}1${close.repeat(8000)}`
    for (const [path, list] of [
      ['/api/v1/responses', 'input'],
      ['/openai/v1/chat/completions', 'messages'],
      ['/openai/v1/messages', 'messages'],
      ['/openai/v1/api/chat', 'messages'],
      ['/openai/v1/models/acme/mock-1:generateContent', 'contents'],
    ] as const) {
      for (const item of [deep('[', ']'), deep('{"a":', '}')]) {
        const response = await post(url, `{"model":"acme/mock-1","${list}":[${item}]}`, { path })
        expect([path, response.status]).toEqual([path, 400])
        expect(JSON.stringify(await response.json())).toContain('256 levels')
      }
    }
  })

  it.each([
    [
      'the name of a tool',
      { tools: [{ type: 'function', name: 'f'.repeat(MAX_LENGTHS.tool_name + 1) }] },
      'tools[0].name',
    ],
    [
      'the id of a call',
      { input: [{ type: 'function_call_output', call_id: 'c'.repeat(MAX_LENGTHS.id + 1), output: '' }] },
      'input[0].call_id',
    ],
    [
      'the id of an item',
      { input: [{ role: 'user', id: 'i'.repeat(MAX_LENGTHS.id + 1), content: 'a' }] },
      'input[0].id',
    ],
    [
      'the description of a namespace',
      {
        tools: [
          { type: 'namespace', name: 'n', description: 'd'.repeat(MAX_LENGTHS.namespace_description + 1), tools: [] },
        ],
      },
      'tools[0].description',
    ],
    [
      'the list of allowed tools',
      {
        tools: [tool(0)],
        tool_choice: { type: 'allowed_tools', tools: times(MAX_LENGTHS.allowed_tools + 1, () => tool(0)) },
      },
      'tool_choice.tools',
    ],
    [
      'a list of domains',
      {
        tools: [
          { type: 'service:web_search', allowed_domains: times(MAX_LENGTHS.domains + 1, (at) => `d${at}.example`) },
        ],
      },
      'tools[0].allowed_domains',
    ],
  ])('is rejected with path, length and limit if %s is too long', async (_, fields, place) => {
    const { url } = await startTestServer(withBody(bodyOf('Hello')))
    const response = await post(url, { ...REQUEST, ...fields })
    expect(response.status).toBe(400)
    const { error } = await json(response)
    expect([error.code, error.param]).toEqual(['invalid_prompt', place])
    expect(error.message).toMatch(/expected at most \d+ (?:characters|entries), got (?:a string of )?\d+/)
  })

  it('may contain a bounded number of web searches, and no more', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hello')), {
      search: { engine: 'searxng', base_url: 'http://127.0.0.1:9' },
    })
    const searching = (count: number) => ({
      ...REQUEST,
      stream: false,
      tools: times(count, () => ({ type: 'service:web_search' })),
    })
    expect((await post(url, searching(MAX_LENGTHS.searches))).status).toBe(200)
    const { error } = await json(await post(url, searching(MAX_LENGTHS.searches + 1)))
    expect(error).toMatchObject({ code: 'invalid_prompt', param: `tools[${MAX_LENGTHS.searches}]` })
  })

  it('with a path that is too long is rejected before its key is checked', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hello')))
    const at = async (length: number): Promise<number> =>
      (await fetch(`${url}/${'a'.repeat(length - 1)}`, { method: 'POST', body: '{}' })).status
    expect([await at(MAX_LENGTHS.path), await at(MAX_LENGTHS.path + 1)]).toEqual([404, 414])
  })

  it('has only a bounded part of it quoted in an error', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hello')))
    const format = { type: 'json_schema', name: 'n', schema: {}, strict: 'x' }
    const nested = times(120, () => 'k'.repeat(64)).reduce<unknown>((inner, name) => ({ [name]: inner }), 1)
    for (const fields of [
      { text: { format } },
      { input: [nested] },
      { input: [{ role: 'user', content: [nested] }] },
    ]) {
      const text = await (await post(url, { ...REQUEST, ...fields })).text()
      expect(text.length).toBeLessThan(3000)
    }
  })
})

it('the default limits of a request are far above the use of agents', () => {
  expect(REQUEST_LIMITS.items).toBeGreaterThanOrEqual(16_000)
  expect(REQUEST_LIMITS.tools).toBeGreaterThanOrEqual(1000)
})
