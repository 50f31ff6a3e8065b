import { createHash } from 'node:crypto'
import { setInterval } from 'node:timers/promises'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import type { Env } from '../../src/gateway/config/secrets.ts'
import type { LogLine } from '../../src/gateway/telemetry/log.ts'
import type { RunningServer } from '../../src/host/start.ts'
import type { StartOptions } from '../../src/host/start-options.ts'
import { isObject } from '../../src/text/json.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { type Behaviour, type MockUpstream, startMockUpstream } from '../mock-upstreams/server.ts'
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

/** Limits that a busy machine reaches, by the section of the configuration. A test of a limit sets its own. */
const PATIENT: Readonly<Record<string, object>> = {
  timeouts: { connect_seconds: 600, count_seconds: 600 },
  model_lists: { timeout_seconds: 600 },
  search: { timeout_seconds: 600 },
  forwarding: { timeout_seconds: 600 },
}

/** Adds the patience of a test to a configuration, which has no section that it would not have otherwise. */
export function patient(config: object): object {
  const given = config as Readonly<Record<string, object | undefined>>
  const sections = Object.entries(PATIENT)
    .filter(([name]) => name !== 'search' || isObject(given.search))
    .map(([name, limits]) => [name, { ...limits, ...given[name] }])
  return { ...config, ...Object.fromEntries(sections) }
}

export async function startGateway(config: object, options: StartOptions = {}): Promise<Omit<TestServer, 'upstream'>> {
  const lines: LogLine[] = []
  const keys = [{ name: 'tester', sha256: sha256(KEY) }]
  const loaded = checkConfigValue(patient({ listen: { port: 0 }, keys, recordings: true, ...config }))
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

/** Less than the bound of a test, so that its report names what it waited for. */
const LONGEST_WAIT_MS = 240_000

/**
 * Waits for a condition, and fails after four minutes: a busy machine may need many seconds for steps that usually take
 * milliseconds. `what` is read when the wait fails, so that a function describes the state of that time.
 */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => string),
  longest = LONGEST_WAIT_MS,
): Promise<void> {
  const late = AbortSignal.timeout(longest)
  if (await isSo()) return
  for await (const _ of setInterval(5)) {
    if (await isSo()) return
    if (late.aborted) throw new Error(`waited in vain: ${typeof what === 'string' ? what : what()}`)
  }
}

/**
 * Acts under a limit of some seconds that nothing should reach, and returns the result. A busy machine may reach it: as
 * long as the result `wasLate`, the limit grows. A product that ends too early is late under every limit.
 */
export async function withEnoughTime<T>(
  act: (seconds: number) => Promise<T>,
  wasLate: (result: T) => boolean,
): Promise<T> {
  let result = await act(FIRST_SECONDS)
  for (let seconds = 4 * FIRST_SECONDS; seconds <= LAST_SECONDS && wasLate(result); seconds *= 4)
    result = await act(seconds)
  return result
}

const FIRST_SECONDS = 1
const LAST_SECONDS = 64

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
