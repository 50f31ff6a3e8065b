import { deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { openBody } from '../../src/fetch/coded-body.ts'

const TEXT = 'data: {"a":1}\n\n'

/** The text of a body, of a platform that has not decoded it. */
async function textOf(coding: string, body: Uint8Array): Promise<string> {
  const source = openBody(new Response(new Uint8Array(body), { headers: { 'content-encoding': coding } }))
  const pieces: Uint8Array[] = []
  for (let read = await source?.read(); read?.done === false; read = await source?.read()) pieces.push(read.value)
  return Buffer.concat(pieces).toString()
}

it.each([
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['gzip', Buffer.from(TEXT)],
])('a body of the coding %s is decoded if its bytes are', async (coding, body) => {
  expect(await textOf(coding, body)).toBe(TEXT)
})
