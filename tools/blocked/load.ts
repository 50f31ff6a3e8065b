import { request } from 'node:http'
import { connect } from 'node:net'
import type { Site } from './blocked.ts'
import { KEY } from './keys.ts'

export interface Sent {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** Returns the status and the length of the answer, or the error code if the connection breaks first. */
export const post = ({ url }: Site, body: string | Uint8Array, { path, headers }: Sent = {}): Promise<string> =>
  new Promise((resolve) => {
    const options = { method: 'POST', agent: false, headers: { ...HEADERS, ...headers } }
    const call = request(url + (path ?? '/api/v1/responses'), options, (response) => {
      let size = 0
      response.on('data', (chunk: Buffer) => (size += chunk.length))
      response.on('end', () => resolve(`${response.statusCode} (${toSize(size)})`))
      response.on('error', () => resolve(`${response.statusCode} (cut)`))
    })
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name))
    call.end(body)
  })

const toSize = (bytes: number): string => (bytes < 10_000 ? `${bytes} B` : `${Math.round(bytes / 1000)} KB`)

/** Counts equal strings: `3 × 200, 2 × 503`. */
export function countWords(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].map(([word, count]) => `${count} × ${word}`).join(', ')
}

/** Writes raw bytes on a new connection, piece by piece, and returns the first line of the answer. */
export const sendRaw = ({ port }: Site, pieces: Iterable<string | Uint8Array>): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    const iterator = pieces[Symbol.iterator]()
    const write = (): void => {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        if (!socket.write(next.value)) return void socket.once('drain', write)
      }
    }
    socket.on('connect', write)
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (answer.includes('\r\n')) socket.end()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(answer.split('\r\n', 1)[0] || (error.code ?? '')))
    socket.on('close', () => resolve(answer.split('\r\n', 1)[0] || 'closed'))
  })
