import { describe, expect, it } from 'vitest'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { KEY, startGateway, whenDone } from '../test-server.ts'

/** Paths and keys as programs write them that join a base URL themselves, or that were made for Azure. */

async function startOver(wire: 'openai-chat' | 'anthropic-messages') {
  const { contentType, encodeTurn } = WIRE_UPSTREAMS[wire]
  const upstream = await startMockUpstream((response) => {
    response.writeHead(200, { 'content-type': contentType })
    response.end(encodeTurn({ text: ['Moin.'], calls: [] }))
  })
  whenDone(upstream.close)
  return startGateway({ vendors: { acme: { wire, base_url: upstream.url } } })
}

const CHAT = { model: 'acme/m', messages: [{ role: 'user', content: 'Hi' }], stream: true }
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }

const send = (url: string, path: string, body: object, headers: Record<string, string>) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('a path with empty segments', () => {
  it.each([
    ['/api/v1//chat/completions', CHAT],
    ['//api/v1/chat/completions', CHAT],
    ['/api/v1/chat/completions/', CHAT],
    ['/api/v1//messages', { ...CHAT, max_tokens: 9 }],
    ['/api/v1/responses/', { model: 'acme/m', input: 'Hi', stream: true }],
    ['/api//v1beta/models/acme/m:streamGenerateContent', CONTENTS],
    ['/api/v1beta/models/acme/m:streamGenerateContent/', CONTENTS],
  ])('is the path without them: %s', async (path, body) => {
    const { url } = await startOver('openai-chat')
    const answer = await send(url, path, body, { authorization: `Bearer ${KEY}` })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Moin.')
  })

  it.each(['/api/v1//models', '/api/v1/models/', '//api/v1/models/acme/m'])('reads models: %s', async (path) => {
    const { url } = await startOver('openai-chat')
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${KEY}` } })
    expect(answer.status).toBe(200)
    await answer.text()
  })

  it('has the parameters of its query', async () => {
    const { url } = await startOver('openai-chat')
    const answer = await send(
      url,
      `//api/v1beta/models/acme/m:generateContent?key=${encodeURIComponent(KEY)}`,
      CONTENTS,
      {},
    )
    expect(answer.status).toBe(200)
    await answer.text()
  })
})

describe('the header api-key', () => {
  it.each([
    ['/api/v1/chat/completions', CHAT],
    ['/api/v1/responses', { model: 'acme/m', input: 'Hi', stream: true }],
    ['/api/v1/messages', { ...CHAT, max_tokens: 9 }],
  ])('has the key of a client at %s', async (path, body) => {
    const { url } = await startOver('openai-chat')
    const answer = await send(url, path, body, { 'api-key': KEY })
    expect(answer.status).toBe(200)
    await answer.text()
    const refused = await send(url, path, body, { 'api-key': `${KEY}-wrong` })
    expect(refused.status).toBe(401)
    await refused.text()
  })

  it('counts only if there is no other key', async () => {
    const { url } = await startOver('openai-chat')
    const answer = await send(url, '/api/v1/chat/completions', CHAT, { 'api-key': KEY, authorization: 'Bearer wrong' })
    expect(answer.status).toBe(401)
    await answer.text()
  })
})
