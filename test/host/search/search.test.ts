import { describe, expect, it } from 'vitest'
import { beta } from '../../../src/dialects/beta.ts'
import { checkStream } from '../../../src/dialects/check-stream.ts'
import { openai } from '../../../src/dialects/openai.ts'
import { createSigner, toWorkspaces } from '../../../src/gateway/auth/workspaces.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import { sealReasoning } from '../../../src/responses/encrypted-content.ts'
import {
  type Behaviour,
  bodyOf,
  doneFrame,
  nextTurn,
  type ReceivedRequest,
  usageChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import {
  eventsOf,
  json,
  type Loose,
  lineOf,
  post,
  REQUEST,
  startTestServer,
  waitUntil,
  waitUntilStill,
} from '../test-server.ts'
import { answerJson, type MockEngine, startMockEngine } from './mock-engine.ts'

const PAGES: Readonly<Record<string, { url: string; title: string; text: string; publishedDate?: string }[]>> = {
  'height of the Eiger': [
    { url: 'https://eiger.example/height', title: 'The Eiger', text: 'The Eiger is 3,967 m high.' },
    { url: 'https://alps.example/list', title: 'Alpine peaks', text: 'Mönch 4,110 m.', publishedDate: '2025-03-01' },
  ],
  'height of the Mönch': [
    { url: 'https://alps.example/list', title: 'Alpine peaks', text: 'Mönch 4,110 m.' },
    { url: 'https://moench.example/', title: 'Mönch', text: 'The Mönch is 4,110 m high.' },
  ],
}

const openEngine = (): Promise<MockEngine> =>
  startMockEngine((response, { body }) => {
    const { query } = JSON.parse(body)
    if (PAGES[query] === undefined) answerJson(response, { error: 'no index today' }, 500)
    else answerJson(response, { results: PAGES[query] })
  })

interface Called {
  readonly name: string
  readonly args: string
  readonly id?: string
}

/** The output of the model in one turn. */
interface Turn {
  readonly reasoning?: string
  readonly words?: readonly string[]
  readonly calls?: readonly Called[]
  readonly finish?: string
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'mock-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/** Writes a call as three chunks: the name, then the arguments in two pieces. */
const callChunks = ({ name, args, id }: Called, index: number): string[] => {
  const half = Math.ceil(args.length / 2)
  const piece = (fields: object): string => chunk({ tool_calls: [{ index, ...fields }] })
  return [
    piece({ id: id ?? `call_${name}_${index}`, type: 'function', function: { name, arguments: '' } }),
    piece({ function: { arguments: args.slice(0, half) } }),
    piece({ function: { arguments: args.slice(half) } }),
  ]
}

const streamOfTurn = ({ reasoning, words = [], calls = [], finish }: Turn): string =>
  [
    ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
    ...words.map((content) => chunk({ content })),
    ...calls.flatMap(callChunks),
    chunk({}, finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
    usageChunk,
    doneFrame,
  ].join('')

const bodyOfTurn = ({ words = [], calls = [] }: Turn): string => {
  const body = JSON.parse(bodyOf(words.join('')))
  const [choice] = body.choices
  if (calls.length > 0) {
    choice.message.tool_calls = calls.map(({ name, args, id }, i) => ({
      id: id ?? `call_${name}_${i}`,
      type: 'function',
      function: { name, arguments: args },
    }))
    choice.finish_reason = 'tool_calls'
  }
  return JSON.stringify(body)
}

/** Answers each request with the next turn, streamed or not as requested, and repeats the last turn. */
function turns(...list: readonly Turn[]): Behaviour {
  let next = 0
  return async (response, { body }) => {
    const turn = list[Math.min(next, list.length - 1)] as Turn
    next += 1
    if (body.stream !== true) return void withBody(bodyOfTurn(turn))(response, {} as ReceivedRequest)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const frame of streamOfTurn(turn).split(/(?<=\n\n)/)) {
      response.write(frame)
      await nextTurn()
    }
    response.end()
  }
}

const search = (query: string): Called => ({ name: 'web_search', args: JSON.stringify({ query }) })
const TOOL = { type: 'service:web_search' }
const ASKS = { ...REQUEST, tools: [TOOL] }
const OPENAI = { path: '/openai/v1/responses' }

async function openSearching(behave: Behaviour, config: object = {}) {
  const engine = await openEngine()
  const settings = { engine: 'exa', base_url: engine.url, key: 'engine-key-of-nobody', ...config }
  const server = await startTestServer(behave, { search: settings })
  return { ...server, engine }
}

const completedOf = (stream: string): Loose =>
  eventsOf(stream).find(({ type }) => type === 'response.completed')?.response

const messagesOf = (response: Loose): Loose[] => response.output.filter(({ type }: Loose) => type === 'message')

/** Returns, for each annotation, its URL and the text that its offsets cover. */
const cutsOf = (part: Loose): [string, string][] =>
  part.annotations.map((it: Loose) => [it.url, part.text.slice(it.start_index, it.end_index)])

const toolsOf = (request: ReceivedRequest | undefined): string[] =>
  ((request?.body.tools ?? []) as Loose[]).map((tool) => tool.function?.name ?? tool.type)

const messagesIn = (request: ReceivedRequest | undefined): Loose[] => (request?.body.messages ?? []) as Loose[]

describe('the server tool for web search', () => {
  const twoTurns = (): Behaviour =>
    turns(
      { reasoning: 'I must look.', words: ['Let me ', 'look.'], calls: [search('height of the Eiger')] },
      { words: ['Der Eiger 🏔 ist ', '3967 m hoch [', '1]. Siehe [alps.exa', 'mple](https://alps.example/list).'] },
    )

  it('produces one valid stream in both dialects', async () => {
    const { url } = await openSearching(twoTurns())
    const standard = await (await post(url, ASKS, OPENAI)).text()
    expect(checkStream(standard, openai)).toEqual([])
    const server = await openSearching(twoTurns())
    const described = await (await post(server.url, ASKS)).text()
    expect(checkStream(described, beta)).toEqual([])
  })

  it('ends at the limits of an answer within a turn, and closes its upstream connection', async () => {
    let isGone = false
    const pour: Behaviour = async (response) => {
      response.on('close', () => (isGone = true))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let i = 0; i < 10_000_000 && !response.destroyed; i += 1) {
        response.write(chunk(i % 2 === 0 ? { content: 'a' } : { reasoning_content: 'b' }))
        if (i % 100 === 0) await nextTurn()
      }
    }
    const engine = await openEngine()
    const settings = { engine: 'exa', base_url: engine.url, key: 'engine-key-of-nobody' }
    const { url, upstream } = await startTestServer(pour, { search: settings, limits: { answer_items: 200 } })
    const stream = await (await post(url, ASKS, OPENAI)).text()
    expect(checkStream(stream, openai)).toEqual([])
    expect(eventsOf(stream).find(({ type }) => type === 'response.failed')).toMatchObject({
      response: { error: { code: 'upstream_too_large' } },
    })
    await waitUntil(() => isGone, 'the upstream to be let go')
    expect(upstream.received).toHaveLength(1)
    expect(engine.asked).toHaveLength(0)
  })

  it('shows the search where it was made, and cites its results with exact offsets', async () => {
    const { url, engine, upstream, lines } = await openSearching(twoTurns())
    const asks = { ...ASKS, include: ['web_search_call.action.sources'] }
    const stream = await (await post(url, asks, OPENAI)).text()
    const response = completedOf(stream)
    expect(response.output.map(({ type }: Loose) => type)).toEqual([
      'reasoning',
      'message',
      'web_search_call',
      'message',
    ])
    expect(response.output[2]).toMatchObject({
      status: 'completed',
      action: {
        type: 'search',
        query: 'height of the Eiger',
        sources: [
          { type: 'url', url: 'https://eiger.example/height' },
          { type: 'url', url: 'https://alps.example/list' },
        ],
      },
    })
    const [before, after] = messagesOf(response)
    expect(before.content[0]).toMatchObject({ text: 'Let me look.', annotations: [] })
    expect(cutsOf(after.content[0])).toEqual([
      ['https://eiger.example/height', '[1]'],
      ['https://alps.example/list', '[alps.example](https://alps.example/list)'],
    ])
    expect(after.content[0].annotations[0]).toMatchObject({
      title: 'The Eiger',
      content: 'The Eiger is 3,967 m high.',
    })
    expect(response.usage).toMatchObject({ input_tokens: 6, output_tokens: 10, total_tokens: 16 })
    expect(response.tools).toEqual([TOOL])
    expect(engine.asked).toHaveLength(1)
    expect(upstream.received).toHaveLength(2)
    expect(await lineOf(lines)).toMatchObject({ outcome: 'completed', usage: { total_tokens: 16 } })
  })

  it.each([false, true])('lists the pages found only if include requests them: streamed %s', async (stream) => {
    for (const include of [undefined, [], ['web_search_call.action.sources']]) {
      const { url } = await openSearching(twoTurns())
      const raw = await post(url, { ...ASKS, include, stream }, OPENAI)
      expect(raw.headers.get('x-responses-losses') ?? '').not.toContain('include')
      const text = await raw.text()
      const { output } = stream ? completedOf(text) : JSON.parse(text)
      const { action } = output.find(({ type }: Loose) => type === 'web_search_call')
      expect(action.query).toBe('height of the Eiger')
      expect('sources' in action).toBe(include?.length === 1)
      expect(text.includes('"sources"')).toBe(include?.length === 1)
    }
  })

  it('announces a search before it is made, with events in order', async () => {
    const { url } = await openSearching(twoTurns())
    const events = eventsOf(await (await post(url, ASKS, OPENAI)).text())
    const types = events.filter(({ type }) => type?.includes('web_search_call')).map(({ type }) => type)
    expect(types).toEqual([
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
    ])
    expect(events.slice(0, -1).map(({ sequence_number }) => sequence_number)).toEqual(
      Array.from({ length: events.length - 1 }, (_, i) => i),
    )
  })

  it("sends the results to the model after the model's own text and call", async () => {
    const { url, upstream } = await openSearching(twoTurns())
    await (await post(url, ASKS)).text()
    const [first, second] = upstream.received
    expect(toolsOf(first)).toEqual(['web_search'])
    const messages = messagesIn(second)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(messages[1]).toMatchObject({
      content: 'Let me look.',
      tool_calls: [{ id: 'call_web_search_0', function: { name: 'web_search' } }],
    })
    expect(messages[2].tool_call_id).toBe('call_web_search_0')
    expect(messages[2].content).toContain(
      '[1] The Eiger\nURL: https://eiger.example/height\nThe Eiger is 3,967 m high.',
    )
    expect(messages[2].content).toContain('[2] Alpine peaks\nURL: https://alps.example/list\nDate: 2025-03-01')
    expect(messages[2].content).toContain('never instructions')
  })

  it('has the same content as one body', async () => {
    const { url } = await openSearching(twoTurns())
    const body = await json(await post(url, { ...ASKS, stream: false }, OPENAI))
    expect(body).toMatchObject({ status: 'completed', usage: { total_tokens: 16 } })
    const [, after] = messagesOf(body)
    expect(cutsOf(after.content[0]).map(([page]) => page)).toEqual([
      'https://eiger.example/height',
      'https://alps.example/list',
    ])
  })

  it('runs several searches at once, and gives a page found twice one number', async () => {
    const { url, upstream } = await openSearching(
      turns(
        { calls: [search('height of the Eiger'), search('height of the Mönch')] },
        { words: ['Eiger [1], Mönch [2][3].'] },
      ),
    )
    const stream = await (await post(url, ASKS, OPENAI)).text()
    expect(checkStream(stream, openai)).toEqual([])
    const [message] = messagesOf(completedOf(stream))
    expect(cutsOf(message.content[0])).toEqual([
      ['https://eiger.example/height', '[1]'],
      ['https://alps.example/list', '[2]'],
      ['https://moench.example/', '[3]'],
    ])
    const outputs = messagesIn(upstream.received[1]).filter(({ role }) => role === 'tool')
    expect(outputs.map(({ tool_call_id }) => tool_call_id)).toEqual(['call_web_search_0', 'call_web_search_1'])
    expect(outputs[1].content).toContain('[2] Alpine peaks')
    expect(outputs[1].content).toContain('[3] Mönch')
  })

  const fn = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }

  it('ends when the model calls a function of the client, alone or beside a search', async () => {
    for (const beside of [[], [search('height of the Mönch')]]) {
      const { url, engine, lines } = await openSearching(
        turns(
          { calls: [search('height of the Eiger')] },
          { words: ['High [1].'], calls: [...beside, { name: 'get_weather', args: '{"city":"Bern"}' }] },
        ),
      )
      const stream = await (await post(url, { ...ASKS, tools: [fn, TOOL] }, OPENAI)).text()
      expect(checkStream(stream, openai)).toEqual([])
      const response = completedOf(stream)
      expect(response.output.map(({ type }: Loose) => type)).toEqual(['web_search_call', 'message', 'function_call'])
      expect(response.output[2]).toMatchObject({ name: 'get_weather', arguments: '{"city":"Bern"}' })
      expect(engine.asked).toHaveLength(1)
      const fragments = eventsOf(stream).filter(({ type }) => type === 'response.function_call_arguments.delta')
      expect(fragments.map(({ delta }) => delta).join('')).toBe('{"city":"Bern"}')
      const { losses } = await lineOf(lines)
      expect(losses ?? []).toEqual(beside.length === 0 ? [] : ['a web search that could not be made'])
    }
  })

  it('distinguishes a function of the client from itself by the whole name', async () => {
    const mine = { ...fn, name: 'web_search' }
    const longer = { ...fn, name: 'web_search_2_pro' }
    const { url, upstream } = await openSearching(
      turns(
        { calls: [{ name: 'web_search_2', args: '{"query":"height of the Eiger"}' }] },
        {
          calls: [
            { name: 'web_search', args: '{}' },
            { name: 'web_search_2_pro', args: '{}' },
          ],
        },
      ),
    )
    const body = await json(await post(url, { ...ASKS, stream: false, tools: [mine, TOOL, longer] }, OPENAI))
    expect(toolsOf(upstream.received[0])).toEqual(['web_search', 'web_search_2', 'web_search_2_pro'])
    expect(body.output.map(({ type, name }: Loose) => name ?? type)).toEqual([
      'web_search_call',
      'web_search',
      'web_search_2_pro',
    ])
  })

  it('is not confused with a namespaced tool of the same name', async () => {
    const mine = { type: 'namespace', name: 'mine', tools: [{ ...fn, name: 'web_search' }] }
    const named: { upstream: string } = { upstream: '' }
    const { url, engine, upstream } = await openSearching((response, request) => {
      named.upstream = toolsOf(request).find((name) => name !== 'web_search') ?? ''
      return turns({ calls: [{ name: named.upstream, args: '{}' }] })(response, request)
    })
    const body = await json(await post(url, { ...ASKS, stream: false, tools: [TOOL, mine] }, OPENAI))
    expect(named.upstream).toContain('web_search')
    expect(body.output).toMatchObject([{ type: 'function_call', name: 'web_search', namespace: 'mine' }])
    expect([engine.asked.length, upstream.received.length]).toEqual([0, 1])
  })

  it.each([
    ['max_tool_calls', { max_tool_calls: 2 }],
    ['max_uses', { tools: [{ ...TOOL, parameters: { max_uses: 2 } }] }],
    ['the server’s own bound', {}],
  ])('searches no more often than %s allows', async (_, fields) => {
    const again: Turn = { calls: [search('height of the Eiger')] }
    const { url, engine, upstream } = await openSearching(turns(again, again, { words: ['Enough.'] }), {
      max_searches: 'max_tool_calls' in fields || 'tools' in fields ? 10 : 2,
    })
    const body = await json(await post(url, { ...ASKS, ...fields, stream: false }))
    expect(body.status).toBe('completed')
    expect(engine.asked).toHaveLength(2)
    expect(upstream.received.map(({ body: { tool_choice } }) => tool_choice)).toEqual([undefined, undefined, 'none'])
    expect(JSON.stringify(body.losses ?? '')).not.toContain('max_tool_calls')
  })

  it('ends even if the model never stops searching', async () => {
    const { url, upstream, lines } = await openSearching(turns({ calls: [search('height of the Eiger')] }), {
      max_searches: 3,
    })
    const stream = await (await post(url, ASKS, OPENAI)).text()
    expect(checkStream(stream, openai)).toEqual([])
    expect(upstream.received).toHaveLength(4)
    expect((await lineOf(lines)).losses).toContain('a web search that could not be made')
  })

  it.each(['/api/v1/responses', '/openai/v1/responses'])(
    'completes an answer of %s at the last search',
    async (path) => {
      const { url } = await openSearching(turns({ calls: [search('height of the Eiger')] }), { max_searches: 1 })
      const whole = await post(url, { ...ASKS, stream: false }, { path })
      expect((await json(whole)).status).toBe('completed')
    },
  )

  it('is forced only in the first turn if tool_choice forces it', async () => {
    const { url, upstream } = await openSearching(twoTurns())
    const forced = { ...ASKS, tools: [{ type: 'web_search_preview' }], tool_choice: { type: 'web_search_preview' } }
    await (await post(url, forced)).text()
    expect(upstream.received.map(({ body }) => body.tool_choice)).toEqual([
      { type: 'function', function: { name: 'web_search' } },
      undefined,
    ])
  })

  it('sends a failed search to the model as an error, and continues', async () => {
    const { url, upstream } = await openSearching(
      turns(
        { calls: [search('what nobody wrote'), { name: 'web_search', args: '{}' }] },
        { words: ['I do not know.'] },
      ),
    )
    const stream = await (await post(url, ASKS, OPENAI)).text()
    expect(checkStream(stream, openai)).toEqual([])
    const response = completedOf(stream)
    expect(response.output[0]).toMatchObject({ type: 'web_search_call', status: 'failed' })
    const outputs = messagesIn(upstream.received[1]).filter(({ role }) => role === 'tool')
    expect(outputs[0].content).toBe('The web search failed: The search engine exa: no index today')
    expect(outputs[1].content).toContain('"query" is missing')
  })

  it('fails within the answer if a later turn is refused', async () => {
    const first = turns({ calls: [search('height of the Eiger')] })
    const refusing: Behaviour = (response, request) =>
      (request.body.messages as unknown[]).length > 1
        ? withBody('{"error":{"message":"Too long.","code":"context_length_exceeded"}}', 400)(response, request)
        : first(response, request)
    const { url } = await openSearching(refusing)
    const stream = await (await post(url, ASKS, OPENAI)).text()
    expect(checkStream(stream, openai)).toEqual([])
    expect(eventsOf(stream).find(({ type }) => type === 'response.failed').response.error.message).toContain(
      'Too long.',
    )
    const server = await openSearching(refusing)
    const whole = await post(server.url, { ...ASKS, stream: false })
    expect(whole.status).toBe(400)
  })

  it('fails before the first byte if the first turn is refused', async () => {
    const { url } = await openSearching(withBody('{"error":{"message":"No."}}', 500))
    expect((await post(url, ASKS)).status).toBe(502)
    const server = await openSearching(withBody('{"error":{"message":"No.","code":"overloaded"}}'))
    const hidden = await post(server.url, ASKS)
    expect(hidden.status).toBeGreaterThanOrEqual(400)
    expect(await hidden.json()).toMatchObject({ error: { code: expect.any(String) } })
  })

  it('fails if a later turn breaks off', async () => {
    const cutting: Behaviour = turns({ calls: [search('height of the Eiger')] })
    const { url } = await openSearching((response, request) => {
      if ((request.body.messages as unknown[]).length === 1) return cutting(response, request)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk({ content: 'And th' }), () => response.destroy())
    })
    const stream = await (await post(url, ASKS, OPENAI)).text()
    expect(checkStream(stream, openai)).toEqual([])
    expect(eventsOf(stream).at(-2).type).toBe('response.failed')
  })

  it('returns its results if include requests them, and accepts them in the next request', async () => {
    const { url, upstream, engine } = await openSearching(
      turns(
        { calls: [search('height of the Eiger')] },
        { calls: [{ name: 'get_weather', args: '{}' }] },
        { words: ['3967 m [1], and sunny.'] },
      ),
    )
    const asks = {
      ...ASKS,
      tools: [fn, TOOL],
      include: ['web_search_call.results'],
      input: [{ role: 'user', content: 'Q' }],
    }
    const first = completedOf(await (await post(url, asks, OPENAI)).text())
    expect(first.output[0].results).toEqual([
      { url: 'https://eiger.example/height', title: 'The Eiger', content: 'The Eiger is 3,967 m high.', date: null },
      { url: 'https://alps.example/list', title: 'Alpine peaks', content: 'Mönch 4,110 m.', date: '2025-03-01' },
    ])
    const weather = { type: 'function_call_output', call_id: first.output[1].call_id, output: 'Sunny.' }
    const input = [...asks.input, ...first.output, weather]
    const second = completedOf(await (await post(url, { ...asks, input }, OPENAI)).text())
    expect(cutsOf(second.output[0].content[0])).toEqual([['https://eiger.example/height', '[1]']])
    expect(engine.asked).toHaveLength(1)
    const messages = messagesIn(upstream.received[2])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
    expect(messages[2].content).toBe(messagesIn(upstream.received[1]).at(-1).content)
  })

  it('ends its answer as failed if the server stops during a search', async () => {
    const hanging = await startMockEngine(() => undefined)
    const { url, running } = await startTestServer(twoTurns(), { search: { engine: 'exa', base_url: hanging.url } })
    const answer = post(url, ASKS, OPENAI).then((response) => response.text())
    await waitUntil(() => hanging.asked.length > 0, 'a search')
    await running.close()
    const stream = await answer
    expect(checkStream(stream, openai)).toEqual([])
    expect(eventsOf(stream).find(({ type }) => type === 'response.failed').response.error.code).toBe('server_stopping')
  })

  it('waits for a client that reads slowly', async () => {
    const words = Array.from({ length: 200 }, () => 'x'.repeat(20_000))
    const { url, upstream } = await openSearching(turns({ calls: [search('height of the Eiger')] }, { words }))
    const response = await post(url, ASKS, OPENAI)
    await waitUntil(() => upstream.received.length === 2, 'the second leg')
    await waitUntilStill(url, () => upstream.received[1]?.response.writableLength ?? 0, 'the upstream')
    const stream = await response.text()
    expect(messagesOf(completedOf(stream))[0].content[0].text).toBe(words.join(''))
  })

  it('ends the request when the client disconnects during a search', async () => {
    const hanging = await startMockEngine(() => undefined)
    const search_ = { engine: 'exa', base_url: hanging.url }
    const { url, lines } = await startTestServer(twoTurns(), { search: search_ })
    const client = new AbortController()
    const response = await post(url, ASKS, { signal: client.signal })
    await response.body?.getReader().read()
    await waitUntil(() => hanging.asked.length > 0, 'a search')
    client.abort()
    expect(await lineOf(lines)).toMatchObject({ client_gone: true, outcome: 'failed' })
  })
})

describe('the deprecated ways to request a web search', () => {
  const ANSWER = turns({ words: ['3967 m [eiger.example](https://eiger.example/height), and [9].'] })
  const QUESTION = { ...REQUEST, input: 'height of the Eiger' }

  it.each([
    ['the plugin', { plugins: [{ id: 'web' }] }, 'the plugin "web" is deprecated'],
    ['the suffix', { model: 'acme/mock-1:online' }, 'the suffix ":online" is deprecated'],
  ])('%s searches once, cites a page and sends a deprecation header', async (_, fields, notice) => {
    const { url, engine, upstream } = await openSearching(ANSWER)
    const response = await post(url, { ...QUESTION, ...fields }, OPENAI)
    expect(response.headers.get('deprecation')).toBe('true')
    expect(response.headers.get('x-deprecation-notice')).toContain(notice)
    const stream = await response.text()
    expect(checkStream(stream, openai)).toEqual([])
    const [message] = messagesOf(completedOf(stream))
    expect(cutsOf(message.content[0])).toEqual([
      ['https://eiger.example/height', '[eiger.example](https://eiger.example/height)'],
    ])
    expect(engine.asked).toHaveLength(1)
    const [request] = upstream.received
    expect(request?.body.model).toBe('mock-1')
    expect(toolsOf(request)).toEqual([])
    const [{ content }] = messagesIn(request)
    expect(content).toContain('The Eiger is 3,967 m high.')
    expect(content.endsWith('The user says:\n\nheight of the Eiger')).toBe(true)
  })

  it('the plugin cites its pages also after a retry without encrypted reasoning', async () => {
    const secret = 'of this house'
    const engine = await openEngine()
    const { url, upstream } = await startTestServer(
      (response, request) => {
        if (!JSON.stringify(request.body).includes('reasoning.encrypted')) return ANSWER(response, request)
        response.writeHead(400).end('{"error":{"code":"invalid_encrypted_content","message":"Cannot be verified."}}')
      },
      { search: { engine: 'exa', base_url: engine.url, key: 'k' }, encrypted_content_secret: secret },
      {},
      { reasoningHistory: 'reasoning_details' },
    )
    const encrypted_content = sealReasoning(
      { wire: 'openai-chat', vendor: 'acme', model: 'mock-1' },
      [{ type: 'reasoning.encrypted', data: 'x' }],
      createSigner(secret, NODE_HASHES)(toWorkspaces([], NODE_HASHES).idOf(null)),
    )
    const input = [
      { role: 'user', content: 'Hello' },
      { type: 'reasoning', summary: [], encrypted_content },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'height of the Eiger' },
    ]
    const stream = await (await post(url, { ...QUESTION, input, plugins: [{ id: 'web' }] }, OPENAI)).text()
    const [message] = messagesOf(completedOf(stream))
    expect(cutsOf(message.content[0])).toEqual([
      ['https://eiger.example/height', '[eiger.example](https://eiger.example/height)'],
    ])
    expect(upstream.received).toHaveLength(2)
    expect(engine.asked).toHaveLength(1)
  })

  it('the plugin sends the client’s own search_prompt with the results', async () => {
    const { url, upstream } = await openSearching(ANSWER)
    const plugins = [{ id: 'web', search_prompt: 'Use these pages and cite none.' }]
    await (await post(url, { ...QUESTION, plugins })).text()
    const sentMessages = JSON.stringify(upstream.received[0]?.body.messages)
    expect(sentMessages).toContain('Use these pages and cite none.')
    expect(sentMessages).not.toContain('Cite what you use')
  })

  it('a failed search fails the whole answer', async () => {
    const { url, upstream } = await openSearching(ANSWER)
    const response = await post(url, { ...REQUEST, input: 'what nobody wrote', plugins: [{ id: 'web' }] })
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { code: 'search_failed' } })
    expect(upstream.received).toHaveLength(0)
  })

  it('the server tool causes no deprecation header', async () => {
    const { url } = await openSearching(ANSWER)
    const response = await post(url, ASKS)
    expect(response.headers.get('deprecation')).toBeNull()
    await response.text()
  })
})

describe('a requested web search', () => {
  const ANSWER = turns({ words: ['Hello.'] })
  const refusal = async (response: Response): Promise<string> => {
    expect(response.status).toBe(400)
    return (await json(response)).error.message
  }

  it('is dropped or rejected if neither the upstream nor an engine can search', async () => {
    const { url, upstream, lines } = await startTestServer(ANSWER)
    const read = { type: 'function', name: 'read' }
    const offered = await post(url, { ...ASKS, tools: [TOOL, read] })
    expect([offered.status, offered.headers.get('x-responses-losses')]).toEqual([200, 'tools[0] dropped'])
    expect((await lineOf(lines)).losses).toEqual([
      'tools[0] dropped: this upstream has no web search of its own, and no search engine is configured',
    ])
    expect(upstream.received[0]?.body.tools).toHaveLength(1)
    const message = await refusal(await post(url, { ...ASKS, tool_choice: { type: 'service:web_search' } }))
    expect(message).toContain(
      'tools[0]: this upstream has no web search of its own, and no search engine is configured',
    )
    expect(upstream.received).toHaveLength(1)
  })

  it('is dropped without an error if it must not reach the web (Codex)', async () => {
    const { url, upstream } = await startTestServer(ANSWER)
    const response = await post(url, { ...ASKS, tools: [{ type: 'web_search', external_web_access: false }] })
    expect([response.status, response.headers.get('x-responses-losses')]).toEqual([200, 'tools[0] dropped'])
    expect(upstream.received[0]?.body.tools).toBeUndefined()
  })

  it('is ignored if no tool may be called', async () => {
    const { url, upstream } = await startTestServer(ANSWER)
    expect((await post(url, { ...ASKS, tool_choice: 'none' })).status).toBe(200)
    expect(upstream.received[0]?.body.tools).toBeUndefined()
  })

  it("is left to the upstream if its vendor's row allows that", async () => {
    const engine = await openEngine()
    const { url, upstream } = await startTestServer(ANSWER)
    const acme = { wire: 'openai-chat', base_url: upstream.url, quirks: { nativeSearch: 'both' } }
    const server = await startTestServer(ANSWER, { vendors: { acme }, search: { engine: 'exa', base_url: engine.url } })
    const parameters = { allowed_domains: ['*.example.com'], max_results: 3 }
    const asked = { ...REQUEST, tools: [{ type: 'openrouter:web_search', parameters }] }
    await (await post(server.url, asked)).text()
    expect(upstream.received.at(-1)?.body.tools).toEqual([{ type: 'openrouter:web_search', parameters }])
    await (await post(server.url, { ...REQUEST, model: 'acme/mock-1:online' })).text()
    expect(upstream.received.at(-1)?.body.tools).toEqual([{ type: 'openrouter:web_search', parameters: {} }])
    const plugin = await post(server.url, { ...REQUEST, plugins: [{ id: 'web', zzz: 1 }] })
    expect(plugin.headers.get('x-responses-losses')).toBe('plugins[0].zzz dropped')
    const tool = await post(server.url, { ...REQUEST, tools: [{ type: 'web_search', zzz: 1 }] })
    expect(tool.headers.get('x-responses-losses')).toBeNull()
    expect(engine.asked).toHaveLength(0)
    expect(await refusal(await post(url, { ...asked, tools: [{ type: 'web_search', engine: 'native' }] }))).toContain(
      'no web search of its own',
    )
  })

  it('uses the engine that the request names, if it is available', async () => {
    const { url } = await openSearching(ANSWER)
    const named = (engine: string) => ({ ...REQUEST, input: 'height of the Eiger', plugins: [{ id: 'web', engine }] })
    expect((await post(url, named('exa'))).status).toBe(200)
    expect(await refusal(await post(url, named('parallel')))).toContain('parallel is not configured')
    expect(await refusal(await post(url, named('altavista')))).toContain('plugins[0].engine: expected one of auto')
  })
})

describe('the field x_search_filter', () => {
  it('is rejected if the upstream does not search X', async () => {
    const { url, upstream } = await startTestServer(turns({ words: ['Hello.'] }))
    const response = await post(url, { ...REQUEST, x_search_filter: { allowed_x_handles: ['@mill'] } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'x_search_filter' } })
    expect(upstream.received).toHaveLength(0)
  })
})
