import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { readSearch } from '../../src/engine/call/read-search.ts'
import { type ClientRequest, readClientRequest } from '../../src/engine/client-request.ts'
import { NO_ENGINES } from '../../src/engine/passes/search.ts'
import {
  encodeUpstreamCall,
  routeRequest,
  type UpstreamRoute,
  withoutEncryptedReasoning,
} from '../../src/engine/upstream-call.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import type { Result } from '../../src/protocol/result.ts'
import { sealReasoning } from '../../src/responses/encrypted-content.ts'
import { runSteps } from '../../src/text/steps.ts'
import { anthropicMessages } from '../../src/wires/anthropic-messages/index.ts'
import { openaiChat } from '../../src/wires/openai-chat/index.ts'
import { callOf } from './encoded-call.ts'

const CHAT: UpstreamRoute = {
  wire: openaiChat,
  quirks: {},
  vendor: 'acme',
  model: 'm',
  baseUrl: 'https://api.acme.test/v1?api-version=7',
  key: 'secret',
  headers: { 'x-team': 'blue' },
}

const succeeded = <T>(result: Result<T>): T => (result.ok ? result.value : expect.unreachable(result.error.message))

const asResponses = (body: object): Result<ClientRequest> => runSteps(readClientRequest(body, { dialect: openai }))

const asMessages = (body: object): Result<ClientRequest> => {
  const wire = { name: anthropicMessages.name, client: anthropicMessages.client ?? expect.unreachable() }
  return runSteps(readClientRequest(body, { wire, sealing: null, model: null, stream: null }))
}

/** The request of the exchange, after its search is planned. */
function plan(client: ClientRequest, route = CHAT): Result<ClientRequest> {
  const search = { parsed: succeeded(readSearch(client)), policy: NO_ENGINES }
  const routed = routeRequest(client, route, {}, search)
  return routed.refusal === null ? { ok: true, value: routed.client } : { ok: false, error: routed.refusal }
}

const encode = (client: ClientRequest, route = CHAT) => runSteps(encodeUpstreamCall(routeRequest(client, route)))

describe('the call of an upstream', () => {
  it('has URL, credentials, headers and body of the upstream', () => {
    const client = succeeded(asResponses({ model: 'acme/m', input: 'hi', stream: true }))
    expect(succeeded(encode(client))).toEqual({
      url: new URL('https://api.acme.test/v1/chat/completions?api-version=7'),
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        accept: 'text/event-stream',
        'user-agent': 'millrace',
        authorization: 'Bearer secret',
        'x-team': 'blue',
      },
      body: {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
        stream_options: { include_usage: true },
      },
      stream: true,
      losses: [],
      edits: null,
    })
  })

  it('has the trace of the client only where the route passes it on', () => {
    const client = succeeded(asResponses({ model: 'acme/m', input: 'hi' }))
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'acme=1' }
    const headersOf = (traces: boolean): object => {
      const routed = routeRequest(client, { ...CHAT, traces }, trace)
      return succeeded(runSteps(encodeUpstreamCall(routed))).headers
    }
    expect(headersOf(true)).toMatchObject(trace)
    expect(headersOf(false)).not.toHaveProperty('traceparent')
  })

  it("reports errors and losses with the paths of the client's body", () => {
    const body = { model: 'acme/m', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], top_k: 4 }
    const wrong = asMessages({ ...body, stop_sequences: [7] })
    expect(wrong).toMatchObject({ ok: true, value: { untranslatable: { param: 'stop_sequences[0]' } } })
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const read = { name: 'read', input_schema: { type: 'object' } }
    const call = succeeded(encode(succeeded(plan(succeeded(asMessages({ ...body, tools: [search, read] }))))))
    expect(call.losses.map(formatLoss)).toEqual([
      'top_k dropped: this service does not support it',
      expect.stringMatching(/^tools\[0\] dropped: /),
    ])
  })

  it('refuses a forced search at a model that has none, with the path of the search', () => {
    const client = succeeded(asResponses({ model: 'acme/m', input: 'hi', plugins: [{ id: 'web' }] }))
    expect(plan(client)).toMatchObject({ ok: false, error: { party: 'client', param: 'plugins[0]' } })
  })

  it('is encoded again without encrypted reasoning, which becomes a loss', () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed elsewhere' }
    const client = succeeded(asResponses({ model: 'acme/m', input: [reasoning, { role: 'user', content: 'hi' }] }))
    const routed = routeRequest(client, CHAT)
    const changed = withoutEncryptedReasoning(routed.client.request, routed.origin) ?? expect.unreachable()
    const call = succeeded(runSteps(encodeUpstreamCall(routed, changed.request, changed.losses)))
    expect(call.losses.map(formatLoss)).toContain(
      'input[0].encrypted_content dropped: the upstream rejected the encrypted content',
    )
    expect(withoutEncryptedReasoning(changed.request, routed.origin)).toBeNull()
  })

  it('loses only reasoning of unknown accounts at a refusal, and the rest at another one', () => {
    const routed = routeRequest(succeeded(asResponses({ model: 'acme/m', input: 'hi' })), { ...CHAT, boundary: '@a' })
    const { boundary: _, ...unknown } = routed.origin
    const own = sealReasoning(routed.origin, 'own')
    const contents = [sealReasoning(unknown, 'older'), own, 'sealed elsewhere']
    const input = contents.map((encrypted_content) => ({
      type: 'reasoning' as const,
      summary: [],
      content: [],
      encrypted_content,
    }))
    const first = withoutEncryptedReasoning({ ...routed.client.request, input }, routed.origin) ?? expect.unreachable()
    expect(first.request.input).toMatchObject([null, own, null].map((encrypted_content) => ({ encrypted_content })))
    expect(first.losses.map(({ path }) => path)).toEqual(['input[0].encrypted_content', 'input[2].encrypted_content'])
    const second = withoutEncryptedReasoning(first.request, routed.origin) ?? expect.unreachable()
    expect(second.losses.map(({ path }) => path)).toEqual(['input[1].encrypted_content'])
  })

  it('has the members of the operator, which take precedence; objects are merged and lists replaced', () => {
    const client = succeeded(asResponses({ model: 'acme/m', input: 'hi', stream: true, temperature: 1 }))
    const edits = { temperature: 0.5, stream_options: { extra: [1] }, provider: { order: ['a'] }, stop: null }
    const { body } = succeeded(encode(client, { ...CHAT, body: edits }))
    expect(Object.entries(body)).toEqual([
      ['model', 'm'],
      ['messages', [{ role: 'user', content: 'hi' }]],
      ['stream', true],
      ['stream_options', { include_usage: true, extra: [1] }],
      ['temperature', 0.5],
      ['provider', { order: ['a'] }],
      ['stop', null],
    ])
    const replaced = { messages: [{ role: 'user', content: 'bye' }] }
    expect(succeeded(encode(client, { ...CHAT, body: replaced })).body.messages).toEqual(replaced.messages)
  })

  it.each([
    ['Responses', asResponses, { model: 'acme/m', input: 'hi' }],
    ['Messages', asMessages, { model: 'acme/m', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }],
  ])('has the members of a %s client that pass, in place of their losses', (_, read, plain) => {
    const client = succeeded(read({ ...plain, top_k: 4, guided_json: { type: 'object' }, seed: 7, 'min-p': [0.1] }))
    const lost = succeeded(encode(client))
    expect(lost.losses.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['top_k', 'guided_json', 'seed', 'min-p']),
    )
    const pass = ['top_k', 'guided_json', 'min-p', 'absent', 'model', 'constructor']
    const call = succeeded(encode(client, { ...CHAT, pass }))
    expect(call.body).toEqual({ ...lost.body, top_k: 4, guided_json: { type: 'object' }, 'min-p': [0.1] })
    expect(call.losses.map(({ path }) => path)).toEqual(['seed'])
    const both = succeeded(encode(client, { ...CHAT, pass, body: { top_k: 1 } }))
    expect(both.body.top_k).toBe(1)
  })

  it('passes no member that the upstream receives in another form', () => {
    const client = succeeded(asMessages({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }))
    const plain = succeeded(encode(client))
    const passing = succeeded(encode(client, { ...CHAT, pass: ['max_tokens', 'messages', 'model'] }))
    expect(passing.body).toEqual(plain.body)
  })

  it('has a member with the name of a prototype as its own', () => {
    const sent = JSON.parse('{"model":"acme/m","input":"hi","__proto__":{"polluted":true}}')
    const body = JSON.parse('{"__proto__":{"set":true}}')
    const call = succeeded(encode(succeeded(asResponses(sent)), { ...CHAT, pass: ['__proto__'], body }))
    expect(Object.keys(call.body)).toContain('__proto__')
    expect(Object.getPrototypeOf(call.body)).toBe(Object.prototype)
  })
})

describe('a call of a vendor that requires a header for images', () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
  const asked = (content: readonly object[]) => [{ type: 'message', role: 'user', content }]
  const called = [{ type: 'function_call', call_id: 'c', name: 'see', arguments: '{}' }]
  const headerOf = (vendor: string, input: readonly object[]) =>
    callOf(vendor, 'gpt-5.5', { input }).headers['copilot-vision-request']

  it.each(['copilot', 'copilot-responses'])('has it in a message and in an output: %s', (vendor) => {
    expect(headerOf(vendor, asked([image]))).toBe('true')
    expect(headerOf(vendor, [...called, { type: 'function_call_output', call_id: 'c', output: [image] }])).toBe('true')
  })

  it('has none without an image, or of another vendor', () => {
    expect(headerOf('copilot', asked([{ type: 'input_text', text: 'hi' }]))).toBeUndefined()
    expect(headerOf('groq', asked([image]))).toBeUndefined()
  })
})
