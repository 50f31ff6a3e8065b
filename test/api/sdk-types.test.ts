import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import {
  collectResponse,
  createTranslator,
  type OutputItem,
  type ResponseEvent,
  streamEvents,
  translateBody,
  translateRequest,
} from '../../src/index.ts'

type SdkEvent = OpenAI.Responses.ResponseStreamEvent

const translator = createTranslator({ upstream: { vendor: 'groq', apiKey: 'key' } })
const BODY: OpenAI.ChatCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hi.', refusal: null }, finish_reason: 'stop', logprobs: null },
  ],
}

async function* chunks(): AsyncIterable<OpenAI.ChatCompletionChunk> {
  const choices = [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' as const }]
  yield { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices }
}

/** Functions of a program that is written with the types of OpenAI's SDK. */
const toSdkEvent = (event: ResponseEvent): SdkEvent => event as SdkEvent
const toInput = (item: OutputItem): OpenAI.Responses.ResponseInputItem => item as OpenAI.Responses.ResponseInputItem
const ofSdk = (event: SdkEvent): ResponseEvent => event as ResponseEvent

describe('the types of OpenAI’s SDK', () => {
  it('are inputs without a cast: parameters, chunks and bodies', async () => {
    const request: OpenAI.Responses.ResponseCreateParams = { model: 'm', input: 'Hi.', stream: true }
    const chat: OpenAI.ChatCompletionCreateParams = { model: 'm', messages: [{ role: 'user', content: 'Hi.' }] }
    const call = translator.encodeRequest(request)
    if (!call.ok) throw new Error(call.error.message)
    expect(translateRequest(chat, { from: 'openai-chat', to: 'openai-responses' }).ok).toBe(true)
    expect((await translator.collect(chunks(), call)).status).toBe('completed')
    expect((await translator.collect(BODY, call)).status).toBe('completed')
    expect((await collectResponse(BODY, { from: 'openai-chat' })).status).toBe('completed')
    expect(translateBody(BODY, { from: 'openai-chat' }).outcome.status).toBe('completed')
  })

  it('are events and items after one `as`, and the other way round', async () => {
    const texts: string[] = []
    const last: OpenAI.Responses.Response[] = []
    for await (const event of streamEvents(chunks(), { from: 'openai-chat' })) {
      const sdk = toSdkEvent(event)
      if (event.type === 'response.output_text.delta') {
        const delta: Omit<OpenAI.Responses.ResponseTextDeltaEvent, 'logprobs'> = event
        texts.push(delta.delta)
      }
      if (sdk.type === 'response.completed') last.push(sdk.response)
      // The member distinguishes the events, without a look at each type.
      if ('response' in event) expect(event.response.object).toBe('response')
      if ('item' in event) expect(toInput(event.item)).toBe(event.item)
    }
    const [response] = last
    if (response === undefined) throw new Error('no response')
    expect(texts).toEqual(['Hi.'])
    const back = ofSdk({ type: 'response.completed', sequence_number: 0, response })
    expect('response' in back && back.response.output).toHaveLength(1)
  })
})
