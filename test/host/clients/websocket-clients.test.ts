import { Agent, Runner, setTracingDisabled, tool } from '@openai/agents-core'
import { OpenAIProvider } from '@openai/agents-openai'
import OpenAI from 'openai'
import type { Response, ResponsesClientEvent, Tool } from 'openai/resources/responses/responses'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { WebSocket } from 'undici'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../src/protocol/json.ts'
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
  startConversation,
} from '../conversation.ts'
import { KEY, type Loose, whenDone } from '../test-server.ts'

/** The WebSocket transport of the vendor's own libraries: a loop of tools over an upstream of each wire. */

const LOOP = [ASSISTANT_REQUESTS, ASSISTANT_ANSWERS]
const ANSWER = ASSISTANT_ANSWERS.text.join('')

const WEATHER: Tool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city, now.',
  parameters: PARAMETERS,
  strict: false,
}

type Create = Omit<ResponsesClientEvent.ResponseCreate, 'type'>

/** A connection that answers one request after the other. */
interface Session {
  ask(request: Create): Promise<Response>
}

function openSession(baseURL: string): Session {
  const socket = new ResponsesWS(new OpenAI({ baseURL, apiKey: KEY }))
  whenDone(async () => socket.close())
  const events = socket.stream()
  return {
    async ask(request) {
      socket.send({ type: 'response.create', ...request })
      for (;;) {
        const { value } = await events.next()
        if (value.type === 'error') throw value.error
        if (value.type !== 'message') continue
        const { message } = value
        if (message.type === 'response.completed') return message.response
        if (message.type === 'response.failed') throw new Error(message.response.error?.message)
      }
    },
  }
}

const secondRequest = (upstream: { received: readonly Loose[] }, field: string): unknown => {
  expect(upstream.received).toHaveLength(2)
  return withoutBreakpoints(upstream.received[1].body[field] as Json)
}

describe.each(Object.values(WIRE_UPSTREAMS))('ResponsesWS of openai with an upstream of $wire', (wireUpstream) => {
  const [field, history] = HISTORY[wireUpstream.wire]
  const settings: Create = { tools: [WEATHER], reasoning: { effort: 'low' }, store: false }

  it('completes a loop of tools with `previous_response_id`: the upstream receives the whole conversation', async () => {
    const { upstream, url, model } = await startConversation(wireUpstream, LOOP)
    const { ask } = openSession(`${url}/openai/v1`)
    const asking = await ask({ model, ...settings, input: [{ role: 'user', content: QUESTION }] })
    const calls = asking.output.filter((item) => item.type === 'function_call')
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([NORTH, { city: 'São Paulo' }])
    const input = calls.map(({ call_id }, i) => ({
      type: 'function_call_output' as const,
      call_id,
      output: OUTPUTS[i] ?? '',
    }))
    const { output } = await ask({ model, ...settings, previous_response_id: asking.id, input })
    expect(output.at(-1)).toMatchObject({ type: 'message', content: [{ type: 'output_text', text: ANSWER }] })
    expect(secondRequest(upstream, field)).toEqual(history)
  })

  it('throws the error of a request, and answers the next one', async () => {
    const { url, model } = await startConversation(wireUpstream, [ASSISTANT_ANSWERS])
    const { ask } = openSession(`${url}/openai/v1`)
    const request: Create = { model, input: QUESTION }
    const failed = await ask({ ...request, previous_response_id: 'resp_none' }).catch((error: Loose) => error)
    expect(failed.error.error.code).toBe('previous_response_not_found')
    expect((await ask(request)).status).toBe('completed')
  })
})

describe('the agents library with an upstream of', () => {
  // The library takes the WebSocket of the runtime, which Node has from version 22 on.
  beforeAll(() => {
    vi.stubGlobal('WebSocket', WebSocket)
    setTracingDisabled(true)
  })
  afterAll(() => vi.unstubAllGlobals())

  const weather = tool({
    name: 'get_weather',
    description: 'The weather in a city, now.',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => (city === NORTH.city ? OUTPUTS[0] : OUTPUTS[1]),
  })

  it.each(Object.values(WIRE_UPSTREAMS))(
    '$wire completes a loop of tools over one connection',
    async (wireUpstream) => {
      const { upstream, url, model } = await startConversation(wireUpstream, LOOP)
      const provider = new OpenAIProvider({ apiKey: KEY, baseURL: `${url}/openai/v1`, useResponsesWebSocket: true })
      whenDone(() => provider.close())
      const agent = new Agent({
        name: 'guide',
        model,
        tools: [weather],
        modelSettings: { reasoning: { effort: 'low' }, store: false },
      })
      const result = await new Runner({ modelProvider: provider }).run(agent, QUESTION)
      expect(result.finalOutput).toBe(ANSWER)
      const sent = JSON.stringify(secondRequest(upstream, HISTORY[wireUpstream.wire][0]))
      for (const words of [QUESTION, NORTH.city, ...OUTPUTS]) expect(sent).toContain(words)
    },
  )
})
