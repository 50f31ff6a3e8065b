import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../../src/host/recording/exchange-library.ts'
import { readExchanges } from '../../../src/host/recording/read-exchange.ts'
import { createRecorder, type Recorder } from '../../../src/host/recording/recorder.ts'
import { createReplay } from '../../../src/host/recording/replay-transport.ts'
import {
  type Behaviour,
  beginning,
  bodyOf,
  doneFrame,
  inPieces,
  nextTurn,
  startMockUpstream,
  stopChunk,
  streamOf,
  textChunk,
  usageChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import {
  KEY,
  type Loose,
  post,
  readSlowly,
  startGateway,
  type TestServer,
  UPSTREAM_KEY,
  whenDone,
} from '../test-server.ts'

const HEADER_SECRET = 'header-secret-4711'
const QUERY_SECRET = 'query/secret+4712'
const CONFIGURED = 'configured secret "4713" é'

interface Recording extends TestServer {
  readonly folder: string
  readonly recorder: Recorder
  readonly failures: string[]
  /** Closes the recorder, and returns the text of every file by its path in the folder. */
  files(): Promise<ReadonlyMap<string, string>>
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-record-'))
  whenDone(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder, { recursive: true })).sort()
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'latin1').catch(() => null)] as const),
  )
  return new Map(files.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const])))
}

async function recording(behave: Behaviour, config: object = {}): Promise<Recording> {
  const folder = join(await newFolder(), 'recorded')
  const failures: string[] = []
  const recorder = createRecorder({
    folder,
    secrets: [UPSTREAM_KEY, CONFIGURED],
    onFailure: (name, reason) => void failures.push(`${name}: ${reason}`),
  })
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const acme = { wire: 'openai-chat', base_url: `${upstream.url}?api-key=${encodeURIComponent(QUERY_SECRET)}` }
  const headers = { 'x-gate-token': HEADER_SECRET }
  const gateway = await startGateway(
    { vendors: { acme: { ...acme, key: UPSTREAM_KEY, headers } }, retry: { attempts: 1 }, ...config },
    { tap: recorder },
  )
  return {
    ...gateway,
    upstream,
    folder,
    recorder,
    failures,
    async files() {
      await recorder.close()
      return filesIn(folder)
    },
  }
}

const jsonIn = (files: ReadonlyMap<string, string>, name: string): Loose => {
  const [found] = [...files].filter(([file]) => file.endsWith(name))
  return JSON.parse(Buffer.from(found?.[1] ?? '', 'latin1').toString())
}

const ask = (text: string, stream = true): object => ({ model: 'acme/mock-1', input: text, stream })

/** The same answer without what is new in each. */
const withoutIds = (text: string): string =>
  text
    .replaceAll(/(?:resp|msg|rs|fc|item|req)_[0-9a-f_]{8,}/g, 'id')
    .replaceAll(/"(created|completed)_at":\d+/g, '"$1_at":0')

async function replaying(folder: string, mode: 'order' | 'exact' = 'order', baseUrl = 'http://127.0.0.1:9/v1') {
  const { exchanges, problems } = readExchanges(folder)
  const library = createLibrary(exchanges, mode)
  const played: [string, string | null][] = []
  const tap = createReplay(library, { pace: 'fast', onPlay: (...one) => void played.push(one) })
  const acme = { wire: 'openai-chat', base_url: baseUrl, key: 'recorded' }
  const server = await startGateway({ vendors: { acme }, retry: { attempts: 1 } }, { tap })
  return { ...server, library, played, problems, exchanges }
}

describe('a recorded exchange', () => {
  it('has the request, the bytes as they came, and their pace', async () => {
    const stream = streamOf('Hel', 'lo')
    const server = await recording(inPieces(stream, 50))
    await (await post(server.url, ask('Hello'))).text()
    const files = await server.files()
    expect([...files.keys()]).toEqual([
      '0001-acme-mock-1/request.json',
      '0001-acme-mock-1/settings.json',
      '0001-acme-mock-1/stream.sse',
    ])
    expect(files.get('0001-acme-mock-1/stream.sse')).toBe(stream)
    const request = jsonIn(files, 'request.json')
    expect(request).toMatchObject({ method: 'POST', path: '/v1/chat/completions?api-key=[secret]' })
    expect(request.headers).toMatchObject({ authorization: '[secret]', 'x-gate-token': '[secret]' })
    expect(request.body).toEqual(server.upstream.received[0]?.body)
    const settings = jsonIn(files, 'settings.json')
    expect(settings).toMatchObject({
      wire: 'openai-chat',
      vendor: 'acme',
      model: 'mock-1',
      status: 200,
      end: 'complete',
    })
    expect(settings.pace.reduce((sum: number, [, bytes]: number[]) => sum + (bytes ?? 0), 0)).toBe(stream.length)
    expect(server.failures).toEqual([])
    const modes = await Promise.all(
      ['', ...[...files.keys()]].map(async (name) => (await stat(join(server.folder, name))).mode & 0o777),
    )
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600])
  })

  it('contains no secret, wherever the upstream quotes it', async () => {
    const escaped = JSON.stringify(CONFIGURED).slice(1, -1)
    const quoted = [UPSTREAM_KEY, HEADER_SECRET, KEY, encodeURIComponent(QUERY_SECRET), QUERY_SECRET, escaped]
    const stream = streamOf(
      ...quoted.map((secret) => `<${secret}>`),
      Buffer.from(`k=${UPSTREAM_KEY}`).toString('base64'),
    )
    // Also a secret that begins in one slice of the mask and ends in the next one.
    const long = `${'a'.repeat(64 * 1024 - 6)}${UPSTREAM_KEY}${'b'.repeat(9000)}`
    const whole = (response: ServerResponse): void | Promise<void> =>
      withBody(bodyOf(long), 200, {
        'content-type': 'application/json',
        'set-cookie': 'sid=cookie-secret-4714',
        'openai-organization': 'account-of-nobody',
        'x-echo': `${UPSTREAM_KEY}!`,
      })(response, server.upstream.received[0] as never)
    const server = await recording((response, request) =>
      request.body.stream === true ? inPieces(stream, 7)(response, request) : whole(response),
    )
    for (const stream of [true, false]) {
      await (await post(server.url, ask(`my key is ${KEY}, ${UPSTREAM_KEY}, ${CONFIGURED}`, stream))).text()
    }
    const files = await server.files()
    const all = [...files].map(([name, text]) => name + text).join('\n')
    const secrets = [
      ...quoted,
      CONFIGURED,
      'cookie-secret-4714',
      'account-of-nobody',
      Buffer.from(CONFIGURED).toString('latin1'),
    ]
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
    expect(all).not.toContain(Buffer.from(UPSTREAM_KEY).toString('base64').slice(0, 12))
    expect(files.get('0001-acme-mock-1/stream.sse')).toHaveLength(Buffer.byteLength(stream))
    const body = jsonIn(files, '0002-acme-mock-1/body.json')
    expect(body.choices[0].message.content).toMatch(/^a{65530}x{25}b{9000}$/)
    expect(jsonIn(files, 'settings.json').masked).toBeGreaterThan(6)
  })

  it('is stored as cut, and is cut again when it is played', async () => {
    let reset = (): void => {}
    const server = await recording((response) => {
      beginning(textChunk('half'))(response, server.upstream.received[0] as never)
      reset = () => void response.destroy()
    })
    const reading = readSlowly(await post(server.url, ask('cut')))
    await reading.until((text) => text.includes('half'))
    reset()
    const first = await reading.rest()
    const settings = jsonIn(await server.files(), 'settings.json')
    expect(settings).toMatchObject({ end: 'broken', error: { code: 'upstream_disconnected' } })
    const replay = await replaying(server.folder)
    expect(withoutIds(await (await post(replay.url, ask('cut'))).text())).toBe(withoutIds(first))
  })

  it('is stored as left if the client disconnects', async () => {
    const server = await recording(beginning(textChunk('Hello')))
    const client = new AbortController()
    const answer = await post(server.url, ask('leave'), { signal: client.signal })
    await readSlowly(answer).until((text) => text.includes('Hello'))
    client.abort()
    expect(jsonIn(await server.files(), 'settings.json')).toMatchObject({ end: 'left', error: null })
  })

  it('is stored whole if the upstream stays open after its terminal event', async () => {
    const server = await recording(beginning(streamOf('stays')))
    expect(await (await post(server.url, ask('stays'))).text()).toContain('response.completed')
    expect(jsonIn(await server.files(), 'settings.json')).toMatchObject({ end: 'complete', error: null })
  })

  it('is stored whole if the upstream stays open without a terminal event', async () => {
    const frames = [textChunk('stays'), stopChunk, usageChunk]
    const server = await recording(beginning(...frames), { timeouts: { after_finish_seconds: 0.05 } })
    expect(await (await post(server.url, ask('stays'))).text()).toContain('response.completed')
    expect(jsonIn(await server.files(), 'settings.json')).toMatchObject({ end: 'complete', error: null })
  })

  it('is stored decoded if the upstream compresses it, with a note', async () => {
    const stream = streamOf('compressed')
    const server = await recording((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.end(gzipSync(stream))
    })
    expect(await (await post(server.url, ask('gzip'))).text()).toContain('compressed')
    const files = await server.files()
    expect(files.get('0001-acme-mock-1/stream.sse')).toBe(stream)
    expect(jsonIn(files, 'settings.json')).toMatchObject({ decoded: 'gzip', end: 'complete' })
  })

  it('does not exist for an upstream without an answer, except for its settings', async () => {
    const server = await recording(withBody('{}'))
    await server.upstream.close()
    const first = await post(server.url, ask('nobody'))
    const files = await server.files()
    expect(jsonIn(files, 'settings.json')).toMatchObject({
      status: null,
      file: null,
      error: { code: 'upstream_unreachable' },
    })
    const replay = await replaying(server.folder)
    const second = await post(replay.url, ask('nobody'))
    expect([second.status, (await second.json()).error.code]).toEqual([first.status, (await first.json()).error.code])
  })

  it('does not disturb the exchange if its folder cannot be written', async () => {
    const server = await recording(inPieces(streamOf('fine'), 40))
    await rm(server.folder, { recursive: true })
    expect(await (await post(server.url, ask('no disk'))).text()).toContain('fine')
    await server.recorder.close()
    expect(server.failures).toEqual([expect.stringMatching(/^0001-acme-mock-1: ENOENT/)])
  })

  it('has a number of its own, also with exchanges at the same time and of another recorder', async () => {
    const server = await recording(inPieces(streamOf('many'), 400))
    const other = createRecorder({ folder: server.folder, secrets: [], onFailure: () => undefined })
    const second = await startGateway(
      { vendors: { acme: { wire: 'openai-chat', base_url: server.upstream.url, key: 'k' } } },
      { tap: other },
    )
    const asked = Array.from({ length: 8 }, (_, at) => post(at % 2 === 0 ? server.url : second.url, ask(`${at}`)))
    await Promise.all(asked.map(async (one) => (await one).text()))
    await other.close()
    const names = new Set([...(await server.files()).keys()].map((name) => name.split('/')[0]))
    expect(names.size).toBe(8)
    expect(readExchanges(server.folder).problems).toEqual([])
  })
})

describe('a replay', () => {
  const echo: Behaviour = async (response, { body }) => {
    const [{ content }] = body.messages as Loose
    if (content === 'fail') return withBody('{"error":{"message":"too many"}}', 429)(response, undefined as never)
    const text = `about ${content}`
    if (body.stream !== true) return withBody(bodyOf(text))(response, undefined as never)
    await inPieces([textChunk(text), stopChunk, doneFrame].join(''), 30)(response, undefined as never)
    await nextTurn()
  }

  it('gives the same answers in any order of the requests', async () => {
    const server = await recording(echo)
    const asks = [ask('one'), ask('two', false), ask('fail'), ask('three')]
    const answer = async (url: string, body: object) => {
      const response = await post(url, body)
      return [response.status, withoutIds(await response.text())]
    }
    const first = []
    for (const body of asks) first.push(await answer(server.url, body))
    await server.recorder.close()
    const replay = await replaying(server.folder, 'exact')
    const second = []
    for (const body of asks.toReversed()) second.push(await answer(replay.url, body))
    expect(second.toReversed()).toEqual(first)
    expect(replay.played.every(([, difference]) => difference === null)).toBe(true)
  })

  it('is also a model of the vendor replay, by the name of its folder', async () => {
    const server = await recording(echo)
    await (await post(server.url, ask('one'))).text()
    await server.recorder.close()
    const { url } = await startGateway({}, { fixtures: pathToFileURL(`${server.folder}/`) })
    const played = await post(url, { model: 'replay/0001-acme-mock-1', input: 'anything', stream: true })
    expect(await played.text()).toContain('about one')
    expect((await post(url, { model: 'replay/0002-acme-mock-1', input: 'x' })).status).toBe(404)
  })

  it('names the nearest recording and the first difference in a miss', async () => {
    const server = await recording(echo)
    await (await post(server.url, ask('one'))).text()
    await server.recorder.close()
    const exact = await replaying(server.folder, 'exact')
    const missed = await post(exact.url, ask('other'))
    expect(missed.status).toBe(404)
    const { error } = await missed.json()
    expect(error.message).toContain('The nearest is 0001-acme-mock-1')
    expect(error.message).toContain('body.messages[0].content: the recording has "one", the request has "other"')
    const loose = await replaying(server.folder, 'order')
    expect(await (await post(loose.url, ask('other'))).text()).toContain('about one')
    expect(loose.played).toEqual([['0001-acme-mock-1', expect.stringContaining('"other"')]])
    expect((await post(loose.url, ask('further'))).status).toBe(404)
  })
})
