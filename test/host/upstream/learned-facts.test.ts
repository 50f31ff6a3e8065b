import { describe, expect, it } from 'vitest'
import type { Behaviour } from '../../mock-upstreams/server.ts'
import { bodyOf } from '../../mock-upstreams/server.ts'
import { json, KEY, type Loose, lineOf, startGateway, startTestServer } from '../test-server.ts'
import { MESSAGE } from './scripted-behaviours.ts'

/** A refusal of a vendor, for a request that has what it names. */
type Rule = readonly [breaks: (body: Loose) => boolean, status: number, error: object]

const answering =
  (rules: readonly Rule[], answer: string): Behaviour =>
  (response, { body }) => {
    const broken = rules.find(([breaks]) => breaks(body))
    response.writeHead(broken?.[1] ?? 200, { 'content-type': 'application/json' })
    response.end(broken === undefined ? answer : JSON.stringify(broken[2]))
  }

const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } })
const openai = (message: string, param: string | null, code: string | null) => ({
  error: { message, type: 'invalid_request_error', param, code },
})

interface Invented {
  readonly name: string
  readonly wire: string
  readonly model: string
  readonly rules: readonly Rule[]
  readonly answer: string
  readonly body: object
  readonly learned: RegExp
  readonly quirks?: object
  /** The status of the failure for a client. Left out: 400. */
  readonly status?: number
}

const HI = { messages: [{ role: 'user', content: 'Hi' }] }

const MODELS: readonly Invented[] = [
  {
    name: 'a Claude without schemas',
    wire: 'anthropic-messages',
    model: 'claude-saga-7',
    rules: [
      [
        ({ output_config: config }) => config?.format !== undefined,
        400,
        anthropic('output_config.format: Extra inputs are not permitted'),
      ],
    ],
    answer: MESSAGE,
    body: {
      ...HI,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object', properties: {} } } },
    },
    learned: /"jsonSchema":false/,
  },
  {
    name: 'a Claude with fewer steps of effort',
    wire: 'anthropic-messages',
    model: 'claude-saga-8',
    rules: [
      [
        ({ output_config: config }) => config?.effort === 'max',
        400,
        anthropic("This model does not support effort level 'max'. Supported levels: high, medium, low."),
      ],
    ],
    answer: MESSAGE,
    body: { ...HI, reasoning_effort: 'max' },
    learned: /"efforts":\["high","medium","low"\]/,
  },
  {
    name: 'a GPT with other steps of effort',
    wire: 'openai-chat',
    model: 'gpt-9-nova',
    rules: [
      [
        ({ reasoning_effort: effort }) => effort === 'xhigh' || effort === 'max',
        400,
        openai(
          "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'.",
          'reasoning_effort',
          'unsupported_value',
        ),
      ],
    ],
    answer: bodyOf('Hi'),
    body: { ...HI, reasoning_effort: 'xhigh' },
    learned: /"efforts":\["low","medium","high"\]/,
  },
  {
    name: 'an unknown name at an unknown vendor',
    wire: 'openai-chat',
    model: 'zephyr-quanta-1',
    rules: [
      [({ top_p: p }) => p !== undefined, 422, { message: "Unknown parameter: 'top_p'.", code: 'unknown_parameter' }],
    ],
    answer: bodyOf('Hi'),
    body: { ...HI, top_p: 0.4 },
    learned: /"refusesMembers":\["top_p"\]/,
  },
  {
    name: 'a router without an endpoint for a forced call',
    wire: 'openai-chat',
    model: 'zephyr-quanta-3',
    rules: [
      [
        ({ tool_choice: choice }) => choice === 'required',
        404,
        { error: { message: "No endpoints found that support the provided 'tool_choice' value.", code: 404 } },
      ],
    ],
    answer: bodyOf('Hi'),
    body: {
      ...HI,
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
      tool_choice: 'required',
    },
    learned: /"forcedTools":"none"/,
    status: 404,
  },
  {
    name: 'a template that fails without a text of the user',
    wire: 'openai-chat',
    model: 'zephyr-quanta-4',
    rules: [
      [
        ({ messages }) => !messages.some(({ role }: Loose) => role === 'user'),
        500,
        { error: { message: 'template: :48: No user query found in messages.', type: 'api_error' } },
      ],
    ],
    answer: bodyOf('Hi'),
    body: { messages: [{ role: 'system', content: 'Greet.' }] },
    learned: /"needsUser":true/,
    status: 502,
  },
  {
    name: 'an unknown name without late system messages',
    wire: 'openai-chat',
    model: 'zephyr-quanta-2',
    rules: [
      [
        ({ messages }) => messages.slice(1).some(({ role }: Loose) => role === 'system'),
        400,
        { object: 'error', message: 'System message must be at the beginning.', type: 'BadRequestError', code: 400 },
      ],
    ],
    answer: bodyOf('Hi'),
    body: { messages: [...HI.messages, { role: 'system', content: 'Plan.' }, { role: 'user', content: 'Go.' }] },
    learned: /"oneSystem":true/,
  },
]

const UNKNOWN = MODELS.at(-1) as Invented

const ask = (url: string, model: string, body: object): Promise<Response> =>
  fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: `acme/${model}`, stream: false, ...body }),
  })

const vendor = ({ wire, quirks = {} }: Invented, upstream: string, more: object = {}) => ({
  vendors: { acme: { wire, base_url: upstream, key: 'k', quirks, ...more } },
})

async function startWith(invented: Invented, more: object = {}) {
  const mock = await startTestServer(answering(invented.rules, invented.answer))
  const server = await startGateway({ ...vendor(invented, mock.upstream.url, more), retry: { attempts: 1 } })
  return { ...server, upstream: mock.upstream }
}

describe.each(MODELS)('the refusal of $name', (invented) => {
  it('is read: the second call succeeds, and the next request needs no retry', async () => {
    const { url, upstream, lines } = await startWith(invented)
    const first = await ask(url, invented.model, invented.body)
    expect([first.status, await json(first)]).toMatchObject([200, { choices: [{}] }])
    expect(upstream.received).toHaveLength(2)
    const line = await lineOf(lines)
    expect(line).toMatchObject({ status: 200, retries: 1 })
    expect(line.learned).toEqual([expect.stringMatching(/^vendors\.acme\.quirks: \{/)])
    expect(String(line.learned)).toMatch(invented.learned)
    expect(line.losses).toEqual([expect.any(String)])
    const second = await ask(url, invented.model, invented.body)
    expect(second.status).toBe(200)
    expect(upstream.received).toHaveLength(3)
  })

  it('reaches the client if the vendor learns nothing', async () => {
    const { url, upstream } = await startWith(invented, { learn: false })
    expect((await ask(url, invented.model, invented.body)).status).toBe(invented.status ?? 400)
    expect(upstream.received).toHaveLength(1)
  })
})

describe('a refusal', () => {
  const refuses =
    (name: string): Rule[0] =>
    (body) =>
      body[name] !== undefined
  const unknown = (name: string): Rule => [refuses(name), 400, { message: `Unknown parameter: '${name}'.` }]
  const ALL = { ...HI, top_p: 0.4, temperature: 0.4, seed: 1, user: 'u' }

  it('after another one is for the next request: each is sent again once, with what was learned', async () => {
    const rules = [unknown('top_p'), unknown('temperature'), unknown('seed')]
    const { url, upstream } = await startWith({ ...UNKNOWN, rules })
    const statuses: number[] = []
    const counts: number[] = []
    for (let n = 0; n < 4; n += 1) {
      statuses.push((await ask(url, 'zephyr', ALL)).status)
      counts.push(upstream.received.length)
    }
    expect(statuses).toEqual([400, 400, 200, 200])
    expect(counts).toEqual([2, 4, 6, 7])
  })

  it.each([400, 403, 429, 500])('teaches nothing if the retry is refused with %d', async (status) => {
    const rules: Rule[] = [unknown('temperature'), [() => true, status, { message: 'No.' }]]
    const { url, upstream } = await startWith({ ...UNKNOWN, rules })
    await ask(url, 'zephyr', { ...HI, temperature: 0.4 })
    expect(upstream.received).toHaveLength(2)
    await ask(url, 'zephyr', { ...HI, temperature: 0.4 })
    expect(upstream.received[2]?.body).toHaveProperty('temperature')
  })

  it.each([
    ['user', 'u'.repeat(99), "Invalid 'user': string too long.", {}],
    ['service_tier', 'flex', 'Unsupported service_tier: flex', { openaiFields: true }],
    [
      'temperature',
      1.9,
      "Unsupported value: 'temperature' does not support 1.9 with this model. Supported values are: 0 to 1.",
      {},
    ],
    [
      'metadata',
      { secret_key: 'v'.repeat(600) },
      "Invalid 'metadata.secret_key': string too long. Expected a string with maximum length 512.",
      { openaiFields: true },
    ],
  ])('of a value of `%s` changes this request only', async (name, value, message, quirks) => {
    const isRefused: Rule[0] = (body) => JSON.stringify(body[name]) === JSON.stringify(value)
    const rules: Rule[] = [[isRefused, 400, openai(message, name, null)]]
    const { url, upstream, lines } = await startWith({ ...UNKNOWN, rules, quirks })
    expect((await ask(url, 'zephyr', { ...HI, store: true, [name]: value })).status).toBe(200)
    expect(upstream.received[1]?.body).not.toHaveProperty(name)
    const line = await lineOf(lines)
    expect(line).toMatchObject({ status: 200, retries: 1 })
    expect(line).not.toHaveProperty('learned')
    expect(JSON.stringify(line)).not.toContain('secret_key')
    await ask(url, 'zephyr', { ...HI, store: true, [name]: value })
    expect(upstream.received[2]?.body).toHaveProperty(name)
  })

  it.each([
    ['of a member that makes the request', { message: "Unknown parameter: 'messages'." }],
    ['that quotes the prompt', { message: `The prompt says "Unknown parameter: 'temperature'."` }],
    ['without a reason', { message: 'Bad request.' }],
  ])('%s is not repeated', async (_, error) => {
    const invented = { ...UNKNOWN, rules: [[() => true, 400, error] as Rule] }
    const { url, upstream } = await startWith(invented)
    expect((await ask(url, 'zephyr', { ...HI, temperature: 0.4 })).status).toBe(400)
    expect(upstream.received).toHaveLength(1)
  })

  it('of no use is forgotten', async () => {
    const rules: Rule[] = [[() => true, 400, { message: "Unknown parameter: 'temperature'." }]]
    const { url, upstream } = await startWith({ ...UNKNOWN, rules })
    const body = { ...HI, temperature: 0.4 }
    await ask(url, 'zephyr', body)
    expect(upstream.received).toHaveLength(2)
    expect(upstream.received[1]?.body).not.toHaveProperty('temperature')
    await ask(url, 'zephyr', body)
    expect(upstream.received[2]?.body).toHaveProperty('temperature')
  })
})

it('a model that takes texts as one string only gets a passed conversation in that form', async () => {
  const parts = [
    { type: 'text', text: 'Hi' },
    { type: 'text', text: 'there' },
  ]
  const isList: Rule[0] = ({ messages }) => messages.some(({ content }: Loose) => Array.isArray(content))
  const message = "Invalid type for 'messages[0].content': expected a string, but got an array instead."
  const rules: Rule[] = [[isList, 400, openai(message, 'messages[0].content', 'invalid_type')]]
  const { url, upstream, lines } = await startWith({ ...UNKNOWN, rules })
  for (let n = 0; n < 2; n += 1)
    expect((await ask(url, 'zephyr-1.5', { messages: [{ role: 'user', content: parts }], seed: 5 })).status).toBe(200)
  expect(upstream.received).toHaveLength(3)
  expect(upstream.received[2]?.body).toMatchObject({ seed: 5, messages: [{ role: 'user', content: 'Hi\nthere' }] })
  expect(String((await lineOf(lines)).learned)).toContain('"plainContent":true')
})
