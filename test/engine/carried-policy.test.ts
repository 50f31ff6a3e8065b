import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import { readClientRequest } from '../../src/engine/client-request.ts'
import {
  encodeUpstreamCall,
  routeRequest,
  type UpstreamCall,
  type UpstreamRoute,
} from '../../src/engine/upstream-call.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import { runSteps } from '../../src/text/steps.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { anyCodePoints } from '../arbitraries/strings.ts'
import { check } from '../property.ts'
import { encodeOwn, hubRoute, type SharedWire } from './own-upstream.ts'

const HI = { role: 'user', content: 'Hi' }

function callOf(wire: SharedWire, body: JsonObject, more: Partial<UpstreamRoute> = {}): UpstreamCall {
  const call = encodeOwn(wire, { model: 'acme/m', ...body }, more)
  return call.ok ? call.value : expect.unreachable(call.error.message)
}

const lossesOf = ({ losses }: UpstreamCall): string[] => losses.map(({ path, action }) => `${path} ${action}`)

const quirks = (own: Quirks): Partial<UpstreamRoute> => ({ quirks: own })
const reasoner = (own: Quirks): Partial<UpstreamRoute> => ({ quirks: own, model: 'some-model' })

describe('members that the hub does not model', () => {
  it('are no loss where they arrive', () => {
    const call = callOf('anthropic-messages', {
      max_tokens: 9,
      inference_geo: 'us',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] }],
    })
    expect(call.body).toMatchObject({
      inference_geo: 'us',
      messages: [{ content: [{ cache_control: { type: 'ephemeral' } }] }],
    })
    expect(call.losses).toEqual([])
  })

  it('never include members that the gateway manages', () => {
    const managed = { session_id: 's', trace: { name: 't' }, store: true, models: ['b'], api_key: 'secret' }
    const call = callOf('openai-chat', { messages: [HI], seed: 7, ...managed })
    expect(call.body).toEqual({ model: 'gpt-4o', messages: [HI], seed: 7 })
    expect(lossesOf(call).sort()).toEqual(
      Object.keys(managed)
        .map((name) => `${name} dropped`)
        .sort(),
    )
  })

  it('do not include settings that the vendor does not have', () => {
    const body = { messages: [HI], stream: true, stream_options: { x_one: 1 }, reasoning: { x_two: 2 } }
    const call = callOf('openai-chat', body, quirks({ noStreamOptions: true }))
    expect(call.body).toEqual({ model: 'gpt-4o', messages: [HI], stream: true })
    expect(lossesOf(call).sort()).toEqual(['reasoning.x_two dropped', 'stream_options.x_one dropped'])
    const nested = callOf(
      'openai-chat',
      { ...body, reasoning: { effort: 'low', x_two: 2 } },
      reasoner({ effort: 'nested' }),
    )
    expect(nested.body).toMatchObject({ stream_options: { x_one: 1 }, reasoning: { effort: 'low', x_two: 2 } })
  })

  it('do not include settings that the vendor refuses', () => {
    const body = { messages: [HI], metadata: { a: 'b' }, user: 'u' }
    expect(callOf('openai-chat', body).body).toMatchObject({ messages: [HI], user: 'u' })
    const call = callOf('openai-chat', body, quirks({ refuses: ['metadata', 'user'] }))
    expect(call.body).toEqual({ model: 'gpt-4o', messages: [HI] })
    expect(lossesOf(call).sort()).toEqual(['metadata dropped', 'user dropped'])
  })

  it('do not override a member that the hub sets', () => {
    const body = { messages: [HI], reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: false, a: 1 } }
    const call = callOf('openai-chat', body, reasoner({ effort: 'template' }))
    expect(call.body.chat_template_kwargs).toEqual({ enable_thinking: true, a: 1 })
    expect(lossesOf(call)).toEqual(['chat_template_kwargs.enable_thinking dropped'])
    const agreed = { ...body, chat_template_kwargs: { enable_thinking: true, a: 1 } }
    expect(callOf('openai-chat', agreed, reasoner({ effort: 'template' })).losses).toEqual([])
  })

  it('include whole blocks and tools of the protocol, in their place', () => {
    const upload = { type: 'container_upload', file_id: 'f' }
    const servers = [{ type: 'url', url: 'https://a.example', name: 'a' }]
    const call = callOf('anthropic-messages', {
      max_tokens: 9,
      mcp_servers: servers,
      tools: [
        { type: 'mcp_toolset', mcp_server_name: 'a' },
        { name: 'look', input_schema: { type: 'object' } },
      ],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, upload, { type: 'text', text: 'b' }] }],
    })
    expect(call.body).toMatchObject({
      mcp_servers: servers,
      tools: [{ type: 'mcp_toolset' }, { name: 'look' }],
      messages: [{ content: [{ text: 'a' }, upload, { text: 'b' }] }],
    })
    expect(call.losses).toEqual([])
  })

  it('of messages that the hub joins are losses with their paths, those of their parts are not', () => {
    const part = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })
    const call = callOf('anthropic-messages', {
      max_tokens: 9,
      messages: [
        { role: 'user', content: [part('a')], x_note: 1 },
        { role: 'user', content: [part('b')], x_note: 2 },
      ],
    })
    expect(call.body.messages).toEqual([{ role: 'user', content: [part('a'), part('b')] }])
    expect(lossesOf(call)).toEqual(['messages[0].x_note dropped', 'messages[1].x_note dropped'])
  })

  it('may have any name and any value', () => {
    const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a.b', 'a[0]', ''), anyCodePoints())
    check(
      fc.property(name, fc.jsonValue({ maxDepth: 2 }), (odd, value) => {
        const withOdd = (object: JsonObject): JsonObject =>
          Object.fromEntries([...Object.entries(object), [`${odd}`, value as Json]])
        const body = { model: 'acme/m', messages: [withOdd({ role: 'user', content: 'Hi' })] }
        const call = encodeOwn('ollama-chat', body)
        fc.pre(call.ok && !['role', 'content', 'thinking', 'tool_calls', 'images'].includes(odd))
        const [message] = call.ok ? (call.value.body.messages as readonly JsonObject[]) : []
        const arrived = Object.hasOwn(message ?? {}, odd) ? message?.[odd] : undefined
        const isNothing = value === null || (Array.isArray(value) && value.length === 0)
        expect(arrived).toEqual(isNothing ? undefined : value)
        expect(Object.getPrototypeOf(message)).toBe(Object.prototype)
      }),
      300,
    )
  })

  it('of the dialect beta are losses', () => {
    const route = hubRoute('openai-responses')
    const read = runSteps(readClientRequest({ model: 'a/m', input: 'Hi', x_note: 1 }, { dialect: beta }))
    if (!read.ok) expect.unreachable(read.error.message)
    const call = runSteps(encodeUpstreamCall(routeRequest(read.value, route)))
    if (!call.ok) expect.unreachable(call.error.message)
    expect(call.value.body).not.toHaveProperty('x_note')
    expect(call.value.losses.map(formatLoss)).toEqual(['x_note dropped: this service does not support it'])
  })
})

describe('a member of a message that the hub joins with another one', () => {
  const one = { role: 'assistant', content: 'one', x_id: 'of one' }
  const two = { role: 'assistant', content: 'two', x_id: 'of two' }
  const user = { role: 'user', content: 'q' }
  const system = { role: 'system', content: 's' }
  const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' }, x_part: 1 }

  it.each<[string, readonly JsonObject[], readonly string[]]>([
    ['after it', [{ role: 'assistant', content: 'one' }, two, user], ['messages[1].x_id']],
    [
      'if another message moves before both',
      [{ role: 'assistant', content: 'one' }, two, user, system],
      ['messages[1].x_id'],
    ],
    ['in both messages', [one, two, user, system], ['messages[0].x_id', 'messages[1].x_id']],
    ['if one of both has parts', [user, { ...user, content: [image], x_id: 'of q' }, system], ['messages[1].x_id']],
  ])('is a loss %s', (_, messages, lost) => {
    const call = callOf('openai-chat', { messages: messages as Json }, quirks({ strictTurns: true }))
    expect(JSON.stringify(call.body)).not.toContain('x_id')
    expect(lossesOf(call).filter((loss) => loss.includes('x_'))).toEqual(lost.map((path) => `${path} dropped`))
  })

  it('is a loss if the message moves beside another one, and travels with a message that moves alone', () => {
    const messages = [user, { ...system, x_id: 'of s' }, { ...user, x_id: 'of q' }]
    const call = callOf('openai-chat', { messages }, quirks({ strictTurns: true }))
    expect(call.body.messages).toEqual([
      { ...system, x_id: 'of s' },
      { role: 'user', content: 'q\nq' },
    ])
    expect(lossesOf(call)).toContain('messages[2].x_id dropped')
  })
})
