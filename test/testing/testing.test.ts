import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { fixture, type MockUpstream, mockUpstream, on, once, recordOnce, replayRecording } from '../../src/testing.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)
const HELLO = new URL('openai-chat/hello.stream.sse', FIXTURES)

const WIRE_FOLDERS = Object.keys(WIRES) as WireName[]
const isStreamOf = (wire: WireName, name: string): boolean =>
  /^(?:hello|reasoning|parallel-tools|cut-off)\./.test(name) &&
  name.endsWith(`.stream.${WIRES[wire].framing.extension}`)

const closing: (() => Promise<unknown>)[] = []
const kept = <Server extends MockUpstream>(server: Server): Server => {
  closing.push(() => server.close())
  return server
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-testing-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const ask = (url: string, body: object, path = '/chat/completions'): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-client-key-4720' },
    body: JSON.stringify(body),
  })

describe('replayRecording', () => {
  it('translates fixtures of each wire as their expected output', async () => {
    const found = await Promise.all(
      WIRE_FOLDERS.map(async (wire) =>
        (await readdir(new URL(`${wire}/`, FIXTURES)))
          .filter((name) => isStreamOf(wire, name))
          .map((name) => `${wire}/${name}`),
      ),
    )
    const wrong: string[] = []
    for (const name of found.flat()) {
      const expected = JSON.parse(
        await readFile(new URL(name.replace(/\.stream\.\w+$/, '.response.json'), FIXTURES), 'utf8'),
      ) as { output: { type: string }[]; status: string }
      const { events, response, outcome, text } = await replayRecording(new URL(name, FIXTURES), { to: 'beta' })
      const types = ({ output, status }: typeof expected) => [status, ...output.map(({ type }) => type)]
      const isSame = JSON.stringify(types(response as never)) === JSON.stringify(types(expected))
      const isWhole = outcome.status === response.status && events.at(-1)?.type === `response.${response.status}`
      if (!isSame || !isWhole || !text.endsWith('data: [DONE]\n\n')) wrong.push(name)
    }
    expect(found.flat().length).toBeGreaterThan(20)
    expect(wrong).toEqual([])
  })

  it('reads a whole body, detects its wire, and writes it for another client', async () => {
    const folder = await newFolder()
    const path = join(folder, 'answer.json')
    await writeFile(path, await readFile(new URL('anthropic-messages/hello.body.json', FIXTURES)))
    const { response, text } = await replayRecording(path, { to: 'openai-chat' })
    expect(response.status).toBe('completed')
    expect(text).toContain('"object":"chat.completion.chunk"')
  })

  it('names the path and the problem of what is no recording', async () => {
    const folder = await newFolder()
    await expect(replayRecording(folder)).rejects.toThrow('has no recordings')
    await writeFile(join(folder, 'noise.sse'), 'no wire sends this')
    await expect(replayRecording(join(folder, 'noise.sse'))).rejects.toThrow('Name it with the option from')
    await expect(replayRecording(join(folder, 'missing.sse'))).rejects.toThrow('missing.sse')
  })
})

describe('mockUpstream', () => {
  it('plays a recording over HTTP, and records the requests', async () => {
    const mock = kept(await mockUpstream({ recordings: HELLO }))
    const answer = await ask(`${mock.url}/v1`, { model: 'm', stream: true })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(await answer.text()).toBe(await readFile(HELLO, 'utf8'))
    expect(mock.requests).toMatchObject([
      { method: 'POST', path: '/v1/chat/completions', body: { model: 'm', stream: true } },
    ])
    expect(mock.unplayed()).toEqual([])
  })

  it('prefers handlers, which later ones of use precede until reset', async () => {
    const mock = kept(
      await mockUpstream({
        recordings: HELLO,
        handlers: [on('/models', { json: { data: [] } }), on(/limit/, { status: 429, json: {} })],
      }),
    )
    expect(await (await fetch(`${mock.url}/models?page=2`)).json()).toEqual({ data: [] })
    expect((await ask(mock.url, {}, '/limit')).status).toBe(429)
    mock.use(
      on('/chat/completions', ({ body }) => ({
        body: JSON.stringify(body),
        headers: { 'content-type': 'text/plain' },
      })),
    )
    const answer = await ask(mock.url, { a: 1 })
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/plain', '{"a":1}'])
    mock.reset()
    expect(mock.requests).toEqual([])
    expect(await (await ask(mock.url, { stream: true })).text()).toContain('data: [DONE]')
  })

  it('shows faults: a status, a delay, a cut after some bytes, an error of a handler', async () => {
    const mock = kept(
      await mockUpstream({
        handlers: [
          on('/cut', { recording: HELLO, cutAfterBytes: 300 }),
          on('/late', { recording: HELLO, delayMs: 80, status: 503 }),
          on('/never', { recording: HELLO, delayMs: 3_600_000 }),
          on('/bug', () => {
            throw new Error('of the test')
          }),
        ],
      }),
    )
    const cut = await ask(mock.url, {}, '/cut')
    const reader = (cut.body as ReadableStream<Uint8Array>).getReader()
    let bytes = 0
    const read = async () => {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) bytes += piece.value.length
    }
    await expect(read()).rejects.toThrow()
    expect(bytes).toBe(300)
    let isEarly = false
    const never = ask(mock.url, {}, '/never').then(
      () => (isEarly = true),
      () => undefined,
    )
    expect((await ask(mock.url, {}, '/late')).status).toBe(503)
    expect(isEarly).toBe(false)
    const bug = await ask(mock.url, {}, '/bug')
    expect([bug.status, await bug.text()]).toEqual([500, expect.stringContaining('of the test')])
    await mock.close()
    await never
    expect(isEarly).toBe(false)
  })

  it('answers 404 with a reason if there is nothing left to play', async () => {
    const mock = kept(await mockUpstream())
    const missed = await ask(mock.url, {})
    expect([missed.status, (await missed.json()).error.message]).toEqual([
      404,
      'No recording answers POST /chat/completions: the folder has no recordings.',
    ])
    await expect(mockUpstream({ recordings: '/nowhere' })).rejects.toThrow('"/nowhere" does not exist')
  })

  it('answers the first request with a handler of once, also if several arrive together, and with a status alone', async () => {
    const mock = kept(await mockUpstream({ recordings: fixture('openai-chat/hello.stream.sse') }))
    mock.use(once('/chat/completions', { status: 503 }))
    const answers = await Promise.all([1, 2, 3].map(() => ask(mock.url, { stream: true })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503])
  })

  it('does not answer a request of another protocol with a recording', async () => {
    const mock = kept(await mockUpstream({ recordings: HELLO }))
    const missed = await ask(mock.url, { stream: true }, '/v1/messages')
    expect([missed.status, (await missed.json()).error.message]).toEqual([
      404,
      'No recording answers POST /v1/messages. The nearest is hello.stream.sse: it is a recording of openai-chat.',
    ])
    expect(mock.unplayed()).toEqual(['hello.stream.sse'])
  })

  it('names the mistake in a call without types', async () => {
    const call = (start: unknown, ...args: readonly unknown[]) =>
      (start as (...all: unknown[]) => Promise<unknown>)(...args)
    await expect(call(mockUpstream, { recording: HELLO })).rejects.toThrow('no such option. Did you mean "recordings"?')
    await expect(call(mockUpstream, { pace: 'slow' })).rejects.toThrow(
      'pace: expected one of fast, recorded, got "slow"',
    )
    await expect(call(mockUpstream, { from: 'openai' })).rejects.toThrow('from: expected one of openai-chat')
    await expect(call(mockUpstream, { handlers: on('/x', {}) })).rejects.toThrow(
      'handlers: expected functions in a list',
    )
    await expect(call(mockUpstream, { recordings: 'no/such.sse' })).rejects.toThrow(
      `does not exist in ${process.cwd()}`,
    )
    await expect(call(replayRecording, HELLO, { from: 'openai' })).rejects.toThrow('from: expected one of')
    await expect(call(recordOnce, 'recordings', { upstream: 'api.openai.com' })).rejects.toThrow(
      'upstream: expected a base URL',
    )
    await expect(call(recordOnce, 'recordings', { upstream: 'https://me:it@x.example' })).rejects.toThrow(
      'without a user name',
    )
    await expect(call(recordOnce, 'recordings', { upstream: 'https://x.example', mode: 'record' })).rejects.toThrow(
      'mode:',
    )
    expect(() => fixture('openai-chat/helo.stream.sse')).toThrow('Did you mean "hello.stream.sse"')
    expect(() => fixture('openai/hello.stream.sse')).toThrow('openai-chat')
  })
})

describe('recordOnce', () => {
  it('records the real upstream once, and plays it afterwards', async () => {
    const real = kept(
      await mockUpstream({
        handlers: [
          on('/chat/completions', ({ body, headers }) => ({
            headers: { 'content-type': 'application/json', 'set-cookie': 'session=4721' },
            body: JSON.stringify({ echo: body, key: headers.authorization, query: 'of-the-query-4722' }),
          })),
        ],
      }),
    )
    const folder = join(await newFolder(), 'cassette')
    const options = { upstream: `${real.url}/v1?api-key=of-the-query-4722`, secrets: ['chosen-secret-4723'] }
    await expect(recordOnce(folder, { ...options, mode: 'replay' })).rejects.toThrow('has no recordings')
    const asks = [
      { model: 'm', n: 1 },
      { model: 'm', n: 2, note: 'a chosen-secret-4723 in it' },
    ]
    const first = await recordOnce(folder, options)
    expect(first.isRecording).toBe(true)
    const recorded = []
    for (const body of asks) recorded.push(await (await ask(first.url, body)).json())
    await first.close()
    expect(real.requests.map(({ path }) => path)).toEqual(
      Array(2).fill('/v1/chat/completions?api-key=of-the-query-4722'),
    )
    await real.close()

    const second = kept(await recordOnce(folder, { ...options, mode: 'replay', match: 'exact' }))
    expect(second.isRecording).toBe(false)
    for (const at of [1, 0]) {
      const { echo } = await (await ask(second.url, asks[at] as object)).json()
      expect(echo.n).toBe(recorded[at].echo.n)
    }
    expect((await ask(second.url, { model: 'm', n: 3 })).status).toBe(404)
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:json|sse|txt)$/.test(name))
    const all = (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
    for (const secret of ['sk-client-key-4720', 'session=4721', 'of-the-query-4722', 'chosen-secret-4723']) {
      expect(all).not.toContain(secret)
    }
  })

  it('records what is missing, records again, and passes on every method', async () => {
    let calls = 0
    const real = kept(
      await mockUpstream({ handlers: [on(/./, ({ method }) => ({ json: { method, call: ++calls } }))] }),
    )
    const folder = join(await newFolder(), 'cassette')
    const run = async (mode: 'once' | 'missing' | 'again', ...bodies: readonly object[]) => {
      const vendor = await recordOnce(folder, { upstream: `${real.url}/v1`, mode })
      const answers = []
      for (const body of bodies) answers.push(await (await ask(vendor.url, body)).json())
      const left = vendor.unplayed()
      await vendor.close()
      return [answers.map(({ call }) => call), left.length]
    }
    expect(await run('once', { n: 1 }, { n: 2 })).toEqual([[1, 2], 0])
    expect(await run('missing', { n: 2 }, { n: 3 })).toEqual([[2, 3], 1])
    expect(await run('once', { n: 1 }, { n: 2 }, { n: 3 })).toEqual([[1, 2, 3], 0])
    expect(await run('again', { n: 3 })).toEqual([[4], 0])
    expect(await readdir(folder)).toHaveLength(1)
    const vendor = kept(await recordOnce(join(await newFolder(), 'methods'), { upstream: real.url }))
    const methods = await Promise.all(
      ['GET', 'DELETE', 'PATCH', 'PUT'].map(
        async (method) => (await (await fetch(`${vendor.url}/files/1`, { method })).json()).method,
      ),
    )
    expect(methods).toEqual(['GET', 'DELETE', 'PATCH', 'PUT'])
  })

  it('does not keep what an upstream refuses, what it does not answer, and what nobody waited for', async () => {
    const real = kept(
      await mockUpstream({
        handlers: [
          on('/slow', { json: {}, delayMs: 60_000 }),
          on('/chat/completions', { status: 401, json: { error: { message: 'The key is wrong.' } } }),
        ],
      }),
    )
    const folder = join(await newFolder(), 'cassette')
    const refused = await recordOnce(folder, { upstream: real.url })
    expect((await ask(refused.url, {})).status).toBe(401)
    await expect(refused.close()).rejects.toThrow(
      'POST /chat/completions was not answered by 127.0.0.1, and its recording is not kept: status 401: The key is wrong.',
    )
    const impatient = await recordOnce(folder, { upstream: real.url })
    const client = new AbortController()
    const slow = fetch(`${impatient.url}/slow`, { method: 'POST', signal: client.signal })
    while (real.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
    client.abort()
    await expect(slow).rejects.toThrow()
    await impatient.close()
    const nobody = await recordOnce(folder, { upstream: 'http://127.0.0.1:9/v1' })
    const answer = await ask(nobody.url, {})
    expect([answer.status, (await answer.json()).error.message]).toEqual([
      502,
      expect.stringContaining('127.0.0.1 has not'),
    ])
    await expect(nobody.close()).rejects.toThrow('refuses connections')
    expect(await readdir(folder)).toEqual([])
  })
})
