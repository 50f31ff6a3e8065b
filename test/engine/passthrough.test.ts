import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import { openai } from '../../src/dialects/openai.ts'
import { readClientRequest } from '../../src/engine/client-request.ts'
import { SETTINGS_EDIT } from '../../src/engine/passthrough/refused-settings.ts'
import {
  encodeUpstreamCall,
  originOf,
  routeRequest,
  type UpstreamCall,
  type UpstreamRoute,
} from '../../src/engine/upstream-call.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import type { Result } from '../../src/protocol/result.ts'
import { sealReasoning } from '../../src/responses/encrypted-content.ts'
import { isObject } from '../../src/text/json.ts'
import { runSteps } from '../../src/text/steps.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { KnownWire, WireName } from '../../src/wires/contract.ts'
import { NAMES_EDIT, SECRETS_EDIT, UNREADABLE_EDIT } from '../../src/wires/passthrough-contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { check } from '../property.ts'
import { encodeFrom, protocolOf, routeTo } from './encode-from.ts'

const succeeded = <T>(result: Result<T>): T => (result.ok ? result.value : expect.unreachable(result.error.message))

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}

/** One protocol: an upstream of it, and a body of its clients that needs no edit but the model. */
interface Sample {
  readonly wire: WireName
  readonly route: UpstreamRoute
  readonly body: JsonObject
}

const SAMPLES: readonly Sample[] = [
  {
    wire: 'openai-chat',
    route: routeTo('openai-chat', 'gpt-4o'),
    body: {
      seed: 7,
      model: 'acme/m',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      temperature: 0.5,
      logit_bias: { 50256: -100 },
      logprobs: true,
      top_logprobs: 2,
      service_tier: 'priority',
      metadata: { a: 'b' },
      store: true,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA, strict: true } },
      tools: [
        { type: 'function', function: { name: 'look', description: 'd', parameters: SCHEMA, strict: true } },
        { type: 'custom', custom: { name: 'grep', format: { type: 'text' } } },
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
      messages: [
        { role: 'developer', content: 'Rules', name: 'author' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See', cache_control: { type: 'ephemeral' } },
            { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'high' } },
            { type: 'file', file: { file_data: 'data:,x', filename: 'x.txt' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          annotations: [],
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'found' }] },
      ],
    },
  },
  {
    wire: 'anthropic-messages',
    route: routeTo('anthropic', 'claude-opus-4-8'),
    body: {
      model: 'acme/m',
      max_tokens: 9000,
      inference_geo: 'us',
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      system: [
        { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'text', text: 'Rules', cache_control: { type: 'ephemeral' } },
      ],
      thinking: { type: 'adaptive', display: 'omitted' },
      tools: [
        { name: 'look', description: 'd', input_schema: SCHEMA, defer_loading: true },
        {
          type: 'web_search_20250305',
          name: 'web_search',
          max_uses: 2,
          cache_control: { type: 'ephemeral', ttl: '1h' },
        },
      ],
      stream: true,
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'c2lnbmVk' },
            { type: 'tool_use', id: 'c1', name: 'look', input: { a: 'b' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [{ type: 'text', text: 'found', cache_control: { type: 'ephemeral' } }],
              is_error: true,
            },
          ],
        },
      ],
    },
  },
  {
    wire: 'gemini-generate',
    route: routeTo('google', 'gemini-3-pro'),
    body: {
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      systemInstruction: { parts: [{ text: 'Rules' }] },
      generationConfig: {
        topK: 3,
        seed: 7,
        temperature: 0.5,
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
        mediaResolution: 'MEDIA_RESOLUTION_LOW',
      },
      tools: [{ functionDeclarations: [{ name: 'look', description: 'd', parameters: { type: 'OBJECT' } }] }],
      contents: [
        { role: 'user', parts: [{ text: 'See' }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: {} }, thoughtSignature: 'c2lnbmVk' }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'found' } } }] },
      ],
    },
  },
  {
    wire: 'ollama-chat',
    route: routeTo('ollama', 'qwen3'),
    body: {
      keep_alive: '5m',
      model: 'acme/m',
      stream: false,
      think: 'low',
      options: { temperature: 0.5, num_ctx: 4096, mirostat: 1 },
      tools: [{ type: 'function', function: { name: 'look', description: 'd', parameters: SCHEMA } }],
      messages: [
        { role: 'user', content: 'See', images: ['iVBORw0KGgo='] },
        {
          role: 'assistant',
          content: '',
          thinking: 'Hm',
          tool_calls: [{ function: { name: 'look', arguments: { a: 'b' } } }],
        },
        { role: 'tool', content: 'found', tool_name: 'look' },
      ],
    },
  },
  {
    wire: 'openai-responses',
    route: routeTo('openai', 'gpt-6-codex'),
    body: {
      model: 'acme/m',
      instructions: 'You are a coding agent.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'See' }] },
        { type: 'reasoning', summary: [], encrypted_content: 'of the client itself' },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'I look.' }],
          phase: 'commentary',
        },
        { type: 'function_call', name: 'look', arguments: '{}', call_id: 'c1' },
        { type: 'function_call_output', call_id: 'c1', output: 'found' },
      ],
      tools: [
        { type: 'function', name: 'look', description: 'd', strict: false, parameters: SCHEMA, defer_loading: true },
        { type: 'custom', name: 'apply_patch', description: 'd', format: { type: 'text' } },
        { type: 'web_search', external_web_access: true },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'medium', summary: 'auto', context: 'all' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: '0199',
      text: { verbosity: 'low' },
      client_metadata: { a: 'b' },
    },
  },
]

const withModel = ({ body, route }: Sample, sent: JsonObject = body): JsonObject =>
  Object.hasOwn(sent, 'model') ? { ...sent, model: route.model } : sent

// ---------------------------------------------------------------- unknown members at any depth

/** An unknown member, and which object of the body has it at which place. */
interface Unknown {
  readonly name: string
  readonly value: Json
  readonly object: number
  readonly place: number
}

const unknowns = fc.array(
  fc.record({
    name: fc.string({ maxLength: 8 }).map((text) => `x_${text}`),
    value: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
    object: fc.nat(),
    place: fc.nat(),
  }),
  { minLength: 1, maxLength: 4 },
)

/** The names in this member of a schema are those of parameters, which vendors restrict. */
const PARAMETERS = 'properties'

const countObjects = (value: Json, key = ''): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.entries(value).reduce<number>(
        (sum, [name, inner]) => sum + countObjects(inner as Json, name),
        Array.isArray(value) || key === PARAMETERS ? 0 : 1,
      )

/** Adds the member to one of all objects, counted from the outside. */
function withUnknown(body: JsonObject, { name, value, object, place }: Unknown): JsonObject {
  let left = object % countObjects(body)
  const copy = (node: Json, own = ''): Json => {
    if (Array.isArray(node)) return (node as readonly Json[]).map((inner) => copy(inner))
    if (!isObject(node)) return node
    const isIt = own !== PARAMETERS && left === 0
    if (own !== PARAMETERS) left -= 1
    const entries = Object.entries(node).map(([key, inner]): [string, Json] => [key, copy(inner as Json, key)])
    if (isIt) entries.splice(place % (entries.length + 1), 0, [name, value])
    return Object.fromEntries(entries)
  }
  return copy(body) as JsonObject
}

describe.each(SAMPLES)('a body of $wire for an upstream of the same protocol', (sample) => {
  const { wire, route, body } = sample
  const encode = (sent: unknown, to = route) => encodeFrom(sent, protocolOf(wire, route), to)

  it('arrives with no change but the model', () => {
    const call = succeeded(encode(body))
    expect(JSON.stringify(call.body)).toBe(JSON.stringify(withModel(sample)))
    expect(call.losses).toEqual([])
    expect(call.edits).toEqual(wire === 'gemini-generate' ? [] : ['model'])
  })

  it('arrives with unknown members at any depth, in their order, if it is valid', () => {
    const counts = { passed: 0, refused: 0 }
    check(
      fc.property(unknowns, (added) => {
        const sent = added.reduce(withUnknown, body)
        const call = encode(sent)
        counts[call.ok ? 'passed' : 'refused'] += 1
        if (call.ok) expect(JSON.stringify(call.value.body)).toBe(JSON.stringify(withModel(sample, sent)))
      }),
      400,
    )
    expect(counts.passed).toBeGreaterThan(counts.refused)
  })

  it('is not encoded by the hub, but for the settings that an edit reads', () => {
    const inputs: number[] = []
    const wire: KnownWire = {
      ...WIRES[sample.wire],
      encodeRequest(request, target) {
        inputs.push(request.input.length)
        return WIRES[sample.wire].encodeRequest(request, target)
      },
    }
    const call = succeeded(encodeFrom(sample.body, protocolOf(sample.wire, sample.route), { ...sample.route, wire }))
    expect(call.edits).not.toBeNull()
    expect(inputs).toEqual(sample.wire.startsWith('openai') ? [1] : [])
  })

  it('is translated by the hub if the upstream turns passthrough off', () => {
    const call = succeeded(encode(body, { ...route, passthrough: false }))
    expect(call.edits).toBeNull()
  })

  it('is left to the upstream if the hub cannot read its conversation', () => {
    const name = wire === 'gemini-generate' ? 'contents' : wire === 'openai-responses' ? 'input' : 'messages'
    const unknown = { ...body, [name]: 7 }
    expect(succeeded(encode(unknown)).body[name]).toBe(7)
    expect(encode(unknown, { ...route, passthrough: false })).toMatchObject({
      ok: false,
      error: { party: 'client', status: 400, param: name },
    })
  })
})

const sampleOf = (wire: WireName): Sample => SAMPLES.find((one) => one.wire === wire) ?? expect.unreachable(wire)

function callOf(wire: WireName, fields: JsonObject, to: Partial<UpstreamRoute> = {}): UpstreamCall {
  const { route, body } = sampleOf(wire)
  const target = { ...route, ...to }
  return succeeded(encodeFrom({ ...body, ...fields }, protocolOf(wire, target), target))
}

describe('the edits', () => {
  it('read no encoded settings where the upstream takes the sent ones by their names', () => {
    const { encodeRequest } = WIRES['openai-chat']
    let count = 0
    const wire: KnownWire = {
      ...WIRES['openai-chat'],
      encodeRequest(request, target) {
        count += 1
        return encodeRequest(request, target)
      },
    }
    const countFor = (settings: JsonObject, model = 'gpt-4o'): number => {
      count = 0
      const plain = { model: 'acme/m', messages: [{ role: 'user', content: 'Hi' }], ...settings }
      const to = { ...routeTo('openai-chat', model), wire }
      expect(succeeded(encodeFrom(plain, protocolOf('openai-chat', to), to)).edits).toContain('model')
      return count
    }
    expect(countFor({ max_tokens: 9, temperature: 0.5, top_p: 1, presence_penalty: 1 })).toBe(0)
    expect(countFor({ temperature: 0.5 }, 'gpt-5')).toBe(1)
    expect(countFor({ max_tokens: 9 }, 'gpt-5')).toBe(1)
    expect(countFor({ stop: ['a'] })).toBe(1)
  })

  it('request the usage of a chat stream, also beside other options', () => {
    const { body, edits } = callOf('openai-chat', { stream_options: { include_obfuscation: true } })
    expect(body.stream_options).toEqual({ include_obfuscation: true, include_usage: true })
    expect(edits).toEqual(['model', 'usage of streams'])
    const without = callOf(
      'openai-chat',
      {},
      { quirks: { openaiFields: true, developerRole: true, customTools: true, noStreamOptions: true } },
    )
    expect(without.body).not.toHaveProperty('stream_options')
  })

  it('rename the token limit of a reasoning model in its place, and drop what the model refuses', () => {
    const { body, losses } = callOf('openai-chat', { reasoning_effort: 'low' }, { model: 'o3' })
    expect(Object.keys(body).slice(0, 5)).toEqual([
      'seed',
      'model',
      'stream',
      'stream_options',
      'max_completion_tokens',
    ])
    expect(body).not.toHaveProperty('logit_bias')
    expect(body).not.toHaveProperty('logprobs')
    expect(losses.map(({ path, action }) => `${path} ${action}`)).toEqual([
      'logit_bias dropped',
      'temperature dropped',
      'top_logprobs dropped',
      'max_tokens mapped',
    ])
  })

  it('keep one of two token limits', () => {
    const { body, losses } = callOf('openai-chat', { max_completion_tokens: 5 })
    expect(body.max_tokens).toBe(5)
    expect(body).not.toHaveProperty('max_completion_tokens')
    expect(losses.map(formatLoss)).toEqual(['max_tokens dropped: max_completion_tokens takes precedence'])
  })

  it('remove members of OpenAI for other vendors, and lower a temperature', () => {
    const quirks = { developerRole: true, customTools: true, maxTemperature: 0.4 }
    const { body, losses } = callOf('openai-chat', {}, { quirks })
    expect(body).not.toHaveProperty('service_tier')
    expect(body).toMatchObject({ temperature: 0.4, seed: 7 })
    expect(losses.map(({ path, action }) => `${path} ${action}`).sort()).toEqual([
      'service_tier dropped',
      'temperature mapped',
    ])
  })

  it('remove members that the gateway reads itself', () => {
    const { body, edits } = callOf('anthropic-messages', { session_id: 's', trace: { name: 't' } })
    expect(body).toEqual(withModel(sampleOf('anthropic-messages')))
    expect(edits).toEqual(['model', 'members of the gateway'])
  })

  it('put the version of Vertex in the place of the model', () => {
    const { body, url } = callOf('anthropic-messages', {}, { quirks: { rawPredict: true } })
    const { model, ...rest } = sampleOf('anthropic-messages').body
    expect(body).toEqual({ ...rest, anthropic_version: 'vertex-2023-10-16' })
    expect(url.pathname).toContain('claude-opus-4-8:streamRawPredict')
  })

  it('make a request to OpenAI that stores nothing and returns encrypted reasoning', () => {
    const { route } = sampleOf('openai-responses')
    const { body, edits } = succeeded(encodeFrom({ model: 'acme/m', input: 'Hi' }, { dialect: openai }, route))
    expect(body).toEqual({ model: route.model, input: 'Hi', store: false, include: ['reasoning.encrypted_content'] })
    expect(edits).toEqual(['model', 'nothing stored', 'encrypted reasoning'])
  })

  it('report log probabilities that the model refuses to include', () => {
    const include = ['message.output_text.logprobs', 'file_search_call.results']
    const { body, losses } = callOf('openai-responses', { include })
    expect(body.include).toEqual(['file_search_call.results', 'reasoning.encrypted_content'])
    expect(losses.map(({ path, action }) => `${path} ${action}`)).toEqual(['include dropped'])
    expect(callOf('openai-responses', { include: ['file_search_call.results'] }).losses).toEqual([])
  })

  it('do not request encrypted reasoning from a model that has none', () => {
    const { body } = callOf('openai-responses', { reasoning: null }, { model: 'gpt-4o' })
    expect(body.include).toEqual([])
  })

  it('open envelopes of the same upstream, drop those of others, and remove ids of the gateway', () => {
    const { route } = sampleOf('openai-responses')
    const own = sealReasoning(originOf(route), { id: 'rs_of_openai', encrypted_content: 'raw' })
    const other = sealReasoning({ ...originOf(route), vendor: 'azure' }, { encrypted_content: 'raw' })
    const { body, losses, edits } = callOf('openai-responses', {
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: own },
        { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: other },
        { type: 'message', id: 'msg_1', role: 'assistant', content: 'Yes', phase: 'final_answer' },
        { role: 'user', content: 'Why?' },
      ],
    })
    expect(body.input).toEqual([
      { type: 'reasoning', id: 'rs_of_openai', summary: [], encrypted_content: 'raw' },
      { type: 'message', role: 'assistant', content: 'Yes', phase: 'final_answer' },
      { role: 'user', content: 'Why?' },
    ])
    expect(losses.map(({ path, action }) => `${path} ${action}`)).toEqual(['input[1] dropped'])
    expect(edits).toEqual(['model', 'ids of items', 'opened envelopes'])
  })

  it('give a vendor the members that it requires', () => {
    const quirks = findVendor('chatgpt')?.quirks ?? expect.unreachable()
    const fields = { stream: false, instructions: null, metadata: { a: 'b' } }
    const { body, losses } = callOf('openai-responses', fields, { quirks })
    expect(body).toMatchObject({ stream: true, instructions: '', prompt_cache_key: '0199' })
    expect(body).not.toHaveProperty('metadata')
    expect(losses.map(({ path }) => path)).toEqual(['metadata'])
  })

  it('are all in docs/passthrough.md, with their protocols', () => {
    const page = readFileSync(new URL('../../docs/passthrough.md', import.meta.url), 'utf8')
    const rows = new Map(
      [...page.matchAll(/^\| `([\w ]+)` \| ([^|]+) \|/gm)].map(([, name = '', wires = '']) => [name, wires]),
    )
    const tables = Object.values(WIRES).flatMap(({ name, passthrough }: KnownWire) => {
      if (passthrough === undefined) return []
      const { request, answer } = passthrough
      const names = answer.eventName === undefined ? {} : { [NAMES_EDIT]: true }
      const ofAll = { [SECRETS_EDIT]: true, [UNREADABLE_EDIT]: true, [SETTINGS_EDIT]: true }
      return [{ wire: name, edits: { ...request.edits, ...answer.edits, [answer.formName]: true, ...names, ...ofAll } }]
    })
    const names = new Set(tables.flatMap(({ edits }) => Object.keys(edits)))
    expect([...rows.keys()].sort()).toEqual([...names].sort())
    for (const [name, wires] of rows) {
      const having = tables.filter(({ edits }) => Object.hasOwn(edits, name)).map(({ wire }) => wire)
      const listed = wires.startsWith('all')
        ? tables.map(({ wire }) => wire).filter((wire) => !wires.includes(wire))
        : [...wires.matchAll(/`([\w-]+)`/g)].map(([, wire]) => wire)
      expect([name, listed.sort()]).toEqual([name, having.sort()])
    }
  })
})

describe('numbers that a double does not hold', () => {
  const parse = (text: string): JsonObject => JSON.parse(text)

  it('are a recorded loss with their own path, in members that are modelled and in others', () => {
    const call = callOf(
      'anthropic-messages',
      parse(`{
        "x_seed": 12345678901234567890,
        "x_limit": 1e400,
        "messages": [
          { "role": "user", "content": "Hi" },
          { "role": "assistant", "content": [{ "type": "tool_use", "id": "c1", "name": "look", "input": { "id": -9007199254740993 } }] },
          { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1", "content": "found" }] }
        ],
        "tools": [{ "name": "look", "input_schema": { "type": "object", "properties": { "a": { "properties": { "a b": { "maximum": 9223372036854775807 } } } } } }]
      }`),
    )
    expect(call.edits).toEqual(['model'])
    expect(call.losses.map(({ path, action }) => `${path} ${action}`).sort()).toEqual([
      'messages[1].content[0].input.id mapped',
      'tools[0].input_schema.properties.a.properties["a b"].maximum mapped',
      'x_limit mapped',
      'x_seed mapped',
    ])
    expect(call.losses.find(({ path }) => path === 'x_limit')?.why).toContain('becomes null')
  })

  it('are no loss in arguments as text, nor in a member that does not reach the upstream', () => {
    const tool_calls = [
      { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"id":9007199254740993}' } },
    ]
    const call = callOf('openai-chat', {
      ...parse('{ "trace": { "id": 12345678901234567890 }, "seed": 9007199254740991 }'),
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls },
        { role: 'tool', tool_call_id: 'c1', content: '9007199254740993' },
      ],
    })
    expect(call.body).toMatchObject({ messages: [{}, { tool_calls }, {}] })
    expect(call.losses).toEqual([])
  })

  it('are a recorded loss in a member that the operator passes to an upstream of another form', () => {
    const sent = parse('{ "x_seed": { "a": [12345678901234567890] }, "x_limit": 5 }')
    const call = callOf('openai-chat', sent, { passthrough: false, pass: ['x_seed', 'x_limit'] })
    expect(call.body).toMatchObject({ x_limit: 5, x_seed: {} })
    const found = call.losses.filter(({ path }) => path.startsWith('x_'))
    expect(found.map(({ path, action }) => `${path} ${action}`)).toEqual(['x_seed.a[0] mapped'])
  })

  it('are found in slices', () => {
    const { route, body } = sampleOf('ollama-chat')
    const read = runSteps(readClientRequest({ ...body, x: Array(9000).fill(0) }, protocolOf('ollama-chat', route)))
    const steps = encodeUpstreamCall(routeRequest(succeeded(read), route))
    let slices = 0
    while (steps.next().done !== true) slices += 1
    expect(slices).toBeGreaterThan(9)
  })
})

describe('the hub still translates', () => {
  const chat = { role: 'user', content: 'Hi' }
  it.each<[string, WireName, JsonObject, Partial<UpstreamRoute>]>([
    [
      'functions of the older form',
      'openai-chat',
      { tools: null, tool_choice: null, functions: [{ name: 'look' }] },
      {},
    ],
    [
      'reasoning of another vendor',
      'openai-chat',
      { messages: [chat, { role: 'assistant', content: 'Hi', reasoning: 'Hm' }, chat] },
      {},
    ],
    [
      'a call id that is too long',
      'openai-chat',
      {
        messages: [
          chat,
          {
            role: 'assistant',
            tool_calls: [{ id: 'c'.repeat(50), type: 'function', function: { name: 'look', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c'.repeat(50), content: 'x' },
        ],
      },
      {},
    ],
    [
      'custom tools for a vendor without them',
      'openai-chat',
      {},
      { quirks: { openaiFields: true, developerRole: true } },
    ],
    [
      'a developer message for a vendor without them',
      'openai-chat',
      {},
      { quirks: { openaiFields: true, customTools: true } },
    ],
    [
      'alternating roles',
      'openai-chat',
      {},
      { quirks: { openaiFields: true, developerRole: true, customTools: true, strictTurns: true } },
    ],
    [
      'calls of a vendor that sends one answer over several choices',
      'openai-chat',
      {},
      { quirks: { openaiFields: true, developerRole: true, customTools: true, splitsAnswers: true } },
    ],
    [
      'calls of a vendor that sends the arguments so far with each piece',
      'openai-chat',
      {},
      { quirks: { openaiFields: true, developerRole: true, customTools: true, resendsArguments: true } },
    ],
    [
      'unsigned reasoning',
      'anthropic-messages',
      {
        messages: [
          chat,
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm', signature: 'unsigned' },
              { type: 'text', text: 'Hi' },
            ],
          },
          chat,
        ],
      },
      {},
    ],
    [
      'an envelope',
      'anthropic-messages',
      {
        messages: [
          chat,
          {
            role: 'assistant',
            content: [
              { type: 'redacted_thinking', data: 'mr1.x' },
              { type: 'text', text: 'Hi' },
            ],
          },
          chat,
        ],
      },
      {},
    ],
    [
      'an unsigned call of Gemini',
      'gemini-generate',
      {
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'look', response: {} } }] },
        ],
      },
      {},
    ],
    [
      'a file for a vendor without them',
      'openai-chat',
      {},
      { quirks: { openaiFields: true, developerRole: true, customTools: true, files: 'none' } },
    ],
    [
      'an effort that a vendor names in another way',
      'openai-chat',
      { reasoning_effort: 'low' },
      { quirks: { openaiFields: true, developerRole: true, customTools: true, effort: 'groq' } },
    ],
    [
      'fragments of reasoning',
      'openai-chat',
      {
        messages: [
          chat,
          {
            role: 'assistant',
            content: 'Hi',
            reasoning_details: [
              { type: 'reasoning.text', index: 0, text: 'Hm' },
              { type: 'reasoning.text', index: 0, signature: 's' },
            ],
          },
          chat,
        ],
      },
      {
        quirks: {
          openaiFields: true,
          developerRole: true,
          customTools: true,
          reasoningHistory: 'reasoning_details',
        },
      },
    ],
    [
      'a reference to a stored item',
      'openai-responses',
      {
        input: [
          { type: 'message', id: 'msg_1', role: 'assistant', content: 'Hi' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
      {},
    ],
    [
      'the result of a hosted tool for a vendor that does not take it back',
      'openai-responses',
      { input: [chat, { type: 'web_search_call', id: 'ws_1', status: 'completed' }, chat] },
      { quirks: { openaiModels: true, developerRole: true, customTools: true } },
    ],
    [
      'tools in a namespace for a vendor without them',
      'openai-responses',
      {
        tools: [
          {
            type: 'namespace',
            name: 'crm',
            description: 'd',
            tools: [{ type: 'function', name: 'find', parameters: SCHEMA }],
          },
        ],
      },
      { quirks: { openaiModels: true, developerRole: true, customTools: true } },
    ],
    ['a search of the gateway', 'openai-responses', { model: 'acme/m:online', tools: [] }, {}],
  ])('%s', (_, wire, fields, to) => {
    expect(callOf(wire, fields, to).edits).toBeNull()
  })

  it('the dialect beta', () => {
    const { route } = sampleOf('openai-responses')
    const call = succeeded(encodeFrom({ model: 'acme/m', input: 'Hi' }, { dialect: beta }, route))
    expect(call.edits).toBeNull()
  })
})

describe('headers of a client', () => {
  it('name features of the body, each once, and no others go along', () => {
    const { wire, route, body } = sampleOf('anthropic-messages')
    const tools: Json = [{ type: 'memory_20250818', name: 'memory' }]
    const headers = { 'anthropic-beta': 'claude-code-20250219, context-management-2025-06-27', cookie: 'secret' }
    const call = succeeded(encodeFrom({ ...body, tools }, protocolOf(wire, route), route, headers))
    expect(call.headers['anthropic-beta']).toBe('context-management-2025-06-27,claude-code-20250219')
    expect(call.headers).not.toHaveProperty('cookie')
  })
})
