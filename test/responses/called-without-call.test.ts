import { describe, expect, it } from 'vitest'
import { createStreamTranslator, streamFromBody, translateBody } from '../../src/index.ts'

const BODIES = [
  [
    'openai-chat',
    (text: string) => ({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'tool_calls' }],
    }),
  ],
  [
    'anthropic-messages',
    (text: string) => ({
      type: 'message',
      role: 'assistant',
      content: text === '' ? [] : [{ type: 'text', text }],
      stop_reason: 'tool_use',
    }),
  ],
  [
    'cohere-chat',
    (text: string) => ({
      message: { role: 'assistant', content: [{ type: 'text', text }] },
      finish_reason: 'TOOL_CALL',
    }),
  ],
  [
    'bedrock-converse',
    (text: string) => ({ output: { message: { role: 'assistant', content: [{ text }] } }, stopReason: 'tool_use' }),
  ],
] as const

describe.each(BODIES)('an answer of %s that ends for a call and has none', (from, bodyOf) => {
  const outcomes = (text: string) => {
    const body = JSON.stringify(bodyOf(text))
    const settings = { from, to: 'openai' } as const
    return [translateBody(body, settings).outcome.status, streamFromBody(body, settings).outcome.status]
  }

  it('is complete if it has text', () => {
    expect(outcomes('Hi')).toEqual(['completed', 'completed'])
  })

  it('fails if it has no text', () => {
    expect(outcomes('')).toEqual(['failed', 'failed'])
  })
})

describe('a chat stream that ends for a call and has none', () => {
  const streamed = (content: string): string => {
    const chunk = (delta: object, finish_reason: string | null): string =>
      `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    const translator = createStreamTranslator({ from: 'openai-chat', to: 'openai' })
    translator.push(new TextEncoder().encode(`${chunk({ content }, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`))
    translator.end()
    return translator.outcome.status
  }

  it.each([
    ['Hi', 'completed'],
    [' \n', 'failed'],
    ['', 'failed'],
  ])('with the text %j is %s', (text, status) => {
    expect(streamed(text)).toBe(status)
  })
})
