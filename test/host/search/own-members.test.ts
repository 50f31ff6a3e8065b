import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { post, startGateway, whenDone } from '../test-server.ts'
import { answerJson, startMockEngine } from './mock-engine.ts'

/** A search that the gateway runs, for clients of the upstream's own protocol: no turn loses members of the client. */

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }
const CACHED = { cache_control: { type: 'ephemeral' } }

interface Searching {
  readonly wire: WireName
  readonly path: string
  readonly body: JsonObject
  /** Members of the body of every turn that the hub does not model, or that differ from the client's only in form. */
  readonly kept: object
}

const CASES: readonly Searching[] = [
  {
    wire: 'openai-chat',
    path: '/openai/v1/chat/completions',
    body: {
      seed: 7,
      logit_bias: { 50256: -100 },
      chat_template_kwargs: { custom: true },
      messages: [
        { role: 'system', content: 'Rules', name: 'author' },
        { role: 'user', content: [{ type: 'text', text: 'How high is the Eiger?', ...CACHED }] },
      ],
      tools: [
        { type: 'function', function: { name: 'look', parameters: SCHEMA, x_hint: 1 }, ...CACHED },
        { type: 'service:web_search', parameters: { engine: 'exa' } },
      ],
    },
    kept: {
      seed: 7,
      logit_bias: { 50256: -100 },
      chat_template_kwargs: { custom: true },
      messages: [
        { role: 'system', content: 'Rules', name: 'author' },
        { role: 'user', content: [{ type: 'text', text: 'How high is the Eiger?', ...CACHED }] },
      ],
      tools: [{ function: { name: 'look', x_hint: 1 }, ...CACHED }, { function: { name: 'web_search' } }],
    },
  },
  {
    wire: 'anthropic-messages',
    path: '/api/v1/messages',
    body: {
      max_tokens: 900,
      top_k: 4,
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      system: [
        { type: 'text', text: 'Rules', ...CACHED },
        { type: 'text', text: 'More rules' },
      ],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello', x_note: 'n' }] },
        { role: 'user', content: [{ type: 'text', text: 'How high is the Eiger?', ...CACHED }] },
      ],
      tools: [
        { name: 'look', input_schema: SCHEMA, input_examples: [{ a: 'b' }] },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
    },
    kept: {
      top_k: 4,
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      system: [
        { type: 'text', text: 'Rules', ...CACHED },
        { type: 'text', text: 'More rules' },
      ],
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello', x_note: 'n' }] },
        { role: 'user', content: [{ type: 'text', text: 'How high is the Eiger?', ...CACHED }] },
      ],
      tools: [{ name: 'look', input_examples: [{ a: 'b' }] }, { name: 'web_search' }],
    },
  },
  {
    wire: 'gemini-generate',
    path: '/api/v1beta/models/acme/gemini-3-pro:streamGenerateContent?alt=sse',
    body: {
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      generationConfig: { topK: 3, seed: 7 },
      contents: [{ role: 'user', parts: [{ text: 'How high is the Eiger?', videoMetadata: { fps: 1 } }] }],
      tools: [{ googleSearch: {} }],
    },
    kept: {
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      generationConfig: { topK: 3, seed: 7 },
      contents: [{ role: 'user', parts: [{ text: 'How high is the Eiger?', videoMetadata: { fps: 1 } }] }],
    },
  },
  {
    wire: 'openai-responses',
    path: '/openai/v1/responses',
    body: {
      client_metadata: { a: 'b' },
      reasoning: { context: 'all' },
      input: [
        { type: 'message', role: 'assistant', content: 'Hello', phase: 'commentary' },
        { role: 'user', content: [{ type: 'input_text', text: 'How high is the Eiger?', x_note: 'n' }] },
      ],
      tools: [
        { type: 'function', name: 'look', parameters: SCHEMA, async: true },
        { type: 'service:web_search', parameters: { engine: 'exa' } },
      ],
    },
    kept: {
      client_metadata: { a: 'b' },
      reasoning: { context: 'all' },
      input: [
        { role: 'assistant', content: 'Hello', phase: 'commentary' },
        { role: 'user', content: [{ type: 'input_text', text: 'How high is the Eiger?', x_note: 'n' }] },
      ],
      tools: [{ name: 'look', async: true }, { name: 'web_search' }],
    },
  },
]

/** The first entries of each list: later turns have more messages. */
const beginning = (value: unknown, expected: unknown): unknown => {
  if (Array.isArray(expected) && Array.isArray(value))
    return expected.map((one, at) => beginning((value as unknown[])[at], one))
  if (typeof expected !== 'object' || expected === null || typeof value !== 'object' || value === null) return value
  const object = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(expected).map(([name, one]) => [name, beginning(object[name], one)]))
}

it.each(CASES)(
  'both turns of a search for $wire have the members of its client',
  async ({ wire, path, body, kept }) => {
    const { contentType, model, quirks, encodeTurn } = WIRE_UPSTREAMS[wire]
    const upstream = await startMockUpstream((response) => {
      response.writeHead(200, { 'content-type': contentType })
      const isFirst = upstream.received.length === 1
      const calls = isFirst ? [{ id: 'call_a', name: 'web_search', args: { query: 'Eiger' } }] : []
      response.end(encodeTurn({ text: isFirst ? ['I look.'] : ['It is high.'], calls }))
    })
    whenDone(upstream.close)
    const engine = await startMockEngine((response) =>
      answerJson(response, { results: [{ url: 'https://eiger.example/', title: 'Eiger', text: '3,967 m' }] }),
    )
    const acme = { wire, base_url: upstream.url, quirks: { ...quirks, nativeSearch: 'none' } }
    const { url } = await startGateway({ vendors: { acme }, search: { engine: 'exa', base_url: engine.url } })
    const secrets = { store: false, session_id: 's', trace: { name: 't' } }
    const sent = wire === 'gemini-generate' ? body : { ...body, ...secrets, model: `acme/${model}`, stream: true }
    const answer = await post(url, sent, { path })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('It is high.')])
    expect([upstream.received.length, engine.asked.length]).toEqual([2, 1])
    for (const { body: received } of upstream.received) {
      expect(beginning(received, kept)).toEqual(kept)
      expect(received).not.toHaveProperty('session_id')
      expect(received).not.toHaveProperty('trace')
    }
  },
)
