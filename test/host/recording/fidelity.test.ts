import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import type { Transport, UpstreamResponse } from '../../../src/gateway/upstream/transport.ts'
import { differenceOf } from '../../../src/host/recording/body-difference.ts'
import { createLibrary } from '../../../src/host/recording/exchange-library.ts'
import { createPlayback, type PlayedAnswer } from '../../../src/host/recording/playback.ts'
import { readExchanges, type StoredExchange } from '../../../src/host/recording/read-exchange.ts'
import { createRecorder } from '../../../src/host/recording/recorder.ts'
import { createReplay, playExchange, type ReplayPace } from '../../../src/host/recording/replay-transport.ts'
import { createAgent, httpTransport } from '../../../src/host/upstream/http-transport.ts'
import { type GatewayError, gatewayError, upstreamError } from '../../../src/protocol/error.ts'
import { ok } from '../../../src/protocol/result.ts'
import { checkAsync } from '../../property.ts'
import { whenDone } from '../test-server.ts'

const OWNER = { vendor: 'acme', wire: 'openai-chat', quirks: {}, baseUrl: 'http://127.0.0.1:9/v1' } as const
const BROKEN = upstreamError('upstream_disconnected', 'The connection to the upstream was lost.', 502)

const STOPPING = gatewayError('server_stopping', 'The server is stopping.', 503)

const callOf = (body: object) => ({
  url: new URL(`${OWNER.baseUrl}/chat/completions`),
  headers: {},
  body: JSON.stringify(body),
  model: 'mock-1',
  stream: true,
})

interface Received {
  readonly pieces: readonly Uint8Array[]
  readonly times: readonly number[]
  readonly end: 'end' | GatewayError
}

/** Reads an answer to its end, with a pause after each piece whose number `pauses` has. */
function readAll(response: UpstreamResponse, pauses: readonly number[] = []): Promise<Received> {
  const pieces: Uint8Array[] = []
  const times: number[] = []
  const startedAt = performance.now()
  return new Promise((resolve) => {
    response.read({
      bytes(chunk) {
        pieces.push(new Uint8Array(chunk))
        times.push(performance.now() - startedAt)
        if (!pauses.includes(pieces.length)) return
        response.pause()
        setImmediate(() => response.resume())
      },
      end: () => resolve({ pieces, times, end: 'end' }),
      fail: (end) => resolve({ pieces, times, end }),
    })
  })
}

/** The time by which each timer is late. */
const LATE_MS = 3

/** Replaces clock and timers until the end of the test: only a timer lets time pass, and each is late by `ms`. */
function delayTimers(ms: number): void {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, delay = 0) => {
    now += delay + ms
    return setImmediate(act)
  }) as unknown as typeof setTimeout)
  whenDone(async () => {
    clock.mockRestore()
    timer.mockRestore()
  })
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-fidelity-'))
  whenDone(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Records one exchange with a source of bytes, and reads it from the disk. */
async function recorded(source: Transport, pauses: readonly number[] = []) {
  const folder = await newFolder()
  const recorder = createRecorder({ folder, secrets: ['secret-of-nobody'], onFailure: () => undefined })
  const opened = await recorder.wrap(source, OWNER)(callOf({}), new Cancellation())
  if (!opened.ok) throw new Error(opened.error.message)
  const received = await readAll(opened.value, pauses)
  await recorder.close()
  const [exchange] = readExchanges(folder).exchanges
  return { received, exchange: exchange as StoredExchange }
}

const playing =
  (answer: PlayedAnswer): Transport =>
  async (_, signal) =>
    ok(createPlayback(answer, signal))

async function played(exchange: StoredExchange, pace: ReplayPace): Promise<Received> {
  const opened = await playExchange(exchange, pace, new Cancellation())
  if (!opened.ok) throw new Error(opened.error.message)
  return readAll(opened.value)
}

const toHex = (pieces: readonly Uint8Array[]): readonly string[] =>
  pieces.map((one) => Buffer.from(one).toString('hex'))

describe('a recording', () => {
  it('has the bytes and the pieces of its upstream, and plays them, for any bytes, pieces and pauses', async () => {
    const piece = fc.uint8Array({ minLength: 1, maxLength: 3000 })
    await checkAsync(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
        fc.boolean(),
        async (all, pauses, isBroken) => {
          const pieces = all.map((bytes) => ({ bytes, delayMs: 0 }))
          const answer = { status: 200, headers: {}, pieces, error: isBroken ? BROKEN : null }
          const { received, exchange } = await recorded(playing(answer), pauses)
          expect(toHex(received.pieces)).toEqual(toHex(all))
          expect(Buffer.concat(all).equals(await exchange.body())).toBe(true)
          expect(exchange.settings).toMatchObject({ end: isBroken ? 'broken' : 'complete', lost: null, masked: 0 })
          const again = await played(exchange, 'fast')
          expect([toHex(again.pieces), again.end]).toEqual([toHex(all), received.end])
        },
      ),
      30,
    )
  })

  it('keeps the pace: neither rounded delays nor late timers add up', async () => {
    delayTimers(LATE_MS)
    const pieces = Array.from({ length: 400 }, () => ({ bytes: Buffer.from('data: {}\n\n'), delayMs: 0.5 }))
    const { received, exchange } = await recorded(playing({ status: 200, headers: {}, pieces, error: null }))
    const first = received.times.at(-1) as number
    expect(first).toBeGreaterThanOrEqual(200)
    expect(first).toBeLessThan(200 + 2 * LATE_MS)
    const pace = exchange.settings.pace as (readonly [number, number])[]
    expect(Math.abs(pace.reduce((sum, [delay]) => sum + delay, 0) - first)).toBeLessThanOrEqual(1)
    const second = (await played(exchange, 'recorded')).times.at(-1) as number
    expect(Math.abs(second - first)).toBeLessThan(2 * LATE_MS)
  })

  it('of a connection that was reset is reset when it is played', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"a":1}\n\n', () => (response.socket as Socket).resetAndDestroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const agent = createAgent({ connect_seconds: 600, first_byte_seconds: 600, idle_seconds: 600 } as never)
    whenDone(async () => {
      await agent.destroy()
      server.close()
    })
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`)
    const source = httpTransport(agent)
    const { received, exchange } = await recorded((call, signal) => source({ ...call, url }, signal))
    expect(exchange.settings).toMatchObject({ end: 'broken', error: { code: 'upstream_disconnected' } })
    const again = await played(exchange, 'recorded')
    expect([Buffer.concat(again.pieces), again.end]).toEqual([Buffer.concat(received.pieces), received.end])
  })

  it('of a server that stopped is left by its reader, because the upstream had not failed', async () => {
    const pieces = [{ bytes: Buffer.from('data: {}\n\n'), delayMs: 0 }]
    const { exchange } = await recorded(playing({ status: 200, headers: {}, pieces, error: STOPPING }))
    expect(exchange.settings).toMatchObject({ end: 'left', error: null })
  })
})

const stored = (name: string, body: unknown, number: string): Readonly<Record<string, string>> => ({
  folder: `${number}-${name}`,
  'request.json': JSON.stringify({ method: 'POST', path: '/v1/chat/completions', headers: {}, body }),
  'settings.json': JSON.stringify({
    wire: 'openai-chat',
    vendor: 'acme',
    model: 'mock-1',
    base_url: OWNER.baseUrl,
    file: 'body.json',
  }),
  'body.json': JSON.stringify({ name }),
})

async function storeAll(all: readonly Readonly<Record<string, string>>[]): Promise<string> {
  const root = await newFolder()
  for (const { folder = '', ...files } of all) {
    await mkdir(join(root, folder))
    for (const [name, text] of Object.entries(files)) await writeFile(join(root, folder, name), text)
  }
  return root
}

const asked = (body: unknown) => ({ method: 'POST', path: '/v1/chat/completions', model: 'mock-1', body, vendor: null })

describe('the recording that answers', () => {
  const turn = (...content: readonly string[]) => ({
    model: 'mock-1',
    messages: content.map((one) => ({ content: one })),
  })

  it('is the nearest that is left, also for parallel requests with a changed part', async () => {
    const root = await storeAll([
      stored('north', turn('at 9:01', 'north'), '0001'),
      stored('south', turn('at 9:01', 'south'), '0002'),
    ])
    const find = (mode: 'order' | 'exact') => createLibrary(readExchanges(root).exchanges, mode)
    const library = find('order')
    const names = ['south', 'north'].map((where) => {
      const found = library.find(asked(turn('at 9:30', where)))
      return found.ok ? found.exchange.name : found.message
    })
    expect(names).toEqual(['0002-south', '0001-north'])
    const missed = find('exact').find(asked(turn('at 9:01', 'south-west')))
    expect(missed).toMatchObject({
      ok: false,
      message: expect.stringContaining('"north", the request has "south-west"'),
    })
    const near = find('exact').find(asked(turn('at 9:30', 'south')))
    expect(near).toMatchObject({ ok: false, message: expect.stringContaining('The nearest is 0002-south of 2') })
  })

  it('is found among ten thousand and more, in the order of their numbers', async () => {
    const root = await storeAll([
      stored('later', {}, '10000'),
      stored('first', {}, '0999'),
      stored('before', {}, '9999'),
      stored('unnumbered', {}, 'by-hand'),
    ])
    expect(readExchanges(root).exchanges.map(({ name }) => name)).toEqual([
      '0999-first',
      '9999-before',
      '10000-later',
      'by-hand-unnumbered',
    ])
  })

  it('is compared with a body of any size', () => {
    const long = Array.from({ length: 300_000 }, (_, at) => at)
    expect(differenceOf({ long }, { long: [...long, 1] })?.path).toBe('long[300000]')
  })

  it('and its difference are shown without secrets', async () => {
    const root = await storeAll([stored('only', turn('hello'), '0001')])
    const differences: (string | null)[] = []
    const tap = createReplay(createLibrary(readExchanges(root).exchanges, 'order'), {
      pace: 'fast',
      onPlay: (_, difference) => void differences.push(difference),
      secrets: ['configured-secret-of-nobody'],
    })
    tap.admit({ headers: { authorization: 'Bearer client-key-of-nobody' }, url: '/' } as never)
    const transport = tap.wrap(async () => expect.fail('no call leaves the process'), OWNER)
    const ask = (text: string) => transport(callOf(turn(text)), new Cancellation())
    await ask('my keys: client-key-of-nobody configured-secret-of-nobody')
    const missed = await ask('again: client-key-of-nobody, AKIAOFNOBODY12345678')
    const all = [...differences, missed.ok ? '' : missed.error.message].join('\n')
    expect(all).toContain('the recording has "hello"')
    for (const secret of ['client-key', 'configured-secret', 'AKIA']) expect(all).not.toContain(secret)
  })
})
