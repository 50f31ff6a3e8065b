import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodyOf, roleChunk, textChunk } from '../../mock-upstreams/server.ts'
import { hasServer } from '../doors.ts'
import { post, REQUEST, startTestServer } from '../test-server.ts'

const whole = { ...REQUEST, stream: false }

type Encode = (bytes: string) => Buffer

const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: Encode }

const CODINGS: readonly (readonly [coding: string, encode: Encode])[] = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['br', zlib.brotliCompressSync],
  ...(zstdCompressSync === undefined ? [] : [['zstd', zstdCompressSync] as const]),
]

describe.each(CODINGS)('an upstream that compresses by %s although it was not asked to', (coding, encode) => {
  const answering = (text: string, type: string, status = 200) =>
    startTestServer((response) => {
      response.writeHead(status, { 'content-type': type, 'content-encoding': coding }).end(encode(text))
    })

  it('has its whole answer decoded', async () => {
    const { url } = await answering(bodyOf('Plain again'), 'application/json')
    expect(await (await post(url, whole)).text()).toContain('Plain again')
  })

  it('has its stream decoded', async () => {
    const { url } = await answering(`${roleChunk}${textChunk('Plain again')}data: [DONE]\n\n`, 'text/event-stream')
    expect(await (await post(url, REQUEST)).text()).toContain('Plain again')
  })

  it('has its error body decoded', async () => {
    const { url } = await answering('{"error":{"message":"the model is shy"}}', 'application/json', 400)
    const answer = await post(url, whole)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('the model is shy')])
  })
})

describe.each(CODINGS)('an answer that is compressed by %s', (coding, encode) => {
  const answering = (...parts: readonly Buffer[]) =>
    startTestServer(async (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding })
      for (const part of parts) await new Promise((written) => response.write(part, written))
      response.end()
    })

  const FOLLOWED = [Buffer.from('{"more":1}'), Buffer.alloc(8)]

  it.runIf(hasServer()).each(FOLLOWED)('fails if bytes follow its end', async (rest) => {
    for (const parts of [[Buffer.concat([encode(bodyOf('Plain')), rest])], [encode(bodyOf('Plain')), rest]]) {
      const { url } = await answering(...parts)
      const answer = await post(url, whole)
      expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('upstream_invalid')])
    }
  })

  it.runIf(hasServer() && /gzip|zstd/.test(coding))('is read whole if it has members or frames', async () => {
    const body = bodyOf('Plain again')
    const frames = [body.slice(0, 30), '', body.slice(30)].map((text) => encode(text))
    for (const parts of [[Buffer.concat(frames)], frames]) {
      const { url } = await answering(...parts)
      expect(await (await post(url, whole)).text()).toContain('Plain again')
    }
  })
})

it('the limit of answers counts what a compressed one decodes to', async () => {
  const bomb = zlib.gzipSync(bodyOf('x'.repeat(3_000_000)))
  const { url } = await startTestServer(
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
    },
    { limits: { answer_bytes: 1_000_000 } },
  )
  const answer = await post(url, whole)
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('upstream_too_large')])
})
