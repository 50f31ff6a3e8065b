import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { upstreamError } from '../../../../src/protocol/error.ts'
import { sealReasoning } from '../../../../src/responses/encrypted-content.ts'
import { openaiChatClient } from '../../../../src/wires/openai-chat/client/index.ts'
import {
  called,
  cited,
  customCalled,
  encrypted,
  FINISH,
  finished,
  HOME,
  reasoning,
  refused,
  START,
  summary,
  text,
  USAGE,
} from '../../deltas.ts'
import { type Served, serve } from '../../served-requests.ts'

const openaiOf = ({ url }: Served): OpenAI => new OpenAI({ baseURL: url, apiKey: 'x', maxRetries: 0 })

const WEATHER: ChatCompletionTool = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}

const HELLO = [START, text('Grüß '), text('Gott, 🙂!'), USAGE, FINISH]
const HI = { model: 'acme/m-1', messages: [{ role: 'user', content: 'Hi' }] } satisfies {
  model: string
  messages: ChatCompletionMessageParam[]
}
const BERN = called('get_weather', '{"city":"Bern"}', 'call_a')
const OSLO = called('get_weather', '{"city":"Oslo"}', 'call_b')

/** An answer, and members of its choice for the client. */
interface Read {
  readonly title: string
  readonly answer: readonly Delta[]
  readonly ask?: object
  readonly choice: object
  /** Left out: the same. */
  readonly streamed?: object
  /** The content of the first chunk, which has the role. */
  readonly first?: string | null
}
const mark = (start_index: number, end_index: number) => ({
  type: 'url_citation',
  url_citation: { start_index, end_index, url: 'https://example.org/a', title: 'A' },
})
const annotations = [mark(3, 5), mark(0, 2)]
const message = (content: string | null, more: object = {}) => ({ message: { content, ...more } })
const FILTERED = { finish_reason: 'content_filter' }
const filtered = (title: string, content: string | null, ...deltas: readonly Delta[]): Read => ({
  ...{ title, answer: [START, ...deltas, finished('content_filter')], first: content === null ? null : '' },
  choice: { ...FILTERED, ...message(content, { refusal: null }) },
})
const CUSTOM = { id: 'call_1', type: 'custom', custom: { name: 'grep', input: 'a*' } }
const SCHEMA = { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } }

// biome-ignore format: a row a case
const READ: readonly Read[] = [
  { title: 'reasoning as DeepSeek sends it and citations as OpenAI sends them',
    answer: [START, reasoning('Hm. '), reasoning('Yes.'), text('Up 🙂.'), cited(3, 5), cited(0, 2), FINISH],
    choice: message('Up 🙂.', { reasoning_content: 'Hm. Yes.', annotations }), streamed: message('Up 🙂.', { annotations }) },
  { title: 'calls of custom tools', answer: [START, customCalled('grep', 'a*'), FINISH],
    ask: { tools: [{ type: 'custom', custom: { name: 'grep' } }] }, choice: { message: { tool_calls: [CUSTOM] } }, streamed: {} },
  ...([['max_output_tokens', 'length'], ['content_filter', 'content_filter']] as const).map(([reason, finish_reason]) => ({
    title: `the finish reason of a call in an answer cut off by ${reason}`, answer: [START, BERN, finished(reason)],
    ask: { tools: [WEATHER] }, choice: { finish_reason } })),
  filtered('null for an answer that was filtered away', null),
  filtered('null for an answer that was filtered away after reasoning', null, reasoning('Hm')),
  filtered('the text of an answer that was cut', 'He', text('He')),
  { title: 'the JSON text that it requested with a schema', answer: [START, text('{"n":'), text('7}'), FINISH],
    ask: { response_format: SCHEMA }, choice: message('{"n":7}') },
]

describe('the official openai client', () => {
  it('reads an answer, whole and streamed', async () => {
    const served = await serve(openaiChatClient, () => HELLO)
    const client = openaiOf(served)
    const whole = await client.chat.completions.create(HI)
    expect(whole).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'm-1',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Grüß Gott, 🙂!', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 5,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    })
    const stream = client.chat.completions.stream({ ...HI, stream_options: { include_usage: true } })
    const pieces: string[] = []
    stream.on('content', (piece) => pieces.push(piece))
    const { usage, ...final } = await stream.finalChatCompletion()
    expect(pieces).toEqual(['Grüß ', 'Gott, 🙂!'])
    expect({ ...final, usage }).toMatchObject(whole)
    expect(await stream.totalUsage()).toMatchObject({ total_tokens: 12 })
  })

  it('receives usage in a stream only if it requests usage', async () => {
    const client = openaiOf(await serve(openaiChatClient, () => HELLO))
    const chunks = []
    for await (const chunk of await client.chat.completions.create({ ...HI, stream: true })) chunks.push(chunk)
    expect(chunks.every((chunk) => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true)
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, null, 'stop'])
  })

  it.each([true, false])('runs its tools until it has its answer (streamed: %s)', async (stream) => {
    const served = await serve(openaiChatClient, (_, turn) =>
      turn === 0 ? [START, text('Let me look.'), BERN, OSLO, FINISH] : [START, text('Warm.'), FINISH],
    )
    const asked: unknown[] = []
    const getWeather: RunnableToolFunctionWithParse<{ city: string }> = {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city, now.',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
        parse: JSON.parse,
        function: ({ city }) => {
          asked.push(city)
          return `${city}: 7 °C`
        },
      },
    }
    const params = { ...HI, tools: [getWeather] }
    const { completions } = openaiOf(served).chat
    const runner = stream ? completions.runTools({ ...params, stream: true }) : completions.runTools(params)
    expect(await runner.finalContent()).toBe('Warm.')
    expect(asked).toEqual(['Bern', 'Oslo'])
    expect(served.received[1]?.request.input.slice(1)).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
      { type: 'function_call', call_id: 'call_a', name: 'get_weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call', call_id: 'call_b', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { type: 'function_call_output', call_id: 'call_a', output: [{ type: 'input_text', text: 'Bern: 7 °C' }] },
      { type: 'function_call_output', call_id: 'call_b', output: [{ type: 'input_text', text: 'Oslo: 7 °C' }] },
    ])
  })

  it('receives every event of its stream helper', async () => {
    const answer = [START, text('Look: '), BERN, refused('No more.'), FINISH]
    const client = openaiOf(await serve(openaiChatClient, () => answer))
    const stream = client.chat.completions.stream({ ...HI, tools: [WEATHER] })
    const events: unknown[] = []
    stream.on('content.done', ({ content }) => events.push(content))
    stream.on('refusal.done', ({ refusal }) => events.push(refusal))
    stream.on('tool_calls.function.arguments.done', ({ name, arguments: args }) => events.push([name, args]))
    const { choices } = await stream.finalChatCompletion()
    expect(events).toEqual(expect.arrayContaining(['Look: ', 'No more.', ['get_weather', '{"city":"Bern"}']]))
    expect(choices[0]?.message).toMatchObject({ content: 'Look: ', refusal: 'No more.' })
    expect(choices[0]?.finish_reason).toBe('tool_calls')
  })

  it('returns an envelope unchanged in the message that its helper assembled', async () => {
    const envelope = sealReasoning(HOME, { signature: 'abc' })
    const answer = [START, reasoning('First '), reasoning('this.'), encrypted({ signature: 'abc' }), BERN, FINISH]
    const served = await serve(openaiChatClient, (_, turn) => (turn === 0 ? answer : HELLO))
    const client = openaiOf(served)
    const message = await client.chat.completions.stream({ ...HI, tools: [WEATHER] }).finalMessage()
    const whole = await client.chat.completions.create({
      ...HI,
      messages: [...HI.messages, message, { role: 'tool', tool_call_id: 'call_a', content: '7 °C' }],
    })
    expect(whole.choices[0]?.message.content).toBe('Grüß Gott, 🙂!')
    expect(served.received[1]?.request.input[1]).toMatchObject({ type: 'reasoning', encrypted_content: envelope })
  })

  it.each(READ)('reads $title, whole and streamed', async ({ answer, ask = {}, choice, streamed = choice, first }) => {
    const { chat } = openaiOf(await serve(openaiChatClient, () => answer))
    const whole = await chat.completions.create({ ...HI, ...ask })
    expect(whole.choices[0]).toMatchObject(choice)
    const stream = chat.completions.stream({ ...HI, ...ask })
    const roles: unknown[] = []
    stream.on('chunk', ({ choices: [one] }) => one?.delta.role === 'assistant' && roles.push(one.delta.content))
    expect((await stream.finalChatCompletion()).choices[0]).toMatchObject(streamed)
    if (first !== undefined) expect(roles).toEqual([first])
  })

  it('reads errors in the format of OpenAI', async () => {
    const failing = [
      START,
      text('He'),
      { kind: 'error', error: upstreamError('server_is_overloaded', 'Busy.', 503) },
    ] as const
    const client = openaiOf(await serve(openaiChatClient, () => failing))
    const stream = client.chat.completions.stream(HI)
    await expect(stream.finalMessage()).rejects.toMatchObject({ message: 'Busy.', code: 'server_is_overloaded' })
    const wrong = client.chat.completions.create({ ...HI, model: ' ' })
    await expect(wrong).rejects.toThrow(OpenAI.BadRequestError)
    await expect(wrong).rejects.toMatchObject({ param: 'model', type: 'invalid_request_error', code: 'invalid_prompt' })
  })

  it('rejects a stream that was cut off', async () => {
    const client = openaiOf(await serve(openaiChatClient, () => [START, text('He')]))
    await expect(client.chat.completions.stream(HI).finalMessage()).rejects.toThrow()
  })
})

const modelOf = ({ url }: Served) => createOpenRouter({ apiKey: 'x', baseURL: url }).chat('acme/m-1')
const look = tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `${city}: 7 °C` })

describe('the OpenRouter provider of the AI SDK', () => {
  const envelope = sealReasoning(HOME, { signature: 'abc' })
  const turns = (_: unknown, turn: number) =>
    turn === 0
      ? [START, reasoning('I look '), reasoning('it up.'), encrypted({ signature: 'abc' }), BERN, USAGE, FINISH]
      : [START, text('Seven.'), cited(0, 5), USAGE, FINISH]

  it.each([streamText, generateText])(
    'reads an answer by $name, runs its tool, and returns reasoning and envelope unchanged',
    async (ask) => {
      const served = await serve(openaiChatClient, turns)
      const asked = {
        model: modelOf(served),
        prompt: 'How warm is it in Bern?',
        tools: { get_weather: look },
        stopWhen: stepCountIs(3),
      }
      const result = await ask(asked)
      expect(await result.text).toBe('Seven.')
      const [first, second] = await result.steps
      expect(first?.reasoningText).toBe('I look it up.')
      expect(second?.sources).toMatchObject([{ url: 'https://example.org/a', title: 'A' }])
      // The client requests no usage in a stream.
      if (ask === generateText) expect(await result.totalUsage).toMatchObject({ inputTokens: 14, outputTokens: 10 })
      expect(served.received[1]?.request.input.slice(1)).toEqual([
        { type: 'reasoning', summary: [], content: ['I look it up.'], encrypted_content: envelope },
        { type: 'function_call', call_id: 'call_a', name: 'get_weather', arguments: '{"city":"Bern"}' },
        { type: 'function_call_output', call_id: 'call_a', output: [{ type: 'input_text', text: 'Bern: 7 °C' }] },
      ])
    },
  )

  it('returns reasoning without an envelope, raw or summarised', async () => {
    for (const [delta, field] of [
      [reasoning, 'content'],
      [summary, 'summary'],
    ] as const) {
      const served = await serve(openaiChatClient, (_, turn) =>
        turn === 0 ? [START, delta('I look it up.'), BERN, FINISH] : [START, text('Seven.'), FINISH],
      )
      const model = modelOf(served)
      const tools = { get_weather: look }
      await streamText({ model, prompt: 'Bern?', tools, stopWhen: stepCountIs(2) }).consumeStream()
      expect(served.received[1]?.request.input[1]).toMatchObject({ type: 'reasoning', [field]: ['I look it up.'] })
    }
  })

  it('reads the error of a stream that failed', async () => {
    const failing = [START, text('He'), { kind: 'error', error: upstreamError('server_error', 'It broke.') }] as const
    const errors: unknown[] = []
    const result = streamText({
      model: modelOf(await serve(openaiChatClient, () => failing)),
      prompt: 'Hi',
      onError: ({ error }) => void errors.push(error),
    })
    await result.consumeStream()
    expect(JSON.stringify(errors)).toContain('It broke.')
  })
})
