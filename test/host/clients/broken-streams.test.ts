import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { openai } from '../../../src/dialects/openai.ts'
import { splitFrames } from '../../../src/framing/framing.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { optionsOf, toBytes, translated } from '../../engine/run-engine.ts'
import { type Behaviour, startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { KEY, startGateway, whenDone } from '../test-server.ts'

/**
 * The official clients over streams that break at each of their events: each reports the failure of the upstream or of
 * the connection, and never a fault of the stream.
 */

type Client = (url: string, model: string) => Promise<unknown>

const HI = [{ role: 'user' as const, content: 'Hi' }]

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const CLIENTS: Readonly<Record<string, { readonly passed: WireName; readonly translated: WireName; ask: Client }>> = {
  'openai chat.completions': {
    passed: 'openai-chat',
    translated: 'anthropic-messages',
    ask: (url, model) =>
      new OpenAI({ apiKey: KEY, baseURL: `${url}/api/v1`, maxRetries: 0 }).chat.completions
        .stream({ model, messages: HI })
        .finalChatCompletion(),
  },
  'openai responses': {
    passed: 'openai-responses',
    translated: 'openai-chat',
    ask: (url, model) =>
      new OpenAI({ apiKey: KEY, baseURL: `${url}/openai/v1`, maxRetries: 0 }).responses
        .stream({ model, input: 'Hi' })
        .finalResponse(),
  },
  anthropic: {
    passed: 'anthropic-messages',
    translated: 'gemini-generate',
    ask: (url, model) =>
      new Anthropic({ apiKey: KEY, baseURL: `${url}/api`, maxRetries: 0 }).messages
        .stream({ model, messages: HI, max_tokens: 99 })
        .finalMessage(),
  },
  google: {
    passed: 'gemini-generate',
    translated: 'openai-responses',
    async ask(url, model) {
      const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${url}/api`, apiVersion: 'v1' } })
      await drain(await client.models.generateContentStream({ model, contents: 'Hi' }))
    },
  },
  ollama: {
    passed: 'ollama-chat',
    translated: 'cohere-chat',
    async ask(url, model) {
      const client = new Ollama({ host: `${url}/api/v1`, headers: { authorization: `Bearer ${KEY}` } })
      await drain(await client.chat({ model, messages: HI, stream: true }))
    },
  },
}

const FULL = 'The node is full.'
const LOST = 'The connection to the upstream was lost.'

const sse = (event: object): string => `data: ${JSON.stringify(event)}\n\n`

/** The failure of an upstream, as a frame of its stream. */
const FAILURES: Readonly<Partial<Record<WireName, string>>> = {
  'openai-chat': sse({ error: { message: FULL, type: 'server_error', code: 'x' } }),
  'openai-responses': sse({ type: 'error', code: 'server_error', message: FULL, param: null, sequence_number: 99 }),
  'anthropic-messages': `event: error\n${sse({ type: 'error', error: { type: 'overloaded_error', message: FULL } })}`,
  'gemini-generate': sse({ error: { code: 503, message: FULL, status: 'UNAVAILABLE' } }),
  'ollama-chat': `${JSON.stringify({ error: FULL })}\n`,
}

/** OpenAI's library requires every member of a Responses stream, as the gateway writes it. */
function framesOf(wire: WireName): readonly Uint8Array[] {
  const bytes =
    wire === 'openai-responses' ? toBytes(translated(optionsOf(openai), [turnOf('openai-chat')])) : turnOf(wire)
  return splitFrames(WIRES[wire].framing, bytes)
}

const turnOf = (wire: WireName): Uint8Array =>
  WIRE_UPSTREAMS[wire].encodeTurn({
    reasoning: { text: 'Let me see.', seal: 'c2VhbA==' },
    text: ['Seven', ' degrees', ' in Oslo.'],
    calls: [{ id: 'call_1', name: 'get_weather', args: { city: 'Oslo' } }],
  })

/** Sends the frames one by one. `failure`: the last frame, in place of a connection that breaks. */
const breaking =
  (wire: WireName, frames: readonly Uint8Array[], failure: string | null): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': WIRES[wire].framing.mediaTypes[0] })
    response.flushHeaders()
    for (const frame of frames) {
      response.write(frame)
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (failure === null) response.destroy()
    else response.end(failure)
  }

/** Returns the message of the failure that a client reports; null if it reports none. */
async function reported(ask: Promise<unknown>): Promise<string | null> {
  try {
    await ask
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const ROWS = Object.entries(CLIENTS).flatMap(([client, { passed, translated, ask }]) =>
  [passed, translated].map((wire) => ({ client, wire, ask })),
)

/** A stream is complete with its last frames: a finish, the counts, an end. */
const LAST = 3

describe.each(ROWS)('the client $client with an upstream of $wire', ({ wire, ask }) => {
  it.each([
    ['that the connection was lost', null, LOST],
    ['the failure of the upstream', FAILURES[wire] ?? null, FAILURES[wire] === undefined ? LOST : FULL],
  ])('reports %s, after whichever event', async (_, failure, message) => {
    const frames = framesOf(wire)
    const sent = { frames: frames.slice(0, 0) }
    const behave: Behaviour = (response, request) => breaking(wire, sent.frames, failure)(response, request)
    const upstream = await startMockUpstream(behave)
    whenDone(upstream.close)
    const acme = { wire, base_url: upstream.url, key: 'k' }
    const { url } = await startGateway({ vendors: { acme }, retry: { attempts: 1, breaker_failures: 0 } })
    for (let count = 0; count < frames.length - LAST; count += 1) {
      sent.frames = frames.slice(0, count)
      const shown = await reported(ask(url, 'acme/m'))
      expect(shown ?? 'no failure', `after ${count} of ${frames.length} frames`).toContain(message)
    }
  })
})
