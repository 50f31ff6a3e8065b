import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConfigInput } from '../../../src/gateway/config/config.ts'
import {
  type Behaviour,
  bodyOf,
  type MockUpstream,
  silence,
  startMockUpstream,
  streamOf,
  withBody,
} from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { checkAsync } from '../../property.ts'
import { HISTORY, SEAL } from '../conversation.ts'
import { hasServer } from '../doors.ts'
import { answerJson, startMockEngine } from '../search/mock-engine.ts'
import { json, KEY, type Loose, lineOf, post, sha256, startGateway, whenDone, withEnoughTime } from '../test-server.ts'

/** Requests whose model has several routes: which of them are called, and what the client receives. */

const ROUTES = [
  WIRE_UPSTREAMS['openai-chat'],
  WIRE_UPSTREAMS['anthropic-messages'],
  WIRE_UPSTREAMS['gemini-generate'],
  WIRE_UPSTREAMS['openai-responses'],
]

const status =
  (code: number): Behaviour =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end('{"error":{"message":"Not now."}}')

/** The answer of a route as a stream of its wire. */
const answerOf = (at: number): Buffer =>
  Buffer.from(ROUTES[at]?.encodeTurn({ text: ['Snow ', `from ${at}.`], calls: [] }) ?? [])

/** The beginning of the answer, with its first text. */
function half(at: number): Buffer {
  const whole = answerOf(at)
  const ends = ['\n\n', '\r\n\r\n'].map((end) => whole.indexOf(end, whole.indexOf('Snow ')) + end.length)
  return whole.subarray(0, Math.max(...ends.filter((end) => end > whole.indexOf('Snow '))))
}

const sending =
  (bytes: (at: number) => Buffer, breaks: boolean) =>
  (at: number): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': ROUTES[at]?.contentType ?? '' })
    if (breaks) response.write(bytes(at), () => response.destroy())
    else response.end(bytes(at))
  }

/** Whether the request goes on after this answer, and whether the last route is called again after it. */
interface Script {
  readonly behave: (at: number) => Behaviour
  readonly goesOn: boolean
  readonly passes: boolean
}

const SCRIPTS = {
  answers: { behave: sending(answerOf, false), goesOn: false, passes: false },
  'refuses connections': { behave: () => (response) => void response.socket?.destroy(), goesOn: true, passes: true },
  'is limited': { behave: () => status(429), goesOn: true, passes: true },
  fails: { behave: () => status(500), goesOn: true, passes: true },
  'is overloaded': { behave: () => status(529), goesOn: true, passes: true },
  'breaks before its first text': { behave: sending(() => Buffer.from(': \n\n'), true), goesOn: true, passes: true },
  'refuses the key': { behave: () => status(401), goesOn: true, passes: false },
  'has no such model': { behave: () => status(404), goesOn: true, passes: false },
  'refuses the request': { behave: () => status(400), goesOn: false, passes: false },
  'breaks after its first text': { behave: sending(half, true), goesOn: false, passes: false },
} as const satisfies Readonly<Record<string, Script>>
type ScriptName = keyof typeof SCRIPTS

const MESSAGES = [{ role: 'user', content: 'Hello' }]
const gemini = (stream: boolean) => `/api/v1/models/fast:${stream ? 'streamGenerateContent' : 'generateContent'}`

/** One request of each client family. */
const FAMILIES: Readonly<Record<string, (stream: boolean) => readonly [path: string, body: object]>> = {
  beta: (stream) => ['/api/v1/responses', { model: 'fast', input: 'Hello', stream }],
  openai: (stream) => ['/openai/v1/responses', { model: 'fast', input: 'Hello', stream }],
  chat: (stream) => ['/api/v1/chat/completions', { model: 'fast', messages: MESSAGES, stream }],
  messages: (stream) => ['/api/v1/messages', { model: 'fast', max_tokens: 9, messages: MESSAGES, stream }],
  gemini: (stream) => [gemini(stream), { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }],
  ollama: (stream) => ['/api/v1/api/chat', { model: 'fast', messages: MESSAGES, stream }],
}

const ATTEMPTS = 2
const RETRY = {
  attempts: ATTEMPTS,
  first_delay_ms: 1,
  longest_delay_ms: 1,
  budget_floor: 1_000_000,
  breaker_failures: 0,
}

/** A gateway with the vendors `v0` to `v3`, each on another wire, whose scripts a test sets. */
async function startRoutes(config: object = {}) {
  const scripts: ScriptName[] = []
  const upstreams: MockUpstream[] = []
  for (const at of ROUTES.keys()) {
    const upstream = await startMockUpstream((response, request) =>
      SCRIPTS[scripts[at] ?? 'answers'].behave(at)(response, request),
    )
    whenDone(upstream.close)
    upstreams.push(upstream)
  }
  const vendors = Object.fromEntries(
    ROUTES.map(({ wire, quirks }, at) => [
      `v${at}`,
      { wire, quirks, base_url: upstreams[at]?.url ?? '', key: 'upstream-key' },
    ]),
  )
  const full = { vendors, retry: RETRY, ...config }
  const server = await startGateway(full)
  const route = (...to: readonly string[]) =>
    server.running.reload({ ...full, keys: KEYS, models: [{ match: 'fast', to: [...to] }] } as ConfigInput)
  const callsOf = (): readonly number[] => upstreams.map(({ received }) => received.length)
  return { ...server, scripts, upstreams, route, callsOf }
}
const KEYS = [{ name: 'tester', sha256: sha256(KEY) }]

const isStopped = (name: ScriptName, stream: boolean): boolean =>
  name === 'breaks after its first text' ? stream : !SCRIPTS[name].goesOn

/** The calls of each route by the rules of docs/models.md, and the route of the answer; null if all fail. */
function expected(names: readonly ScriptName[], stream: boolean) {
  const last = names.findIndex((name) => isStopped(name, stream))
  const stop = names[last]
  if (stop !== undefined) {
    const calls = names.map((_, at) => (at <= last ? 1 : 0))
    return { calls, answer: stop === 'answers' ? last : null, begins: stop === 'breaks after its first text' }
  }
  const end = names.at(-1)
  const repeats = end === 'breaks after its first text' || (end !== undefined && SCRIPTS[end].passes)
  const calls = names.map((_, at) => (at === names.length - 1 && repeats ? ATTEMPTS : 1))
  return { calls, answer: null, begins: false }
}

describe('a request with several routes', () => {
  it('gets one answer, of the first route that has one, and calls no route more often than it has to', async () => {
    const { url, scripts, route, upstreams, callsOf, lines } = await startRoutes()
    let runs = 0
    const names = fc.array(fc.constantFrom(...(Object.keys(SCRIPTS) as ScriptName[])), {
      minLength: 1,
      maxLength: ROUTES.length,
    })
    await checkAsync(
      fc.asyncProperty(names, fc.constantFrom(...Object.keys(FAMILIES)), fc.boolean(), async (list, family, stream) => {
        for (const { received } of upstreams) received.length = 0
        lines.length = 0
        scripts.splice(0, scripts.length, ...list)
        await route(...list.map((_, at) => `v${at}/m${at}`))
        const [path, body] = FAMILIES[family]?.(stream) ?? ['', {}]
        // The same request after a failure would be one that its client repeats.
        runs += 1
        const answer = await post(url, { ...body, run: runs }, { path })
        const text = await answer.text()
        const { calls, answer: from, begins } = expected(list, stream)
        expect(callsOf().slice(0, list.length)).toEqual(calls)
        expect(answer.ok).toBe(from !== null || begins)
        for (const at of list.keys()) expect(text.includes(`from ${at}.`)).toBe(at === from)
        if (begins) expect(text).toContain('Snow ')
        const line = await lineOf(lines)
        const all = calls.flatMap((count, at) => Array(count).fill(`v${at}/m${at}`) as string[])
        expect(line.vendor).toBe(all.at(-1)?.split('/')[0])
        expect(line.retries ?? 0).toBe(all.length - 1)
        const listed = answer.headers.get('x-responses-attempts')?.split(', ') ?? []
        expect(listed.map((one) => one.split(' ')[0])).toEqual(all.length === 1 ? [] : all)
        expect(((line.attempts ?? []) as Loose[]).map(({ vendor, model }) => `${vendor}/${model}`)).toEqual(
          all.length === 1 ? [] : all,
        )
      }),
      400,
    )
  })

  it('names every attempt in a header, in the log and in the metrics', async () => {
    const { url, scripts, route, lines } = await startRoutes()
    scripts.push('is overloaded', 'refuses the key', 'answers')
    await route('v0/a,b', 'v1/é', 'v2/c')
    const answer = await post(url, { model: 'fast', input: 'Hello' })
    expect(answer.headers.get('x-responses-attempts')).toBe(
      'v0/a?b server_is_overloaded, v1/? upstream_authentication, v2/c',
    )
    expect(await lineOf(lines)).toMatchObject({
      vendor: 'v2',
      model: 'c',
      retries: 2,
      attempts: [
        { vendor: 'v0', model: 'a,b', error: 'server_is_overloaded' },
        { vendor: 'v1', model: 'é', error: 'upstream_authentication' },
        { vendor: 'v2', model: 'c' },
      ],
    })
    if (!hasServer()) return
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('millrace_fallbacks_total{vendor="v0",code="server_is_overloaded"} 1')
    expect(metrics).not.toContain('millrace_fallbacks_total{vendor="v2"')
  })

  it('goes on after routes that refuse the connection, and that send no headers in time', async () => {
    const { upstreams } = await startRoutes()
    const silent = await startMockUpstream(() => undefined)
    whenDone(silent.close)
    const at = (base_url: string) => ({ wire: 'openai-chat', base_url })
    const ask = async (first_byte_seconds: number): Promise<Response> => {
      const { url } = await startGateway({
        vendors: { dead: at('http://127.0.0.1:9'), silent: at(silent.url), v0: at(upstreams[0]?.url ?? '') },
        models: [{ match: 'fast', to: ['dead/*', 'silent/*', 'v0/*'] }],
        timeouts: { first_byte_seconds },
      })
      return post(url, { model: 'fast', input: 'Hello' })
    }
    // The last route has to answer within the same time.
    const answer = await withEnoughTime(ask, ({ status }) => status === 504)
    expect(await answer.text()).toContain('from 0.')
    expect(answer.headers.get('x-responses-attempts')).toBe(
      'dead/fast upstream_unreachable, silent/fast upstream_timeout, v0/fast',
    )
  })

  it('waits for a route without earlier failures, however long its answer takes', async () => {
    const slow = await startMockUpstream(async (response) => {
      await silence(50)
      response.writeHead(200, { 'content-type': 'application/json' }).end(bodyOf('Slow snow.'))
    })
    const other = await startMockUpstream(withBody(bodyOf('Other snow.')))
    for (const { close } of [slow, other]) whenDone(close)
    const at = (base_url: string) => ({ wire: 'openai-chat', base_url })
    const { url } = await startGateway({
      vendors: { slow: at(slow.url), other: at(other.url) },
      models: [{ match: 'fast', to: ['slow/*', 'other/*'] }],
      retry: { ...RETRY, breaker_failures: 5, breaker_seconds: 0.001 },
    })
    expect(await (await post(url, { model: 'fast', input: 'Hello' })).text()).toContain('Slow snow.')
    expect([slow.received.length, other.received.length]).toEqual([1, 0])
  })

  it('skips a route whose breaker is open, and calls a vendor again only within its retry budget', async () => {
    const retry = { ...RETRY, breaker_failures: 1, breaker_seconds: 600, budget_floor: 0, budget_share: 0 }
    const { url, scripts, route, callsOf } = await startRoutes({ retry })
    scripts.push('is overloaded', 'answers')
    await route('v0/a', 'v1/b')
    await (await post(url, { model: 'fast', input: 'Hello' })).text()
    const next = await post(url, { model: 'fast', input: 'Hello' })
    expect(next.headers.get('x-responses-attempts')).toBe('v0/a breaker skipped, v1/b')
    expect(callsOf()).toEqual([1, 2, 0, 0])
    await route('v0/c', 'v0/d', 'v1/b')
    const third = await post(url, { model: 'fast', input: 'Hello' })
    expect(third.headers.get('x-responses-attempts')).toBe('v0/c server_is_overloaded, v0/d budget skipped, v1/b')
    scripts[1] = 'is overloaded'
    await route('v0/a', 'v1/e')
    await (await post(url, { model: 'fast', input: 'Hello' })).text()
    const refused = await post(url, { model: 'fast', input: 'Hello' })
    expect([refused.status, refused.headers.get('x-responses-attempts')]).toEqual([
      503,
      'v0/a breaker skipped, v1/e breaker skipped',
    ])
  })

  it('that no route answers is not to be repeated, and has the failure of the last one', async () => {
    const { url, scripts, route } = await startRoutes()
    scripts.push('is overloaded', 'refuses the key')
    await route('v0/a', 'v1/b')
    const answer = await post(url, { model: 'fast', input: 'Hello' })
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([502, 'false'])
    expect((await json(answer)).error.code).toBe('upstream_authentication')
  })

  it('is encoded for each route: its losses, its passthrough and its reasoning', async () => {
    const { url, scripts, route, upstreams, lines } = await startRoutes()
    const [field, history] = HISTORY['anthropic-messages']
    const body = { model: 'fast', max_tokens: 9, top_k: 3, [field]: history, stream: false }
    const ask = async (...to: string[]) => {
      for (const { received } of upstreams) received.length = 0
      lines.length = 0
      await route(...to)
      const answer = await post(url, body, { path: '/api/v1/messages' })
      await answer.text()
      const line = await lineOf(lines)
      return { losses: answer.headers.get('x-responses-losses') ?? '', edits: line.edits, entry: line.losses ?? [] }
    }
    scripts.push('is overloaded', 'answers')
    const passed = await ask('v0/a', 'v1/b')
    expect(JSON.stringify(upstreams[0]?.received[0]?.body)).not.toContain(SEAL)
    expect(upstreams[1]?.received[0]?.body).toEqual({ ...body, model: 'b' })
    expect(passed).toEqual({ losses: '', edits: ['model'], entry: [] })
    scripts.splice(0, 2, 'answers', 'is overloaded')
    const translated = await ask('v1/b', 'v0/a')
    expect(JSON.stringify(upstreams[0]?.received[0]?.body)).not.toContain(SEAL)
    expect(translated.losses).toContain('top_k dropped')
    expect(translated.edits).toBeUndefined()
  })
})

it('a search before the call is made once for all routes', async () => {
  const page = { url: 'https://eiger.example/', title: 'The Eiger', text: 'The Eiger is 3,967 m high.' }
  const engine = await startMockEngine((response) => answerJson(response, { results: [page] }))
  const search = { engine: 'exa', base_url: engine.url, key: 'engine-key-of-nobody' }
  const { url, scripts, route, upstreams } = await startRoutes({ search })
  scripts.push('is overloaded', 'answers')
  await route('v0/a', 'v1/b')
  const plugins = [{ id: 'web', engine: 'exa' }]
  const answer = await post(url, { model: 'fast', input: 'How high is the Eiger?', plugins })
  expect(await answer.text()).toContain('from 1.')
  expect(engine.asked).toHaveLength(1)
  for (const { received } of upstreams.slice(0, 2)) expect(JSON.stringify(received[0]?.body)).toContain(page.text)
})

describe('the model of an answer', () => {
  it.each([
    ['the name of the client, for a rule', 'fast', 'fast'],
    ['the name that the upstream reports, for the default vendor', 'some/mock', 'mock-1'],
    ['the same below the vendor', 'acme/mock', 'acme/mock-1'],
  ])('is %s', async (_, name, shown) => {
    const upstream = await startMockUpstream(withBody(streamOf('Hi'), 200, { 'content-type': 'text/event-stream' }))
    whenDone(upstream.close)
    const { url, lines } = await startGateway({
      vendors: { acme: { wire: 'openai-chat', base_url: upstream.url } },
      models: [{ match: 'fast', to: ['acme/mock'] }],
    })
    expect((await json(await post(url, { model: name, input: 'Hello' }))).model).toBe(shown)
    expect(await lineOf(lines)).toMatchObject({ vendor: 'acme', model: name === 'some/mock' ? name : 'mock' })
    // The answer to a request that is passed through has the upstream's own name.
    const chat = { model: name, messages: MESSAGES, stream: true }
    expect(await (await post(url, chat, { path: '/api/v1/chat/completions' })).text()).toContain('"model":"mock-1"')
  })
})

describe('rules that are read again', () => {
  it('apply to the next request, and stay if the new ones name a vendor that the server does not have', async () => {
    const { url, running, route, callsOf, scripts } = await startRoutes()
    scripts.push('answers')
    await route('v1/a')
    await (await post(url, { model: 'fast', input: 'Hello' })).text()
    await expect(route('v2/a', 'openai/a')).rejects.toThrow(/^models\[0\]\.to\[1\]: .*OPENAI_API_KEY/)
    await (await post(url, { model: 'fast', input: 'Hello' })).text()
    expect(callsOf()).toEqual([0, 2, 0, 0])
    await running.reload({ keys: KEYS })
    expect((await post(url, { model: 'fast', input: 'Hello' })).status).toBe(404)
  })
})
