// Tests a program that calls an LLM, with node:test: no key, no network.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture, mockUpstream, once, replayRecording } from 'millrace/testing'
import OpenAI from 'openai'

/** The program under test: it asks once more if the vendor is overloaded. */
async function greet(baseURL) {
  const client = new OpenAI({ apiKey: 'any', baseURL, maxRetries: 1 })
  const stream = client.chat.completions.stream({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hi!' }] })
  return (await stream.finalChatCompletion()).choices[0].message.content
}

// A recording of the package. Your own ones are folders that `millrace record` or `recordOnce` has written.
const HELLO = fixture('openai-chat/hello.stream.sse')

test('greets, also if the vendor is overloaded at first', async (t) => {
  const vendor = await mockUpstream({ recordings: HELLO })
  t.after(() => vendor.close())
  vendor.use(once('/chat/completions', { status: 503, json: { error: { message: 'overloaded' } } }))
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
