import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import { createRecorder } from '../../src/host/recording/recorder.ts'
import type { StartOptions } from '../../src/host/start-options.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { type Behaviour, type MockUpstream, startMockUpstream } from '../mock-upstreams/server.ts'
import type { ScriptedTurn } from '../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { hasServer } from './doors.ts'
import {
  eventsOf,
  json,
  KEY,
  type Loose,
  post,
  readSlowly,
  sha256,
  startGateway,
  waitUntil,
  whenDone,
} from './test-server.ts'
import { dyingAt, inOrder, refusing, whole } from './upstream/scripted-behaviours.ts'
import { connectWebSocket } from './websocket-client.ts'

/** Features for long sessions where they meet. */

const DYING: ScriptedTurn = { text: ['Hello', ' brave', ' END'], calls: [] }
const REST: ScriptedTurn = { text: [' new', ' world'], calls: [] }
const BEGUN = 'Hello brave'
const WHOLE = `${BEGUN} new world`
const OPENAI = { path: '/openai/v1/responses' }
const CLAUDE = 'claude-sonnet-4-5'

/** Sends the turn up to this mark, and waits for the test. */
function pausing(wire: WireName, turn: ScriptedTurn, mark: string) {
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const behave: Behaviour = async (response) => {
    const { contentType, encodeTurn } = WIRE_UPSTREAMS[wire]
    const bytes = Buffer.from(encodeTurn(turn))
    const at = bytes.indexOf(mark)
    response.writeHead(200, { 'content-type': contentType }).write(bytes.subarray(0, at))
    await gate
    response.end(bytes.subarray(at))
  }
  return { behave, open }
}

async function mockOf(behave: Behaviour): Promise<MockUpstream> {
  const mock = await startMockUpstream(behave)
  whenDone(mock.close)
  return mock
}

const vendorOf = (wire: WireName, { url }: MockUpstream, key = 'k-0123456789') => ({
  wire,
  base_url: url,
  key,
  quirks: WIRE_UPSTREAMS[wire].quirks,
})

/** Two vendors, of which the second one continues the answers of the first one. */
async function pair(
  first: readonly [WireName, Behaviour],
  second: readonly [WireName, Behaviour],
  config: object = {},
  options: StartOptions = {},
) {
  const [one, other] = [await mockOf(first[1]), await mockOf(second[1])]
  const vendors = { one: vendorOf(first[0], one), other: vendorOf(second[0], other) }
  const to = [`one/${WIRE_UPSTREAMS[first[0]].model}`, `other/${WIRE_UPSTREAMS[second[0]].model}`]
  const server = await startGateway({ vendors, models: [{ match: 'any', to, continue: true }], ...config }, options)
  return { ...server, one, other, to }
}

/** A vendor with a pool of two members that share one script. */
async function pooled(wire: WireName, behave: Behaviour, config: object = {}) {
  const calls: { readonly member: string; readonly url: string; readonly body: Loose }[] = []
  const pool = []
  for (const name of ['east', 'west']) {
    const mock = await mockOf((response, request) => {
      calls.push({ member: name, url: request.url, body: request.body })
      return behave(response, request)
    })
    pool.push({ name, base_url: mock.url, key: `k-${name}-0123456789` })
  }
  const acme = { wire, pool, quirks: WIRE_UPSTREAMS[wire].quirks }
  return { ...(await startGateway({ vendors: { acme }, retry: { first_delay_ms: 1 }, ...config })), calls }
}

const lastResponse = (text: string): Loose =>
  eventsOf(text).findLast(({ response }) => response !== undefined)?.response
const textIn = (text: string): string => lastResponse(text).output.at(-1)?.content[0].text
const requestsIn = async (lines: readonly Loose[], count: number): Promise<readonly Loose[]> => {
  const found = (): readonly Loose[] => lines.filter(({ event }) => event === 'request')
  await waitUntil(() => found().length >= count, `${count} lines of requests`)
  return found()
}

describe('a continued answer', () => {
  it('keeps the breakpoints of its client, and asks for no more than is left of the limit', async () => {
    const { url, other } = await pair(
      ['anthropic-messages', dyingAt('anthropic-messages', DYING, ' END')],
      ['anthropic-messages', whole('anthropic-messages', REST)],
    )
    const cache_control = { type: 'ephemeral' }
    const body = {
      model: 'any',
      max_tokens: 100,
      stream: true,
      system: [{ type: 'text', text: 'Be kind.', cache_control }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] }],
    }
    await (await post(url, body, { path: '/v1/messages' })).text()
    expect(other.received[0]?.body).toEqual({
      ...body,
      model: CLAUDE,
      max_tokens: 97,
      messages: [...body.messages, { role: 'assistant', content: [{ type: 'text', text: BEGUN }] }],
    })
  })

  it('leaves its conversation with the member that has begun it', async () => {
    const { url, calls, lines } = await pooled(
      'openai-chat',
      inOrder(
        dyingAt('openai-chat', DYING, ' END'),
        whole('openai-chat', REST),
        whole('openai-chat', { text: ['Yes.'], calls: [] }),
      ),
      { models: [{ match: 'any', to: ['acme/m'], continue: true }] },
    )
    const input: object[] = [{ role: 'user', content: 'Hi' }]
    expect(textIn(await (await post(url, { model: 'any', stream: true, input }, OPENAI)).text())).toBe(WHOLE)
    input.push({ role: 'assistant', content: WHOLE }, { role: 'user', content: 'More?' })
    await (await post(url, { model: 'any', stream: true, input }, OPENAI)).text()
    const [first, second, third] = calls.map(({ member }) => member)
    expect(second).not.toBe(first)
    expect(third).toBe(first)
    const [line] = await requestsIn(lines, 2)
    expect(line).toMatchObject({
      continued: [{ from: `acme@${first}/m`, to: `acme@${second}/m` }],
      preferred: `acme@${first}`,
    })
  })

  it('that no route completes has the same end for a client that comes back', async () => {
    const { url } = await pair(
      ['openai-chat', dyingAt('openai-chat', DYING, ' END')],
      ['openai-chat', refusing(429, { 'retry-after': '60' })],
      { resume: { seconds: 600, upstream_seconds: 600 } },
    )
    const options = { ...OPENAI, headers: { 'x-millrace-resume': '1' } }
    const text = await (await post(url, { model: 'any', input: 'Hi', stream: true }, options)).text()
    const { id, status, error } = lastResponse(text)
    expect([status, error.code]).toEqual(['failed', 'upstream_disconnected'])
    const back = await fetch(`${url}/openai/v1/responses/${id}?stream=true&starting_after=4`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    const rest = await back.text()
    expect(rest).toContain('response.failed')
    expect(text.endsWith(rest)).toBe(true)
  })

  it('goes on with the configuration with which it began', async () => {
    const { behave, open } = pausing('openai-chat', DYING, ' END')
    const dying: Behaviour = async (response, request) => {
      void behave(response, request)
      await request.closed
    }
    const [one, old, changed] = [
      await mockOf(dying),
      await mockOf(whole('openai-chat', REST)),
      await mockOf(whole('openai-chat', { text: [' other'], calls: [] })),
    ]
    const configOf = (mock: MockUpstream, key: string) => ({
      keys: [{ name: 'tester', sha256: sha256(KEY) }],
      vendors: { one: vendorOf('openai-chat', one), other: vendorOf('openai-chat', mock, key) },
      models: [{ match: 'any', to: ['one/m', 'other/m'], continue: true }],
    })
    const { url, running } = await startGateway(configOf(old, 'old-key-0123456789'))
    const reading = readSlowly(await post(url, { model: 'any', input: 'Hi', stream: true }, OPENAI))
    await reading.until((text) => text.includes(' brave'))
    const next = checkConfigValue({ listen: { port: 0 }, recordings: true, ...configOf(changed, 'new-key-0123456789') })
    if (!next.ok) return expect.unreachable(next.problems.join('\n'))
    await running.reload(next.config)
    one.received[0]?.response.destroy()
    open()
    expect(textIn(await reading.rest())).toBe(WHOLE)
    expect(old.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer old-key-0123456789'])
    expect(changed.received).toEqual([])
  })

  it('ends with its client, and nothing of it stays open', async () => {
    if (!hasServer()) return
    const { behave } = pausing('openai-chat', REST, ' world')
    const { url, other, lines } = await pair(
      ['openai-chat', dyingAt('openai-chat', DYING, ' END')],
      ['openai-chat', behave],
    )
    const leaving = new AbortController()
    const answer = await post(url, { model: 'any', input: 'Hi', stream: true }, { ...OPENAI, signal: leaving.signal })
    const reading = readSlowly(answer)
    await reading.until((text) => text.includes(' new'))
    leaving.abort()
    await reading.rest().catch(() => undefined)
    await (await other.next()).closed
    const [line] = await requestsIn(lines, 1)
    expect(line).toMatchObject({ client_gone: true, attempts: [{ vendor: 'one' }, { error: 'client_gone' }] })
    const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })).text()
    expect(metrics).toContain('millrace_streams_open 0')
    expect(metrics).toContain('millrace_upstream_calls_open 0')
  })

  it('is recorded as one exchange for each of its upstreams', async () => {
    if (!hasServer()) return
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    const tap = createRecorder({ folder, secrets: ['k-0123456789'], onFailure: () => undefined })
    const { url } = await pair(
      ['openai-chat', dyingAt('openai-chat', DYING, ' END')],
      ['anthropic-messages', whole('anthropic-messages', REST)],
      {},
      { tap },
    )
    await (await post(url, { model: 'any', input: 'Hi', stream: true }, OPENAI)).text()
    const settingsOf = async (): Promise<Loose[]> => {
      const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('settings.json')).sort()
      return Promise.all(files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
    }
    await waitUntil(async () => (await settingsOf().catch(() => [])).length === 2, 'two recordings')
    expect(await settingsOf()).toMatchObject([
      { vendor: 'one', end: 'broken', error: { code: 'upstream_disconnected' } },
      { vendor: 'other', end: 'complete', error: null },
    ])
  })
})

describe('a conversation over two accounts', () => {
  it('has one call a turn after a failure, and its own budget of reasoning, in bodies of the same protocol', async () => {
    const sealed = (text: string): Behaviour =>
      whole('anthropic-messages', { reasoning: { text: 'Hm.', seal: btoa(text) }, text: [text], calls: [] })
    const { url, calls } = await pooled(
      'anthropic-messages',
      inOrder(refusing(503), sealed('a'), sealed('b'), sealed('c')),
    )
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    const messages: object[] = [{ role: 'user', content: 'Hi' }]
    for (let turn = 0; turn < 3; turn += 1) {
      const body = { model: `acme/${CLAUDE}`, max_tokens: 4000, thinking, messages }
      const { content } = await json(await post(url, body, { path: '/v1/messages' }))
      messages.push({ role: 'assistant', content }, { role: 'user', content: 'More.' })
    }
    const [first, second, ...later] = calls
    expect(calls).toHaveLength(4)
    expect(second?.member).not.toBe(first?.member)
    for (const { member, body } of later) {
      expect([member, body.thinking]).toEqual([first?.member, thinking])
      expect(JSON.stringify(body)).not.toContain(btoa('a'))
    }
    expect(JSON.stringify(later.at(-1)?.body)).toContain(btoa('b'))
  })

  it('stays with the member that does not rest, on a WebSocket and for counts of tokens', async () => {
    if (!hasServer()) return
    const answers: Behaviour = (response, request) =>
      request.url.includes('count_tokens')
        ? void response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":7}')
        : whole('anthropic-messages', REST)(response, request)
    const { url, calls } = await pooled('anthropic-messages', inOrder(refusing(429, { 'retry-after': '600' }), answers))
    const socket = await connectWebSocket(url)
    const create = { type: 'response.create', model: `acme/${CLAUDE}` }
    const first = (await socket.turn({ ...create, input: 'Hi' })).at(-1)
    const next = await socket.turn({ ...create, input: 'More', previous_response_id: first.response.id })
    expect(next.at(-1).type).toBe('response.completed')
    await socket.close()
    const counting = { model: `acme/${CLAUDE}`, messages: [{ role: 'user', content: 'Hi' }] }
    expect(await json(await post(url, counting, { path: '/v1/messages/count_tokens' }))).toEqual({ input_tokens: 7 })
    const [resting, ...others] = calls.map(({ member }) => member)
    expect(others).toHaveLength(3)
    expect(others).not.toContain(resting)
  })
})
