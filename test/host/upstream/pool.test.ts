import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ConfigInput } from '../../../src/gateway/config/config.ts'
import { createRecorder } from '../../../src/host/recording/recorder.ts'
import type { StartOptions } from '../../../src/host/start-options.ts'
import {
  type Behaviour,
  beginning,
  bodyOf,
  doneFrame,
  type MockUpstream,
  startMockUpstream,
  stopChunk,
  streamOf,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import { hasServer } from '../doors.ts'
import { KEY, post, REQUEST, sha256, startGateway, typesOf, waitUntil, whenDone } from '../test-server.ts'

/** A vendor with a pool: which of its members are called, and what the client receives. */

const NAMES = ['eu', 'us', 'asia'] as const
type Name = (typeof NAMES)[number]

const answering: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(streamOf('Hi'))
}
const refusing =
  (status: number, headers = {}): Behaviour =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end('{"error":{"message":"Not now."}}')

const RETRY = { attempts: 1, first_delay_ms: 1, longest_delay_ms: 1, budget_floor: 1_000_000, breaker_failures: 0 }
const KEYS = [{ name: 'tester', sha256: sha256(KEY) }]

/** A gateway whose vendor `acme` has three members with keys of their own, whose behaviour a test sets. */
async function startPool(vendor: object = {}, config: object = {}, options: StartOptions = {}) {
  const scripts: Partial<Record<Name, Behaviour>> = {}
  const upstreams = new Map<Name, MockUpstream>()
  for (const name of NAMES) {
    const upstream = await startMockUpstream((response, request) => (scripts[name] ?? answering)(response, request))
    whenDone(upstream.close)
    upstreams.set(name, upstream)
  }
  const member = (name: Name, settings: object = {}) => ({
    name,
    key: `secret-of-${name}`,
    base_url: upstreams.get(name)?.url ?? '',
    ...settings,
  })
  const withPool = (pool: readonly object[], more: object = {}) =>
    ({
      vendors: { acme: { wire: 'openai-chat', pool, ...vendor } },
      retry: RETRY,
      keys: KEYS,
      ...config,
      ...more,
    }) as unknown as ConfigInput
  const server = await startGateway(withPool(NAMES.map((name) => member(name))), options)
  const callsOf = (): Record<Name, number> =>
    Object.fromEntries(NAMES.map((name) => [name, upstreams.get(name)?.received.length ?? 0])) as Record<Name, number>
  const calls = (): number => Object.values(callsOf()).reduce((sum, one) => sum + one, 0)
  const lines = () => server.lines.filter(({ event }) => event === 'request')
  /** Sends a request, and returns the member that answered it with the log line. */
  const ask = async (fields: object = {}, headers: Record<string, string> = {}) => {
    const before = lines().length
    const answer = await post(server.url, { ...REQUEST, ...fields }, { headers })
    const text = await answer.text()
    await waitUntil(() => lines().length > before, 'a log line')
    const line = lines().at(-1) ?? {}
    return { answer, text, line, member: String(line.member) as Name }
  }
  return { ...server, scripts, upstreams, member, withPool, callsOf, calls, ask }
}

const sessionOf = (at: number) => ({ prompt_cache_key: `session ${at}` })

describe('the models of members', () => {
  const MODELS = {
    eu: { models: { 'gpt-5.1': 'eu-deployment', 'mini-*': 'eu-*' } },
    us: { models: ['gpt-5.1', 'big-*'] },
    asia: { models: ['mini-1'], enabled: false },
  } as const

  async function startMembers() {
    const pool = await startPool({ affinity: false })
    await pool.running.reload(pool.withPool(NAMES.map((name) => pool.member(name, MODELS[name]))))
    const modelsOf = (name: Name) => pool.upstreams.get(name)?.received.map(({ body }) => body.model)
    return { ...pool, modelsOf }
  }

  it('decide which members are called, and by which name', async () => {
    const { ask, modelsOf } = await startMembers()
    const shown = []
    for (const model of ['gpt-5.1', 'gpt-5.1', 'mini-1', 'big-2']) {
      const { answer, text } = await ask({ model: `acme/${model}`, stream: false })
      shown.push([answer.status, JSON.parse(text).model])
    }
    // A name that the upstream reports is shown where the member has no other name for the model.
    expect(shown).toEqual(['gpt-5.1', 'mock-1', 'mini-1', 'mock-1'].map((model) => [200, `acme/${model}`]))
    expect([modelsOf('eu'), modelsOf('us'), modelsOf('asia')]).toEqual([
      ['eu-deployment', 'eu-mini-1'],
      ['gpt-5.1', 'big-2'],
      [],
    ])
  })

  it('are the list of the vendor, and a model of none of them is a 404', async () => {
    const { url, ask, calls } = await startMembers()
    const list = await fetch(`${url}/api/v1/models`, { headers: { authorization: `Bearer ${KEY}` } })
    const names = ((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    expect(names.filter((name) => name.startsWith('acme/'))).toEqual(['acme/gpt-5.1'])
    const before = calls()
    const { answer, text } = await ask({ model: 'acme/other', stream: false })
    expect([answer.status, JSON.parse(text).error]).toEqual([
      404,
      expect.objectContaining({ code: 'model_not_found', message: expect.stringContaining('no member of the pool') }),
    ])
    expect(calls()).toBe(before)
  })

  it.each([
    ['a list', ['own', 'big-*'], ['acme/own', 'acme/mini', 'acme/big-1'], 1],
    ['names for its upstream', { own: 'x', 'big-*': 'b-*' }, ['acme/own', 'acme/mini', 'acme/big-1'], 1],
    ['a list without a pattern', ['own', 'big-1'], ['acme/own', 'acme/big-1', 'acme/mini'], 0],
  ])('of the vendor are listed with those that a pattern serves: %s', async (_, models, expected, asked) => {
    const { url, running, withPool, member, scripts, callsOf } = await startPool()
    await running.reload(withPool([member('eu', { models }), member('us', { models: { mini: 'y' } })]))
    scripts.eu = withBody(JSON.stringify({ object: 'list', data: [{ id: 'big-1' }, { id: 'other' }] }))
    const list = await fetch(`${url}/api/v1/models`, { headers: { authorization: `Bearer ${KEY}` } })
    const names = ((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    expect(names.filter((name) => name.startsWith('acme/'))).toEqual(expected)
    expect(callsOf()).toEqual({ eu: asked, us: 0, asia: 0 })
  })

  it('leave the turns of the other members as they are', async () => {
    const { ask, modelsOf } = await startMembers()
    for (let at = 0; at < 6; at += 1) {
      await ask({ model: 'acme/gpt-5.1' })
      await ask({ model: 'acme/big-2' })
    }
    expect(modelsOf('eu')).toHaveLength(3)
    expect(modelsOf('us')?.filter((model) => model === 'gpt-5.1')).toHaveLength(3)
  })
})

describe('a pool with affinity', () => {
  it('sends all requests of a conversation to one member, and conversations to all members', async () => {
    const { ask } = await startPool()
    const members = new Set<string>()
    for (let at = 0; at < 12; at += 1) {
      const first = await ask(sessionOf(at))
      const second = await ask({ ...sessionOf(at), input: 'More' })
      expect([second.member, second.line.preferred]).toEqual([first.member, undefined])
      members.add(first.member)
    }
    expect([...members].sort()).toEqual([...NAMES].sort())
  })

  it('identifies a conversation by a session header, else by its beginning, in each client API', async () => {
    const { url, lines } = await startPool()
    const history = [
      { role: 'user', content: 'Begin' },
      { role: 'assistant', content: 'Begun' },
      { role: 'user', content: 'Go on' },
    ]
    const paths: readonly [string, (turns: number) => object][] = [
      ['/api/v1/responses', (turns) => ({ input: history.slice(0, turns) })],
      ['/api/v1/chat/completions', (turns) => ({ messages: history.slice(0, turns) })],
      ['/api/v1/messages', (turns) => ({ messages: history.slice(0, turns), max_tokens: 9 })],
      ['/api/v1/api/chat', (turns) => ({ messages: history.slice(0, turns) })],
    ]
    const memberOf = async (path: string, body: object, headers = {}): Promise<unknown> => {
      const before = lines.length
      await (await post(url, { model: 'acme/mock-1', stream: true, ...body }, { path, headers })).text()
      await waitUntil(() => lines.length > before, 'a log line')
      return lines.at(-1)?.member
    }
    const byBeginning = new Set<unknown>()
    for (const [path, body] of paths) for (const turns of [1, 3]) byBeginning.add(await memberOf(path, body(turns)))
    expect(byBeginning.size).toBe(1)
    for (const session of ['a', 'b', 'c', 'd']) {
      const bySession = new Set<unknown>()
      for (const [path, body] of paths)
        for (const turns of [1, 3])
          bySession.add(await memberOf(path, body(turns), { 'x-claude-code-session-id': session }))
      expect(bySession.size).toBe(1)
    }
  })

  it('identifies a conversation by the session that Claude Code names in its body, whatever it begins with', async () => {
    const { url, lines } = await startPool()
    const memberOf = async (user: string, turn: number): Promise<unknown> => {
      const before = lines.length
      const body = { system: `Turn ${turn}.`, messages: [{ role: 'user', content: `Ask ${turn}` }], max_tokens: 9 }
      await post(url, { model: 'acme/mock-1', ...body, metadata: { user_id: user } }, { path: '/api/v1/messages' })
      await waitUntil(() => lines.length > before, 'a log line')
      return lines.at(-1)?.member
    }
    const members = new Set<unknown>()
    for (const session of ['0199a8d0', '4be1c2d3', '77aa01ff', 'c0ffee00', '1234abcd', '9f8e7d6c']) {
      const found = new Set<unknown>()
      const names = [`user_f_account__session_${session}`, JSON.stringify({ device_id: 'f', session_id: session })]
      for (const name of names) for (const turn of [1, 2, 3]) found.add(await memberOf(name, turn))
      expect(found.size).toBe(1)
      members.add([...found][0])
    }
    expect(members.size).toBeGreaterThan(1)
  })

  it.each([
    ['a rate limit', refusing(429)],
    ['a server error', refusing(500)],
    ['an overload', refusing(529)],
    ['a refused key', refusing(401)],
    ['a broken connection', (response) => void response.socket?.destroy()],
  ] satisfies [string, Behaviour][])(
    'goes on to the next member after %s, and names both in the log',
    async (_, behave) => {
      const { ask, scripts, callsOf } = await startPool()
      const { member } = await ask(sessionOf(1))
      scripts[member] = behave
      const moved = await ask(sessionOf(1))
      expect(moved.answer.status).toBe(200)
      expect(moved.member).not.toBe(member)
      expect(moved.line.preferred).toBe(`acme@${member}`)
      expect(moved.line.attempts).toMatchObject([
        { vendor: 'acme', member },
        { vendor: 'acme', member: moved.member },
      ])
      expect(moved.answer.headers.get('x-responses-attempts')).toMatch(
        new RegExp(`^acme@${member}/mock-1 \\w+, acme@${moved.member}/mock-1$`),
      )
      expect(callsOf()[member]).toBe(2)
      delete scripts[member]
      expect((await ask(sessionOf(1))).member).toBe(member)
    },
  )

  it('moves only the conversations of a member that is lost', async () => {
    const { ask, scripts } = await startPool()
    const before: Name[] = []
    for (let at = 0; at < 12; at += 1) before.push((await ask(sessionOf(at))).member)
    scripts.us = refusing(503)
    for (const [at, member] of before.entries()) {
      const now = await ask(sessionOf(at))
      if (member === 'us') expect(now.member).not.toBe('us')
      else expect(now.member).toBe(member)
    }
  })

  it('does not go on after the first text, nor after a refusal of the request', async () => {
    const { ask, scripts, calls } = await startPool()
    for (const name of NAMES) scripts[name] = refusing(400)
    expect((await ask(sessionOf(1))).answer.status).toBe(400)
    expect(calls()).toBe(1)
    for (const name of NAMES)
      scripts[name] = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(textChunk('Half'), () => response.destroy())
      }
    expect(typesOf((await ask(sessionOf(1))).text)).toContain('response.failed')
    expect(calls()).toBe(2)
  })

  it('answers with the last failure if all members fail', async () => {
    const { ask, scripts, callsOf } = await startPool()
    for (const name of NAMES) scripts[name] = refusing(503)
    const { answer, line } = await ask()
    expect(answer.status).toBe(503)
    expect(callsOf()).toEqual({ eu: 1, us: 1, asia: 1 })
    expect(line.attempts).toHaveLength(3)
  })

  it('does not call a member before the end of its Retry-After while another one can answer', async () => {
    const { ask, scripts, callsOf } = await startPool()
    const { member } = await ask(sessionOf(1))
    scripts[member] = refusing(429, { 'retry-after': '3600' })
    const { member: second } = await ask(sessionOf(1))
    expect(callsOf()[member]).toBe(2)
    for (let at = 0; at < 3; at += 1) {
      const { line } = await ask(sessionOf(1))
      expect([line.member, line.preferred]).toEqual([second, `acme@${member}`])
    }
    expect(callsOf()[member]).toBe(2)
    // A request that fails elsewhere does not reach it either.
    for (const name of NAMES) if (name !== member) scripts[name] = refusing(500)
    const { line, answer } = await ask(sessionOf(1))
    expect(answer.status).toBe(502)
    expect(line.attempts).toContainEqual(expect.objectContaining({ member, error: 'retry_after', skipped: true }))
    expect(callsOf()[member]).toBe(2)
    // Another model of the member has a limit of its own.
    expect((await ask({ ...sessionOf(1), model: 'acme/mock-2' })).member).toBeDefined()
    expect(callsOf()[member]).toBe(3)
  })

  it('counts the calls of each member by the code of their failure, and none that it skips', async () => {
    if (!hasServer()) return
    const { url, ask, scripts } = await startPool()
    const { member } = await ask(sessionOf(1))
    scripts[member] = refusing(429, { 'retry-after': '3600' })
    const { member: second } = await ask(sessionOf(1))
    for (const name of NAMES) if (name !== member) scripts[name] = refusing(500)
    expect((await ask(sessionOf(1))).line.attempts).toContainEqual(expect.objectContaining({ member, skipped: true }))
    const metrics = await (await fetch(`${url}/metrics`)).text()
    const counted = metrics.split('\n').filter((line) => line.startsWith('millrace_pool_calls_total{'))
    const [third] = NAMES.filter((name) => name !== member && name !== second)
    const row = (name: string | undefined, code: string): string =>
      `millrace_pool_calls_total{vendor="acme",member="${name}",code="${code}"} 1`
    expect(counted.sort()).toEqual(
      [
        row(member, 'none'),
        row(member, 'rate_limit_exceeded'),
        row(second, 'none'),
        row(second, 'server_error'),
        row(third, 'server_error'),
      ].sort(),
    )
  })

  it('calls a member before the end of its Retry-After if every member has asked for a pause', async () => {
    const { ask, scripts, calls } = await startPool()
    for (const name of NAMES) scripts[name] = refusing(429, { 'retry-after': '3600' })
    expect((await ask()).answer.status).toBe(429)
    expect(calls()).toBe(3)
    const { answer } = await ask({ input: 'Another' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '3600'])
    expect(calls()).toBe(4)
  })

  it('answers with the shortest pause of all members', async () => {
    const { ask, scripts, calls } = await startPool()
    const [first = 'eu', second = 'us', third = 'asia'] = NAMES
    scripts[first] = refusing(429, { 'retry-after': '900' })
    scripts[second] = refusing(429, { 'retry-after': '60' })
    scripts[third] = refusing(429, { 'retry-after': '1800' })
    for (const _ of [1, 2]) {
      const { answer } = await ask()
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60'])
    }
    expect(calls()).toBe(4)
  })

  it('calls the next route before members that have asked for a pause', async () => {
    const spare = await startMockUpstream(answering)
    whenDone(spare.close)
    const { ask, scripts, calls, withPool, member, running } = await startPool()
    const more = {
      vendors: {
        acme: { wire: 'openai-chat', pool: NAMES.map((name) => member(name)) },
        spare: { wire: 'openai-chat', base_url: spare.url, key: 'secret-of-spare' },
      },
      models: [{ match: 'm', to: ['acme/mock-1', 'spare/mock-1'] }],
    }
    await running.reload(withPool([], more))
    for (const name of NAMES) scripts[name] = refusing(429, { 'retry-after': '3600' })
    for (const _ of [1, 2, 3]) expect((await ask({ model: 'm' })).answer.status).toBe(200)
    expect([calls(), spare.received.length]).toEqual([3, 3])
  })

  it.each([false, true])(
    'asks the next member for the list of models and for a count that one cannot give (own names: %s)',
    async (hasNames) => {
      const vendor = { wire: 'anthropic-messages' }
      const { scripts, url, running, withPool, member } = await startPool(vendor)
      const named = (name: Name) => member(name, { models: { 'claude-*': `${name}-*` } })
      if (hasNames) await running.reload(withPool(NAMES.map(named)))
      const asked: string[] = []
      for (const name of NAMES)
        scripts[name] = (response, request) => {
          asked.push(`${name} ${request.url.split('/').at(-1)?.split('?')[0]}`)
          if (name === 'eu') return refusing(401)(response, request)
          const isList = request.url.includes('/models')
          const body = isList ? { data: [{ type: 'model', id: `of-${name}` }], has_more: false } : { input_tokens: 77 }
          return withBody(JSON.stringify(body))(response, request)
        }
      const headers = { authorization: `Bearer ${KEY}` }
      if (!hasNames) expect(await (await fetch(`${url}/openai/v1/models`, { headers })).text()).toContain('acme/of-us')
      for (const at of Array.from({ length: 16 }).keys()) {
        const body = { model: 'acme/claude-sonnet-4-5', messages: [{ role: 'user', content: `Count ${at}` }] }
        const answer = await post(url, body, { path: '/api/v1/messages/count_tokens' })
        expect(await answer.json()).toEqual({ input_tokens: 77 })
      }
      if (!hasNames) expect(asked.slice(0, 2)).toEqual(['eu models', 'us models'])
      expect(asked).toContain('eu count_tokens')
    },
  )

  it('has a breaker for each member', async () => {
    const retry = { ...RETRY, breaker_failures: 2, breaker_seconds: 3600 }
    const { ask, scripts, callsOf, url } = await startPool({}, { retry })
    const { member } = await ask(sessionOf(1))
    scripts[member] = refusing(503)
    for (let at = 0; at < 5; at += 1) expect((await ask(sessionOf(1))).answer.status).toBe(200)
    expect(callsOf()[member]).toBe(3)
    if (!hasServer()) return
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain(`millrace_upstream_breakers_open{vendor="acme",member="${member}"} 1`)
    expect(metrics).toContain(`millrace_pool_calls_total{vendor="acme",member="${member}",code="none"} 1`)
    expect(metrics).toContain(
      `millrace_pool_calls_total{vendor="acme",member="${member}",code="server_is_overloaded"} 2`,
    )
    expect(metrics).toContain('millrace_pool_moved_total{vendor="acme"} 5')
  })

  it('keeps the order of a rule: all members before the next vendor', async () => {
    const other = await startMockUpstream(answering)
    whenDone(other.close)
    const vendors = { other: { wire: 'openai-chat', base_url: other.url, key: 'k' } }
    const { running, withPool, member, ask, scripts, callsOf } = await startPool()
    const { acme } = withPool(NAMES.map((name) => member(name))).vendors as Record<string, object>
    const models = [{ match: 'fast', to: ['acme/mock-1', 'other/mock-2'] }]
    await running.reload({ ...withPool([]), vendors: { ...vendors, acme }, models } as unknown as ConfigInput)
    for (const name of NAMES) scripts[name] = refusing(503)
    const { line } = await ask({ model: 'fast' })
    expect(line).toMatchObject({ vendor: 'other', preferred: expect.stringMatching(/^acme@/) })
    expect([callsOf(), other.received.length]).toEqual([{ eu: 1, us: 1, asia: 1 }, 1])
  })
})

describe('a pool without affinity', () => {
  it('calls its members in turn, by their weights', async () => {
    const { running, withPool, member, ask } = await startPool({ affinity: false })
    await running.reload(withPool([member('eu', { weight: 2 }), member('us'), member('asia')]))
    const members: string[] = []
    for (let at = 0; at < 8; at += 1) members.push((await ask(sessionOf(1))).member)
    expect(members.filter((one) => one === 'eu')).toHaveLength(4)
    expect(members.filter((one) => one === 'us')).toHaveLength(2)
    expect(members.slice(0, 4)).toEqual(members.slice(4))
  })
})

describe('a reload', () => {
  it('puts a rotated key in force, and leaves open streams alone', async () => {
    const { running, withPool, member, url, scripts, upstreams, ask, lines } = await startPool()
    const rotated = NAMES.map((name) => member(name, { key: `rotated-of-${name}` }))
    for (const name of NAMES) scripts[name] = beginning(textChunk('Half'))
    const reading = (await post(url, { ...REQUEST, ...sessionOf(1) })).text()
    const received = () => NAMES.flatMap((name) => upstreams.get(name)?.received ?? [])
    await waitUntil(() => received().length === 1, 'the call')
    const [open] = received()
    await running.reload(withPool(rotated))
    for (const name of NAMES) delete scripts[name]
    const { member: used } = await ask(sessionOf(1))
    expect(upstreams.get(used)?.received.at(-1)?.headers.authorization).toBe(`Bearer rotated-of-${used}`)
    open?.response.end(stopChunk + doneFrame)
    expect(typesOf(await reading)).toContain('response.completed')
    expect(open?.headers.authorization).toBe(`Bearer secret-of-${used}`)
    expect(lines.find(({ event }) => event === 'reloaded')?.restart_needed).not.toContain('vendors')
  })

  it('adds and removes members and vendors; other conversations keep their members', async () => {
    const { running, withPool, member, ask } = await startPool()
    const before: Name[] = []
    for (let at = 0; at < 9; at += 1) before.push((await ask(sessionOf(at))).member)
    await running.reload(withPool([member('asia'), member('eu')]))
    for (const [at, was] of before.entries()) {
      const { member: now } = await ask(sessionOf(at))
      expect(now === was || was === 'us').toBe(true)
    }
    await running.reload({ keys: KEYS, vendors: { next: { wire: 'openai-chat', base_url: 'http://127.0.0.1:9' } } })
    expect(running.vendors).toEqual(['next', 'replay'])
  })

  it('is refused if a member names a secret that is not set, and the old pool stays', async () => {
    const { running, withPool, member, ask } = await startPool()
    const wrong = withPool([member('eu'), member('us', { key: { env: 'NOT_SET' } })])
    await expect(running.reload(wrong)).rejects.toThrow(
      'vendors.acme.pool[1].key.env: the environment variable NOT_SET is not set',
    )
    expect((await ask()).answer.status).toBe(200)
  })
})

describe('the keys of a pool', () => {
  it.runIf(hasServer())('are masked in recordings, also those of a configuration that was read again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-pool-'))
    whenDone(() => rm(folder, { recursive: true, force: true }))
    const recorder = createRecorder({ folder, secrets: [], onFailure: () => undefined })
    const { running, withPool, member, ask, scripts } = await startPool({}, {}, { tap: recorder })
    const secrets = NAMES.map((name) => `rotated-key-of-${name}`)
    const pool = NAMES.map((name, at) =>
      member(name, { key: secrets[at] ?? '', headers: { 'x-gate': `gate-of-${name}` } }),
    )
    await running.reload(withPool(pool))
    const all = [...secrets, ...NAMES.map((name) => `gate-of-${name}`)]
    for (const name of NAMES) scripts[name] = withBody(bodyOf(all.join(' ')))
    for (let at = 0; at < 4; at += 1) await ask(sessionOf(at))
    await recorder.close()
    const names = await readdir(folder, { recursive: true })
    const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
    expect(files.filter((text) => text.includes('chatcmpl') || text.includes('choices'))).toHaveLength(4)
    expect(all.filter((secret) => files.some((text) => text.includes(secret)))).toEqual([])
  })

  it('are named by their place if all of them are refused', async () => {
    const { ask, scripts } = await startPool()
    for (const name of NAMES) scripts[name] = refusing(401)
    const { text, member } = await ask()
    expect(text).toContain(
      `Check the server's key for the vendor acme: the key of the member ${member} in vendors.acme.pool.`,
    )
  })

  it('are masked in what an upstream quotes, whichever member quotes them', async () => {
    const { ask, scripts } = await startPool()
    const quoted = NAMES.map((name) => `secret-of-${name}`)
    for (const name of NAMES) scripts[name] = withBody(JSON.stringify({ error: { message: quoted.join(' ') } }), 400)
    const { text, line } = await ask()
    for (const secret of quoted) expect(text + JSON.stringify(line)).not.toContain(secret)
  })
})
