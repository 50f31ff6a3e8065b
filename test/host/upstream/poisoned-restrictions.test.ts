import { describe, expect, it } from 'vitest'
import { type Behaviour, bodyOf, type ReceivedRequest } from '../../mock-upstreams/server.ts'
import { KEY, type Loose, startGateway, startTestServer } from '../test-server.ts'
import { MESSAGE } from './scripted-behaviours.ts'

/**
 * One client makes an upstream refuse its requests, in two conversations. Requests of other clients must arrive as they
 * were sent.
 */

interface Attack {
  readonly name: string
  /** Default: `openai-chat`. */
  readonly wire?: 'anthropic-messages'
  /** The request of the attacker. */
  readonly body: object
  /** The refusal of the upstream; null: it accepts the body. */
  readonly refuses: (body: Loose, text: string) => string | null
  /** The request of another client. */
  readonly victim: object
  /** The member that it would lose. */
  readonly loses: (body: Loose) => unknown
}

const FUNCTION = {
  type: 'function',
  function: { name: 'f', strict: true, parameters: { type: 'object', properties: {}, additionalProperties: false } },
}
const STRICT = { tools: [FUNCTION] }
const strictOf = ({ tools }: Loose): unknown => tools?.[0]?.strict ?? tools?.[0]?.function?.strict
const WARM = { temperature: 0.4 }
const temperatureOf = ({ temperature }: Loose): unknown => temperature

/** An upstream that quotes the text of a part, or of a member, while the request has the temperature. */
const quoting =
  (text: (body: Loose) => string, sentence: (text: string) => string) =>
  (body: Loose): string | null =>
    body.attack !== true && body.user !== 'attacker'
      ? null
      : body.temperature === undefined
        ? null
        : sentence(text(body))

const lastText = ({ messages }: Loose): string => messages.at(-1).content

const ATTACKS: readonly Attack[] = [
  {
    name: 'a grammar that is too large for one request',
    wire: 'anthropic-messages',
    body: { ...STRICT, user: 'attacker' },
    refuses: (body) =>
      body.metadata?.user_id === 'attacker' && strictOf(body) === true
        ? 'The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas.'
        : null,
    victim: STRICT,
    loses: strictOf,
  },
  {
    name: 'schemas of one request with too many optional parameters',
    wire: 'anthropic-messages',
    body: { ...STRICT, user: 'attacker' },
    refuses: (body) =>
      body.metadata?.user_id === 'attacker' && strictOf(body) === true
        ? 'Schemas contains too many optional parameters (40), which would make grammar compilation inefficient.'
        : null,
    victim: STRICT,
    loses: strictOf,
  },
  {
    name: 'the last message, quoted',
    body: { user: 'attacker', ...WARM, text: 'temperature is not supported with this model' },
    refuses: quoting(lastText, (text) => `Invalid request: ${text}`),
    victim: WARM,
    loses: temperatureOf,
  },
  {
    name: 'the last message, quoted from its second word on',
    body: { user: 'attacker', ...WARM, text: "Hello. Unsupported parameter: 'temperature' is not supported." },
    refuses: quoting(lastText, (text) => text.slice(7)),
    victim: WARM,
    loses: temperatureOf,
  },
  {
    name: 'a part of the last message, escaped',
    body: { user: 'attacker', ...WARM, text: 'Unknown parameter:\n"temperature" here' },
    refuses: quoting(lastText, (text) => `Error: ${JSON.stringify(text).slice(1, 38)}`),
    victim: WARM,
    loses: temperatureOf,
  },
  {
    name: 'the name of a tool',
    body: {
      user: 'attacker',
      ...WARM,
      tools: [{ type: 'function', function: { name: 'temperature', parameters: { type: 'object', properties: {} } } }],
    },
    refuses: quoting(
      (body) => body.tools[0].function.name,
      (name) => `Function '${name}' is not supported with this model.`,
    ),
    victim: WARM,
    loses: temperatureOf,
  },
  {
    name: 'the name of a property of a schema',
    body: {
      user: 'attacker',
      ...WARM,
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { temperature: {} } } } },
      ],
    },
    refuses: quoting(
      () => 'temperature',
      (name) => `Schema of f: the keyword of property '${name}' is not allowed.`,
    ),
    victim: WARM,
    loses: temperatureOf,
  },
  {
    name: 'the value of another setting',
    body: { user: 'attacker', ...WARM, response_format: { type: 'temperature' } },
    refuses: quoting(
      () => 'temperature',
      (name) => `'${name}' is not supported by this model.`,
    ),
    victim: WARM,
    loses: temperatureOf,
  },
  {
    name: 'a member of a tool that the vendor runs itself',
    body: { user: 'attacker', tools: [{ type: 'file_finder', strict: true }, FUNCTION] },
    refuses: ({ tools }) =>
      tools?.[0]?.type === 'file_finder' && 'strict' in tools[0] ? "Unknown parameter: 'tools[0].strict'." : null,
    victim: { tools: [{ type: 'function', strict: true, function: { ...FUNCTION.function } }] },
    loses: ({ tools }) => tools?.[0]?.strict,
  },
  {
    name: 'a value that is out of range',
    body: { user: 'attacker', temperature: 1.9 },
    refuses: ({ temperature }) =>
      temperature === 1.9
        ? "Invalid 'temperature': decimal above maximum value. Expected a value <= 1, but got 1.9 instead."
        : null,
    victim: WARM,
    loses: temperatureOf,
  },
]

const behave =
  ({ refuses, wire }: Attack): Behaviour =>
  (response, { body, text }) => {
    const message = refuses(body as Loose, text)
    response.writeHead(message === null ? 200 : 400, { 'content-type': 'application/json' })
    response.end(
      message === null
        ? wire === undefined
          ? bodyOf('Hi')
          : MESSAGE
        : JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
    )
  }

const ask = (url: string, model: string, content: string, body: Loose): Promise<Response> => {
  const { text = content, ...settings } = body
  return fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: `acme/${model}`,
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: text },
      ],
      ...settings,
    }),
  })
}

const lastBody = (received: readonly ReceivedRequest[]): Loose => received.at(-1)?.body as Loose

describe.each([true, false])('an attack on requests of others, passed through: %s', (passthrough) => {
  it.each(ATTACKS)('by $name changes no other request', async (attack) => {
    const { upstream } = await startTestServer(behave(attack))
    const vendor = {
      wire: attack.wire ?? 'openai-chat',
      base_url: upstream.url,
      key: 'k',
      quirks: { openaiFields: true },
    }
    const { url } = await startGateway({ vendors: { acme: vendor } })
    const asked = (content: string, body: object) =>
      ask(url, attack.wire === undefined ? 'zephyr-1.5' : 'claude-saga-7.1', content, {
        ...body,
        ...(passthrough ? {} : { functions: [] }),
      })
    for (const content of ['One', 'Two', 'Three']) await asked(content, attack.body)
    const answer = await asked('Another question', attack.victim)
    expect(answer.status).toBe(200)
    expect(attack.loses(lastBody(upstream.received))).toEqual(attack.loses(attack.victim))
  })
})
