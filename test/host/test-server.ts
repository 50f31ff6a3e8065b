import { createHash } from 'node:crypto'
import type { Env } from '../../src/gateway/auth/secrets.ts'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import type { LogLine } from '../../src/gateway/telemetry/log.ts'
import type { RunningServer, StartOptions } from '../../src/host/start.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { type Behaviour, type MockUpstream, sleep, startMockUpstream } from '../mock-upstreams/server.ts'
import { startAt } from './doors.ts'

export const KEY = 'test-key-of-nobody'
export const UPSTREAM_KEY = 'upstream-secret-of-nobody'
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A gateway on loopback with the vendor `acme`, which is a mock. */
export interface TestServer {
  readonly running: RunningServer
  readonly upstream: MockUpstream
  readonly lines: LogLine[]
  readonly url: string
}

const closers: (() => Promise<void>)[] = []

/** Closes everything that a test opened, the last first. `close-after-each.ts` calls it after each test. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}

export const whenDone = (close: () => Promise<void>): void => void closers.push(close)

export async function startTestServer(
  behave: Behaviour,
  config: object = {},
  options: StartOptions = {},
  quirks: Quirks = {},
): Promise<TestServer> {
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const acme = { wire: 'openai-chat', base_url: upstream.url, key: { env: 'ACME_KEY' }, quirks }
  const server = await startGateway({ vendors: { acme }, ...config }, options)
  return { ...server, upstream }
}

export async function startGateway(config: object, options: StartOptions = {}): Promise<Omit<TestServer, 'upstream'>> {
  const lines: LogLine[] = []
  const keys = [{ name: 'tester', sha256: sha256(KEY) }]
  const loaded = checkConfigValue({ listen: { port: 0 }, keys, ...config })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const env: Env = { ACME_KEY: UPSTREAM_KEY }
  const running = await startAt(loaded.config, { env, log: (line) => void lines.push(line), ...options })
  whenDone(running.close)
  return { running, lines, url: running.url }
}

export interface PostOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export const REQUEST = { model: 'acme/mock-1', input: 'Hello', stream: true }

export function post(url: string, body: unknown = REQUEST, options: PostOptions = {}): Promise<Response> {
  const { path = '/api/v1/responses', headers = {}, signal = null } = options
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  })
}

/** biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of any shape. */
export type Loose = any

/** Parses the payloads of a stream; the terminator stays a string. */
export const eventsOf = (stream: string): Loose[] =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => (line === 'data: [DONE]' ? '[DONE]' : JSON.parse(line.slice(6))))

export const typesOf = (stream: string): string[] => eventsOf(stream).map((event) => event.type ?? event)

export const json = async (response: Response): Promise<Loose> => response.json()

const LONGEST_WAIT_MS = 90_000

/**
 * Waits for a condition, and fails after 90 s: a busy machine may need many seconds for steps that usually take
 * milliseconds.
 */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  longest = LONGEST_WAIT_MS,
): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < longest; ) {
    if (await isSo()) return
    await sleep(5)
  }
  throw new Error(`waited in vain: ${what}`)
}

/** The number of consecutive requests during which a value must stay unchanged to count as still. */
const STILL = 25

/**
 * Waits until a value stays the same while the server answers requests. Server, upstream and client run in this
 * process, so everything that can make progress does so between two requests.
 */
export async function waitUntilStill<T extends number | string>(url: string, read: () => T, what: string): Promise<T> {
  let last = read()
  let same = 0
  await waitUntil(async () => {
    await (await fetch(`${url}/healthz`)).text()
    same = read() === last ? same + 1 : 0
    last = read()
    return same >= STILL
  }, `${what} to stand still`)
  return last
}

/** A stream that is read in steps. */
export interface Reading {
  /** Reads until the text so far satisfies the condition, and returns that text. */
  until(fits: (text: string) => boolean): Promise<string>
  /** Reads to the end, and returns the whole stream. */
  rest(): Promise<string>
}

export function readSlowly({ body }: Response): Reading {
  if (body === null) throw new Error('an answer without a body')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const readUntil = async (fits: (text: string) => boolean): Promise<string> => {
    while (!fits(text)) {
      const { value, done } = await reader.read()
      if (done) break
      text += value
    }
    return text
  }
  return {
    async until(fits) {
      if (!fits(await readUntil(fits))) throw new Error(`the stream has ended before: ${text}`)
      return text
    },
    rest: () => readUntil(() => false),
  }
}

/** Returns the log line of the only request so far. */
export async function lineOf(lines: readonly LogLine[]): Promise<LogLine> {
  const find = (): LogLine | undefined => lines.find(({ event }) => event === 'request')
  await waitUntil(() => find() !== undefined, 'a log line')
  return find() as LogLine
}
