import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createStreamTranslator } from '../../src/index.ts'
import { ALL_FIXTURES, type Fixture } from '../engine/run-engine.ts'
import { ASSISTANT_ANSWERS, QUESTION } from '../host/conversation.ts'
import { UPSTREAM_KEY } from '../host/test-server.ts'
import { startMockUpstream } from '../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { RUNTIMES } from './runtimes.ts'
import { type ServedWorker, serveWorker } from './serve-fetch.ts'

/** Calls the functions of the package in each runtime. Their results are equal to those in this process. */

/** Those of docs/extend.md, which need no files either. */
const EXTENSIONS = ['own-wire', 'own-vendor', 'own-target'] as const
/** The examples that need neither a network nor other packages. */
const EXAMPLES = [
  'bodies',
  'check',
  'collect',
  'core',
  'events',
  'explain-request',
  'request',
  'sans-io',
  ...EXTENSIONS,
].map((name) => `./${name}.mjs`)
const TARGETS = ['openai', 'beta', 'openai-chat', 'anthropic-messages', 'gemini-generate', 'ollama-chat'] as const
/** Odd, so that the pieces cut characters and numbers of the framings. */
const pieceBytes = (to: (typeof TARGETS)[number]): number => (to === 'openai' ? 7 : 61)

const optionsOf = ({ wire, quirks, name }: Fixture, to: (typeof TARGETS)[number]) =>
  ({ from: wire.name, to, quirks, id: `resp_${name}`, createdAt: 1_700_000_000 }) as const

const wholes = new Map<Fixture, readonly string[]>()

/** The output for each target, translated here from one piece. */
function translatedWhole(fixture: Fixture): readonly string[] {
  const known = wholes.get(fixture)
  if (known !== undefined) return known
  const made = TARGETS.map((to) => {
    const translator = createStreamTranslator(optionsOf(fixture, to))
    const decoder = new TextDecoder()
    return decoder.decode(translator.push(fixture.stream), { stream: true }) + decoder.decode(translator.end())
  })
  wholes.set(fixture, made)
  return made
}

/** Ids and times that differ from run to run become equal. */
const constant = (text: string): string => text.replace(/[0-9a-f]{32}/g, 'ID').replace(/\b[12]\d{9}\b/g, 'TIME')

function runExamples(program: string, args: readonly string[]): string {
  const { PATH = '', HOME = '' } = process.env
  const { status, stdout, stderr } = spawnSync(program, [...args, 'examples.mjs', ...EXAMPLES], {
    cwd: inject('room'),
    env: { PATH, HOME, NO_COLOR: '1' },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return constant(stdout)
}

describe.each(RUNTIMES.map((runtime) => [runtime.name, runtime] as const))('%s', (_, runtime) => {
  const it = test.skipIf(runtime.version === null)
  let worker: ServedWorker

  beforeAll(async () => {
    if (runtime.version !== null)
      worker = await serveWorker(runtime, inject('room'), { CONFIG: {}, ACME_KEY: UPSTREAM_KEY })
  })
  afterAll(async () => worker?.close())

  it('translates every recording, cut into small pieces, as this process does', async () => {
    expect(ALL_FIXTURES.length).toBeGreaterThan(70)
    for (const fixture of ALL_FIXTURES) {
      const options = TARGETS.map((to) => ({ ...optionsOf(fixture, to), size: pieceBytes(to) }))
      const answer = await fetch(`${worker.url}/pieces?options=${encodeURIComponent(JSON.stringify(options))}`, {
        method: 'POST',
        body: fixture.stream as BodyInit,
      })
      const expected = [fixture.wire.name, fixture.name, translatedWhole(fixture)]
      expect([fixture.wire.name, fixture.name, await answer.json()]).toEqual(expected)
    }
  })

  it.for(Object.values(WIRE_UPSTREAMS))('answers a request with an upstream of $wire', async (upstream) => {
    const { wire, model, quirks, contentType, encodeTurn, keyHeader } = upstream
    const mock = await startMockUpstream((response) => {
      response.writeHead(200, { 'content-type': contentType }).end(encodeTurn(ASSISTANT_ANSWERS))
    })
    try {
      const address = { wire, model, quirks, baseUrl: mock.url, apiKey: UPSTREAM_KEY }
      const options = encodeURIComponent(JSON.stringify({ client: 'anthropic-messages', upstream: address }))
      const messages = [{ role: 'user', content: QUESTION }]
      const answer = await fetch(`${worker.url}/translate?options=${options}`, {
        method: 'POST',
        body: JSON.stringify({ model, max_tokens: 900, stream: true, messages }),
      })
      const text = await answer.text()
      expect([...text.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, words]) => words).join('')).toBe(
        'Snow 🌨 and sun.',
      )
      expect(mock.received[0]?.headers[keyHeader]).toContain(UPSTREAM_KEY)
    } finally {
      await mock.close()
    }
  })

  it.for(EXTENSIONS)('extends the package as %s does', async (name) => {
    const { status, stdout } = spawnSync(process.execPath, [`${name}.mjs`], { cwd: inject('room'), encoding: 'utf8' })
    expect(status).toBe(0)
    expect(await (await fetch(`${worker.url}/example?name=${name}`)).text()).toBe(stdout)
  })

  test.skipIf(runtime.version === null || runtime.args === null)('runs the examples', () => {
    for (const example of EXAMPLES) expect(readdirSync(inject('room'))).toContain(example.slice(2))
    expect(runExamples(runtime.program, runtime.args ?? [])).toBe(runExamples(process.execPath, []))
  })
})
