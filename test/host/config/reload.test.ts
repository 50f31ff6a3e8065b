import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { beginning, doneFrame, inPieces, stopChunk, streamOf, textChunk } from '../../mock-upstreams/server.ts'
import { readJson } from '../../observability/otlp-schema.ts'
import { runProgram } from '../program.ts'
import { spansOf, startReceiver } from '../telemetry/receiver.ts'
import { entryOf, KEYS, listing } from '../telemetry/telemetry-server.ts'
import {
  KEY,
  patient,
  post,
  sha256,
  startGateway,
  startTestServer,
  typesOf,
  waitUntil,
  whenDone,
} from '../test-server.ts'

const parsed = (value: object) => {
  const loaded = checkConfigValue(patient(value))
  if (!loaded.ok) throw new Error(loaded.problems.join())
  return loaded.config
}

const namesOf = async (url: string): Promise<string[]> =>
  ((await (await listing(url)).json()) as { data: { name: string }[] }).data.map(({ name }) => name)

describe('a reloaded configuration', () => {
  it('applies its keys and destinations, and leaves open streams alone', async () => {
    const receiver = await startReceiver()
    const { url, running, upstream } = await startTestServer(beginning(textChunk('Half')), { keys: KEYS })
    const answer = await post(url)
    const reading = answer.text()
    const { response } = await upstream.next()
    const keys = [KEYS[1], { name: 'new', sha256: sha256('new-key') }]
    const destinations = [entryOf('otel-collector', 1, { config: { endpoint: receiver.url } })]
    await running.reload(parsed({ keys, destinations }))
    expect(await namesOf(url)).toEqual(['otel-collector 1'])
    expect((await post(url)).status).toBe(401)
    response.end(stopChunk + doneFrame)
    expect(typesOf(await reading).at(-1)).toBe('[DONE]')
    const next = await post(url, { model: 'replay/none', input: 'x' }, { headers: { authorization: 'Bearer new-key' } })
    expect(next.status).toBe(404)
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    expect(spansOf(receiver.got, readJson)[0]?.attributes).toMatchObject({ 'millrace.api_key_name': 'new' })
  })

  it('keeps the waiting traces of a destination that still exists', async () => {
    const [first, second] = [await startReceiver(), await startReceiver()]
    const stream = inPieces(streamOf('Hi'), 60)
    const entry = (url: string) => entryOf('otel-collector', 1, { config: { endpoint: url } })
    const forwarding = { batch_seconds: 60 }
    const config = { keys: KEYS, destinations: [entry(first.url)], forwarding }
    const { url, running } = await startTestServer(stream, config)
    await (await post(url)).text()
    await running.reload(parsed({ ...config, destinations: [entry(second.url)] }))
    await running.drain()
    expect([first.got.length, second.got.length]).toEqual([0, 1])
  })

  it('is rejected if it names a secret that is not set, and the old one stays', async () => {
    const { url, running } = await startGateway({ keys: KEYS, destinations: [entryOf('webhook', 1)] })
    const config = { apiKey: { env: 'NOT_SET' }, workspace: 'w', projectName: 'p' }
    const next = parsed({ keys: KEYS, destinations: [entryOf('opik', 2, { config })] })
    await expect(running.reload(next)).rejects.toThrow(/^destinations\[0\]\.config\.apiKey\.env: .*NOT_SET/)
    expect(await namesOf(url)).toEqual(['webhook 1'])
  })

  it('logs the sections whose change needs a restart', async () => {
    const { running, lines } = await startGateway({ keys: KEYS })
    await running.reload(parsed({ keys: KEYS, listen: { port: 1 }, timeouts: { idle_seconds: 5 } }))
    expect(lines).toContainEqual({ event: 'reloaded', restart_needed: ['listen', 'timeouts'] })
  })

  it('is rejected if it would open a public address with the development key', async () => {
    const { running } = await startGateway({ keys: KEYS, listen: { host: '0.0.0.0', port: 0 } })
    await expect(running.reload(parsed({ keys: [] }))).rejects.toThrow(/development key/)
  })
})

/** Returns true if a process handles SIGHUP (signal 1), or null if the system does not report it (proc(5)). */
const catchesHangUps = (pid: number): boolean | null => {
  try {
    const caught = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return caught === undefined ? null : Number.parseInt(caught.slice(-1), 16) % 2 === 1
  } catch {
    return null
  }
}

describe('the signal SIGHUP', () => {
  it.skipIf(catchesHangUps(process.pid) === null)(
    'waits while the server starts, and reloads when it runs',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
      whenDone(() => rm(folder, { recursive: true }))
      const file = join(folder, 'config.json')
      await writeFile(file, JSON.stringify({ listen: { port: 0 }, keys: [{ name: 'own', sha256: sha256(KEY) }] }))
      const { child, output } = runProgram(['serve', '--config', file])
      const { pid = 0 } = child
      const isListening = (): boolean => output().includes('"event":"listening"')
      await waitUntil(() => catchesHangUps(pid) === true || isListening(), 'a handler')
      expect(isListening()).toBe(false)
      child.kill('SIGHUP')
      await waitUntil(() => output().includes('"event":"reloaded"'), 'the file read again')
      expect(child.exitCode).toBeNull()
    },
  )

  it('ends a server that has no configuration file', async () => {
    const { child, exited, output } = runProgram(['serve'], { PORT: '0' })
    await waitUntil(() => output().includes('"event":"listening"'), 'a server without a file')
    child.kill('SIGHUP')
    await exited
    expect(child.signalCode).toBe('SIGHUP')
  })

  it('reloads the file, or logs why it is rejected', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    const file = join(folder, 'config.json')
    const write = (value: unknown): Promise<void> =>
      writeFile(file, typeof value === 'string' ? value : JSON.stringify(value))
    const config = { listen: { port: 0 }, keys: KEYS }
    await write({ ...config, destinations: [entryOf('webhook', 1)] })
    const { child, output } = runProgram(['serve', '--config', file])
    await waitUntil(() => output().includes('"event":"listening"'), 'a listening server')
    const url = /"url":"([^"]+)"/.exec(output())?.[1] ?? ''
    expect(await namesOf(url)).toEqual(['webhook 1'])

    await write({ ...config, destinations: [entryOf('webhook', 1), entryOf('weave', 2)] })
    child.kill('SIGHUP')
    await waitUntil(() => output().includes('"event":"reloaded"'), 'the new configuration')
    expect(await namesOf(url)).toEqual(['webhook 1', 'weave 2'])

    const secret = 'secret-of-nobody-0123456789'
    const broken = entryOf('opik', 3, { config: { apiKey: secret, workspace: '', projectName: 'p' } })
    await write({ ...config, destinations: [broken] })
    child.kill('SIGHUP')
    await waitUntil(() => output().includes('"event":"reload_refused"'), 'a refusal')
    expect(output()).toContain('destinations[0].config.workspace (line 1, column 413): ')
    await write('{ not json')
    child.kill('SIGHUP')
    await waitUntil(() => output().includes('the file is not JSON'), 'another refusal')
    expect(output()).not.toContain(secret)
    expect(await namesOf(url)).toEqual(['webhook 1', 'weave 2'])
    const headers = { authorization: `Bearer ${KEY}` }
    expect((await post(url, { model: 'replay/hello', input: 'x' }, { headers })).status).toBe(200)
  })
})
