import { once } from 'node:events'
import { Agent, type ClientRequest, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { json, post, REQUEST, readSlowly, typesOf, waitUntil, whenDone } from '../host/test-server.ts'
import { connectWebSocket } from '../host/websocket-client.ts'
import {
  type Behaviour,
  beginning,
  bodyOf,
  doneFrame,
  roleChunk,
  stopChunk,
  textChunk,
  withBody,
} from '../mock-upstreams/server.ts'
import { RUNTIMES } from './runtimes.ts'
import { PACKAGE_HEADERS, serveWithUpstream } from './serve-package.ts'

/** Runs the server of the package as a process of each runtime. */

/** The upstream of the shared server: what it does depends on the model. */
const acting: Behaviour = (response, request) => {
  if (request.body.model === 'failing')
    return withBody('{"error":{"message":"Slow down."}}', 429, { 'retry-after': '900' })(response, request)
  if (request.body.model === 'half') return beginning(roleChunk, textChunk('Half'))(response, request)
  if (request.body.stream !== true) return withBody(bodyOf('Hi there'))(response, request)
  beginning(roleChunk, textChunk('Hel'))(response, request)
  response.end(textChunk('lo') + stopChunk + doneFrame)
}

const HALF = { ...REQUEST, model: 'acme/half' }

const SERVERS = RUNTIMES.filter(({ args }) => args !== null)

describe.each(SERVERS.map((runtime) => [runtime.name, runtime] as const))('%s', (_, runtime) => {
  const it = test.skipIf(runtime.version === null)

  it('relays a body, a stream and a failure of an upstream', async () => {
    const { url, upstream } = await serveWithUpstream(runtime, acting, { keep_alive_seconds: 0.2 })
    const whole = await json(await post(url, { ...REQUEST, stream: false }, { headers: PACKAGE_HEADERS }))
    expect(whole.output[0].content[0].text).toBe('Hi there')
    const stream = await (await post(url, REQUEST, { headers: PACKAGE_HEADERS })).text()
    expect(typesOf(stream).slice(-3)).toEqual(['response.completed', 'response.done', '[DONE]'])
    const refused = await post(url, { ...REQUEST, model: 'acme/failing' }, { headers: PACKAGE_HEADERS })
    expect([refused.status, (await json(refused)).error.message]).toEqual([429, 'Slow down.'])

    // Bun reports no disconnect of a client; only the next write fails.
    const client = new AbortController()
    const answer = readSlowly(await post(url, HALF, { headers: PACKAGE_HEADERS, signal: client.signal }))
    await answer.until((words) => words.includes('Half'))
    client.abort()
    await upstream.received.at(-1)?.closed
    await answer.rest().catch(() => null)
  })

  it('answers upgrades other than those of WebSockets as requests', async () => {
    const { url } = await serveWithUpstream(runtime, acting)
    const refusals = [
      connectWebSocket(url),
      connectWebSocket(url, { path: '/openai/v1/models', headers: PACKAGE_HEADERS }),
    ]
    await Promise.allSettled(refusals)
    await expect(refusals[0]).rejects.toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } })
    await expect(refusals[1]).rejects.toMatchObject({ status: 426 })
    const headers = { ...PACKAGE_HEADERS, connection: 'Upgrade', upgrade: 'h2c', 'content-type': 'application/json' }
    const asking = request(`${url}/openai/v1/responses`, { method: 'POST', headers })
    const [answer] = await once(asking.end(JSON.stringify({ ...REQUEST, stream: false })), 'response')
    expect([answer.statusCode, JSON.parse(await text(answer)).status]).toEqual([200, 'completed'])
  })

  it('finishes open streams and WebSockets at SIGTERM, and exits in spite of idle connections', async () => {
    const { url, child, exited, upstream, output } = await serveWithUpstream(runtime, acting)
    const client = await connectWebSocket(url, { headers: PACKAGE_HEADERS })
    const events = await client.turn({ type: 'response.create', ...REQUEST })
    expect(events.at(-1).response.output[0].content[0].text).toBe('Hello')
    const idle = new Agent({ keepAlive: true })
    whenDone(async () => idle.destroy())
    await text((await once(request(`${url}/healthz`, { agent: idle }).end() as ClientRequest, 'response'))[0])
    const answer = readSlowly(await post(url, HALF, { headers: PACKAGE_HEADERS }))
    await answer.until((words) => words.includes('Half'))
    child.kill('SIGTERM')
    expect(await client.closed).toBe(1001)
    await waitUntil(() => output().includes('"event":"draining"'), 'the end to begin')
    upstream.received.at(-1)?.response.end(textChunk(' and half') + stopChunk + doneFrame)
    expect(typesOf(await answer.rest()).at(-3)).toBe('response.completed')
    expect(await exited).toEqual([0, null])
    expect(output()).toContain('"event":"stopped"')
  })

  it('ends streams beyond the drain limit as failed, and exits', async () => {
    const { url, child, exited } = await serveWithUpstream(runtime, acting, { drain: { limit_seconds: 0.1 } })
    const answer = readSlowly(await post(url, HALF, { headers: PACKAGE_HEADERS }))
    await answer.until((words) => words.includes('Half'))
    child.kill('SIGTERM')
    expect(typesOf(await answer.rest()).at(-3)).toBe('response.failed')
    expect(await exited).toEqual([0, null])
  })
})
