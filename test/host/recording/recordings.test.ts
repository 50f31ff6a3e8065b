import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readPage } from '../../../docs/generate.ts'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import type { Env } from '../../../src/gateway/config/secrets.ts'
import { listRecordings, readRecording, recordedTransport } from '../../../src/host/recording/recordings.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { streamOf } from '../../mock-upstreams/server.ts'
import { eventsOf, json, KEY, lineOf, post, readSlowly, startGateway, typesOf, whenDone } from '../test-server.ts'

const NAMES = [
  ...listRecordings('openai-chat'),
  ...listRecordings('bedrock-converse').map((name) => `bedrock-converse/${name}`),
]

describe('the recordings', () => {
  it('are found in the package', () => {
    expect(NAMES).toContain('hello')
  })

  it.each([
    ['openai-chat', 'text/event-stream'],
    ['bedrock-converse', 'application/vnd.amazon.eventstream'],
  ] as const)('of %s are labelled as %s, so that clients receive the head of a stream at once', async (wire, type) => {
    const play = recordedTransport(await readRecording(wire, 'hello'))
    const call = { url: new URL('http://localhost'), headers: {}, body: '', model: '' }
    const answer = await play({ ...call, stream: true }, new Cancellation())
    expect(answer).toMatchObject({ ok: true, value: { headers: { 'content-type': type } } })
  })

  it('have a proper ending as streams, and the same content as bodies', async () => {
    const { url } = await startGateway({})
    const answers = NAMES.map(async (name) => {
      const request = { model: `replay/${name}`, input: 'Hello!' }
      const [streamed, whole] = await Promise.all([post(url, { ...request, stream: true }), post(url, request)])
      const stream = await streamed.text()
      const types = typesOf(stream)
      expect([name, types[0]]).toEqual([name, 'response.created'])
      expect([name, ...types.slice(-2)]).toEqual([name, 'response.done', '[DONE]'])
      const { response } = eventsOf(stream).at(-3)
      const body = await json(whole)
      if (response.status !== 'failed') expect([name, withoutIds(body)]).toEqual([name, withoutIds(response)])
      else expect([name, whole.status, body.error.code]).toEqual([name, 502, response.error.code])
    })
    await Promise.all(answers)
  })

  const UPSTREAM = { wire: 'openai-chat', base_url: 'http://127.0.0.1:1/v1' }
  const KEYED = { ...UPSTREAM, key: 'key-of-nobody' }
  const AWS = { base_url: 'http://127.0.0.1:1', aws: { region: 'x', access_key_id: 'a', secret_access_key: 'b' } }

  it.each<[boolean, string, object, Env]>([
    [true, 'without vendors', {}, {}],
    [true, 'with a vendor without a key', { vendors: { acme: UPSTREAM } }, {}],
    [false, 'with a vendor with a key', { vendors: { acme: KEYED } }, {}],
    [false, 'with a vendor that signs', { vendors: { bedrock: AWS } }, {}],
    [false, 'with a key of a vendor in the environment', {}, { GROQ_API_KEY: 'key-of-nobody' }],
    [false, 'on all addresses', { listen: { host: '0.0.0.0', port: 0 } }, {}],
    [false, 'behind a proxy', { listen: { port: 0, hosts: ['llm.example'] } }, {}],
    [true, 'with a key, by configuration', { vendors: { acme: KEYED }, recordings: true }, {}],
    [false, 'without vendors, by configuration', { recordings: false }, {}],
  ])('are served (%s) %s', async (isServed, _, config, env) => {
    const { url } = await startGateway({ recordings: undefined, model_lists: { ask: false }, ...config }, { env })
    const local = url.replace('0.0.0.0', '127.0.0.1')
    const headers = { authorization: `Bearer ${KEY}` }
    const { data } = await json(await fetch(`${local}/api/v1/models`, { headers }))
    expect(data.some(({ id }: { id: string }) => id.startsWith('replay/'))).toBe(isServed)
    const answer = await post(local, { model: 'replay/hello', input: 'x' })
    expect(answer.status).toBe(isServed ? 200 : 404)
    if (!isServed) expect((await json(answer)).error.message).toMatch(/^model: this server serves no recordings/)
  })

  it('have one name each, in lists, in the documents and in requests', async () => {
    const { url } = await startGateway({})
    const headers = { authorization: `Bearer ${KEY}` }
    const { data } = await json(await fetch(`${url}/api/v1/models`, { headers }))
    const listed: string[] = data.map(({ id }: { id: string }) => id)
    expect(listed.toSorted()).toEqual(documented().toSorted())
    const files = Object.keys(WIRES).flatMap((wire) => listRecordings(wire as WireName))
    expect([listed.length, new Set(listed).size]).toEqual([files.length, files.length])
    for (const name of ['*', 'openai-chat/hello', 'web-search', 'array']) {
      const answer = await post(url, { model: `replay/${name}`, input: 'x' })
      expect([answer.status, (await json(answer)).error.code]).toEqual([404, 'model_not_found'])
    }
  })

  it('cannot be read from any other path', async () => {
    const { url } = await startGateway({})
    for (const name of ['../openai-chat/hello', 'hello.stream.sse', 'Hello', '%2e%2e/hello', 'none', '__proto__']) {
      const response = await post(url, { model: `replay/${name}`, input: 'x' })
      const body = await json(response)
      expect([response.status, body.error.code]).toEqual([404, 'model_not_found'])
      expect(JSON.stringify(body)).not.toMatch(/fixtures|ENOENT/)
    }
  })
})

/** The names in the page for beginners: `replay/hello`, and `replay/<wire>/NAME` with a list of names. */
function documented(): readonly string[] {
  const rows = readPage('docs/getting-started.md').matchAll(/^\| `(replay\/[^`]+)` \| (.*) \|$/gm)
  return [...rows].flatMap(([, model = '', words = '']) =>
    model.endsWith('/NAME')
      ? [...words.matchAll(/`([^`]+)`/g)].map(([, name]) => model.replace('NAME', name ?? ''))
      : [model],
  )
}

/** Removes the ids and times, which are new in every answer. */
const withoutIds = (response: { output: { id: string }[]; [key: string]: unknown }) => ({
  ...response,
  id: '',
  created_at: 0,
  completed_at: 0,
  output: response.output.map((item) => ({ ...item, id: '' })),
})

describe('a recording', () => {
  async function playing(pace: number, stream: string) {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'openai-chat'))
    await writeFile(join(folder, 'openai-chat', 'own.stream.sse'), stream)
    await writeFile(join(folder, 'openai-chat', 'own.settings.json'), JSON.stringify({ pace }))
    return startGateway({}, { fixtures: pathToFileURL(`${folder}/`) })
  }
  const request = { model: 'replay/own', input: 'x', stream: true }

  it('is played at its configured pace', async () => {
    const pieces = streamOf('a', 'b', 'c')
    const [slow, quick] = [await playing(3_600_000, pieces), await playing(1, pieces)]
    const client = new AbortController()
    const waiting = post(slow.url, request, { signal: client.signal })
      .then((answer) => answer.text())
      .catch(() => 'left')
    const whole = await (await post(quick.url, request)).text()
    expect(typesOf(whole).at(-1)).toBe('[DONE]')
    client.abort()
    expect(await waiting).toBe('left')
  })

  it('stops playing when its client disconnects', async () => {
    // The whole recording would play for more than 30 s.
    const server = await playing(40, streamOf(...Array.from({ length: 1000 }, () => 'a')))
    const client = new AbortController()
    const answer = await post(server.url, request, { signal: client.signal })
    const reading = readSlowly(answer)
    await reading.until((text) => text.includes('"a"'))
    client.abort()
    await reading.rest().catch(() => null)
    expect(await lineOf(server.lines)).toMatchObject({ client_gone: true, vendor: 'replay' })
  })

  it('causes a 404 if the folder of recordings is missing', async () => {
    const { url } = await startGateway({}, { fixtures: new URL('file:///nowhere/at/all/') })
    expect((await post(url, request)).status).toBe(404)
  })
})
