import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { describeDifference, differenceOf } from '../../../src/host/recording/body-difference.ts'
import { createLibrary, type ReplayedRequest } from '../../../src/host/recording/exchange-library.ts'
import { ExchangeWriter, WriteBudget } from '../../../src/host/recording/exchange-writer.ts'
import { readExchanges } from '../../../src/host/recording/read-exchange.ts'
import { replayConfig, replayEnv } from '../../../src/host/recording/replay-config.ts'
import { toSecretSet } from '../../../src/host/recording/secret-mask.ts'
import { start } from '../../../src/host/start.ts'
import { whenDone } from '../test-server.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-stored-'))
  whenDone(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function store(root: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(root, name))
  for (const [file, text] of Object.entries(files)) await writeFile(join(root, name, file), text)
}

const request = (body: unknown, path = '/v1/chat/completions'): string => JSON.stringify({ method: 'POST', path, body })

const asked = (body: unknown, more: Partial<ReplayedRequest> = {}): ReplayedRequest => ({
  method: 'POST',
  path: '/other/chat/completions?x=1',
  model: null,
  body,
  vendor: null,
  ...more,
})

describe('a folder of recordings', () => {
  it('may be written by hand, with only a stream and its wire', async () => {
    const root = await newFolder()
    await store(root, 'mine', { 'settings.json': '{"wire":"openai-chat","pace":5}', 'stream.sse': 'data: [DONE]\n\n' })
    const { exchanges, problems } = readExchanges(root)
    expect(problems).toEqual([])
    expect(exchanges[0]?.settings).toMatchObject({ status: 200, file: 'stream.sse', pace: 5, end: 'complete' })
    expect(Buffer.from((await exchanges[0]?.body()) ?? []).toString()).toBe('data: [DONE]\n\n')
    expect(readExchanges(join(root, 'mine')).exchanges).toHaveLength(1)
  })

  it('reports what cannot be played, and never reads a file outside', async () => {
    const root = await newFolder()
    await store(root, '1-started', { 'request.json': request({}) })
    await store(root, '2-lost', { 'settings.json': '{"lost":"no space left"}' })
    await store(root, '3-noise', { 'settings.json': 'noise' })
    await store(root, '4-left', { 'settings.json': '{"status":null,"end":"left"}' })
    await store(root, '5-outside', { 'settings.json': '{"file":"../1-started/request.json"}', 'body.txt': 'inside' })
    await writeFile(join(root, 'README.md'), 'no recording')
    const { exchanges, problems, unanswered } = readExchanges(root)
    expect(unanswered).toEqual(['4-left'])
    const reasons = ['no settings.json', 'no space left', 'not a JSON object']
    expect(problems).toEqual(reasons.map((reason) => expect.stringContaining(reason)))
    expect(Buffer.from((await exchanges[0]?.body()) ?? []).toString()).toBe('inside')
  })
})

describe('the library of recordings', () => {
  it('matches path below the base URL, model and form before it takes the next in order', async () => {
    const root = await newFolder()
    const settings = (more: object) => JSON.stringify({ base_url: 'https://a.example/v1', model: 'm', ...more })
    await store(root, '1', { 'settings.json': settings({}), 'request.json': request({ n: 1, stream: true }) })
    await store(root, '2', { 'settings.json': settings({}), 'request.json': request({ n: 2 }) })
    await store(root, '3', { 'settings.json': settings({ model: 'other' }), 'request.json': request({ n: 3 }) })
    const { exchanges } = readExchanges(root)
    const nameOf = (body: unknown, more?: Partial<ReplayedRequest>, mode: 'order' | 'exact' = 'order') => {
      const found = createLibrary(exchanges, mode).find(asked(body, more))
      return found.ok ? found.exchange.name : found.message
    }
    expect(nameOf({ n: 2 })).toBe('2')
    expect(nameOf({ n: 9 }, { model: 'm' })).toBe('2')
    expect(nameOf({ n: 9, stream: true })).toBe('1')
    expect(nameOf({ n: 9 }, { model: 'other' })).toBe('3')
    expect(nameOf({ n: 9 }, { model: 'none' })).toContain('its model is "m", the request’s is "none"')
    expect(nameOf({ n: 9 }, { model: 'm' }, 'exact')).toContain('body.n: the recording has 2, the request has 9')
    expect(nameOf({ n: 2 }, { path: '/v1/messages' })).toContain('The nearest is 2: it was POST /v1/chat/completions')
    const library = createLibrary(exchanges, 'order')
    const equal = [1, 2].map(() => library.find(asked({ n: 2 })).ok)
    expect([equal, library.unplayed()]).toEqual([
      [true, true],
      ['1', '3'],
    ])
  })

  it('treats a masked secret as equal to any text of its length, and nothing else', () => {
    const recorded = { key: 'sk xxxxxxxxxx!', list: [1, { a: null }], n: 1 }
    expect(differenceOf(recorded, { n: 1, list: [1, { a: null }], key: 'sk 0123456789!' })).toBeNull()
    expect(differenceOf(recorded, { ...recorded, key: 'sk 012345678!' })?.path).toBe('key')
    expect(differenceOf({ key: 'a box' }, { key: 'a bow' })?.path).toBe('key')
    const difference = differenceOf(recorded, { ...recorded, list: [1, { a: null }, 'y'.repeat(100)] })
    expect(difference && describeDifference(difference)).toMatch(
      /^body\.list\[2\]: the recording has nothing, the request has "y{59}…$/,
    )
  })
})

describe('a disk that is too slow', () => {
  it('gives up the recording, keeps its beginning, and states the reason', async () => {
    const root = await newFolder()
    await mkdir(join(root, 'one'))
    const budget = new WriteBudget(100)
    let create = (_: string): void => undefined
    const folder = new Promise<string>((resolve) => {
      create = resolve
    })
    const head = { method: 'POST', path: '/', headers: {}, body: '{}' }
    const writer = new ExchangeWriter(folder, head, toSecretSet([]), budget)
    writer.open('body.txt', toSecretSet([]))
    for (let at = 0; at < 10; at += 1) writer.write(new Uint8Array(40))
    create(join(root, 'one'))
    const settings = { ...readSettings(), file: 'body.txt' }
    expect(await writer.finish(settings)).toContain('slower')
    expect(readExchanges(root).problems).toEqual([expect.stringContaining('slower')])
    expect(JSON.parse(await readFile(join(root, 'one', 'settings.json'), 'utf8')).lost).toContain('slower')
    expect(budget.take(100)).toBe(true)
  })
})

const readSettings = () => ({
  wire: null,
  vendor: 'acme',
  model: '',
  base_url: '',
  quirks: {},
  status: 200,
  headers: {},
  trailers: {},
  decoded: null,
  head_ms: 0,
  pace: [],
  end: 'complete' as const,
  error: null,
  recorded_at: '',
})

describe('the configuration of a replay', () => {
  it('starts for vendors of the table, configured ones, AWS, and a search engine, without any of their keys', async () => {
    const root = await newFolder()
    const recorded = [
      { wire: 'openai-chat', vendor: 'groq', base_url: 'https://api.groq.com/openai/v1' },
      { wire: 'bedrock-converse', vendor: 'bedrock', base_url: 'https://bedrock-runtime.eu-west-1.amazonaws.com' },
      {
        wire: 'anthropic-messages',
        vendor: 'mine',
        base_url: 'http://127.0.0.1:9/v1',
        quirks: { countsTokens: false },
      },
      { wire: null, vendor: 'exa', base_url: 'https://api.exa.ai' },
    ]
    for (const [at, settings] of recorded.entries())
      await store(root, `${at}`, { 'settings.json': JSON.stringify(settings) })
    const { exchanges } = readExchanges(root)
    const loaded = checkConfigValue({
      listen: { port: 0 },
      encrypted_content_secret: { env: 'NOT_SET' },
      rate_limit: { redis: { url: { env: 'NOT_SET' } } },
      search: { engine: 'exa', key: { env: 'NOT_SET' } },
      vendors: { acme: { wire: 'openai-chat', base_url: 'http://127.0.0.1:9', key: { env: 'NOT_SET' } } },
    })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const running = await start(replayConfig(loaded.config, {}, exchanges), { env: replayEnv({}, exchanges) })
    whenDone(running.close)
    expect(running.vendors).toEqual(expect.arrayContaining(['groq', 'bedrock', 'mine', 'acme']))
  })
})
