import { describe, expect, it } from 'vitest'
import {
  collectResponse,
  createTranslator,
  streamEvents,
  type TargetName,
  type TranslatorCall,
  translateBody,
  translateRequest,
  translateStream,
} from '../../src/index.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { ALL_FIXTURES, type Fixture } from '../engine/run-engine.ts'
import { someOf } from '../property.ts'

/**
 * The output of an answer, in every form and for every client, is the history of the next request: the upstream receives
 * its own reasoning and its own calls back, by the translator of the call and by `translateRequest`.
 */

/** An upstream of each wire whose models sign or encrypt reasoning. */
const UPSTREAMS: Readonly<
  Record<WireName, { readonly vendor: string; readonly model: string; readonly baseUrl?: string }>
> = {
  'anthropic-messages': { vendor: 'anthropic', model: 'claude-sonnet-4-5' },
  'bedrock-converse': {
    vendor: 'bedrock',
    model: 'anthropic.claude-sonnet-4-5',
    baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  },
  'cohere-chat': { vendor: 'cohere', model: 'command-a-03-2025' },
  'gemini-generate': { vendor: 'google', model: 'gemini-3-pro-preview' },
  'gemini-interactions': { vendor: 'google', model: 'gemini-3-pro-preview' },
  'ollama-chat': { vendor: 'ollama', model: 'gpt-oss:20b' },
  'openai-chat': { vendor: 'openrouter', model: 'anthropic/claude-sonnet-4.5' },
  'openai-responses': { vendor: 'openai', model: 'gpt-5.1' },
}

const TEXT = 'Hi'
const USER = { role: 'user', content: TEXT }
const objects = (value: Json | undefined): readonly JsonObject[] =>
  (Array.isArray(value) ? value : []).filter((one): one is JsonObject => isObject(one))
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Arguments that a limit has cut are no JSON. */
const parsedInput = (json: string): Json => (parseJson(json) ?? {}) as Json

/** How an SDK of the client reads a stream: its events as the whole answer. */
type Gather = (events: readonly JsonObject[]) => JsonObject

function gatherChat(chunks: readonly JsonObject[]): JsonObject {
  const message: Record<string, Json> = { role: 'assistant', content: null }
  const calls: Record<string, { id: string; type: 'function'; function: { name: string; arguments: string } }> = {}
  const details: Json[] = []
  for (const { choices } of chunks)
    for (const { delta } of objects(choices)) {
      const { content, reasoning_content, reasoning_details, tool_calls } = delta as JsonObject
      if (typeof content === 'string') message.content = text(message.content) + content
      if (typeof reasoning_content === 'string')
        message.reasoning_content = text(message.reasoning_content) + reasoning_content
      details.push(...objects(reasoning_details))
      for (const call of objects(tool_calls)) {
        const made = calls[String(call.index)] ?? { id: '', type: 'function', function: { name: '', arguments: '' } }
        calls[String(call.index)] = made
        const called = call.function as JsonObject | undefined
        made.id ||= text(call.id)
        made.function.name += text(called?.name)
        made.function.arguments += text(called?.arguments)
        Object.assign(made, call.extra_content === undefined ? {} : { extra_content: call.extra_content })
      }
    }
  if (details.length > 0) message.reasoning_details = details
  if (Object.keys(calls).length > 0) message.tool_calls = Object.values(calls)
  return { choices: [{ message }] }
}

function gatherMessages(events: readonly JsonObject[]): JsonObject {
  const content: Record<string, Json>[] = []
  const inputs = new Map<Record<string, Json>, string>()
  for (const { type, content_block, delta } of events) {
    if (type === 'content_block_start') content.push({ ...(content_block as JsonObject) })
    const block = content.at(-1)
    if (type !== 'content_block_delta' || block === undefined) continue
    const { type: kind, partial_json, citation: _, ...members } = delta as JsonObject
    if (kind === 'input_json_delta') inputs.set(block, (inputs.get(block) ?? '') + text(partial_json))
    else if (kind !== 'citations_delta')
      for (const [name, piece] of Object.entries(members)) block[name] = text(block[name]) + text(piece)
  }
  for (const [block, json] of inputs) if (json !== '') block.input = parsedInput(json)
  return { role: 'assistant', content }
}

/** A call whose arguments are streamed is one part in a history: further pieces have no name, and paths of their values. */
function gatherGemini(chunks: readonly JsonObject[]): JsonObject {
  const parts: JsonObject[] = []
  let args: Record<string, Json> = {}
  for (const { candidates } of chunks)
    for (const { content } of objects(candidates))
      for (const part of objects((content as JsonObject | undefined)?.parts)) {
        const { functionCall: call, ...rest } = part
        if (!isObject(call)) parts.push(part)
        else {
          const { partialArgs, willContinue, ...own } = call as JsonObject
          if (own.name !== undefined) {
            args = { ...(own.args as JsonObject | undefined) }
            parts.push({ ...rest, functionCall: { ...own, args } })
          }
          for (const { jsonPath, ...value } of objects(partialArgs))
            args[text(jsonPath)] = Object.values(value)[0] ?? null
        }
      }
  return { candidates: [{ content: { role: 'model', parts } }] }
}

function gatherSteps(events: readonly JsonObject[]): JsonObject {
  const steps: Record<string, Json>[] = []
  const inputs = new Map<Record<string, Json>, string>()
  for (const { event_type, step, index, delta } of events) {
    if (event_type === 'step.start') steps[Number(index)] = { ...(step as JsonObject) }
    const made = steps[Number(index)]
    if (event_type !== 'step.delta' || made === undefined) continue
    const { type, content, signature, arguments: json, ...rest } = delta as JsonObject
    if (type === 'thought_summary') made.summary = [...objects(made.summary), content as Json]
    else if (type === 'thought_signature') made.signature = signature as Json
    else if (type === 'arguments_delta') inputs.set(made, (inputs.get(made) ?? '') + text(json))
    else made.content = [...objects(made.content), { type: type as Json, ...rest }]
  }
  for (const [step, json] of inputs) step.arguments = parsedInput(json)
  return { steps }
}

function gatherLines(lines: readonly JsonObject[]): JsonObject {
  const messages = lines.flatMap(({ message }) => (isObject(message) ? [message as JsonObject] : []))
  const joined = (name: string): string => messages.map((one) => text(one[name])).join('')
  const tool_calls = messages.flatMap((one) => objects(one.tool_calls))
  const calls = tool_calls.length === 0 ? {} : { tool_calls }
  return { message: { role: 'assistant', content: joined('content'), thinking: joined('thinking'), ...calls } }
}

/** What a client sends, and how it sends an answer back. */
interface Client {
  readonly name: TargetName
  readonly gather: Gather
  /** Whether its protocol has a place for reasoning that only the upstream can read. */
  readonly seals: boolean
  request(history: JsonObject | null, tools: readonly string[]): JsonObject
}

const schema = { type: 'object', properties: {} }
const chatTools = (names: readonly string[]): Json =>
  names.map((name) => ({ type: 'function', function: { name, parameters: schema } }))
const withTools = (tools: Json): JsonObject => (Array.isArray(tools) && tools.length === 0 ? {} : { tools })

const CLIENTS: readonly Client[] = [
  ...(['openai', 'beta'] as const).map(
    (name): Client => ({
      name,
      seals: true,
      gather: (events) =>
        events.map(({ response }) => response as JsonObject).findLast((response) => response?.output !== undefined) ??
        {},
      request: (history, names) => ({
        model: 'm',
        reasoning: { effort: 'high' },
        include: ['reasoning.encrypted_content'],
        input: history === null ? TEXT : [USER, ...objects(history.output), USER],
        ...withTools(names.map((tool) => ({ type: 'function', name: tool, parameters: schema, strict: false }))),
      }),
    }),
  ),
  {
    name: 'openai-chat',
    seals: true,
    gather: gatherChat,
    request: (history, names) => ({
      model: 'm',
      reasoning_effort: 'high',
      messages: [USER, ...objects(history?.choices).map(({ message }) => message as Json), USER],
      ...withTools(chatTools(names)),
    }),
  },
  {
    name: 'anthropic-messages',
    seals: true,
    gather: gatherMessages,
    request: (history, names) => ({
      model: 'm',
      max_tokens: 32_000,
      thinking: { type: 'enabled', budget_tokens: 16_000 },
      messages: [USER, ...(history === null ? [] : [{ role: 'assistant', content: history.content as Json }]), USER],
      ...withTools(names.map((name) => ({ name, input_schema: schema }))),
    }),
  },
  {
    name: 'gemini-generate',
    seals: true,
    gather: gatherGemini,
    request: (history, names) => ({
      contents: [
        { role: 'user', parts: [{ text: TEXT }] },
        ...objects(history?.candidates).map(({ content }) => content as Json),
        { role: 'user', parts: [{ text: TEXT }] },
      ],
      ...(names.length === 0
        ? {}
        : { tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: schema })) }] }),
    }),
  },
  {
    name: 'gemini-interactions',
    seals: true,
    gather: gatherSteps,
    request: (history, names) => ({
      model: 'm',
      input: [{ type: 'text', text: TEXT }, ...objects(history?.steps), { type: 'text', text: TEXT }],
      ...withTools(names.map((name) => ({ type: 'function', name, parameters: schema }))),
    }),
  },
  {
    name: 'ollama-chat',
    seals: false,
    gather: gatherLines,
    request: (history, names) => ({
      model: 'm',
      think: true,
      messages: [USER, ...(isObject(history?.message) ? [history.message as Json] : []), USER],
      ...withTools(chatTools(names)),
    }),
  },
]

/** The parts of a recording that have to come back: the texts that only its upstream can read, and its calls. */
interface Own {
  readonly sealed: readonly string[]
  readonly calls: readonly string[]
  readonly hasFailed: boolean
}

/** Letters of a text that no client and no vendor writes by chance. */
const LONG = 16

const leaves = (value: Json): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(leaves)
      : []

function ownOf({ wire, stream, quirks }: Fixture): Own {
  const reader = wire.framing.open(1 << 26)
  const deltas: readonly Delta[] = run(wire.decodeStream(quirks), [...reader.push(stream), ...reader.end()])
  const sealed = deltas.flatMap((delta) =>
    delta.kind === 'opaque' && delta.of === undefined ? leaves(delta.payload) : [],
  )
  const calls = deltas.flatMap((delta) => (delta.kind === 'call' && delta.name !== null ? [delta.name] : []))
  return {
    sealed: sealed.filter((leaf) => leaf.length >= LONG && /^[\w+/=-]+$/.test(leaf)),
    calls: [...new Set(calls)].filter((name) => /^\w+$/.test(name)),
    hasFailed: deltas.some(({ kind }) => kind === 'error' || kind === 'cut'),
  }
}

const MEDIA = 'text/event-stream'

/** Every form of an answer, for a call. */
const FORMS: Readonly<
  Record<
    string,
    (fixture: Fixture, call: TranslatorCall, translator: ReturnType<typeof open>, client: Client) => Promise<JsonObject>
  >
> = {
  bytes: async ({ stream }, call, translator, { name, gather }) =>
    gather(await parsed(new Response(await allOf(translator.stream(new Response(toBody(stream)), call))), name)),
  'translateStream of the answer': async ({ stream }, call, _, { name, gather }) =>
    gather(await parsed(new Response(translateStream(new Response(toBody(stream)), { answer: call.answer })), name)),
  events: async ({ stream }, call, translator, { gather }) => {
    const events: JsonObject[] = []
    for await (const event of translator.events(new Response(toBody(stream)), call)) events.push(event as JsonObject)
    return gather(events)
  },
  'streamEvents of the answer': async ({ stream }, call, _, { gather }) => {
    const events: JsonObject[] = []
    for await (const event of streamEvents(new Response(toBody(stream)), { answer: call.answer }))
      events.push(event as JsonObject)
    return gather(events)
  },
  collected: async ({ stream }, call, translator) =>
    (await translator.collect(new Response(toBody(stream)), call)) as JsonObject,
  'collectResponse of the answer': async ({ stream }, call) =>
    (await collectResponse(new Response(toBody(stream)), { answer: call.answer })) as JsonObject,
  body: async ({ stream }, call, translator) =>
    (await (
      await translator.toResponse(new Response(toBody(stream), { headers: { 'content-type': MEDIA } }), {
        ...call,
        stream: false,
      })
    ).json()) as JsonObject,
}

const toBody = (stream: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(stream)

async function allOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let all = ''
  for await (const piece of bytes) all += decoder.decode(piece, { stream: true })
  return all
}

/** The events in the bytes of a stream, read without the engine. */
async function parsed(response: Response, client: TargetName): Promise<readonly JsonObject[]> {
  const lines = (await response.text()).split('\n')
  const data =
    client === 'ollama-chat' ? lines : lines.flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  return data.filter((one) => one !== '' && one !== '[DONE]').map((one) => JSON.parse(one))
}

const open = (client: TargetName, wire: WireName) =>
  createTranslator({ client, upstream: { apiKey: 'k', wire, ...UPSTREAMS[wire] } })

/** Gemini's protocol has the model in the URL. */
const addressOf = ({ name }: Client) => (name === 'gemini-generate' ? { model: 'm', stream: true } : { stream: true })

/** The bodies of the next request, by each way. */
function nextBodies(client: Client, wire: WireName, history: JsonObject, tools: readonly string[]): readonly string[] {
  const body = client.request(history, tools)
  const { vendor, model } = UPSTREAMS[wire]
  const call = open(client.name, wire).encodeRequest(body, addressOf(client))
  const alone = translateRequest(body, { from: client.name, vendor, to: wire, model })
  return [call, alone].map((made) => (made.ok ? JSON.stringify(made.body) : made.error.message))
}

const chunk = (delta: JsonObject, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'gen-1', model: UPSTREAMS['openai-chat'].model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`

/** A model of a router, whose reasoning is signed. */
const ROUTED: Fixture = {
  wire: WIRES['openai-chat'],
  name: 'signed details',
  quirks: {},
  at: (role) => new URL(`file:///${role}`),
  stream: new TextEncoder().encode(
    [
      chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Hm.', format: 'anthropic-claude-v1' }] }),
      chunk({
        reasoning_details: [
          {
            type: 'reasoning.text',
            index: 0,
            signature: 'c2lnbmF0dXJlLW9mLWEtcm91dGVy',
            format: 'anthropic-claude-v1',
          },
        ],
      }),
      chunk({
        tool_calls: [{ index: 0, id: 'toolu_1', type: 'function', function: { name: 'get_tide', arguments: '{}' } }],
      }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join(''),
  ),
}

/** Recordings that end, with something that has to come back. */
const TAUGHT = [...ALL_FIXTURES, ROUTED]
  .map((fixture) => ({ fixture, own: ownOf(fixture) }))
  .filter(({ own }) => !own.hasFailed && own.sealed.length + own.calls.length > 0)

/** How a text stands in a body: some wires write bytes in another alphabet of base64. */
const has = (body: string, leaf: string): boolean => body.includes(JSON.stringify(leaf).slice(1, -1))

it('is tested with reasoning that only its upstream can read, on six wires', () => {
  const wires = new Set(TAUGHT.flatMap(({ fixture, own }) => (own.sealed.length > 0 ? [fixture.wire.name] : [])))
  expect([...wires].sort()).toEqual([
    'anthropic-messages',
    'bedrock-converse',
    'gemini-generate',
    'gemini-interactions',
    'openai-chat',
    'openai-responses',
  ])
})

/** Each client and each form have other fixtures of a short run. */
const shiftOf = (client: string, form: string): number =>
  CLIENTS.findIndex(({ name }) => name === client) + Object.keys(FORMS).indexOf(form)

describe.each(CLIENTS)('an answer for $name as the history of the next request', (client) => {
  it.each(Object.keys(FORMS))('restores reasoning and calls of every upstream: %s', async (form) => {
    const lost: string[] = []
    for (const { fixture, own } of someOf(TAUGHT, 5, shiftOf(client.name, form))) {
      const { wire, name } = fixture
      const translator = open(client.name, wire.name)
      const call = translator.encodeRequest(client.request(null, own.calls), addressOf(client))
      if (!call.ok) expect.unreachable(`${wire.name}: ${call.error.message}`)
      const history = await FORMS[form]?.(fixture, call, translator, client)
      for (const [at, body] of nextBodies(client, wire.name, history ?? {}, own.calls).entries()) {
        const missing = [...own.calls, ...(client.seals ? own.sealed : [])].filter((one) => !has(body, one))
        const way = at === 0 ? 'translator' : 'translateRequest'
        if (missing.length > 0)
          lost.push(`${wire.name} ${name} by ${way}: ${missing.join(' ').slice(0, 80)} ${body.slice(0, 120)}`)
      }
    }
    expect(lost).toEqual([])
  })
})

describe('the bare pair of functions', () => {
  const next = (output: readonly object[], vendor?: string) =>
    translateRequest(
      {
        model: 'claude-sonnet-4-5',
        reasoning: { effort: 'high' },
        input: [USER, ...output, USER],
      },
      { from: 'openai', to: 'anthropic-messages', ...(vendor === undefined ? {} : { vendor }) },
    )
  const SIGNATURE = 'RmVycmllcyBhcmUgc2lnbmVkIGhlcmU='
  const recorded = (): Response =>
    new Response(
      toBody(
        ALL_FIXTURES.find(({ wire, name }) => wire.name === 'anthropic-messages' && name === 'reasoning')?.stream ??
          new Uint8Array(),
      ),
    )

  it.each([
    ['a vendor on both sides', 'anthropic', 'anthropic', true],
    ['a vendor of the answer alone', 'anthropic', undefined, true],
    ['a vendor of the request alone', undefined, 'anthropic', true],
    ['no vendor', undefined, undefined, true],
    ['another vendor', 'openrouter', 'anthropic', false],
  ] as const)('restores reasoning with %s as far as both sides allow', async (_, of, to, comesBack) => {
    const { output } = await collectResponse(recorded(), {
      from: 'anthropic-messages',
      ...(of === undefined ? {} : { vendor: of }),
    })
    const made = next(output, to)
    expect(JSON.stringify(made).includes(SIGNATURE)).toBe(comesBack)
    expect(made.ok && made.losses.some(({ path }) => path.startsWith('input[1]'))).toBe(!comesBack)
  })

  it.each([
    ['a deployment has a name of its own', 'azure', 'azure', 'my-deploy', true],
    ['a deployment has the name of another family', 'azure', 'azure', 'nova-prod', true],
    ['a router chooses the model', 'openrouter', 'openrouter', 'openrouter/auto', true],
    ['a deployment is reached without a vendor in the answer', undefined, 'azure', 'my-deploy', false],
    ['a deployment is reached without a vendor in the request', 'azure', undefined, 'my-deploy', false],
    ['the request has no vendor', 'azure', undefined, 'gpt-5.1', true],
    ['no table has the family', 'openrouter', 'openrouter', 'minimax/minimax-m2', false],
    ['no table has the family, nor a vendor', undefined, 'huggingface', 'MiniMaxAI/MiniMax-M2', false],
    ['the request has another model, and no vendor', 'azure', undefined, 'grok-4', false],
    ['the family is the same', 'openrouter', 'openrouter', 'openai/gpt-5-mini', true],
    ['the family is another one', 'openrouter', 'openrouter', 'anthropic/claude-sonnet-4.5', false],
    ['the vendor is another one', 'openai', 'azure', 'my-deploy', false],
  ] as const)(
    'restores reasoning of a model that only the answer names where %s',
    async (_, of, to, model, comesBack) => {
      const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: SIGNATURE }
      const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5-2025-08-07' }
      const body = new Response(JSON.stringify({ ...response, output: [reasoning] })).body
      const { output } = await collectResponse(body ?? expect.unreachable(), {
        from: 'openai-responses',
        ...(of === undefined ? {} : { vendor: of }),
      })
      const made = translateRequest(
        { model, input: [USER, ...(output as readonly object[]), USER] },
        { to: 'openai-responses', model, ...(to === undefined ? {} : { vendor: to }) },
      )
      expect(JSON.stringify(made).includes(SIGNATURE)).toBe(comesBack)
      expect(made.ok && made.losses.some(({ path }) => path.startsWith('input[1]'))).toBe(!comesBack)
    },
  )

  it.each([
    [undefined, undefined],
    [undefined, 'bedrock'],
    ['bedrock', 'bedrock'],
  ] as const)('restores reasoning of an upstream that names no model: vendor %s, then %s', async (of, to) => {
    const reasoningContent = { reasoningText: { text: 'A', signature: SIGNATURE } }
    const body = { output: { message: { role: 'assistant', content: [{ reasoningContent }] } }, stopReason: 'end_turn' }
    const { output } = translateBody(JSON.stringify(body), {
      from: 'bedrock-converse',
      to: 'openai',
      ...(of === undefined ? {} : { vendor: of }),
    }).body as { readonly output: readonly object[] }
    const made = translateRequest(
      { model: 'anthropic.claude-sonnet-4-5-v1:0', input: [USER, ...output, USER] },
      { from: 'openai', to: 'bedrock-converse', ...(to === undefined ? {} : { vendor: to }) },
    )
    expect(JSON.stringify(made)).toContain(SIGNATURE)
  })

  it('does not wrap an envelope of a translator a second time', async () => {
    const translator = createTranslator({ upstream: { vendor: 'anthropic', model: 'claude-sonnet-4-5', apiKey: 'k' } })
    const call = translator.encodeRequest({ model: 'm', input: TEXT, stream: true, reasoning: { effort: 'high' } })
    if (!call.ok) expect.unreachable(call.error.message)
    const { output } = await collectResponse(translator.toResponse(recorded(), call), { from: 'openai-responses' })
    const again = translator.encodeRequest({
      model: 'm',
      reasoning: { effort: 'high' },
      input: [USER, ...output, USER],
    })
    expect(again.ok && again.init.body).toContain(SIGNATURE)
  })
})

describe('a tool that the upstream does not have', () => {
  const called = (name: string, json: string): Response =>
    new Response(
      [
        chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: json } }] }),
        chunk({}, 'tool_calls'),
        'data: [DONE]\n\n',
      ].join(''),
      { headers: { 'content-type': MEDIA } },
    )
  const TOOLS = [
    { type: 'custom', name: 'apply_patch', description: 'Patches files.' },
    { type: 'namespace', name: 'mcp__a', tools: [{ type: 'function', name: 'b', parameters: schema, strict: false }] },
  ]
  const translated = () => {
    const made = translateRequest({ model: 'm', input: TEXT, tools: TOOLS }, { from: 'openai', vendor: 'groq' })
    return made.ok ? made : expect.unreachable(made.error.message)
  }

  it('comes back as the client knows it, by the answer of translateRequest', async () => {
    const { answer } = translated()
    const patch = await collectResponse(called('apply_patch', '{"input":"*** Begin"}'), { answer })
    expect(patch.output).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin' }])
    const inside = await collectResponse(called('mcp__a__b', '{}'), { answer: translated().answer })
    expect(inside.output).toMatchObject([{ type: 'function_call', namespace: 'mcp__a', name: 'b' }])
    expect(patch.tools).toMatchObject(TOOLS.map(({ type, name }) => ({ type, name })))
  })

  it('comes back in every form', async () => {
    const call = () => called('apply_patch', '{"input":"*** Begin"}')
    const written = await new Response(translateStream(call(), { answer: translated().answer })).text()
    expect(written).toContain('response.custom_tool_call_input.done')
    const types: string[] = []
    for await (const { type } of streamEvents(call(), { answer: translated().answer })) types.push(type)
    expect(types).toContain('response.custom_tool_call_input.done')
    const message = {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"x"}' } }],
    }
    const body = { id: '1', model: 'm', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    expect(translateBody(body, { answer: translated().answer }).body.output).toMatchObject([
      { type: 'custom_tool_call' },
    ])
  })
})
