import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Fetch, fetchTransport } from '../../src/fetch/fetch-transport.ts'
import { Cancellation } from '../../src/gateway/cancellation.ts'
import type { UpstreamRequest } from '../../src/gateway/upstream/transport.ts'
import { clientError } from '../../src/protocol/error.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const LIMITS = { first_byte_seconds: 60, idle_seconds: 60 }
const CALL: UpstreamRequest = {
  url: new URL('https://upstream.example/v1'),
  headers: { authorization: 'Bearer x' },
  body: '{}',
  model: 'm',
  stream: true,
}
const GONE = clientError('client_gone', 'The client has left.')

/** An upstream whose body the test writes. */
function openUpstream(headers: Record<string, string> = {}) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const sent: { url: URL; init: RequestInit }[] = []
  const body = new ReadableStream<Uint8Array>(
    {
      start: (own) => {
        controller = own
      },
    },
    { highWaterMark: 0 },
  )
  const send: Fetch = async (url, init) => {
    sent.push({ url, init })
    return new Response(body, { headers })
  }
  return {
    send,
    sent,
    write: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
    fail: (error: Error) => controller?.error(error),
  }
}

/** A reader that notes what it receives. */
function openNotes() {
  const notes: string[] = []
  return {
    notes,
    reader: {
      bytes: (chunk: Uint8Array) => void notes.push(new TextDecoder().decode(chunk)),
      end: () => void notes.push('<end>'),
      fail: ({ code }: { readonly code: string }) => void notes.push(`<${code}>`),
    },
  }
}

async function opened(send: Fetch, limits = LIMITS, signal = new Cancellation()) {
  const head = await fetchTransport(send, limits)(CALL, signal)
  if (!head.ok) throw new Error(head.error.code)
  return head.value
}

describe('the transport by fetch', () => {
  it('sends the call without following redirects, and passes the body on', async () => {
    const upstream = openUpstream()
    const answer = await opened(upstream.send)
    const { notes, reader } = openNotes()
    answer.read(reader)
    upstream.write('one')
    await expect.poll(() => notes).toEqual(['one'])
    upstream.end()
    await expect.poll(() => notes).toEqual(['one', '<end>'])
    expect(upstream.sent[0]?.init).toMatchObject({ method: 'POST', redirect: 'manual', body: '{}' })
  })

  it('delivers nothing while it is paused', async () => {
    const upstream = openUpstream()
    const answer = await opened(upstream.send)
    const { notes, reader } = openNotes()
    answer.read(reader)
    answer.pause()
    upstream.write('one')
    upstream.write('two')
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(notes).toEqual([])
    answer.resume()
    await expect.poll(() => notes).toEqual(['one', 'two'])
  })

  it('fails as upstream_too_large if more waits during a pause than may be stored', async () => {
    const upstream = openUpstream()
    const head = await fetchTransport(upstream.send, LIMITS, 5)(CALL, new Cancellation())
    if (!head.ok) throw new Error(head.error.code)
    const { notes, reader } = openNotes()
    head.value.read(reader)
    head.value.pause()
    upstream.write('five.')
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(upstream.sent[0]?.init.signal?.aborted).toBe(false)
    upstream.write('more')
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    head.value.resume()
    await expect.poll(() => notes).toEqual(['five.', 'more', '<upstream_too_large>'])
    expect(upstream.sent[0]?.init.signal?.aborted).toBe(true)
  })

  it.each([
    ['a gzip coding that fetch has decoded', 'gzip', undefined],
    ['the older name of gzip', 'x-gzip', undefined],
    ['a coding that only some platforms decode', 'zstd', undefined],
    ['a coding that no platform decodes', 'compress', 'compress'],
  ])('reports the header of %s as it applies to the bytes', async (_, coding, reported) => {
    const { headers } = await opened(openUpstream({ 'content-encoding': coding, 'content-length': '9' }).send)
    expect(headers['content-encoding']).toBe(reported)
    expect(headers['content-length']).toBe(reported === undefined ? undefined : '9')
  })

  it('closes the call at once when the signal aborts, before and after the head', async () => {
    const early = new Cancellation()
    const never: Fetch = (_, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))
    const head = fetchTransport(never, LIMITS)(CALL, early)
    early.abort(GONE)
    expect(await head).toEqual({ ok: false, error: GONE })
    const late = new Cancellation()
    const upstream = openUpstream()
    const answer = await opened(upstream.send, LIMITS, late)
    const { notes, reader } = openNotes()
    answer.read(reader)
    late.abort(GONE)
    expect(notes).toEqual(['<client_gone>'])
    expect(upstream.sent[0]?.init.signal?.aborted).toBe(true)
  })

  it('fails as upstream_timeout if the head or the next bytes come too late', async () => {
    const never: Fetch = () => new Promise(() => undefined)
    const head = await fetchTransport(never, { ...LIMITS, first_byte_seconds: 0.001 })(CALL, new Cancellation())
    expect(head).toMatchObject({ ok: false, error: { code: 'upstream_timeout', status: 504 } })
    const answer = await opened(openUpstream().send, { ...LIMITS, idle_seconds: 0.001 })
    const { notes, reader } = openNotes()
    answer.read(reader)
    await expect.poll(() => notes).toEqual(['<upstream_timeout>'])
  })

  it('measures timeouts.idle_seconds from the last bytes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const upstream = openUpstream()
    const answer = await opened(upstream.send)
    const { notes, reader } = openNotes()
    answer.read(reader)
    vi.advanceTimersByTime(40_000)
    upstream.write('one')
    await expect.poll(() => notes).toEqual(['one'])
    vi.advanceTimersByTime(59_000)
    expect(notes).toEqual(['one'])
    vi.advanceTimersByTime(1000)
    expect(notes).toEqual(['one', '<upstream_timeout>'])
  })

  it('measures timeouts.idle_seconds anew from the end of a pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const answer = await opened(openUpstream().send)
    const { notes, reader } = openNotes()
    answer.read(reader)
    answer.pause()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    vi.advanceTimersByTime(90_000)
    expect(notes).toEqual([])
    // The one for the rest of the pause: a paused answer costs no time.
    expect(timers).toHaveBeenCalledTimes(1)
    answer.resume()
    vi.advanceTimersByTime(59_000)
    expect(notes).toEqual([])
    vi.advanceTimersByTime(1000)
    expect(notes).toEqual(['<upstream_timeout>'])
  })

  it('ends an answer without a body', async () => {
    const answer = await opened(async () => new Response(null, { status: 204 }))
    const { notes, reader } = openNotes()
    answer.read(reader)
    await expect.poll(() => notes).toHaveLength(1)
    expect(notes).toEqual(['<end>'])
  })

  it.each([
    [
      'a refused connection of Node',
      Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
      'refuses connections',
    ],
    [
      'a refused connection of Deno',
      new TypeError('error sending request: client error (Connect): tcp connect error: Connection refused'),
      'refuses connections',
    ],
    [
      'a refused connection of Bun',
      Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' }),
      'refuses connections',
    ],
    [
      'a refused connection that only its code names',
      Object.assign(new Error('Failed.'), { code: 'ConnectionRefused' }),
      'refuses connections',
    ],
    ['an unknown host of Deno', new TypeError('dns error: failed to lookup address'), 'could not be resolved'],
    ['a failed handshake of Deno', new TypeError('invalid peer certificate: UnknownIssuer'), 'No TLS connection'],
    ['a forbidden port', new TypeError('fetch failed', { cause: new Error('bad port') }), 'to this port'],
  ])('maps %s to 502, without its message', async (_, error, words) => {
    const head = await fetchTransport(() => Promise.reject(error), LIMITS)(CALL, new Cancellation())
    expect(head).toMatchObject({ ok: false, error: { code: 'upstream_unreachable', party: 'upstream', status: 502 } })
    if (!head.ok) expect(head.error.message).toContain(words)
  })

  it('fails as upstream_disconnected if the body breaks', async () => {
    const upstream = openUpstream()
    const answer = await opened(upstream.send)
    const { notes, reader } = openNotes()
    answer.read(reader)
    upstream.fail(new TypeError('terminated'))
    await expect.poll(() => notes).toEqual(['<upstream_disconnected>'])
  })
})

it.each([
  ['passes on', 'data: 1\n\n', ['data: 1\n\n', '<end>']],
  ['refuses', new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00]), ['<upstream_invalid>']],
])('%s a zstd body according to whether fetch has decoded it', async (_, body, expected) => {
  const answer = await opened(async () => new Response(body, { headers: { 'content-encoding': 'zstd' } }))
  const { notes, reader } = openNotes()
  answer.read(reader)
  await expect.poll(() => notes).toEqual(expected)
})

it('decodes a body that the platform has left compressed, and no other', async () => {
  const text = 'data: {"a":1}\n\n'
  const coded = new Uint8Array(
    await new Response(new Response(text).body?.pipeThrough(new CompressionStream('deflate'))).arrayBuffer(),
  )
  const bodies: readonly (readonly [body: BodyInit, last: string])[] = [
    [coded, '<end>'],
    [text, '<end>'],
    [coded.subarray(0, 5), '<upstream_invalid>'],
  ]
  for (const [body, last] of bodies) {
    const send: Fetch = async () => new Response(body, { headers: { 'content-encoding': 'deflate' } })
    const { notes, reader } = openNotes()
    const answer = await opened(send)
    expect(answer.headers['content-encoding']).toBeUndefined()
    await new Promise<void>((resolve) => {
      const done = <T>(act: (value: T) => void) => {
        return (value: T): void => {
          act(value)
          resolve()
        }
      }
      answer.read({ bytes: reader.bytes, end: done(reader.end), fail: done(reader.fail) })
    })
    expect(notes.at(-1)).toBe(last)
    if (last === '<end>') expect(notes.slice(0, -1).join('')).toBe(text)
  }
})
