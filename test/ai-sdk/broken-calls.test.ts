import * as ai6 from 'ai'
import * as ai7 from 'ai-7'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { checkAsync } from '../property.ts'
import { CASES, type Sdk } from './sdks.ts'

/** A loop of tools whose upstream stops inside a call must end: an answer of the AI SDK to a broken call is a request. */

const ARGS = { city: 'Genève', days: 3, note: 'with "quotes"' }
const BASE = 'https://vendor.example'

interface Run {
  readonly requests: number
  readonly executed: readonly unknown[]
  readonly invalid: number
  readonly error: unknown
  readonly finishReason: string
}

const PLAIN = { text: ['Done.'], calls: [] }

/** The first answer is that one, each further one is a text. */
async function runLoop(sdk: Sdk, wire: WireName, first: BodyInit): Promise<Run> {
  const ai: typeof ai7 = sdk.version === 6 ? (ai6 as never) : ai7
  const { contentType, encodeTurn } = WIRE_UPSTREAMS[wire]
  let requests = 0
  const fetch = (async () => {
    requests += 1
    const body = requests === 1 ? first : new Uint8Array(encodeTurn(PLAIN))
    return new Response(body, { headers: { 'content-type': contentType } })
  }) as typeof globalThis.fetch
  const executed: unknown[] = []
  const errors: unknown[] = []
  const execute = async (input: unknown) => {
    executed.push(input)
    return 'sun'
  }
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
  const result = ai.streamText({
    model: sdk.model(wire, BASE, { fetch }),
    prompt: 'Hi',
    tools: { weather: { description: 'Weather.', inputSchema: ai.jsonSchema(schema), execute } },
    stopWhen: ai.stepCountIs(5),
    maxRetries: 0,
    onError: ({ error }: { readonly error: unknown }) => {
      errors.push(error)
    },
  } as unknown as Parameters<typeof ai.streamText>[0])
  await result.consumeStream({ onError: (error) => errors.push(error) })
  const steps = await Promise.resolve(result.steps).catch(() => [])
  const calls = steps.flatMap(({ toolCalls }) => toolCalls as readonly { readonly invalid?: boolean }[])
  return {
    requests,
    executed,
    invalid: calls.filter(({ invalid }) => invalid === true).length,
    error: errors[0],
    finishReason: await Promise.resolve(result.finishReason).catch(() => 'error'),
  }
}

const turnOf = (wire: WireName) =>
  new Uint8Array(
    WIRE_UPSTREAMS[wire].encodeTurn({ text: ['Let me look.'], calls: [{ id: 'call_1', name: 'weather', args: ARGS }] }),
  )

/** The bytes, and then a connection that is lost. */
const lost = (bytes: Uint8Array) =>
  new ReadableStream({
    start: (controller) => controller.enqueue(bytes),
    pull: (controller) => controller.error(new TypeError('terminated')),
  })

describe.each(CASES)('a loop of version $version of the AI SDK over $wire', ({ sdk, wire }) => {
  it.each([
    ['ends', (bytes: Uint8Array) => bytes as BodyInit],
    ['is lost', lost],
  ])('executes whole calls only, and has an error, if its upstream %s anywhere', (_, broken) =>
    checkAsync(
      fc.asyncProperty(fc.double({ min: 0.05, max: 0.999, noNaN: true }), async (share) => {
        const bytes = turnOf(wire)
        const run = await runLoop(sdk, wire, broken(bytes.slice(0, Math.floor(bytes.length * share))))
        expect(run.invalid).toBe(0)
        expect(run.executed.every((input) => JSON.stringify(input) === JSON.stringify(ARGS))).toBe(true)
        // Only a whole call is answered.
        expect(run.requests).toBe(run.executed.length + 1)
        if (run.executed.length === 0 && run.finishReason !== 'tool-calls')
          expect([run.finishReason, (run.error as Error | undefined)?.name]).toEqual(['error', 'AI_APICallError'])
      }),
      12,
    ),
  )
})

const sse = (...events: readonly object[]): string =>
  events
    .map((event) => `event: ${(event as { type?: string }).type ?? ''}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')

const chatCall = (text: string) => ({
  id: 'c',
  model: 'm',
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: text } }],
      },
    },
  ],
})
const chunks = (...list: readonly object[]): string =>
  [...list.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'].join('')

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [],
  usage: { input_tokens: 1 },
}
const MESSAGES_CALL = [
  { type: 'message_start', message },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"city": "Gen' } },
]

/** Ends of a vendor's own inside of the arguments. */
const OWN_ENDS: readonly (readonly [end: string, wire: WireName, stream: string, finishReason: string])[] = [
  [
    'the limit of tokens',
    'openai-chat',
    chunks(chatCall('{"city": "Gen'), { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }),
    'length',
  ],
  [
    'a filter',
    'openai-chat',
    chunks(chatCall('{"city": "Gen'), { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] }),
    'content-filter',
  ],
  [
    'an error',
    'openai-chat',
    chunks(chatCall('{"city": "Gen'), { error: { message: 'Overloaded', code: 502 } }),
    'error',
  ],
  [
    'the limit of tokens',
    'anthropic-messages',
    sse(
      ...MESSAGES_CALL,
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ),
    'length',
  ],
  [
    'an error',
    'anthropic-messages',
    sse(...MESSAGES_CALL, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    'error',
  ],
]

describe.each(CASES.filter(({ wire }) => OWN_ENDS.some(([, own]) => own === wire)))(
  'a call of version $version of the AI SDK over $wire',
  ({ sdk, wire }) => {
    it.each(OWN_ENDS.filter(([, own]) => own === wire))('is left out at the end by %s inside it', async (...row) => {
      const [, , stream, finishReason] = row
      const run = await runLoop(sdk, wire, stream)
      expect(run).toMatchObject({ requests: 1, executed: [], invalid: 0, finishReason })
    })
  },
)
