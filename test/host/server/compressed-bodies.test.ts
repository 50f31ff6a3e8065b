import { randomBytes } from 'node:crypto'
import zlib, { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { IS_WHOLE } from '../../property.ts'
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
