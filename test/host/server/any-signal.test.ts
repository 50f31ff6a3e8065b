import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readExchanges } from '../../../src/host/recording/read-exchange.ts'
import { reloadedSections } from '../../arbitraries/reloaded-sections.ts'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { encodeAnswer } from '../../mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { readJson } from '../../observability/otlp-schema.ts'
import { checkAsync } from '../../property.ts'
import { runProgram } from '../program.ts'
import { spansOf, startReceiver } from '../telemetry/receiver.ts'
import { collector } from '../telemetry/telemetry-server.ts'
import { closeAll, KEY, type Loose, patient, post, sha256, waitUntil, whenDone } from '../test-server.ts'
import { connectWebSocket, isEnding, type WebSocketClient } from '../websocket-client.ts'

/**
 * A process of the server receives a signal that stops it while exchanges are at any place: no byte yet, in the middle,
 * in their continuation, in the queue of a WebSocket, on their way. Steps of the upstream drive them, no clock. Each
 * client receives its whole answer or is told why not, each exchange has its log line, its trace and its recording, and
 * the process ends with 0.
 */

const LONGEST_TEST_MS = 3_600_000

const WIRES = ['openai-chat', 'anthropic-messages', 'gemini-generate'] as const
type Wire = (typeof WIRES)[number]

const TEXT = ['one ', 'two ', 'three'] as const
/** In an answer that breaks off, in place of what follows the first word. */
const BREAK = 'break'
const PIECES = 4

interface Api {
  readonly path: (model: string, stream: boolean) => string
  readonly body: (model: string, input: string, stream: boolean) => object
  /** Ends a complete stream, once. */
  readonly end: RegExp
}

const user = (content: string): object => ({ role: 'user', content })
const APIS = {
  responses: {
    path: () => '/openai/v1/responses',
    body: (model, input, stream) => ({ model, input, stream }),
    end: /"type":"response\.completed"/g,
  },
  beta: {
    path: () => '/api/v1/responses',
    body: (model, input, stream) => ({ model, input, stream }),
    end: /"type":"response\.completed"/g,
  },
  chat: {
    path: () => '/api/v1/chat/completions',
    body: (model, input, stream) => ({ model, messages: [user(input)], stream }),
    end: /"finish_reason":"stop"/g,
  },
  messages: {
    path: () => '/api/v1/messages',
    body: (model, input, stream) => ({ model, messages: [user(input)], stream, max_tokens: 99 }),
    end: /"type":"message_stop"/g,
  },
  gemini: {
    path: (model, stream) => `/api/v1/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (_, input) => ({ contents: [{ role: 'user', parts: [{ text: input }] }] }),
    end: /"finishReason":"STOP"/g,
  },
  ollama: {
    path: () => '/api/v1/api/chat',
    body: (model, input, stream) => ({ model, messages: [user(input)], stream }),
    end: /"done":true/g,
  },
} satisfies Readonly<Record<string, Api>>
const API_NAMES = Object.keys(APIS) as (keyof typeof APIS)[]

const wires = fc.constantFrom(...WIRES)
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant('begin' as const),
        api: fc.constantFrom(...API_NAMES),
        wire: wires,
        stream: fc.boolean(),
      }),
    },
    // Its first upstream breaks off, and another one goes on.
    { weight: 2, arbitrary: fc.record({ does: fc.constant('continue' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant('message' as const), wire: wires, lane: fc.constantFrom('a', 'b') }),
    },
    { weight: 9, arbitrary: fc.record({ does: fc.constant('send' as const), at: fc.nat({ max: 30 }) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('reload' as const), sections: reloadedSections }) },
  ),
  { minLength: 4, maxLength: 16 },
)
type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never

const moments = fc.record({
  steps,
  signalAt: fc.nat({ max: 30 }),
  signal: fc.constantFrom('SIGTERM' as const, 'SIGINT' as const),
})

/** What happens after the signal. */
const ENDS = ['the upstreams go on', 'the upstreams stay silent', 'a second signal comes'] as const
type End = (typeof ENDS)[number]
const PROGRAMS = ['serve', 'serve --workers 2', 'record'] as const
type Program = (typeof PROGRAMS)[number]

const modelOf = (wire: Wire): string => `${wire}/${WIRE_UPSTREAMS[wire].model}`

/** A model whose answers another upstream continues. */
const LONG = { match: 'long', to: [modelOf('openai-chat'), modelOf('anthropic-messages')], continue: true }

// ---------------------------------------------------------------- upstreams

/** The answers to one exchange, which go on as the test says. */
interface Upstreams {
  /** The answers to each exchange so far: more than one if it is continued. */
  readonly arrived: ReadonlyMap<number, readonly ServerResponse[]>
  readonly vendors: Readonly<Record<string, object>>
  send(exchange: number): void
  /** Sends all that is left, now and from now on. */
  release(): void
}

async function startUpstreams(breaks: ReadonlySet<number>): Promise<Upstreams> {
  const arrived = new Map<number, ServerResponse[]>()
  const left = new Map<number, { readonly response: ServerResponse; readonly pieces: Uint8Array[]; breaks: boolean }>()
  let isReleased = false
  const send = (exchange: number): void => {
    const answer = left.get(exchange)
    const piece = answer?.pieces.shift()
    if (answer === undefined || piece === undefined) return
    const { response, pieces } = answer
    if (pieces.length > 0) response.write(piece)
    else if (answer.breaks) response.write(piece, () => response.destroy())
    else response.end(piece)
  }
  const sendAll = (exchange: number): void => {
    for (let sent = 0; sent < PIECES; sent += 1) send(exchange)
  }
  const vendors: Record<string, object> = {}
  for (const wire of WIRES) {
    const upstream = await startMockUpstream((response, request) => {
      const exchange = Number(/exchange (\d+)\./.exec(request.text)?.[1])
      const earlier = arrived.get(exchange) ?? []
      arrived.set(exchange, [...earlier, response])
      const doesBreak = breaks.has(exchange) && earlier.length === 0
      const text = !breaks.has(exchange) ? TEXT : doesBreak ? [TEXT[0], BREAK] : TEXT.slice(1)
      const { type, bytes } = encodeAnswer(WIRE_UPSTREAMS[wire], { text, calls: [] }, request)
      const whole = Buffer.from(bytes)
      const size = doesBreak ? whole.indexOf(BREAK) : whole.length
      const pieces = Array.from({ length: PIECES }, (_, at) =>
        whole.subarray(Math.floor((at * size) / PIECES), Math.floor(((at + 1) * size) / PIECES)),
      )
      response.writeHead(200, { 'content-type': type })
      response.flushHeaders()
      left.set(exchange, { response, pieces, breaks: doesBreak })
      if (isReleased) sendAll(exchange)
    })
    whenDone(upstream.close)
    vendors[wire] = { wire, base_url: upstream.url, key: 'x', quirks: WIRE_UPSTREAMS[wire].quirks }
  }
  // The rules of reloaded sections have its models.
  vendors.acme = { ...vendors['openai-chat'] }
  return {
    arrived,
    vendors,
    send,
    release() {
      isReleased = true
      for (const exchange of left.keys()) sendAll(exchange)
    },
  }
}

// ---------------------------------------------------------------- clients

/** What a client has received. `lost`: its connection failed. */
interface Received {
  readonly exchange: number
  readonly outcome: 'whole' | 'told' | 'lost' | 'neither'
  readonly text: string
}

const STOPPING = /server is stopping/

function outcomeOf({ end }: Api, isStream: boolean, status: number, text: string): Received['outcome'] {
  const words = isStream ? TEXT : [TEXT.join('')]
  const isWhole = status === 200 && words.every((word) => text.includes(word))
  const ends = text.match(end)?.length ?? 0
  if (isWhole && (!isStream || ends === 1)) return STOPPING.test(text) ? 'neither' : 'whole'
  return STOPPING.test(text) && ends === 0 && (status === 503 || isStream) ? 'told' : 'neither'
}

async function ask(
  url: string,
  exchange: number,
  name: keyof typeof APIS,
  model: string,
  stream: boolean,
): Promise<Received> {
  const api: Api = APIS[name]
  const body = api.body(model, `exchange ${exchange}.`, stream)
  try {
    const response = await post(url, body, { path: api.path(model, stream) })
    const text = await response.text()
    return {
      exchange,
      outcome: outcomeOf(api, stream, response.status, text),
      text: `${name} ${stream} ${response.status} ${text}`,
    }
  } catch (error) {
    return { exchange, outcome: 'lost', text: String(error) }
  }
}

/** The outcome of each message, of which a lane answers one at a time. */
async function endsOf(
  client: WebSocketClient,
  messages: readonly { readonly exchange: number; readonly lane: string }[],
): Promise<readonly Received[]> {
  // A server that stops ends a connection as such, whatever is queued on it.
  expect(await client.closed).toBe(1001)
  return messages.map(({ exchange, lane }) => {
    const own = messages.filter((one) => one.lane === lane).findIndex((one) => one.exchange === exchange)
    const events = client.events.filter(({ stream_id }) => stream_id === lane)
    const end: Loose = events.filter(isEnding)[own]
    const text = JSON.stringify(end ?? null)
    if (end?.type === 'response.completed')
      return { exchange, outcome: text.includes(TEXT.join('')) ? 'whole' : 'neither', text }
    // One that was not begun may have no answer but the end of the connection.
    return { exchange, outcome: end === undefined ? 'lost' : STOPPING.test(text) ? 'told' : 'neither', text }
  })
}

// ---------------------------------------------------------------- the process

async function startProcess(program: Program, config: object) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-signal-'))
  whenDone(() => rm(folder, { recursive: true }))
  const file = join(folder, 'config.json')
  const configure = ({ models = [], ...sections }: { readonly models?: readonly object[] }): Promise<void> =>
    writeFile(file, JSON.stringify(patient({ ...config, ...sections, models: [LONG, ...models] })))
  await configure({})
  const recordings = join(folder, 'recordings')
  const [command = '', ...more] = program.split(' ')
  const to = command === 'record' ? ['--to', recordings] : []
  const { child, output, exited } = runProgram([command, ...more, ...to, '--config', file, '--log', 'json'])
  const count = program === 'serve --workers 2' ? 2 : 1
  const lines = (event: string): Loose[] =>
    output()
      .split('\n')
      .filter((line) => line.includes(`"event":"${event}"`) && line.endsWith('}'))
      .map((line) => JSON.parse(line))
  const all = (event: string, times = 1): Promise<void> =>
    waitUntil(
      () => lines(event).length >= times * count,
      () => `${event}: ${output()}`,
    )
  await all('listening')
  return {
    child,
    exited,
    lines,
    output,
    url: lines('listening')[0].url as string,
    draining: () => all('draining'),
    async reload(sections: Parameters<typeof configure>[0], times: number) {
      await configure(sections)
      child.kill('SIGHUP')
      await all('reloaded', times)
    },
    recorded: () => (command === 'record' ? readExchanges(recordings) : null),
  }
}

async function run(program: Program, end: End, all: readonly Step[], signalAt: number, signal: 'SIGTERM' | 'SIGINT') {
  const before = all.slice(0, signalAt % (all.length + 1))
  const begun = before.filter(({ does }) => does === 'begin' || does === 'continue' || does === 'message')
  const breaks = new Set(begun.flatMap(({ does }, exchange) => (does === 'continue' ? [exchange] : [])))
  const upstreams = await startUpstreams(breaks)
  const receiver = await startReceiver()
  const server = await startProcess(program, {
    listen: { port: 0 },
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    vendors: upstreams.vendors,
    retry: { attempts: 1, breaker_failures: 0 },
    destinations: [collector(1, receiver.url)],
    // Only the end of the server sends what waits.
    forwarding: { batch_seconds: 3600, batch_traces: 1000 },
    drain: { limit_seconds: end === 'the upstreams stay silent' ? 0.2 : 3600 },
  })
  const answers: Promise<Received>[] = []
  const messages: { exchange: number; lane: string }[] = []
  let client: WebSocketClient | null = null
  let exchange = 0
  let reloads = 0
  const hasArrived = (own: number): Promise<void> => waitUntil(() => upstreams.arrived.has(own), `request ${own}`)
  for (const step of before) {
    if (step.does === 'send') upstreams.send(exchange === 0 ? 0 : step.at % exchange)
    else if (step.does === 'reload') {
      reloads += 1
      await server.reload(step.sections, reloads)
    } else {
      const own = exchange
      exchange += 1
      if (step.does === 'message') {
        client ??= await connectWebSocket(server.url)
        client.send({
          type: 'response.create',
          model: modelOf(step.wire),
          input: `exchange ${own}.`,
          stream_id: step.lane,
        })
        const isQueued = messages.some(({ lane }) => lane === step.lane)
        messages.push({ exchange: own, lane: step.lane })
        if (!isQueued) await hasArrived(own)
      } else {
        const answer =
          step.does === 'begin'
            ? ask(server.url, own, step.api, modelOf(step.wire), step.stream)
            : ask(server.url, own, 'responses', LONG.match, true)
        answers.push(answer)
        await Promise.race([hasArrived(own), answer])
      }
    }
  }
  const certain = new Set(upstreams.arrived.keys())
  server.child.kill(signal)
  // This one is on its way.
  answers.push(ask(server.url, exchange, 'responses', modelOf('openai-chat'), true))
  await server.draining()
  if (end === 'the upstreams go on') upstreams.release()
  if (end === 'a second signal comes') server.child.kill(signal)
  const code = await server.exited
  const received = [...(await Promise.all(answers)), ...(client === null ? [] : await endsOf(client, messages))]
  expect(server.lines('stopped').length, server.output()).toBeGreaterThan(0)
  // Node restores the default of a signal shortly before it ends: a second one may come then.
  const isTooLate = end === 'a second signal comes' && server.child.signalCode === signal
  if (!isTooLate) expect(code).toBe(0)

  for (const { exchange: own, outcome, text } of received) {
    const allowed = end === 'the upstreams go on' && certain.has(own) ? ['whole'] : ['whole', 'told']
    // A request that no upstream received may be repeated anywhere.
    expect(upstreams.arrived.has(own) ? allowed : [...allowed, 'lost'], `${own}: ${text}`).toContain(outcome)
  }
  const lines = server.lines('request')
  const ids = lines.map(({ request_id }) => request_id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(lines.length).toBeGreaterThanOrEqual(upstreams.arrived.size)
  const whole = received.filter(({ outcome }) => outcome === 'whole').length
  expect(lines.filter(({ outcome }) => outcome === 'completed')).toHaveLength(whole)
  expect(server.lines('bug')).toEqual([])
  if (end === 'the upstreams go on') {
    const traced = spansOf(receiver.got, readJson).filter(({ parentSpanId = '' }) => parentSpanId === '')
    expect(traced).toHaveLength(upstreams.arrived.size)
  }
  const recorded = server.recorded()
  if (recorded !== null) {
    const { exchanges, unanswered, problems } = recorded
    const calls = [...upstreams.arrived.values()].reduce((sum, { length }) => sum + length, 0)
    expect(problems).toEqual([])
    // The last request may have been ended before it left.
    expect(exchanges.length + unanswered.length - calls).toBeOneOf(end === 'the upstreams go on' ? [0] : [0, 1])
    expect(exchanges.filter(({ settings }) => settings.end === 'complete').length).toBeGreaterThanOrEqual(whole)
  }
  await closeAll()
}

describe.each(PROGRAMS)('millrace %s that a signal stops at any moment', (program) => {
  it.each(ENDS)(
    'answers or tells every client, writes every line, and exits with 0, if %s',
    async (end) => {
      await checkAsync(
        fc.asyncProperty(moments, ({ steps: all, signalAt, signal }) => run(program, end, all, signalAt, signal)),
        // Three processes take longer to start.
        program === 'serve --workers 2' ? 1 : 2,
      )
    },
    LONGEST_TEST_MS,
  )
})
