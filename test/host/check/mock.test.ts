import { describe, expect, it } from 'vitest'
import { post } from '../test-server.ts'
import { startMock } from './checked-servers.ts'

/** The scripted upstream refuses what a vendor would refuse, and answers in the pieces that are set. */

const messages = [{ role: 'user', content: 'Hi' }]
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }

it.each([
  ['/v1/chat/completions', { model: 'm', messages, temprature: 1 }, 'temprature'],
  ['/v1/chat/completions', { model: 'm', messages, temperature: 3 }, 'temperature'],
  [
    '/v1/chat/completions',
    { model: 'm', messages: [...messages, { role: 'assistant', tool_calls: [call] }] },
    'messages[1]',
  ],
  ['/v1/messages', { model: 'm', messages }, 'max_tokens'],
  ['/v1/responses', { model: 'm', input: 'Hi', max_tokens: 5 }, 'max_tokens'],
  ['/v1/responses', { model: 'm' }, 'input'],
  ['/v1beta/models/m:generateContent', { contents: 'Hi' }, 'contents'],
  ['/v1beta/models/m:generateContent', { contents: [] }, 'contents'],
  ['/v1/chat/completions', { model: 'm', messages: [] }, 'messages'],
  ['/v1/messages', { model: 'm', max_tokens: 9, messages: [] }, 'messages'],
  ['/model/m/converse', { messages: [{ content: [] }] }, 'messages[0].role'],
  ['/v2/chat', { model: 'm', messages, p: 2 }, 'p'],
  ['/api/chat', { model: 'm' }, 'messages'],
] as const)('refuses at %s the body %j, and names its member', async (path, body, member) => {
  const answer = await post(await startMock(), body, { path })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(`${member}`)
})

describe('a stream of Google without alt=sse', () => {
  const path = '/v1beta/models/script:streamGenerateContent'
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
  const read = async (body: object, query: string) => {
    const answer = await post(await startMock(), body, { path: path + query })
    return [answer.status, answer.headers.get('content-type')?.split(';')[0], await answer.text()] as const
  }

  it('is one array of the same chunks', async () => {
    const [, , events] = await read({ contents }, '?alt=sse')
    const [status, type, array] = await read({ contents }, '?key=k')
    expect([status, type]).toEqual([200, 'application/json'])
    const chunks = [...events.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown)
    expect(chunks.length).toBeGreaterThan(1)
    expect(JSON.parse(array)).toEqual(chunks)
  })

  it('has its error in an array', async () => {
    const [status, type, text] = await read({ contents: [] }, '')
    expect([status, type]).toEqual([400, 'application/json'])
    expect(JSON.parse(text)).toMatchObject([{ error: { code: 400 } }])
  })
})

it('answers with the fixture that the model names, also in pieces of one byte', async () => {
  const url = await startMock()
  const path = '/v1/chat/completions'
  const [whole, pieces] = await Promise.all(
    ['hello', 'hello+pieces-1'].map(async (model) =>
      (await post(url, { model, messages, stream: true }, { path })).text(),
    ),
  )
  expect(whole).toContain('data: [DONE]')
  expect(pieces).toBe(whole)
})

it('names the settings that exist for one that does not', async () => {
  const answer = await post(
    await startMock(),
    { model: 'script+fault-usage-totl', messages },
    { path: '/v1/chat/completions' },
  )
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('usage-total')])
})
