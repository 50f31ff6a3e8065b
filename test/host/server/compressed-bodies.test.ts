import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { KEY, REQUEST, startTestServer } from '../test-server.ts'

/** Bodies of requests in a content coding: Codex and pi compress theirs. */

const MiB = 1024 * 1024
const BODY = JSON.stringify({ ...REQUEST, stream: false })

const CODINGS: readonly (readonly [coding: string, encode: (text: string | Buffer) => Buffer])[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
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

  it.each([
    ['is cut', (bytes: Buffer) => bytes.subarray(0, -12)],
    ['is damaged', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(20, 7), bytes.subarray(32)])],
    ['is not compressed', () => Buffer.from(BODY)],
    ['is empty', () => Buffer.alloc(0)],
  ])('is refused with its reason if it %s', async (_, change) => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    const response = await send(url, 'gzip', change(gzipSync(BODY)))
    const [status, code] = await refusalOf(response)
    expect(status).toBe(400)
    expect(['malformed_request', 'invalid_json']).toContain(code)
    expect(upstream.received).toHaveLength(0)
  })

  it('counts what it decodes to: a bomb is refused while it is read', async () => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')), {
      limits: { request_body_bytes: MiB },
    })
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"input":"'), Buffer.alloc(512 * MiB, 'x')]))
    expect(bomb.length).toBeLessThan(MiB)
    const before = process.memoryUsage().rss
    expect(await refusalOf(await send(url, 'gzip', bomb))).toEqual([413, 'request_too_large'])
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MiB)
    expect((await send(url, 'gzip', gzipSync(BODY))).status).toBe(200)
    expect(upstream.received).toHaveLength(1)
  })
})
