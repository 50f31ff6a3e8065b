// Records the vendor on the first run, with Vitest, and plays the recording on every later one.

import { recordOnce } from 'millrace/testing'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'

let vendor
beforeAll(async () => {
  vendor = await recordOnce('fixtures/recordings/greeting', {
    upstream: 'https://api.openai.com/v1',
    // Without this, a missing recording would send a request from continuous integration.
    mode: process.env.CI ? 'replay' : 'once',
  })
})
afterAll(() => vendor?.close())

test('greets', async () => {
  const client = new OpenAI({ apiKey: process.env.OPENAI_API_KEY ?? 'any', baseURL: vendor.url })
  const stream = client.chat.completions.stream({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: 'Hello!' }],
  })
  const { choices } = await stream.finalChatCompletion()
  expect(choices[0].message.content).toMatch(/^Hello!/)
})
