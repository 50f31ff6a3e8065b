import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as openRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import zlib, { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodyOf, startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { runProgram } from '../program.ts'
import { KEY, post, REQUEST, sha256, waitUntil, whenDone } from '../test-server.ts'

/** Small bodies that decode to very much, against the program in a process of its own, whose memory is read. */

const MiB = 1024 * 1024
const GiB = 1024 * MiB
const BLOCK = 64 * MiB

/** Node has it since 22.15. */
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: Buffer) => Buffer }

/** A block that may be repeated, what stands before the first one, and how often it occurs. */
interface Bomb {
  readonly start: Buffer
  readonly block: Buffer
  readonly times: number
}

const EMPTY = Buffer.alloc(0)
const ZLIB_HEADER = Buffer.from([0x78, 0x9c])
const block = Buffer.alloc(BLOCK, ' ')
const TIMES = (10 * GiB) / BLOCK

/** Members of gzip and frames of zstd may follow each other, and blocks of deflate after a flush. A stream of br ends. */
const BOMBS: Readonly<Record<string, () => Bomb>> = {
  gzip: () => ({ start: EMPTY, block: gzipSync(block), times: TIMES }),
  deflate: () => ({
    start: ZLIB_HEADER,
    block: deflateRawSync(block, { finishFlush: zlib.constants.Z_FULL_FLUSH }),
    times: TIMES,
  }),
  br: () => ({ start: EMPTY, block: brotliCompressSync(block), times: 1 }),
  ...(zstdCompressSync === undefined
    ? {}
    : { zstd: () => ({ start: EMPTY, block: zstdCompressSync(block), times: TIMES }) }),
}

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

/** Sends a bomb as a stream, and returns what the server answers, which may be before its end. */
const send = (url: string, coding: string, { start, block: repeated, times }: Bomb): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-encoding': coding }
    const request = openRequest(`${url}/api/v1/responses`, { method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    request.on('error', reject)
    Readable.from([start, ...Array.from({ length: times }, () => repeated)], { objectMode: false }).pipe(request)
  })

/** The most memory of a process so far in MiB; null where the system does not report it. */
function peakOf(pid: number | undefined): number | null {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) / 1024
  } catch {
    return null
  }
}

async function startProgram() {
  const upstream = await startMockUpstream(withBody(bodyOf('Hi')))
  whenDone(upstream.close)
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  whenDone(() => rm(folder, { recursive: true }))
  const config = {
    listen: { port: 0 },
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    vendors: { acme: { wire: 'openai-chat', base_url: upstream.url } },
  }
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  const { child, output } = runProgram(['serve', '--config', join(folder, 'config.json')])
  await waitUntil(() => output().includes('"listening"'), 'the start')
  return { url: /"url":"([^"]+)"/.exec(output())?.[1] ?? '', child, upstream }
}

describe('a small body that decodes to very much', () => {
  it.each(Object.keys(BOMBS))('is refused while it is read, in bounded memory: %s', async (coding) => {
    const bomb = BOMBS[coding]?.() as Bomb
    expect(bomb.start.length + bomb.block.length * bomb.times).toBeLessThan(11 * MiB)
    const { url, child, upstream } = await startProgram()
    const before = peakOf(child.pid)
    const { status, text } = await send(url, coding, bomb)
    expect([status, JSON.parse(text).error.code]).toEqual([413, 'request_too_large'])
    const together = await Promise.all(Array.from({ length: 6 }, () => send(url, coding, bomb)))
    // Some do not fit beside the others.
    for (const answer of together) expect([413, 503]).toContain(answer.status)
    const after = peakOf(child.pid)
    if (before !== null && after !== null) expect(after - before).toBeLessThan(600)
    // The server goes on.
    const response = await post(url, { ...REQUEST, stream: false })
    expect([response.status, upstream.received.length]).toEqual([200, 1])
    await response.text()
  })
})
