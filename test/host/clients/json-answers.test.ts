import { expect, it } from 'vitest'
import { withBody } from '../../mock-upstreams/server.ts'
import { json, post, startTestServer } from '../test-server.ts'

/** Cloudflare sends requested JSON output as an object instead of text; clients receive its text. */

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
])('JSON output that arrives as an object reaches the client as text: %s', async (path, fields) => {
  const { url } = await startTestServer(withBody(BODY))
  const asked = 'contents' in fields ? fields : { model: 'acme/mock-1', stream: false, ...fields }
  const answer = await json(await post(url, asked, { path }))
  expect(JSON.stringify(answer)).toContain(JSON.stringify(TEXT))
})

it('JSON output that was not requested is reported as a loss', async () => {
  const { url } = await startTestServer(withBody(BODY))
  const answer = await post(url, { model: 'acme/mock-1', input: 'Who?' })
  expect(answer.headers.get('x-responses-losses')).toBe('answer: content that is a JSON object dropped')
})
