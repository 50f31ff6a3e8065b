import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { beginning, inPieces, startMockUpstream, streamOf, textChunk } from '../../../mock-upstreams/server.ts'
import { KEY, type Loose, lineOf, post, startGateway, startTestServer, waitUntil, whenDone } from '../../test-server.ts'
import { openSocket, type SocketClient } from './socket-client.ts'

const ASK = { model: 'acme/mock-1', input: 'Hello' }

const answer = inPieces(streamOf('Hel', 'lo'), 1)

const endOf = (events: readonly Loose[]): Loose => events.at(-1)

/** The roles and texts of the messages that the upstream received. */
const sentTo = (received: Loose): string[] =>
  received.body.messages.map(({ role, content }: Loose) => `${role}: ${JSON.stringify(content)}`)

describe('a response over a socket', () => {
  it.each(['/openai/v1', '/api/v1'])('has the events of a stream at %s, one message each', async (mount) => {
    const { url, lines, upstream } = await startTestServer(answer)
    const client = await openSocket(url, { path: `${mount}/responses` })
    const events = await client.ask({ ...ASK, unknown: 1 })
    const streamed = await (await post(url, { ...ASK, stream: true }, { path: `${mount}/responses` })).text()
    const types = [...streamed.matchAll(/"type":"((?:response|error)\.[\w.]+)"/g)].map(([, type]) => type)
    expect(client.messages.map(({ type }) => type)).toEqual(types.slice(0, client.messages.length))
    expect(endOf(events).response.output[0].content[0].text).toBe('Hello')
    expect(upstream.received[0]?.body.stream).toBe(true)
    const [first, second] = events
    expect(first.headers).toMatchObject({ 'x-request-id': expect.stringMatching(/^req_/) })
    expect(first.headers['x-responses-losses']).toContain('unknown')
    expect([second.headers, first.stream_id]).toEqual([undefined, undefined])
    expect(await lineOf(lines)).toMatchObject({
      request_id: first.headers['x-request-id'],
      method: 'WS',
      path: `${mount}/responses`,
      status: 200,
      outcome: 'completed',
      key: 'tester',
      vendor: 'acme',
      stream: true,
    })
  })

  const CODEX = { authorization: `Bearer ${KEY}`, 'user-agent': 'codex_exec/0.169.0 (Debian 13; x86_64)' }
  const isKeepAlive = ({ type }: Loose): boolean => type === 'keepalive'

  it('has events in the silence of the upstream for Codex, also before the first one', async () => {
    const { url, upstream } = await startTestServer(() => undefined, { keep_alive_seconds: 0.05 })
    const client = await openSocket(url, { headers: CODEX })
    client.send({ type: 'response.create', ...ASK, stream_id: 'a' })
    const request = await upstream.next()
    const [first] = await client.until(isKeepAlive)
    expect(first).toEqual({ stream_id: 'a', type: 'keepalive', sequence_number: 0 })
    beginning(textChunk('Hm'))(request.response, request)
    const isLater = (message: Loose): boolean => isKeepAlive(message) && message.sequence_number > 0
    const later = await client.until(isLater)
    const numbers = later.map(({ sequence_number }) => sequence_number)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    request.response.end(streamOf(' yes'))
    const all = await client.until(({ type }) => type === 'response.completed')
    expect(all.at(-1).response.output[0].content[0].text).toBe('Hm yes')
  })

  it('has no such events for another client, nor after the end', async () => {
    const { url, upstream } = await startTestServer(() => undefined, { keep_alive_seconds: 0.05 })
    const other = await openSocket(url)
    other.send({ type: 'response.create', ...ASK })
    await upstream.next()
    const codex = await openSocket(url, { headers: CODEX })
    codex.send({ type: 'response.create', ...ASK })
    await waitUntil(() => upstream.received.length === 2, 'the second request')
    const second = upstream.received[1] ?? expect.unreachable()
    await waitUntil(() => codex.messages.length >= 2, 'two events of a keep-alive')
    expect(other.messages).toEqual([])
    beginning(textChunk('Hm'))(second.response, second)
    second.response.end(streamOf('Hi'))
    await codex.until(({ type }) => type === 'response.completed')
    const { length } = codex.messages
    const third = await openSocket(url, { headers: CODEX })
    third.send({ type: 'response.create', ...ASK })
    await waitUntil(() => third.messages.length >= 3, 'three events of a keep-alive')
    expect(codex.messages).toHaveLength(length)
  })

  it('is counted in the metrics, and so are messages and open sockets', async () => {
    const { url } = await startTestServer(answer, { metrics: { management_key: false } })
    const client = await openSocket(url)
    await client.ask(ASK)
    const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text()
    await waitUntil(async () => /requests_total\{path="\/openai\/v1\/responses"/.test(await metrics()), 'a metric')
    const text = await metrics()
    expect(text).toContain('millrace_websockets_open 1')
    expect(text).toContain('millrace_websocket_messages_total{direction="received"} 1')
    expect(text).toMatch(/millrace_websocket_messages_total\{direction="sent"\} 10/)
    client.socket.close()
    await waitUntil(async () => (await metrics()).includes('millrace_websockets_open 0'), 'no open socket')
  })

  it('carries the name of its lane in every event, and lanes are answered at the same time', async () => {
    const { url, upstream } = await startTestServer(inPieces(streamOf('Hel', 'lo'), 20))
    const client = await openSocket(url)
    const lanes = ['a', 'b', 'a', null]
    for (const stream_id of lanes) client.send({ type: 'response.create', ...ASK, stream_id })
    await waitUntil(() => client.messages.filter(({ type }) => type === 'response.completed').length === 4, 'answers')
    expect(upstream.received).toHaveLength(4)
    const inLane = (lane: string | undefined) => client.messages.filter(({ stream_id }) => stream_id === lane)
    expect(inLane('a').map(({ type }) => type)).toEqual([...inLane('b'), ...inLane('b')].map(({ type }) => type))
    expect(inLane(undefined).map(({ type }) => type)).toEqual(inLane('b').map(({ type }) => type))
    const firstEnd = client.messages.findIndex(({ type }) => type === 'response.completed')
    const begun = client.messages.slice(0, firstEnd).filter(({ type }) => type === 'response.created')
    expect(begun.map(({ stream_id }) => stream_id).sort()).toEqual(['a', 'b', undefined])
  })
})

describe('a response that is continued', () => {
  const INPUT = [{ role: 'user', content: 'And now?' }]

  /** Asks for a first answer, and returns its id. */
  const begin = async (client: SocketClient, more: object = {}): Promise<string> =>
    endOf(await client.ask({ ...ASK, ...more })).response.id

  const user = { role: 'user', content: 'Hello' }
  const readable = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }

  /** A client of an upstream that speaks the Responses API; `more` are members of its vendor. */
  async function openToResponses(more: object = {}) {
    const hello = readFileSync('fixtures/openai-responses/hello.stream.sse', 'utf8')
    const upstream = await startMockUpstream(inPieces(hello, 1000))
    whenDone(upstream.close)
    const acme = { wire: 'openai-responses', base_url: upstream.url, key: { env: 'ACME_KEY' }, ...more }
    const { url, lines } = await startGateway({ vendors: { acme } })
    return { client: await openSocket(url, { path: '/openai/v1/responses' }), upstream, lines }
  }

  it('precedes the new input, with its own input and output, and nothing else is inherited', async () => {
    const { url, upstream, lines } = await startTestServer(answer)
    const client = await openSocket(url)
    const first = await begin(client, { instructions: 'Be brief.' })
    const second = await client.ask({ ...ASK, input: INPUT, previous_response_id: first, stream_id: 'fork' })
    const states = second.filter(({ response }) => response !== undefined)
    expect(states.map(({ response }) => response.previous_response_id)).toEqual([first, first, first])
    await client.ask({ ...ASK, input: 'More.', previous_response_id: endOf(second).response.id })
    await client.ask({ ...ASK, input: 'Again.', previous_response_id: first })
    const [, two, three, four] = upstream.received.map(sentTo)
    const start = ['user: "Hello"', 'assistant: "Hello"']
    expect(two).toEqual([...start, 'user: "And now?"'])
    expect(three).toEqual([...start, 'user: "And now?"', 'assistant: "Hello"', 'user: "More."'])
    expect(four).toEqual([...start, 'user: "Again."'])
    await waitUntil(() => lines.filter(({ event }) => event === 'request').length === 4, 'log lines')
    expect(lines.some(({ losses }) => losses !== undefined)).toBe(false)
  })

  it('reports losses and faults with the paths of the new message', async () => {
    const { url } = await startTestServer(answer)
    const client = await openSocket(url)
    const first = await begin(client)
    const unknown = [{ role: 'user', content: 'x', mystery: 1 }]
    const [created] = await client.ask({ ...ASK, input: unknown, previous_response_id: first })
    expect(created.headers['x-responses-losses']).toMatch(/^input\[0\]\.mystery/)
    const bad = [{ role: 'user', content: 7 }]
    const { error } = endOf(await client.ask({ ...ASK, input: bad, previous_response_id: first }))
    expect(error).toMatchObject({ param: 'input[0].content', type: 'invalid_request_error' })
    expect(error.message).toMatch(/^input\[0\]\.content:/)
  })

  it('reports what its conversation loses at the upstream of the new message', async () => {
    const thought = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { reasoning_content: 'Hm.' } }] })}\n\n`
    const { url, lines } = await startTestServer(inPieces(thought + streamOf('Hi'), 1000))
    const client = await openSocket(url)
    const first = await begin(client)
    const [created] = await client.ask({ ...ASK, input: INPUT, previous_response_id: first })
    expect(created.headers['x-responses-losses']).toBe('previous_response_id.input[1] dropped')
    await waitUntil(() => lines.filter(({ event }) => event === 'request').length === 2, 'log lines')
    expect(lines.at(-1)?.losses).toEqual([expect.stringMatching(/^previous_response_id\.input\[1\] dropped: /)])
  })

  it('has no member of one item in another one that the upstream receives', async () => {
    const { client, upstream, lines } = await openToResponses({ passthrough: false })
    const first = await begin(client, { input: [{ ...user, own: 1 }] })
    await client.ask({ ...ASK, input: [{ ...user, other: 2 }], previous_response_id: first })
    const [, second]: Loose[] = [...upstream.received]
    expect(second.body.input.at(-1)).toEqual({ type: 'message', ...user })
    await waitUntil(() => lines.filter(({ event }) => event === 'request').length === 2, 'log lines')
    expect(lines.at(-1)?.losses).toEqual([
      expect.stringMatching(/^previous_response_id\.input\[0\]\.own dropped: /),
      expect.stringMatching(/^input\[0\]\.other dropped: /),
    ])
  })

  it('loses what an item of the message loses, also if the item at its place in the conversation arrives', async () => {
    const { client, upstream } = await openToResponses()
    const message = { type: 'message', role: 'user', content: 'Hello' }
    const first = await begin(client, { input: [message] })
    const output = { type: 'shell_call_output', call_id: 'c', output: [] }
    const [created] = await client.ask({ ...ASK, input: [output, message], previous_response_id: first })
    const [, second]: Loose[] = [...upstream.received]
    expect(second.body.input[0]).toEqual(message)
    expect(created.headers['x-responses-losses']).toBe('input[0] mapped')
  })

  it('has losses with the places of the messages, also where the conversation is passed through', async () => {
    const { client } = await openToResponses({ quirks: { hostedHistory: true } })
    const first = await begin(client, { input: [readable, user] })
    const [created] = await client.ask({ ...ASK, input: [user, readable], previous_response_id: first })
    expect(created.headers['x-responses-losses']).toBe(
      'previous_response_id.input[0] dropped, previous_response_id.input[2] dropped, input[1] dropped',
    )
  })

  it('has them for a system message behind removed reasoning, too', async () => {
    const { client, upstream } = await openToResponses({ quirks: { hostedHistory: true } })
    const model = 'acme/qwen3-8b'
    const first = await begin(client, { model, input: [user, readable] })
    const late = { role: 'system', content: 'Late' }
    const input = [readable, user, late]
    const [created] = await client.ask({ ...ASK, model, input, previous_response_id: first })
    const [, second]: Loose[] = [...upstream.received]
    expect(second.body.input.at(-1)).toEqual({ ...late, role: 'user' })
    expect(created.headers['x-responses-losses']).toBe(
      'previous_response_id.input[1] dropped, previous_response_id.input[2] dropped, input[0] dropped, input[2] mapped',
    )
  })

  it.each([true, false])('has them for a member that the upstream refuses (passed: %s)', async (passthrough) => {
    const { client } = await openToResponses({
      quirks: { hostedHistory: true, refusesMembers: ['input.*.phase'] },
      passthrough,
    })
    const phased = { type: 'message', role: 'assistant', phase: 'commentary', content: 'Well' }
    const first = await begin(client, { input: [readable, phased, user] })
    const [created] = await client.ask({ ...ASK, input: [readable, user, phased, user], previous_response_id: first })
    const losses = created.headers['x-responses-losses'].split(', ')
    expect(losses).toContain('previous_response_id.input[1].phase dropped')
    expect(losses).toContain('input[2].phase dropped')
    expect(losses.filter((loss: string) => loss.includes('phase'))).toHaveLength(2)
  })

  it('is unknown elsewhere, and after a request that could not continue it', async () => {
    const { url, upstream } = await startTestServer(answer)
    const client = await openSocket(url)
    const first = await begin(client, { store: false })
    const other = await openSocket(url)
    const missing = endOf(await other.ask({ ...ASK, previous_response_id: first }))
    expect(missing).toMatchObject({
      type: 'error',
      status: 400,
      error: { type: 'invalid_request_error', code: 'previous_response_not_found', param: 'previous_response_id' },
    })
    const output = [{ type: 'function_call_output', call_id: 'call_of_nobody', output: 'x' }]
    const failed = endOf(await client.ask({ ...ASK, input: output, previous_response_id: first }))
    expect(failed).toMatchObject({ type: 'error', status: 400, error: { param: 'input[0].call_id' } })
    const gone = endOf(await client.ask({ ...ASK, previous_response_id: first }))
    expect(gone.error.code).toBe('previous_response_not_found')
    expect(upstream.received).toHaveLength(1)
    expect((await client.ask(ASK)).at(-1).type).toBe('response.completed')
  })

  it('can be a warm-up, which calls no upstream', async () => {
    const { url, upstream } = await startTestServer(answer)
    const client = await openSocket(url)
    const warm = await client.ask({ ...ASK, generate: false, stream_id: 'w' })
    expect(warm.map(({ type, stream_id }) => [type, stream_id])).toEqual(
      ['created', 'in_progress', 'completed'].map((state) => [`response.${state}`, 'w']),
    )
    expect(endOf(warm).response).toMatchObject({ output: [], usage: { output_tokens: 0 }, status: 'completed' })
    expect(upstream.received).toHaveLength(0)
    await client.ask({ ...ASK, input: [], previous_response_id: endOf(warm).response.id })
    expect(upstream.received.map(sentTo)).toEqual([['user: "Hello"']])
    expect(endOf(await client.ask({ ...ASK, generate: false, tools: 5 })).error.param).toBe('tools')
    expect(endOf(await client.ask({ ...ASK, generate: 'no' })).error.param).toBe('generate')
  })
})

describe('a message about a response', () => {
  it.each(['response.processed', 'response.cancel', 'response.later'])('has no answer: %s', async (type) => {
    const { url } = await startTestServer(answer)
    const client = await openSocket(url, { headers: { authorization: `Bearer ${KEY}` } })
    expect((await client.ask(ASK)).at(-1)?.type).toBe('response.completed')
    const from = client.messages.length
    client.send({ type, response_id: 'resp_1' })
    expect((await client.ask(ASK)).at(-1)?.type).toBe('response.completed')
    expect(client.messages.slice(from).filter((message) => message.type === 'error')).toEqual([])
  })
})

describe('a message that cannot be answered', () => {
  it('is refused with an error, and the connection stays open', async () => {
    const { url, lines } = await startTestServer(answer, { websocket: { lanes: 1 } })
    const client = await openSocket(url, { headers: { authorization: `Bearer ${KEY}` } })
    const refused = async (message: object | string | Buffer): Promise<Loose> => {
      const from = client.messages.length
      client.send(message)
      await waitUntil(() => client.messages.length > from, 'a refusal')
      return client.messages[from]
    }
    const create = { type: 'response.create', ...ASK }
    expect((await refused('{')).error.code).toBe('invalid_json')
    expect((await refused(Buffer.from('{}'))).error.code).toBe('invalid_json')
    expect((await refused({ type: 'session.update' })).error.code).toBe('unknown_event_type')
    expect((await refused({ ...create, stream_id: '' })).error.code).toBe('invalid_stream_id')
    expect((await refused({ ...create, stream: false })).error.param).toBe('stream')
    client.send({ ...create, stream_id: 'one' })
    client.send({ ...create, stream_id: 'two' })
    const isOver = ({ type }: Loose): boolean => type === 'response.completed'
    await waitUntil(() => client.messages.some(isOver), 'the end of the answer')
    expect(client.messages.filter(({ stream_id }) => stream_id === 'two')).toMatchObject([
      { type: 'error', status: 400, error: { code: 'websocket_stream_limit_reached' } },
    ])
    expect((await client.ask({ ...ASK, stream_id: 'two' })).at(-1)?.type).toBe('response.completed')
    const steer = { type: 'response.steer', previous_response_id: 'resp_1', input: 'x' }
    expect(await refused(steer)).toMatchObject({
      type: 'response.steer.failed',
      error: { code: 'steering_not_supported', type: 'invalid_request_error' },
      steer: { input: 'x', previous_response_id: 'resp_1' },
    })
    expect(await refused({ type: 'response.inject', response_id: 'resp_1', input: [] })).toMatchObject({
      type: 'response.inject.failed',
      response_id: 'resp_1',
    })
    expect(endOf(await client.ask(ASK)).type).toBe('response.completed')
    expect(lines.filter(({ event }) => event === 'bug')).toEqual([])
  })
})
