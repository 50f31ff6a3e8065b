import { randomBytes } from 'node:crypto'
import zlib, { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { IS_WHOLE } from '../../property.ts'
import { hasServer } from '../doors.ts'
import { KEY, REQUEST, startTestServer } from '../test-server.ts'

/** Bodies of requests in a content coding: Codex and pi compress theirs. */

const MiB = 1024 * 1024
const BODY = JSON.stringify({ ...REQUEST, stream: false })

type Encode = (text: string | Buffer) => Buffer

/** Node has it since 22.15. */
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: Encode }

const CODINGS: readonly (readonly [coding: string, encode: Encode])[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ...(zstdCompressSync === undefined ? [] : [['zstd', zstdCompressSync] as const]),
]

/** Sends these bytes, in pieces if there are many of them. */
const send = (url: string, coding: string, bytes: Buffer, path = '/api/v1/responses'): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    body: new Blob([new Uint8Array(bytes)]).stream(),
    duplex: 'half',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-encoding': coding },
  } as RequestInit)

/** Sends each part on its own: the decoder receives them one after another. */
const sendParts = (url: string, coding: string, parts: readonly Buffer[]): Promise<Response> =>
  fetch(`${url}/api/v1/responses`, {
    method: 'POST',
    body: new ReadableStream({
      start: (controller) => {
        for (const part of parts) controller.enqueue(new Uint8Array(part))
        controller.close()
      },
    }),
    duplex: 'half',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-encoding': coding },
  } as RequestInit)

/** Whether this door can see bytes behind the end: the `DecompressionStream` of Node 20 drops them in silence. */
async function refusesRest(coding: string, rest: Buffer): Promise<boolean> {
  if (hasServer()) return true
  const encode = CODINGS.find(([name]) => name === coding)?.[1]
  if (encode === undefined) return false
  const stream = new Blob([new Uint8Array(encode(BODY)), new Uint8Array(rest)]).stream()
  const decoder = new DecompressionStream((coding === 'br' ? 'brotli' : coding) as CompressionFormat)
  const decoded = stream.pipeThrough(decoder as ReadableWritablePair<Uint8Array, Uint8Array>)
  return new Response(decoded).text().then(
    () => false,
    () => true,
  )
}

const messageOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { message: string } }).error.message

const refusalOf = async (response: Response): Promise<readonly unknown[]> => {
  const { error } = (await response.json()) as { error: { code: string } }
  return [response.status, error.code]
}

/** Whether this runtime and this door decode a coding; a refusal lists those that they do. */
const takes = async (url: string, coding: string): Promise<boolean> => {
  const refused = await send(url, 'compress', Buffer.from(BODY))
  await refused.text()
  return (refused.headers.get('accept-encoding') ?? '').split(', ').includes(coding)
}

describe('a compressed request', () => {
  it.each(CODINGS)('is decoded: %s', async (coding, encode) => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    if (!(await takes(url, coding))) return
    const response = await send(url, coding, encode(BODY))
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Hi')
    expect(upstream.received).toHaveLength(1)
  })

  it('is decoded if it has many pieces', async () => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    const long = randomBytes(2 * MiB).toString('hex')
    const response = await send(url, 'gzip', gzipSync(JSON.stringify({ ...REQUEST, stream: false, input: long })))
    expect(response.status).toBe(200)
    await response.text()
    expect(JSON.stringify(upstream.received[0]?.body)).toContain(long)
  })

  it('is refused in another coding, with those that are decoded', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    for (const coding of ['compress', 'gzip, gzip']) {
      const response = await send(url, coding, Buffer.from(BODY))
      expect(response.headers.get('accept-encoding')).toMatch(/\bgzip\b.*\bdeflate\b/)
      expect(await refusalOf(response)).toEqual([415, 'unsupported_media_type'])
    }
  })

  it.each(['compress', 'gzip, gzip'])('has in its refusal the coding %j and those that are decoded', async (coding) => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const response = await send(url, coding, Buffer.from(BODY))
    const taken = response.headers.get('accept-encoding')?.split(', ') ?? []
    const all = ['identity', ...taken.filter((one) => one !== 'identity')].join(', ')
    expect(await messageOf(response)).toContain(`Content-Encoding: expected one of ${all}, got "${coding}"`)
  })

  const CHANGES: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ['is cut', (bytes) => bytes.subarray(0, -8)],
    ['is cut after its beginning', (bytes) => bytes.subarray(0, 10)],
    ['is damaged', (bytes) => Buffer.concat([bytes.subarray(0, 5), Buffer.alloc(24, 0xff), bytes.subarray(29)])],
    ['is not compressed', () => Buffer.from(BODY)],
  ]

  it.each(
    CODINGS.flatMap(([coding, encode]) => CHANGES.map(([title, change]) => [title, coding, encode, change] as const)),
  )('is refused with its reason if it %s: %s', async (_, coding, encode, change) => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    if (!(await takes(url, coding))) return
    const response = await send(url, coding, change(encode(BODY)))
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        error: {
          code: 'malformed_request',
          message: 'Content-Encoding: the body is damaged or incomplete.',
        },
      },
    ])
    expect(upstream.received).toHaveLength(0)
  })

  const REST = Buffer.from('"behind"')

  it.each(
    CODINGS.flatMap(([coding, encode]) =>
      [REST, Buffer.alloc(8)].flatMap((rest) =>
        [true, false].map((isTogether) => [coding, encode, rest, isTogether] as const),
      ),
    ),
  )('is refused if bytes follow its end: %s', async (coding, encode, rest, isTogether) => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    if (!(await takes(url, coding)) || !(await refusesRest(coding, rest))) return
    const parts = isTogether ? [Buffer.concat([encode(BODY), rest])] : [encode(BODY), rest]
    expect(await refusalOf(await sendParts(url, coding, parts))).toEqual([400, 'malformed_request'])
    expect(upstream.received).toHaveLength(0)
  })

  it.each(
    CODINGS.filter(([coding]) => coding === 'gzip' || coding === 'zstd').flatMap(([coding, encode]) =>
      [true, false].map((isTogether) => [coding, encode, isTogether] as const),
    ),
  )('is decoded if it has several members or frames: %s', async (coding, encode, isTogether) => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    // Members: `DecompressionStream` of the standard refuses them.
    if (!hasServer()) return
    const frames = ['', BODY.slice(0, 20), BODY.slice(20, 21), '', BODY.slice(21)].map((text) => encode(text))
    const response = await sendParts(url, coding, isTogether ? [Buffer.concat(frames)] : frames)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hi')])
    expect(upstream.received).toHaveLength(1)
  })

  it.runIf(zstdCompressSync)('is refused if its window is larger than the standard permits (RFC 9659)', async () => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    if (!(await takes(url, 'zstd'))) return
    // A frame of one raw block, whose header announces a window of 2^24 bytes.
    const text = Buffer.from(BODY)
    const block = (text.length << 3) | 1
    const head = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (24 - 10) << 3, block & 0xff, (block >> 8) & 0xff, block >> 16]
    const frame = Buffer.concat([Buffer.from(head), text])
    expect(await refusalOf(await send(url, 'zstd', frame))).toEqual([400, 'malformed_request'])
    frame[5] = (23 - 10) << 3
    const response = await send(url, 'zstd', frame)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hi')])
    expect(upstream.received).toHaveLength(1)
  })

  it('is refused if its coded bytes are more than a body may have, although it decodes to little', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')), { limits: { request_body_bytes: MiB } })
    if (!hasServer()) return
    const empty = gzipSync('')
    const many = Buffer.alloc(empty.length * Math.ceil((2 * MiB) / empty.length), empty)
    const parts = [gzipSync(BODY), many.subarray(0, MiB), many.subarray(MiB)]
    expect(await refusalOf(await sendParts(url, 'gzip', parts))).toEqual([413, 'request_too_large'])
  })

  it('has its decoder counted in the memory of all bodies, as long as it arrives', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')), { limits: { request_bodies_memory_bytes: 200_000 } })
    const coded = gzipSync(BODY)
    let rest: (() => void) | undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array(coded.subarray(0, 20)))
        rest = () => {
          controller.enqueue(new Uint8Array(coded.subarray(20)))
          controller.close()
        }
      },
    })
    const slow = fetch(`${url}/api/v1/responses`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    } as RequestInit)
    const statusOf = async (): Promise<number> => {
      const { status, body: unread } = await send(url, 'gzip', coded)
      await unread?.cancel()
      return status
    }
    await expect.poll(statusOf).toBe(503)
    rest?.()
    expect((await slow).status).toBe(200)
    await expect.poll(statusOf).toBe(200)
  })

  it.each(CODINGS)('is refused with its reason if it is empty: %s', async (coding) => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    if (!(await takes(url, coding))) return
    const [status, code] = await refusalOf(await send(url, coding, Buffer.alloc(0)))
    expect(status).toBe(400)
    expect(['malformed_request', 'invalid_json']).toContain(code)
    expect(upstream.received).toHaveLength(0)
  })

  it('counts what it decodes to: a bomb is refused while it is read', async () => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')), {
      limits: { request_body_bytes: MiB },
    })
    // One member: `DecompressionStream` refuses further ones.
    const size = (IS_WHOLE ? 512 : 192) * MiB
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"input":"'), Buffer.alloc(size, 'x')]))
    expect(bomb.length).toBeLessThan(MiB)
    const before = process.memoryUsage().rss
    expect(await refusalOf(await send(url, 'gzip', bomb))).toEqual([413, 'request_too_large'])
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MiB)
    expect((await send(url, 'gzip', gzipSync(BODY))).status).toBe(200)
    expect(upstream.received).toHaveLength(1)
  })
})
