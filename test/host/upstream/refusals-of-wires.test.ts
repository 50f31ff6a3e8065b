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

/** The form in which a vendor of the wire refuses a member. `path`: of the member, as the vendor names it. */
interface Form {
  readonly status: number
  readonly error: (path: string, sentence: string) => object
}

const FORMS: Readonly<Record<WireName, Form>> = {
  'openai-chat': {
    status: 422,
    error: (path, msg) => ({ detail: [{ type: 'value_error', loc: ['body', ...path.split('.')], msg }] }),
  },
  'openai-responses': {
    status: 400,
    error: (param, sentence) => ({
      error: { message: `'${param}': ${sentence}`, type: 'invalid_request_error', param, code: 'unsupported_value' },
    }),
  },
  'anthropic-messages': {
    status: 400,
    error: (path, sentence) => ({
      type: 'error',
      error: { type: 'invalid_request_error', message: `${path}: ${sentence}` },
    }),
  },
  'gemini-generate': {
    status: 400,
    error: (path, sentence) => ({
      error: { code: 400, message: `* GenerateContentRequest.${path}: ${sentence}\n`, status: 'INVALID_ARGUMENT' },
    }),
  },
  'gemini-interactions': {
    status: 400,
    error: (path, sentence) => ({
      error: { code: 'invalid_request', message: `Invalid request: ${path}: ${sentence}` },
    }),
  },
  'bedrock-converse': {
    status: 400,
    error: (path, sentence) => ({ message: `The model returned the following errors: ${path}: ${sentence}` }),
  },
  'cohere-chat': {
    status: 400,
    error: (path, sentence) => ({ id: 'c', message: `invalid request: ${path}: ${sentence}` }),
  },
  'ollama-chat': { status: 400, error: (path, sentence) => ({ error: `option "${path}": ${sentence}` }) },
}

/** A member of the bodies of a wire: its name in the vendor's refusal, and its value. */
interface Member {
  readonly path: string
  readonly of: (body: Loose) => unknown
}

interface Kind {
  readonly sentence: string
  /** Whether the upstream accepts this value. */
  readonly isAccepted: (value: unknown) => boolean
  readonly members: Readonly<Partial<Record<WireName, Member>>>
  /** The members of the clients' bodies. */
  readonly asked: Readonly<Record<string, object>>
  /** Null: nothing, because the sentence is about the request alone. */
  readonly learned: RegExp | null
}

const isAbsent = (value: unknown): boolean => value === undefined

const TEMPERATURE: Pick<Kind, 'isAccepted' | 'members' | 'asked'> = {
  isAccepted: isAbsent,
  members: {
    'openai-chat': { path: 'temperature', of: ({ temperature }) => temperature },
    'openai-responses': { path: 'temperature', of: ({ temperature }) => temperature },
    'anthropic-messages': { path: 'temperature', of: ({ temperature }) => temperature },
    'gemini-generate': {
      path: 'generation_config.temperature',
      of: ({ generationConfig: config }) => config?.temperature,
    },
    'gemini-interactions': {
      path: 'generation_config.temperature',
      of: ({ generation_config: config }) => config?.temperature,
    },
    'bedrock-converse': { path: 'temperature', of: ({ inferenceConfig: config }) => config?.temperature },
    'cohere-chat': { path: 'temperature', of: ({ temperature }) => temperature },
    'ollama-chat': { path: 'temperature', of: ({ options }) => options?.temperature },
  },
  asked: {
    'openai-chat': { temperature: 0.4 },
    'openai-responses': { temperature: 0.4 },
    'anthropic-messages': { temperature: 0.4 },
    'gemini-generate': { generationConfig: { temperature: 0.4 } },
    'ollama-chat': { options: { temperature: 0.4 } },
  },
}

const KINDS: Readonly<Record<string, Kind>> = {
  'a setting': {
    ...TEMPERATURE,
    sentence: `a temperature is not supported by ${MODEL}`,
    learned: /refusesMembers.*emperature/,
  },
  'a setting in words of no table': {
    ...TEMPERATURE,
    sentence: `${MODEL} keeps one of its own`,
    learned: null,
  },
  'a limit': {
    sentence: `${MODEL} writes at most 4000 tokens, got 90000`,
    isAccepted: (value) => typeof value !== 'number' || value <= 4000,
    members: {
      'openai-chat': {
        path: 'max_tokens',
        of: ({ max_tokens, max_completion_tokens }) => max_tokens ?? max_completion_tokens,
      },
      'openai-responses': { path: 'max_output_tokens', of: ({ max_output_tokens }) => max_output_tokens },
      'anthropic-messages': { path: 'max_tokens', of: ({ max_tokens }) => max_tokens },
      'gemini-generate': {
        path: 'generation_config.max_output_tokens',
        of: ({ generationConfig: config }) => config?.maxOutputTokens,
      },
      'gemini-interactions': {
        path: 'generation_config.max_output_tokens',
        of: ({ generation_config: config }) => config?.max_output_tokens,
      },
      'bedrock-converse': { path: 'maxTokens', of: ({ inferenceConfig: config }) => config?.maxTokens },
      'cohere-chat': { path: 'max_tokens', of: ({ max_tokens }) => max_tokens },
      'ollama-chat': { path: 'num_predict', of: ({ options }) => options?.num_predict },
    },
    asked: {
      'openai-chat': { max_tokens: 90_000 },
      'openai-responses': { max_output_tokens: 90_000 },
      'anthropic-messages': { max_tokens: 90_000 },
      'gemini-generate': { generationConfig: { maxOutputTokens: 90_000 } },
      'ollama-chat': { options: { num_predict: 90_000 } },
    },
    learned: /"mostOutput":4000/,
  },
  'a level': {
    sentence: `'high' is no level of ${MODEL}, which has one of 'low' and 'medium'`,
    isAccepted: (value) => String(value).toLowerCase() !== 'high',
    members: {
      'openai-chat': { path: 'reasoning_effort', of: ({ reasoning_effort: effort }) => effort },
      'openai-responses': { path: 'reasoning.effort', of: ({ reasoning }) => reasoning?.effort },
      'gemini-generate': {
        path: 'generation_config.thinking_config.thinking_level',
        of: ({ generationConfig: config }) => config?.thinkingConfig?.thinkingLevel,
      },
      'gemini-interactions': {
        path: 'generation_config.thinking_level',
        of: ({ generation_config: config }) => config?.thinking_level,
      },
    },
    asked: {
      'openai-chat': { reasoning_effort: 'high' },
      'openai-responses': { reasoning: { effort: 'high' } },
      'anthropic-messages': { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      'gemini-generate': { generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH' } } },
      'ollama-chat': { think: 'high' },
    },
    learned: /"efforts":\["low","medium"\]/,
  },
}

const refusing =
  (wire: WireName, { members, sentence, isAccepted }: Kind): Behaviour =>
  async (response, request) => {
    const member = members[wire]
    if (member === undefined || isAccepted(member.of(request.body)))
      return scripted(WIRE_UPSTREAMS[wire], () => TURN)(response, request)
    const { status, error } = FORMS[wire]
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(error(member.path, sentence)))
  }

const post = (url: string, path: string, body: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const model = `acme/${MODEL}`

type Ask = (url: string, content: string, stream: boolean, asked: object) => Promise<Response>

const CLIENTS = {
  'openai-chat': (url, content, stream, asked) =>
    post(url, '/api/v1/chat/completions', { model, stream, messages: [{ role: 'user', content }], ...asked }),
  'openai-responses': (url, content, stream, asked) =>
    post(url, '/openai/v1/responses', { model, stream, input: content, ...asked }),
  'anthropic-messages': (url, content, stream, asked) =>
    post(url, '/api/v1/messages', {
      model,
      stream,
      max_tokens: 99,
      messages: [{ role: 'user', content }],
      ...asked,
    }),
  'gemini-generate': (url, content, stream, asked) =>
    post(url, `/api/v1/models/acme/${MODEL}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, {
      contents: [{ role: 'user', parts: [{ text: content }] }],
      ...asked,
    }),
  'ollama-chat': (url, content, stream, asked) =>
    post(url, '/api/v1/api/chat', { model, stream, messages: [{ role: 'user', content }], ...asked }),
} as const satisfies Readonly<Partial<Record<WireName, Ask>>>

const CLIENT_NAMES = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[]

const PAIRS = Object.entries(KINDS).flatMap(([kind, { members }]) =>
  (Object.keys(members) as WireName[]).flatMap((wire) =>
    CLIENT_NAMES.flatMap((client) => [
      { kind, wire, client, stream: true },
      { kind, wire, client, stream: false },
    ]),
  ),
)

describe.each(someOf(PAIRS, 7))(
  'a refusal of $kind by $wire, to a client of $client, streamed: $stream',
  ({ kind, wire, client, stream }) => {
    it('is for the conversation at once, and for all after a second one', async () => {
      const { isAccepted, members, asked, learned } = KINDS[kind] as Kind
      const isMended = ({ body }: ReceivedRequest): boolean => isAccepted(members[wire]?.of(body))
      const { upstream } = await startTestServer(refusing(wire, KINDS[kind] as Kind))
      const { quirks } = WIRE_UPSTREAMS[wire]
      const { url, lines } = await startGateway({
        vendors: { acme: { wire, base_url: upstream.url, key: 'k', quirks } },
      })
      const calls: string[] = []
      for (const content of ['One', 'One', 'Two', 'Two', 'Three']) {
        const before = upstream.received.length
        const answer = await CLIENTS[client](url, content, stream, asked[client] ?? {})
        expect(answer.status, await answer.clone().text()).toBe(200)
        expect(await answer.text()).toContain('Hi')
        const received = upstream.received.slice(before)
        calls.push(received.map((one) => (isMended(one) ? 'accepted' : 'refused')).join(' '))
      }
      if (learned === null) {
        expect(calls).toEqual(calls.map(() => 'refused accepted'))
        return
      }
      expect(calls).toEqual(['refused accepted', 'accepted', 'refused accepted', 'accepted', 'accepted'])
      expect(await lineOf(lines)).toMatchObject({ retries: 1, learned: [expect.stringMatching(learned)] })
    })
  },
)
