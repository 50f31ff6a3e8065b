import { expect, it } from 'vitest'
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
  ['/model/m/converse', { messages: [{ content: [] }] }, 'messages[0].role'],
  ['/v2/chat', { model: 'm', messages, p: 2 }, 'p'],
  ['/api/chat', { model: 'm' }, 'messages'],
] as const)('refuses at %s the body %j, and names its member', async (path, body, member) => {
  const answer = await post(await startMock(), body, { path })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(`${member}`)
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
