import { expect, it } from 'vitest'
import { json, openHouse, post } from './harness.ts'
import { withBody } from './mock-upstream.ts'

/** Cloudflare sends the JSON that it was asked for as an object: clients get its text. */

const VALUE = { name: 'Emily Wilson', age: 32 }
const BODY = JSON.stringify({ choices: [{ index: 0, message: { content: VALUE }, finish_reason: 'stop' }] })
const TEXT = JSON.stringify(VALUE)
const SCHEMA = { type: 'object' }
const HI = [{ role: 'user', content: 'Who?' }]

it.each<[path: string, body: object]>([
  ['/openai/v1/responses', { input: 'Who?', text: { format: { type: 'json_object' } } }],
  ['/api/v1/responses', { input: 'Who?', text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } } }],
  ['/api/v1/chat/completions', { messages: HI, response_format: { type: 'json_object' } }],
  ['/api/v1/api/chat', { messages: HI, format: SCHEMA }],
  [
    '/api/v1/models/acme/mock-1:generateContent',
    { contents: [{ parts: [{ text: 'Who?' }] }], generationConfig: { responseMimeType: 'application/json' } },
  ],
])('%s', async (path, fields) => {
  const { url } = await openHouse(withBody(BODY))
  const asked = 'contents' in fields ? fields : { model: 'acme/mock-1', stream: false, ...fields }
  const answer = await json(await post(url, asked, { path }))
  expect(JSON.stringify(answer)).toContain(JSON.stringify(TEXT))
})

it('of a request for text it is a loss, which is told', async () => {
  const { url } = await openHouse(withBody(BODY))
  const answer = await post(url, { model: 'acme/mock-1', input: 'Who?' })
  expect(answer.headers.get('x-responses-losses')).toBe('answer: content that is a JSON object dropped')
})
