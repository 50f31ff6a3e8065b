/** What a client, a gateway and an upstream sent each other, as it is kept in a file. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export interface KeptRequest {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

export interface KeptAnswer {
  readonly status: number
  readonly type: string
  readonly body: unknown
}

export interface KeptExchange {
  readonly request: KeptRequest
  readonly answer: KeptAnswer
}

const LONGEST_BODY = 6000

/** A body as JSON, else as its lines; a long one is cut. */
export function keptBody(text: string): unknown {
  if (text === '') return null
  const cut = text.length > LONGEST_BODY
  if (!cut && /^[{[]/.test(text.trimStart())) {
    try {
      return JSON.parse(text)
    } catch {
      // A body that is no JSON, which is kept as its lines.
    }
  }
  const lines = text.slice(0, LONGEST_BODY).split('\n')
  const all = cut ? [...lines, `… ${text.length - LONGEST_BODY} more characters`] : lines
  return all.length === 1 ? all[0] : all
}

interface Pending {
  readonly request: KeptRequest
  readonly answer: Promise<KeptAnswer>
}

export interface Recorder {
  /** The exchanges since the last call. */
  take(): Promise<readonly KeptExchange[]>
}

function recorder(): Recorder & { add(one: Pending): void } {
  let pending: Pending[] = []
  return {
    add: (one) => void pending.push(one),
    async take() {
      const taken = pending
      pending = []
      return Promise.all(taken.map(async ({ request, answer }) => ({ request, answer: await answer })))
    },
  }
}

const MOST_WAIT_MS = 10_000
const INCOMPLETE = ''

/** A `fetch` that keeps every exchange. */
export function recordingFetch(): Recorder & { readonly fetch: typeof globalThis.fetch } {
  const { add, take } = recorder()
  return {
    take,
    async fetch(input, init) {
      const { pathname, search } = new URL(String(input))
      const response = await fetch(input, init)
      // The copy of an answer that the client cancels ends with an error, or not at all.
      const text = Promise.race([response.clone().text(), wait(MOST_WAIT_MS, INCOMPLETE, { ref: false })])
      add({
        request: {
          method: init?.method ?? 'GET',
          path: pathname + search,
          body: keptBody(typeof init?.body === 'string' ? init.body : ''),
        },
        answer: text
          .catch(() => INCOMPLETE)
          .then((body) => ({
            status: response.status,
            type: response.headers.get('content-type') ?? '',
            body: keptBody(body),
          })),
      })
      return response
    },
  }
}

const read = async (message: IncomingMessage): Promise<Buffer> => Buffer.concat(await message.toArray())

const OWN_HEADERS: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding'])
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'content-encoding',
])

/** A relay on loopback in front of an upstream, which keeps every exchange. */
export async function openRelay(upstream: string): Promise<Recorder & { readonly url: string; close(): void }> {
  const { add, take } = recorder()
  const server: Server = createServer(async (incoming, outgoing) => {
    const body = await read(incoming)
    const { method = 'GET', url: path = '/' } = incoming
    const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
      OWN_HEADERS.has(name) || value === undefined ? [] : [[name, String(value)]],
    )
    const response = await fetch(upstream + path, {
      method,
      headers,
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    })
    const kept = [...response.headers].filter(([name]) => !HOP_HEADERS.has(name))
    outgoing.writeHead(response.status, Object.fromEntries(kept))
    outgoing.flushHeaders()
    const pieces: Uint8Array[] = []
    // Each piece is sent on as it comes: a check looks at the time of pieces.
    for await (const piece of response.body ?? []) {
      pieces.push(piece)
      outgoing.write(piece)
    }
    outgoing.end()
    const bytes = Buffer.concat(pieces)
    add({
      request: { method, path, body: keptBody(body.toString()) },
      answer: Promise.resolve({
        status: response.status,
        type: response.headers.get('content-type') ?? '',
        body: keptBody(bytes.toString()),
      }),
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    take,
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
