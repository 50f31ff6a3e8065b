// Tests a program that calls an LLM, with node:test: no key, no network.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mockUpstream, on, replayRecording } from 'millrace/testing'
import OpenAI from 'openai'

/** The program under test: it asks once more if the vendor is overloaded. */
async function greet(baseURL) {
  const client = new OpenAI({ apiKey: 'any', baseURL, maxRetries: 1 })
  const stream = client.chat.completions.stream({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hi!' }] })
  return (await stream.finalChatCompletion()).choices[0].message.content
}

const HELLO = 'fixtures/openai-chat/hello.stream.sse'

test('greets, also if the vendor is overloaded at first', async (t) => {
  const vendor = await mockUpstream({ recordings: HELLO })
  t.after(() => vendor.close())
  let calls = 0
  vendor.use(
    on('/chat/completions', () => {
      calls += 1
      return calls === 1 ? { status: 503, json: { error: { message: 'overloaded' } } } : undefined
    }),
  )
  assert.match(await greet(vendor.url), /^Hello!/)
  assert.equal(vendor.requests.length, 2)
  assert.equal(vendor.requests[1].body.model, 'gpt-5-mini')
})

test('fails if the connection breaks in the middle of the answer', async (t) => {
  const vendor = await mockUpstream({ recordings: HELLO, faults: { cutAfterBytes: 2000 } })
  t.after(() => vendor.close())
  await assert.rejects(greet(vendor.url))
})

test('the engine translates the recording for clients of Anthropic', async () => {
  const { response, text, outcome } = await replayRecording(HELLO, { to: 'anthropic-messages' })
  assert.equal(response.status, 'completed')
  assert.match(text, /event: message_stop/)
  assert.deepEqual(outcome.losses, [])
})
