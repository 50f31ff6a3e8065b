import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { listRecordings } from '../../../src/host/upstream/recordings.ts'
import { streamOf } from '../../mock-upstreams/server.ts'
import { eventsOf, json, lineOf, post, readSlowly, startGateway, typesOf, whenDone } from '../test-server.ts'

const NAMES = [
  ...listRecordings('openai-chat'),
  ...listRecordings('bedrock-converse').map((name) => `bedrock-converse/${name}`),
]

describe('the recordings', () => {
  it('are found in the package', () => {
    expect(NAMES).toContain('hello')
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
