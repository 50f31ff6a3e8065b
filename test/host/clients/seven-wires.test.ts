import OpenAI from 'openai'
import type { Response, ResponseInput, ResponseOutputItem, Tool } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/protocol/json.ts'
import type { ScriptedTurn, WireUpstream } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { withoutBreakpoints } from '../../without-breakpoints.ts'
import {
  ASSISTANT_ANSWERS,
  ASSISTANT_REQUESTS,
  HISTORY,
  NORTH,
  OUTPUTS,
  PARAMETERS,
  QUESTION,
  REASONING,
  SEALS,
  SOUTH,
  startConversation,
  TEXTS,
} from '../conversation.ts'
import { KEY, UPSTREAM_KEY } from '../test-server.ts'

/**
 * The official client, through the host, with upstreams of every wire: its answers, and the upstream's request of the
 * second turn.
 */

const WEATHER: Tool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city, now.',
  parameters: PARAMETERS,
  strict: false,
}

async function openClient(wireUpstream: WireUpstream, turns: readonly ScriptedTurn[], size?: number) {
  const { upstream, url, model } = await startConversation(wireUpstream, turns, size)
  const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: KEY, maxRetries: 0 })
  const ask = (input: ResponseInput) =>
    client.responses.stream({ model, input, tools: [WEATHER], reasoning: { effort: 'low' } })
  return { upstream, ask, begin: () => ask([{ role: 'user', content: QUESTION }]) }
}

const itemsOf = <T extends ResponseOutputItem['type']>({ output }: Response, type: T) =>
  output.filter((item): item is Extract<ResponseOutputItem, { type: T }> => item.type === type)

describe.each(Object.values(WIRE_UPSTREAMS))('the openai client with an upstream of $wire', (wireUpstream) => {
  it.each([1, 23, 5000])('receives text that arrives in pieces of %i bytes', async (size) => {
    const { begin, upstream } = await openClient(wireUpstream, [ASSISTANT_ANSWERS], size)
    const stream = begin()
    const deltas: string[] = []
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    const response = await stream.finalResponse()
    expect(deltas.join('')).toBe('Snow 🌨 and sun.')
    expect(response).toMatchObject({
      status: 'completed',
      output_text: 'Snow 🌨 and sun.',
      usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
    })
    expect(upstream.received[0]?.url).toBe(`/v1${wireUpstream.path}`)
    expect(upstream.received[0]?.headers[wireUpstream.keyHeader]).toContain(UPSTREAM_KEY)
  })

  it('receives reasoning, encrypted if its upstream signs it', async () => {
    const { begin } = await openClient(wireUpstream, [
      { ...ASSISTANT_REQUESTS, calls: ASSISTANT_REQUESTS.calls.slice(0, 1) },
    ])
    const stream = begin()
    const reasoning: string[] = []
    stream.on('response.reasoning_summary_text.delta', ({ delta }) => reasoning.push(delta))
    const response = await stream.finalResponse()
    expect(reasoning.join('')).toBe(REASONING)
    const items = itemsOf(response, 'reasoning')
    expect(items.flatMap(({ summary }) => summary.map(({ text }) => text)).join('')).toBe(REASONING)
    expect(items.some(({ encrypted_content: sealed }) => typeof sealed === 'string')).toBe(
      SEALS.includes(wireUpstream.wire),
    )
    expect(response.output[0]?.type).toBe('reasoning')
  })

  it('receives two calls in one answer', async () => {
    const { begin } = await openClient(wireUpstream, [ASSISTANT_REQUESTS])
    const response = await begin().finalResponse()
    expect(response).toMatchObject({ status: 'completed', output_text: TEXTS })
    const calls = itemsOf(response, 'function_call')
    expect(calls.map(({ call_id, name, status }) => [call_id, name, status])).toEqual([
      ['call_a', 'get_weather', 'completed'],
      ['call_b', 'get_weather', 'completed'],
    ])
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([NORTH, SOUTH])
  })

  it('completes a loop of tools: reasoning, calls and outputs return in their places', async () => {
    const { ask, begin, upstream } = await openClient(wireUpstream, [ASSISTANT_REQUESTS, ASSISTANT_ANSWERS])
    const asking = await begin().finalResponse()
    const outputs = itemsOf(asking, 'function_call').map(({ call_id }, i) => ({
      type: 'function_call_output' as const,
      call_id,
      output: OUTPUTS[i] ?? '',
    }))
    const first = asking.output as ResponseInput
    const second = await ask([{ role: 'user', content: QUESTION }, ...first, ...outputs]).finalResponse()
    expect(second.output_text).toBe('Snow 🌨 and sun.')
    const [field, history] = HISTORY[wireUpstream.wire]
    expect(upstream.received).toHaveLength(2)
    expect(withoutBreakpoints(upstream.received[1]?.body[field] as Json)).toEqual(history)
  })
})
