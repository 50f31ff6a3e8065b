import type { ServerResponse } from 'node:http'
import { BURSTS, HELD, microseconds } from '../protocol.ts'
import { listen } from './listen.ts'

const PACE_MS = 100
const FINITE_CHUNKS = 150
const SHORT_MS = 2

const chunk = (content: string | null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_764_000_000,
    model: 'bench-1',
    choices: [
      { index: 0, delta: content === null ? {} : { content }, finish_reason: content === null ? 'stop' : null },
    ],
  })}\n\n`

const END = `${chunk(null)}data: [DONE]\n\n`
const WORDS = 'The mill grinds what the river brings, and no drop is lost on its way.'.split(/(?= )/).map(chunk)
const wordAt = (n: number): string => WORDS[n % WORDS.length] as string

/**
 * Every event is an HTTP chunk of its own; events that are written together are sent together. The code corks the
 * socket instead of the response: from Node 22 on, a corked response merges its writes into one chunk, and may never
 * emit `drain`.
 */
function burst(response: ServerResponse, chunks: number): void {
  const { socket } = response
  let left = chunks
  const write = (): void => {
    socket?.cork()
    let room = true
    for (; left > 0 && room; left -= 1) room = response.write(wordAt(left))
    if (left === 0) response.end(END)
    socket?.uncork()
    if (left > 0) response.once('drain', write)
  }
  write()
}

let closedAt = 0

/** When the last paced stream was closed, in microseconds of the clock of all processes. */
export const lastClosed = (): number => closedAt

/** `chunks`: after so many, the stream ends, or stays open without a further chunk. */
function pace(response: ServerResponse, chunks = Number.POSITIVE_INFINITY, everyMs = PACE_MS, ends = true): void {
  let left = chunks
  const timer = setInterval(() => {
    if (left > 0) response.write(chunk(`@${microseconds()}`))
    else {
      clearInterval(timer)
      if (ends) response.end(END)
    }
    left -= 1
  }, everyMs)
  response.on('close', () => {
    clearInterval(timer)
    closedAt = microseconds()
  })
}

/** The first chunk is sent alone, as a model sends it. */
function beginAndEnd(response: ServerResponse): void {
  response.write(wordAt(0))
  setTimeout(() => void response.end(END), SHORT_MS)
}

/** Answers by the name of the model. */
const ANSWERS: readonly (readonly [model: string, answer: (response: ServerResponse) => void])[] = [
  ['burst', (response) => burst(response, BURSTS.burst)],
  ['torrent', (response) => burst(response, BURSTS.torrent)],
  ['paced', (response) => pace(response)],
  ['finite', (response) => pace(response, FINITE_CHUNKS)],
  ['held', (response) => pace(response, HELD.chunks, HELD.everyMs, false)],
]

export const openUpstream = (): Promise<string> =>
  listen((incoming, response) => {
    let body = ''
    incoming.on('data', (bytes: Buffer) => {
      body += bytes.toString('latin1')
    })
    incoming.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const [, answer = beginAndEnd] = ANSWERS.find(([model]) => body.includes(`${model}"`)) ?? []
      answer(response)
    })
  })
