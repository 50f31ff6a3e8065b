import { request as send } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import type { RunningServer } from '../../src/host/start.ts'
import {
  beginning,
  doneFrame,
  nextTurn,
  roleChunk,
  stopChunk,
  streamOf,
  textChunk,
  usageChunk,
} from '../mock-upstreams/server.ts'
import { hasServer } from './doors.ts'
import {
  eventsOf,
  json,
  KEY,
  lineOf,
  post,
  readSlowly,
  sha256,
  startGateway,
  startTestServer,
  waitUntil,
} from './test-server.ts'

/** Clients that lose the connection of a stream come back for the rest of it. */

const RESUME = { 'x-millrace-resume': '1' }
const toOpenAi = { path: '/openai/v1/responses', headers: RESUME }
const OTHER_KEY = 'other-key-of-nobody'
const KEYS = [KEY, OTHER_KEY].map((key, at) => ({ name: `key-${at}`, sha256: sha256(key) }))
const PATIENT = { seconds: 600, upstream_seconds: 600 }

const resume = (url: string, id: string, query = '', key = KEY, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/openai/v1/responses/${id}?stream=true${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })

const numberIn = (frame: string): number => Number(/"sequence_number":(\d+)/.exec(frame)?.[1] ?? Number.NaN)
const framesOf = (text: string): readonly string[] => text.split('\n\n').slice(0, -1)
const idIn = (text: string): string => /"id":"(resp_\w+)"/.exec(text)?.[1] ?? ''

/** Reads an answer up to this byte, and cuts its connection there. */
function readTo(
  url: string,
  path: string,
  body: string | null,
  bytes: number,
): Promise<{ status: number; text: string; ended: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...RESUME }
    const sent = send(url + path, { method: body === null ? 'GET' : 'POST', headers, agent: false }, (answer) => {
      const pieces: Buffer[] = []
      let size = 0
      const settle = (ended: boolean): void =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).subarray(0, bytes).toString(), ended })
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece)
        size += piece.length
        if (size < bytes) return
        settle(false)
        sent.destroy()
      })
      answer.on('end', () => settle(true))
      answer.on('error', () => settle(false))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('a stream that its client resumes', () => {
  const words = (name: string): readonly string[] => Array.from({ length: 40 }, (_, i) => ` ${name}-${i}`)

  const startNaming = (resume: object) =>
    startTestServer(
      async (response, { body }) => {
        const name = String((body as { messages: { content: string }[] }).messages.at(-1)?.content)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const frame of [roleChunk, ...words(name).map(textChunk), stopChunk, usageChunk, doneFrame]) {
          response.write(frame)
          await nextTurn()
        }
        response.end()
      },
      { resume },
    )

  const asked = (at: number): string => JSON.stringify({ model: 'acme/mock-1', input: `stream${at}`, stream: true })

  it('of 200, each cut at random bytes up to three times, arrives with every event once and in order', async () => {
    const { url } = await startNaming(PATIENT)
    const random = fc.sample(fc.array(fc.nat(12_000), { minLength: 1, maxLength: 3 }), { numRuns: 200, seed: 45 })
    const results = await Promise.all(
      random.map(async (cuts, at) => {
        const frames: string[] = []
        let id = ''
        let parts = 0
        for (const bytes of [...cuts, Number.POSITIVE_INFINITY]) {
          const path =
            id === ''
              ? '/openai/v1/responses'
              : `/openai/v1/responses/${id}?stream=true&starting_after=${numberIn(frames.at(-1) ?? '')}`
          // A client that has not received the first event has nothing to resume, and sends its request again.
          const part = await readTo(url, path, id === '' ? asked(at) : null, bytes)
          expect(part.status).toBe(200)
          parts += 1
          frames.push(...framesOf(part.text).filter((frame) => frame.startsWith('event:') || frame.includes('[DONE]')))
          id = frames.length === 0 ? '' : idIn(frames[0] ?? '')
          if (frames.at(-1)?.includes('[DONE]') === true) break
        }
        return { at, frames, parts }
      }),
    )
    expect(results.reduce((sum, { parts }) => sum + parts, 0)).toBeGreaterThan(400)
    for (const { at, frames } of results) {
      const text = frames.map((frame) => `${frame}\n\n`).join('')
      const events = eventsOf(text).filter((event) => event !== '[DONE]')
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i))
      expect(events.at(-1)?.response.output[0].content[0].text).toBe(words(`stream${at}`).join(''))
      expect(checkStream(text, openai)).toEqual([])
    }
  })

  it('leaves nothing once nobody may come back for it', async () => {
    const { url, running } = await startNaming({ seconds: 1, upstream_seconds: 600 })
    const parts = await Promise.all(
      [500, 3_000, 9_000, Number.POSITIVE_INFINITY].map((bytes, at) =>
        readTo(url, '/openai/v1/responses', asked(at), bytes),
      ),
    )
    expect(parts.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    if (hasServer()) await waitUntil(async () => (await heldBy(running)) === 0, 'the memory of the streams')
  })

  const heldBy = async ({ url }: RunningServer): Promise<number> =>
    Number(/^millrace_resumable_bytes (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? Number.NaN)

  async function startHalf(config: object = {}) {
    const server = await startTestServer(beginning(roleChunk, textChunk('Hel'), textChunk('lo')), {
      keys: KEYS,
      resume: PATIENT,
      ...config,
    })
    const leaving = new AbortController()
    const answer = await post(
      server.url,
      { model: 'acme/mock-1', input: 'Hi', stream: true },
      { ...toOpenAi, signal: leaving.signal },
    )
    const begun = await readSlowly(answer).until((text) => text.includes('"lo"') && text.endsWith('\n\n'))
    const finish = async (): Promise<void> => {
      const { response } = await server.upstream.next()
      response.end([textChunk('!'), stopChunk, usageChunk, doneFrame].join(''))
    }
    return { ...server, answer, begun, id: idIn(begun), last: numberIn(framesOf(begun).at(-1) ?? ''), leaving, finish }
  }

  it('goes on while its client is away', async () => {
    const { url, answer, begun, id, last, leaving, finish, lines } = await startHalf()
    expect(answer.headers.get('x-millrace-resume')).toBe('600')
    leaving.abort()
    await finish()
    const line = await lineOf(lines)
    expect(line).toMatchObject({ outcome: 'completed', status: 200 })
    expect(line).not.toHaveProperty('client_gone')
    const rest = await (await resume(url, id, `&starting_after=${last}`)).text()
    expect(checkStream(begun + rest, openai)).toEqual([])
    expect(eventsOf(begun + rest).at(-2)?.response.output[0].content[0].text).toBe('Hello!')
  })

  it('is written to the client that came last, also while the first connection is open', async () => {
    const { url, answer, begun, id, last, finish } = await startHalf()
    const again = await resume(url, id, `&starting_after=${last}`)
    await finish()
    expect(checkStream(begun + (await again.text()), openai)).toEqual([])
    await expect(answer.body?.pipeTo(new WritableStream()) ?? Promise.reject(new Error('locked'))).rejects.toThrow()
  })

  it('is replayed from its beginning without a number, and from the header Last-Event-ID', async () => {
    const { url, begun, id, leaving, finish } = await startHalf()
    leaving.abort()
    await finish()
    const whole = await (await resume(url, id)).text()
    expect(whole.startsWith(begun)).toBe(true)
    const rest = await (await resume(url, id, '', KEY, { 'last-event-id': '2' })).text()
    expect(numberIn(rest)).toBe(3)
    expect(whole.endsWith(rest)).toBe(true)
  })

  it('can be resumed after its end', async () => {
    const { url, begun, id, last, finish, answer } = await startHalf()
    await finish()
    await answer.body?.cancel().catch(() => undefined)
    expect(checkStream(begun + (await (await resume(url, id, `&starting_after=${last}`)).text()), openai)).toEqual([])
  })

  it('is unknown to other keys, as an id that does not exist', async () => {
    const { url, id } = await startHalf()
    const foreign = await resume(url, id, '', OTHER_KEY)
    const unknown = await resume(url, 'resp_unknown', '', OTHER_KEY)
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    const [one, other] = [await json(foreign), await json(unknown)]
    expect(one.error.message).toBe(other.error.message)
    expect((await resume(url, id, '', 'no-key')).status).toBe(401)
  })

  it.each([
    ['&starting_after=x', 400, 'invalid_prompt'],
    ['&starting_after=999', 400, 'invalid_prompt'],
    ['&stream=false', 200, null],
  ])('with the query %s is answered with %s', async (query, status, code) => {
    const { url, id, finish } = await startHalf()
    await finish()
    const answer = await resume(url, id, query)
    expect(answer.status).toBe(status)
    if (code !== null) expect((await json(answer)).error.code).toBe(code)
  })

  it('is not a stored response', async () => {
    const { url, id } = await startHalf()
    const answer = await fetch(`${url}/openai/v1/responses/${id}`, { headers: { authorization: `Bearer ${KEY}` } })
    expect([answer.status, (await json(answer)).error.code]).toEqual([404, 'not_found'])
  })

  it('fails where the events after that number were dropped', async () => {
    const many = Array.from({ length: 400 }, (_, i) => textChunk(` word${i}`))
    const { url, lines } = await startTestServer(beginning(streamOf(...many.map((_, i) => ` word${i}`))), {
      keys: KEYS,
      resume: { ...PATIENT, stream_bytes: 20_000 },
    })
    const whole = await (await post(url, { model: 'acme/mock-1', input: 'Hi', stream: true }, toOpenAi)).text()
    await lineOf(lines)
    const dropped = await resume(url, idIn(whole), '&starting_after=3')
    expect([dropped.status, (await json(dropped)).error.code]).toEqual([410, 'events_dropped'])
    const numbers = eventsOf(whole).flatMap(({ sequence_number: number }) => (number === undefined ? [] : [number]))
    const near = numbers.at(-2)
    const rest = await (await resume(url, idIn(whole), `&starting_after=${near}`)).text()
    expect(whole.endsWith(rest)).toBe(true)
    expect(numberIn(rest)).toBe(near + 1)
  })

  it('ends as failed, and its upstream is aborted, if nobody comes back', async () => {
    const { upstream, leaving, lines, url, id } = await startHalf({ resume: { seconds: 600, upstream_seconds: 0.05 } })
    leaving.abort()
    await (await upstream.next()).closed
    expect(await lineOf(lines)).toMatchObject({ client_gone: true, outcome: 'failed' })
    // A client that comes back too late reads why.
    expect(await (await resume(url, id)).text()).toContain('"code":"client_gone"')
  })

  it('is passed through with the ids and numbers of its upstream', async () => {
    const { url, begun, id, last, leaving, finish } = await startPassed()
    leaving.abort()
    finish()
    const rest = await (await resume(url, id, `&starting_after=${last}`)).text()
    expect(checkStream(begun + rest, openai)).toEqual([])
  })

  async function startPassed() {
    const native = await startTestServer(beginning(streamOf('Hel', 'lo', '!')))
    const source = await (
      await post(native.url, { model: 'acme/mock-1', input: 'Hi', stream: true }, { path: '/openai/v1/responses' })
    ).text()
    const frames = framesOf(source).map((frame) => `${frame}\n\n`)
    const upstreamServer = await startTestServer(beginning(...frames.slice(0, 6)), { keys: KEYS, resume: PATIENT }, {})
    const acme = { wire: 'openai-responses', base_url: upstreamServer.upstream.url, key: 'x' }
    const server = await startGateway({ keys: KEYS, resume: PATIENT, vendors: { acme } })
    const leaving = new AbortController()
    const answer = await post(
      server.url,
      { model: 'acme/mock-1', input: 'Hi', stream: true },
      { ...toOpenAi, signal: leaving.signal },
    )
    const begun = await readSlowly(answer).until((text) => framesOf(text).length === 6)
    const { response } = await upstreamServer.upstream.next()
    return {
      url: server.url,
      begun,
      id: idIn(begun),
      last: numberIn(framesOf(begun).at(-1) ?? ''),
      leaving,
      finish: () => void response.end(frames.slice(6).join('')),
    }
  }
})

describe('a stream that cannot be resumed', () => {
  const cases: readonly (readonly [string, object, Parameters<typeof post>[2]])[] = [
    ['the server keeps none', {}, toOpenAi],
    ['its client did not opt in', { resume: PATIENT }, { path: '/openai/v1/responses' }],
    ['its events have no numbers', { resume: PATIENT }, { headers: RESUME }],
    ['there are too many', { resume: { ...PATIENT, streams: 1 } }, toOpenAi],
  ]
  it.each(cases)('ends with its client if %s', async (_, config, options) => {
    const { url, upstream, lines } = await startTestServer(beginning(roleChunk, textChunk('Hi')), config)
    if (config !== cases[0]?.[1] && 'resume' in config && 'streams' in (config as { resume: object }).resume)
      void (await post(url, undefined, toOpenAi))
    const leaving = new AbortController()
    const answer = await post(url, undefined, { ...options, signal: leaving.signal })
    await readSlowly(answer).until((text) => text.includes('Hi'))
    expect(answer.headers.get('x-millrace-resume')).toBeNull()
    leaving.abort()
    await waitUntil(() => lines.some(({ client_gone }) => client_gone === true), 'the end')
    await (await upstream.next()).closed
  })

  it('is at a path that does not exist', async () => {
    const { url } = await startTestServer(beginning(roleChunk))
    const answer = await resume(url, 'resp_x')
    expect((await json(answer)).error.message).toContain('no endpoint')
  })
})
