import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FATES, type Fate } from '../arbitraries/socket-messages.ts'
import { createFates } from '../mock-upstreams/fates.ts'
import { startMockUpstream } from '../mock-upstreams/server.ts'
import { checkAsync } from '../property.ts'
import { connectRawClient, toBytes } from './raw-client.ts'
import { closeAll, post, startGateway, waitUntil, whenDone } from './test-server.ts'
import { connectWebSocket } from './websocket-client.ts'

/**
 * Queues, leases, memories, probes and open connections after exchanges of every kind: the metrics of what a server
 * holds, and calls that show whether an upstream that is healthy again is called.
 */

const LONGEST_TEST_MS = 3_600_000

const PATHS = {
  responses: '/openai/v1/responses',
  chat: '/openai/v1/chat/completions',
  messages: '/openai/v1/messages',
  gemini: '/openai/v1/models/acme/mock-1:streamGenerateContent',
  ollama: '/openai/v1/api/chat',
  count: '/openai/v1/messages/count_tokens',
} as const
type Api = keyof typeof PATHS

function bodyFor(api: Api, fate: Fate, stream: boolean): object {
  const content = `fate:${fate}`
  const model = 'acme/mock-1'
  if (api === 'responses') return { model, stream, input: content }
  if (api === 'gemini') return { contents: [{ role: 'user', parts: [{ text: content }] }] }
  return { model, stream, max_tokens: 99, messages: [{ role: 'user', content }] }
}

/** How the client ends: it waits for its answers, or leaves before. */
const LEAVES = ['waits', 'resets at once', 'resets in the answer', 'ends its side', 'leaves in its body'] as const

const http = fc.record({
  does: fc.constant('http' as const),
  api: fc.constantFrom(...(Object.keys(PATHS) as Api[])),
  fates: fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 4 }),
  stream: fc.boolean(),
  leaves: fc.constantFrom(...LEAVES),
  resumes: fc.boolean(),
})

const broken = fc.record({
  does: fc.constant('broken' as const),
  bytes: fc.constantFrom(
    toBytes({ body: '{"model":' }),
    toBytes({ body: {} }),
    toBytes({ body: { model: 'nobody/none', input: 'Hi' } }),
    toBytes({ key: 'wrong' }),
    toBytes({ body: 'x'.repeat(300_000) }),
    toBytes({ length: null, headers: ['transfer-encoding: chunked'], body: 'zz\r\n' }),
    toBytes({ headers: ['content-encoding: gzip'], body: 'no gzip' }),
    'GET /openai/v1/responses/resp_none?stream=true HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'nonsense\r\n\r\n',
  ),
  times: fc.integer({ min: 1, max: 80 }),
})

const socket = fc.record({
  does: fc.constant('socket' as const),
  messages: fc.array(
    fc.oneof(
      fc.record({ fate: fc.constantFrom(...FATES), lane: fc.constantFrom(null, 'a', 'b') }),
      fc.constantFrom('{}', '{"type":"response.cancel"}', '[', 'x'.repeat(300_000)),
    ),
    { maxLength: 12 },
  ),
  ends: fc.constantFrom('close', 'destroy', 'end'),
  waits: fc.boolean(),
})

const actions = fc.array(fc.oneof({ weight: 4, arbitrary: http }, broken, socket), { minLength: 1, maxLength: 8 })
type Action = typeof actions extends fc.Arbitrary<readonly (infer One)[]> ? One : never

/** The names of the gauges, without those of the process. */
const GAUGE = /^millrace_(?:\w+_open|turns_waiting|\w+_bytes|resumable_streams)(?:\{.*\})? .*$/gm

async function heldOf(url: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/metrics`, { headers: { connection: 'close' } })
  return (await answer.text()).match(GAUGE) ?? []
}

/** Answers that wait for their release are released all the time. */
async function soon(isSo: () => boolean, fates: { release(): void }, what: string): Promise<void> {
  await waitUntil(() => {
    fates.release()
    return isSo()
  }, what)
}

async function perform(url: string, action: Action, fates: { release(): void }): Promise<void> {
  if (action.does === 'socket') return performSocket(url, action)
  const client = connectRawClient({ url })
  if (action.does === 'broken') {
    client.socket.write(action.bytes.repeat(action.times))
    client.socket.end()
    let isClosed = false
    void client.closed.then(() => (isClosed = true))
    return soon(() => isClosed, fates, 'the end of a refused connection')
  }
  const { api, stream, leaves, resumes } = action
  const headers = resumes ? ['x-millrace-resume: 1'] : []
  const requests = action.fates.map((fate, at) =>
    toBytes({
      path: PATHS[api],
      body: bodyFor(api, fate, stream),
      headers: at === action.fates.length - 1 ? [...headers, 'connection: close'] : headers,
    }),
  )
  const bytes = requests.join('')
  client.socket.write(leaves === 'leaves in its body' ? bytes.slice(0, -7) : bytes)
  if (leaves === 'ends its side') client.socket.end()
  if (leaves === 'resets in the answer') await soon(() => client.text() !== '', fates, 'a part of an answer')
  if (leaves === 'waits' || leaves === 'ends its side') {
    let isClosed = false
    void client.closed.then(() => (isClosed = true))
    await soon(() => isClosed, fates, `the end of ${action.fates.join()}, received ${client.statuses().join()}`)
    expect(client.statuses().length).toBeGreaterThanOrEqual(1)
  }
  client.socket.destroy()
}

async function performSocket(url: string, { messages, ends, waits }: Action & { readonly does: 'socket' }) {
  const client = await connectWebSocket(url)
  for (const message of messages)
    client.send(
      typeof message === 'string'
        ? message
        : {
            type: 'response.create',
            model: 'acme/mock-1',
            input: `fate:${message.fate}`,
            ...(message.lane === null ? {} : { stream_id: message.lane }),
          },
    )
  if (waits && messages.length > 0) await Promise.race([client.next().catch(() => undefined), client.closed])
  if (ends === 'close') void client.close()
  else if (ends === 'end') client.socket.end()
  else client.socket.destroy()
}

const CONFIG = {
  limits: { request_body_bytes: 200_000 },
  retry: { attempts: 2, first_delay_ms: 1, longest_delay_ms: 1, breaker_failures: 2, breaker_seconds: 0.05 },
  resume: { seconds: 0.05, upstream_seconds: 0.05 },
}

async function run(all: readonly Action[]): Promise<void> {
  let isHealthy = false
  const fates = createFates(() => isHealthy)
  const upstream = await startMockUpstream(fates.behave)
  whenDone(upstream.close)
  const pool = [
    { name: 'a', key: 'key-of-member-a' },
    { name: 'b', key: 'key-of-member-b' },
  ]
  const vendors = { acme: { wire: 'openai-chat', base_url: upstream.url, pool } }
  const { url, lines } = await startGateway({ vendors, ...CONFIG })
  const before = await heldOf(url)
  expect(before.length).toBeGreaterThan(10)
  // Some clients wait for the releases of others.
  const performed = Promise.all(all.map((action) => perform(url, action, fates)))
  await performed
  isHealthy = true
  let after: readonly string[] = []
  const isIdle = (line: string): boolean => !line.startsWith('millrace_upstream_breakers_open')
  await waitUntil(
    async () => {
      fates.release()
      after = await heldOf(url)
      return after.filter(isIdle).join('\n') === before.filter(isIdle).join('\n')
    },
    () => after.filter((line) => !before.includes(line)).join(', '),
  )
  // A probe that has no end would keep its upstream out for good.
  await waitUntil(async () => {
    const answers = await Promise.all(
      ['1', '2', '3', '4'].map((input) => post(url, { model: 'acme/mock-1', input, prompt_cache_key: input })),
    )
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    const out = (await heldOf(url)).filter((line) => !isIdle(line) && !line.endsWith(' 0'))
    return texts.length === 4 && answers.every(({ status }) => status === 200) && out.length === 0
  }, 'answers of the healthy upstream, and closed breakers')
  expect(lines.filter(({ event }) => event === 'bug')).toEqual([])
  await closeAll()
}

it(
  'what a server holds is as before when all exchanges have ended',
  async () => {
    await checkAsync(fc.asyncProperty(actions, run), 300)
  },
  LONGEST_TEST_MS,
)
