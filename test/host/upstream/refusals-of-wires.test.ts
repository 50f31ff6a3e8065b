import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import type { Behaviour, ReceivedRequest } from '../../mock-upstreams/server.ts'
import { scripted } from '../../mock-upstreams/wire-bodies.ts'
import type { ScriptedTurn } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { someOf } from '../../property.ts'
import { KEY, type Loose, lineOf, startGateway, startTestServer } from '../test-server.ts'

const MODEL = 'zephyr-1.5'
const TURN: ScriptedTurn = { text: ['Hi'], calls: [] }

/** A refusal of the temperature in the form of a vendor of the wire, and its place in the body. */
interface Refused {
  readonly status: number
  readonly error: object
  readonly temperatureIn: (body: Loose) => unknown
}

const REFUSED: Readonly<Record<WireName, Refused>> = {
  'openai-chat': {
    status: 422,
    error: {
      detail: [{ type: 'extra_forbidden', loc: ['body', 'temperature'], msg: 'Extra inputs are not permitted' }],
    },
    temperatureIn: ({ temperature }) => temperature,
  },
  'openai-responses': {
    status: 400,
    error: {
      error: {
        message: `Sampling is fixed for ${MODEL}: 'temperature' isn't supported.`,
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'unsupported_parameter',
      },
    },
    temperatureIn: ({ temperature }) => temperature,
  },
  'anthropic-messages': {
    status: 400,
    error: {
      type: 'error',
      error: { type: 'invalid_request_error', message: `temperature: not supported by ${MODEL}` },
    },
    temperatureIn: ({ temperature }) => temperature,
  },
  'gemini-generate': {
    status: 400,
    error: {
      error: {
        code: 400,
        message: `* GenerateContentRequest.generation_config.temperature: sampling is not enabled for models/${MODEL}\n`,
        status: 'INVALID_ARGUMENT',
      },
    },
    temperatureIn: ({ generationConfig }) => generationConfig?.temperature,
  },
  'gemini-interactions': {
    status: 400,
    error: {
      error: {
        code: 'invalid_request',
        message: `Invalid request: generation_config.temperature is not supported by ${MODEL}.`,
      },
    },
    temperatureIn: ({ generation_config: config }) => config?.temperature,
  },
  'bedrock-converse': {
    status: 400,
    error: { message: `The model returned the following errors: ${MODEL} does not take the temperature field.` },
    temperatureIn: ({ inferenceConfig }) => inferenceConfig?.temperature,
  },
  'cohere-chat': {
    status: 400,
    error: { id: 'c', message: `invalid request: temperature is not supported by ${MODEL}` },
    temperatureIn: ({ temperature }) => temperature,
  },
  'ollama-chat': {
    status: 400,
    error: { error: `"${MODEL}" does not support the option "temperature"` },
    temperatureIn: ({ options }) => options?.temperature,
  },
}

const refusing =
  (wire: WireName): Behaviour =>
  async (response, request) => {
    const { status, error, temperatureIn } = REFUSED[wire]
    if (temperatureIn(request.body) === undefined) return scripted(WIRE_UPSTREAMS[wire], () => TURN)(response, request)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(error))
  }

type Ask = (url: string, content: string, stream: boolean) => Promise<Response>

const post = (url: string, path: string, body: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const named = { model: `acme/${MODEL}`, temperature: 0.4 }

/** The clients of each protocol, with a temperature. */
const CLIENTS: Readonly<Partial<Record<WireName, Ask>>> = {
  'openai-chat': (url, content, stream) =>
    post(url, '/api/v1/chat/completions', { ...named, stream, messages: [{ role: 'user', content }] }),
  'openai-responses': (url, content, stream) => post(url, '/openai/v1/responses', { ...named, stream, input: content }),
  'anthropic-messages': (url, content, stream) =>
    post(url, '/api/v1/messages', { ...named, stream, max_tokens: 99, messages: [{ role: 'user', content }] }),
  'gemini-generate': (url, content, stream) =>
    post(url, `/api/v1/models/acme/${MODEL}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, {
      contents: [{ role: 'user', parts: [{ text: content }] }],
      generationConfig: { temperature: 0.4 },
    }),
  'ollama-chat': (url, content, stream) =>
    post(url, '/api/v1/api/chat', {
      model: named.model,
      stream,
      messages: [{ role: 'user', content }],
      options: { temperature: 0.4 },
    }),
}

const PAIRS = (Object.keys(REFUSED) as WireName[]).flatMap((wire) =>
  (Object.keys(CLIENTS) as WireName[]).flatMap((client) => [
    { wire, client, stream: true },
    { wire, client, stream: false },
  ]),
)

const isMended = (wire: WireName, { body }: ReceivedRequest): boolean => REFUSED[wire].temperatureIn(body) === undefined

// Three clients have each upstream in a short run, and both forms are there for each of them.
describe.each(someOf(PAIRS, 3))(
  'a refusal of $wire to a client of $client, streamed: $stream',
  ({ wire, client, stream }) => {
    it('is for the conversation at once, and for all after a second one', async () => {
      const ask = CLIENTS[client] as Ask
      const { upstream } = await startTestServer(refusing(wire))
      const { quirks } = WIRE_UPSTREAMS[wire]
      const { url, lines } = await startGateway({
        vendors: { acme: { wire, base_url: upstream.url, key: 'k', quirks } },
      })
      const calls: string[] = []
      for (const content of ['One', 'One', 'Two', 'Two', 'Three']) {
        const before = upstream.received.length
        const answer = await ask(url, content, stream)
        expect(answer.status).toBe(200)
        expect(await answer.text()).toContain('Hi')
        calls.push(
          upstream.received
            .slice(before)
            .map((one) => (isMended(wire, one) ? 'accepted' : 'refused'))
            .join(' '),
        )
      }
      expect(calls).toEqual(['refused accepted', 'accepted', 'refused accepted', 'accepted', 'accepted'])
      expect(await lineOf(lines)).toMatchObject({
        retries: 1,
        learned: [expect.stringMatching(/refusesMembers.*emperature/)],
      })
    })
  },
)
