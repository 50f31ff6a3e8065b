import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { HttpAgent } from '@ag-ui/client'
import { Anthropic } from '@anthropic-ai/sdk'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai-7'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import { type RunningServer, start } from '../../src/host/start.ts'
import type { ScriptedTurn } from '../../src/testing/scripted/wire-upstream.ts'
import { type MockUpstream, startMockUpstream } from '../mock-upstreams/server.ts'
import { scripted } from '../mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { EXAMPLES, HELLO, importProgram, ROOT, readExample, runProgram, withBundle } from './programs.ts'

const KEY = 'key-of-nobody'
const WRONG_KEY =
  '{"error":{"message":"Incorrect API key provided: wrong. You can find your API key in your account.",' +
  '"type":"invalid_request_error","param":null,"code":"invalid_api_key"}}'

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const upstream = createServer((incoming, response) => {
  incoming.resume()
  if (incoming.headers.authorization === `Bearer ${KEY}`) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(HELLO)
  } else response.writeHead(401, { 'content-type': 'application/json' }).end(WRONG_KEY)
})

let gateway: RunningServer
let upstreamUrl: string
beforeAll(async () => {
  upstreamUrl = await listen(upstream)
  const sha256 = createHash('sha256').update(KEY).digest('hex')
  gateway = await start({ listen: { port: 0 }, keys: [{ name: 'docs', sha256 }] })
})
afterAll(async () => {
  await gateway.close()
  await new Promise((resolve) => upstream.close(resolve))
})

const embed = (env: Readonly<Record<string, string>>) =>
  runProgram(readExample('translate-stream.ts'), env, { 'https://api.openai.com': upstreamUrl })

describe('the example translate-stream.ts', () => {
  it('prints a stream without violations', async () => {
    const { stdout } = await embed({ OPENAI_API_KEY: KEY })
    expect(stdout).toContain('"status":"completed"')
    expect(checkStream(stdout, openai)).toEqual([])
  })

  it.each([
    ['a wrong key', { OPENAI_API_KEY: 'wrong' }],
    ['a missing key', {}],
  ])('ends with the error of the upstream for %s', async (_, env) => {
    const { stdout } = await embed(env as Readonly<Record<string, string>>)
    expect(stdout).toContain('"type":"response.failed"')
    expect(stdout).toContain('HTTP 401: Incorrect API key provided')
    expect(stdout).not.toContain('upstream_truncated')
    expect(checkStream(stdout, openai)).toEqual([])
  })
})

const python = (...[flag, program, input]: readonly [flag: string, program: string, input?: string]) =>
  spawnSync('python3', [flag, program], { encoding: 'utf8', ...(input === undefined ? {} : { input }) })
/** Whether there is a Python with these modules; there need not be one. */
const hasPython = (modules: string): boolean => python('-c', `import ${modules}`).status === 0

const TURN = { text: ['Hel', 'lo!'], calls: [] }

/** Imports a program whose upstream is a mock of that wire. */
async function importWithUpstream(
  file: string,
  wire: keyof typeof WIRE_UPSTREAMS,
): Promise<{ readonly program: Readonly<Record<string, unknown>>; readonly mock: MockUpstream }> {
  const spec = WIRE_UPSTREAMS[wire]
  const mock = await startMockUpstream((response) => {
    response.writeHead(200, { 'content-type': spec.contentType }).end(spec.encodeTurn(TURN))
  })
  const baseUrl = `apiKey: '${KEY}', baseUrl: '${mock.url}'`
  const program = await importProgram(readExample(file).replace(/apiKey: process\.env\.\w+/, baseUrl))
  return { program, mock }
}

type Handle = (request: Request) => Response | Promise<Response>

describe('the examples of a program with wires, targets and turns of its own', () => {
  it('own-wire.ts encodes a request for its own protocol, and its machine changes the answer', async () => {
    const { stdout } = await runProgram(readExample('own-wire.ts'))
    expect(stdout).toBe(
      'https://acme.example/v1/generate {"model":"acme-1","prompt":["Hello!"],"stream":false}\nGOOD DAY.\n',
    )
  })

  it('own-target.ts writes lines of text, and names the losses', async () => {
    const { stdout } = await runProgram(readExample('own-target.ts'))
    expect(stdout).toBe('{"text":"Good "}\n{"text":"day."}\n{"end":true}\nlosses: url_citation\n')
  })

  it('own-vendor.ts has the difference, the rule, the facts and the dialect of a house', async () => {
    const { stdout } = await runProgram(readExample('own-vendor.ts'))
    const [body = '', ...lines] = stdout.trimEnd().split('\n')
    expect(JSON.parse(body)).toMatchObject({ department: 'search', temperature: 1 })
    expect(lines).toEqual([
      'reasoning.effort dropped: this model does not support reasoning',
      'temperature mapped: the house allows 1',
      'response.output_text.delta false',
      'response.completed false',
    ])
  })

  it('turns.ts sends the reasoning of the first answer back in the second request', async () => {
    const bodies: string[] = []
    const recording = readFileSync(new URL('fixtures/anthropic-messages/reasoning.stream.sse', ROOT))
    const claude = createServer(async (incoming, response) => {
      const pieces: Buffer[] = []
      for await (const piece of incoming) pieces.push(piece)
      bodies.push(Buffer.concat(pieces).toString())
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(recording)
    })
    const baseUrl = await listen(claude)
    const program = readExample('turns.ts').replace(
      "vendor: 'anthropic',",
      `vendor: 'anthropic', baseUrl: '${baseUrl}',`,
    )
    const { stdout, stderr } = await runProgram(program, { ANTHROPIC_API_KEY: KEY })
    await new Promise((resolve) => claude.close(resolve))
    expect(stdout).toBe('The last ferry lands at 8:05.The last ferry lands at 8:05.\n')
    expect(stderr).toContain('end_turn')
    expect(bodies).toHaveLength(2)
    expect(bodies[1]).toContain('RmVycmllcyBhcmUgc2lnbmVkIGhlcmU=')
  })
})

describe('the examples of servers', () => {
  it('fetch-handler.ts answers a client of Anthropic, and forwards its request with the key', async () => {
    const { program, mock } = await importWithUpstream('fetch-handler.ts', 'openai-chat')
    const handle = program.default as Handle
    const client = new Anthropic({ apiKey: 'x', fetch: async (url, init) => handle(new Request(url, init)) })
    const asked = { model: 'claude', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] }
    expect(await client.messages.stream(asked).finalText()).toBe('Hello!')
    expect(mock.received[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(mock.received[0]?.body).toMatchObject({ model: 'llama-3.3-70b-versatile', stream: true })
    await mock.close()
  })

  it('hono.ts answers a client of the Responses API', async () => {
    const { program, mock } = await importWithUpstream('hono.ts', 'anthropic-messages')
    const { fetch: handle } = program.app as { readonly fetch: Handle }
    const client = new OpenAI({
      apiKey: 'x',
      baseURL: 'http://localhost/v1',
      fetch: async (url, init) => handle(new Request(url, init as RequestInit)),
    })
    const types: string[] = []
    for await (const { type } of await client.responses.create({ model: 'm', input: 'Hi', stream: true }))
      types.push(type)
    expect(types.at(-1)).toBe('response.completed')
    expect(mock.received[0]?.headers['x-api-key']).toBe(KEY)
    await mock.close()
  })

  it('ui-route.ts answers a chat of the AI SDK, by the transport of useChat', async () => {
    const { program, mock } = await importWithUpstream('ui-route.ts', 'anthropic-messages')
    const handle = program.POST as Handle
    const transport = new DefaultChatTransport<UIMessage>({
      fetch: async (url, init) => handle(new Request(new URL(String(url), 'http://localhost'), init)),
    })
    const stream = await transport.sendMessages({
      chatId: 'chat-1',
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: undefined,
      messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    })
    const messages: UIMessage[] = []
    for await (const message of readUIMessageStream({ stream })) messages.push(message)
    expect(messages.at(-1)?.parts).toContainEqual(
      expect.objectContaining({ type: 'text', text: 'Hello!', state: 'done' }),
    )
    expect(messages.at(-1)?.metadata).toMatchObject({ usage: { outputTokens: expect.any(Number) } })
    expect(mock.received[0]?.body.messages).toEqual([{ role: 'user', content: expect.anything() }])
    await mock.close()
  })

  it('ai-sdk-route.ts runs a loop of tools for a chat of the AI SDK, with reasoning and its signature', async () => {
    const turns: readonly ScriptedTurn[] = [
      {
        reasoning: { text: 'Hm.', seal: 'c2ln' },
        text: [],
        calls: [{ id: 'call_1', name: 'departures', args: { harbour: 'Saint-Malo' } }],
      },
      TURN,
    ]
    let turn = 0
    const mock = await startMockUpstream(scripted(WIRE_UPSTREAMS['anthropic-messages'], () => turns[turn++] ?? TURN))
    const baseUrl = `apiKey: '${KEY}', baseUrl: '${mock.url}'`
    const program = await importProgram(readExample('ai-sdk-route.ts').replace(/apiKey: process\.env\.\w+/, baseUrl))
    const handle = program.POST as Handle
    const transport = new DefaultChatTransport<UIMessage>({
      fetch: async (url, init) => handle(new Request(new URL(String(url), 'http://localhost'), init)),
    })
    const stream = await transport.sendMessages({
      chatId: 'chat-1',
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: undefined,
      messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'When?' }] }],
    })
    const messages: UIMessage[] = []
    for await (const message of readUIMessageStream({ stream })) messages.push(message)
    const parts = messages.at(-1)?.parts ?? []
    expect(parts.map(({ type }) => type)).toEqual(['step-start', 'reasoning', 'tool-departures', 'step-start', 'text'])
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-departures', state: 'output-available' }))
    expect(JSON.stringify(mock.received[1]?.body)).toContain('c2ln')
    await mock.close()
  })

  it('ui-route.ts sends files and signed reasoning of the chat, and has one form of failures', async () => {
    const { program, mock } = await importWithUpstream('ui-route.ts', 'anthropic-messages')
    const handle = program.POST as Handle
    const ask = (messages: unknown) =>
      handle(new Request('http://localhost/api/chat', { method: 'POST', body: JSON.stringify({ messages }) }))
    const picture = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' }
    const user = { role: 'user', parts: [{ type: 'text', text: 'See' }, picture] }
    expect((await ask([user])).status).toBe(200)
    expect(JSON.stringify(mock.received[0]?.body.messages)).toContain('iVBORw0KGgo=')
    const refused = await ask([])
    expect(refused.status).toBe(400)
    expect(await refused.json()).toEqual({
      error: { code: 'invalid_prompt', message: expect.any(String), param: 'input' },
    })
    await mock.close()
  })

  /** The client of AG-UI at the example of its route. */
  const agentOf = (handle: Handle) =>
    new HttpAgent({
      url: 'http://localhost/agent',
      threadId: 'thread-1',
      fetch: async (url, init) => handle(new Request(url, init)),
    })

  it('ag-ui-route.ts answers the client of AG-UI, whose second run has the messages of the first', async () => {
    const { program, mock } = await importWithUpstream('ag-ui-route.ts', 'gemini-generate')
    const { fetch: handle } = program.app as { readonly fetch: Handle }
    const agent = agentOf(handle)
    for (const content of ['Hi', 'Again']) {
      agent.addMessage({ id: content, role: 'user', content })
      await agent.runAgent()
    }
    expect(agent.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello!'],
      ['user', 'Again'],
      ['assistant', 'Hello!'],
    ])
    expect(mock.received[1]?.body.contents).toHaveLength(3)
    await mock.close()
  })

  it('ag-ui-route.ts sends pictures, the context and its tools, and leaves out activities', async () => {
    const { program, mock } = await importWithUpstream('ag-ui-route.ts', 'gemini-generate')
    const { fetch: handle } = program.app as { readonly fetch: Handle }
    const agent = agentOf(handle)
    agent.addMessage({ id: 'a', role: 'activity', activityType: 'plan', content: { steps: [] } })
    agent.addMessage({
      id: 'u',
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image', source: { type: 'data', value: 'iVBORw0KGgo=', mimeType: 'image/png' } },
      ],
    })
    await agent.runAgent({
      context: [{ description: 'The page', value: '/tickets' }],
      tools: [{ name: 'book', description: 'Books.', parameters: { type: 'object', properties: {} } }],
    })
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello!' })
    const sent = JSON.stringify(mock.received[0]?.body)
    for (const part of ['iVBORw0KGgo=', 'The page: /tickets', '"name":"book"']) expect(sent).toContain(part)
    await mock.close()
  })

  it('copilotkit-route.ts hands requests of CopilotKit to the agent', async () => {
    const { program, mock } = await importWithUpstream('ag-ui-route.ts', 'gemini-generate')
    const { fetch: handle } = program.app as { readonly fetch: Handle }
    const server = createServer(async (incoming, response) => {
      const body = await text(incoming)
      const answer = await handle(new Request(`http://localhost${incoming.url}`, { method: 'POST', body }))
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
    const url = await listen(server)
    // The runtime of CopilotKit has 353 packages: this stands for what it does with its agents.
    const runtime = `
      class CopilotRuntime { constructor(options) { this.agents = options.agents } }
      const createCopilotRuntimeHandler = ({ runtime, basePath }) => async (request) => {
        const { pathname } = new URL(request.url)
        const name = pathname.slice((basePath + '/agent/').length).replace(/[/]run$/, '')
        const agent = runtime.agents[name].clone()
        agent.setMessages((await request.json()).messages)
        await agent.runAgent()
        return Response.json(agent.messages)
      }`
    const route = await importProgram(readExample('copilotkit-route.ts'), {
      "import { CopilotRuntime, createCopilotRuntimeHandler } from '@copilotkit/runtime/v2'": runtime,
      'http://localhost:8787': url,
    })
    const body = JSON.stringify({ messages: [{ id: 'u', role: 'user', content: 'Hi' }] })
    const run = new Request('http://localhost/api/copilotkit/agent/default/run', { method: 'POST', body })
    expect(await (await (route.POST as Handle)(run)).json()).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Hello!' },
    ])
    await new Promise((resolve) => server.close(resolve))
    await mock.close()
  })

  it('fetch-gateway.ts answers a client of the Responses API by the first vendor of a rule', async () => {
    const mock = await startMockUpstream((response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(WIRE_UPSTREAMS['openai-responses'].encodeTurn(TURN))
    })
    const program = await importProgram(readExample('fetch-gateway.ts'), {
      "process.env.CLIENT_KEY_SHA256 ?? ''": `'${createHash('sha256').update(KEY).digest('hex')}'`,
      'env: process.env,': `env: { GROQ_API_KEY: '${KEY}', MISTRAL_API_KEY: 'x' },
        fetch: (url, init) => fetch(url.href.replace('https://api.groq.com', '${mock.url}'), init),`,
    })
    const { fetch: handle } = program.default as { readonly fetch: Handle }
    const client = new OpenAI({
      apiKey: KEY,
      baseURL: 'https://gateway.example/openai/v1',
      fetch: async (url, init) => handle(new Request(url, init as RequestInit)),
    })
    expect((await client.responses.create({ model: 'small', input: 'Hi' })).output_text).toBe('Hello!')
    expect(mock.received[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    await mock.close()
  })

  it('express.ts answers a client of chat completions, and rejects an invalid request', async () => {
    const { program, mock } = await importWithUpstream('express.ts', 'gemini-generate')
    const server = createServer(program.app as RequestListener)
    const client = new OpenAI({ apiKey: 'x', baseURL: `${await listen(server)}/v1`, maxRetries: 0 })
    const asked = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }
    const words: string[] = []
    for await (const { choices } of await client.chat.completions.create({ ...asked, stream: true }))
      words.push(choices[0]?.delta.content ?? '')
    expect(words.join('')).toBe('Hello!')
    const invalid = { ...asked, temperature: 'hot' as unknown as number }
    await expect(client.chat.completions.create(invalid)).rejects.toThrow(/400.*temperature/)
    await Promise.all([mock.close(), new Promise((resolve) => server.close(resolve))])
  })
})

describe('the other example programs', () => {
  it('explain-request.ts prints the body of the upstream and the differences', async () => {
    const { stdout } = await runProgram(readExample('explain-request.ts'))
    const [body = '', ...lines] = stdout.trim().split('\n')
    expect(body).toMatch(/^translated \{"model":"claude-sonnet-4-5","messages":\[/)
    expect(lines).toEqual([
      'changed model -> model',
      'added null -> messages[0].content[0].type',
      'moved messages[0].content -> messages[0].content[0].text',
      'removed seed -> null',
      'seed dropped: this service does not support it',
    ])
  })

  it('request.ts prints the request of the upstream and the losses', async () => {
    const { stdout } = await runProgram(readExample('request.ts'))
    expect(stdout).toMatch(/^\/chat\/completions \{.*"model":"qwen\/qwen3-32b"/)
    expect(stdout).toContain('top_k dropped: ')
  })

  it('collect.ts prints the items of a recorded stream and its status', async () => {
    const { stdout } = await runProgram(readExample('collect.ts'))
    expect(stdout).toMatch(/^web_search_call$/m)
    expect(stdout).toMatch(/^message$/m)
    expect(stdout).toMatch(/^completed \d+$/m)
  })

  it('events.ts prints the text, the citations and the tokens of a recorded stream', async () => {
    const { stdout } = await runProgram(readExample('events.ts'))
    expect(stdout).toMatch(/ \[https:\/\/.*\] /)
    expect(stdout).toMatch(/^\d+ tokens$/m)
  })

  it('bodies.ts prints a body and a stream of Anthropic messages', async () => {
    const { stdout } = await runProgram(readExample('bodies.ts'))
    expect(stdout).toContain("stop_reason: 'end_turn'")
    expect(stdout).toContain('event: message_stop')
  })

  it('sans-io.ts prints a stream of Gemini and the status', async () => {
    const { stdout } = await runProgram(readExample('sans-io.ts'))
    expect(stdout).toContain('"finishReason":"STOP"')
    expect(stdout).toMatch(/^completed \[/m)
  })

  it('core.ts prints a stream without violations', async () => {
    expect(checkStream((await runProgram(readExample('core.ts'))).stdout, openai)).toEqual([])
  })

  it('check.ts accepts a complete stream and names the rule that a cut one breaks', async () => {
    const { stdout } = await runProgram(readExample('check.ts'))
    expect(stdout).toMatch(/^0\n/)
    expect(stdout).toContain('rule:')
  })

  it('check-server.ts finds nothing in a right server, and the defect of another one', async () => {
    const { stdout } = await runProgram(readExample('check-server.ts'))
    expect(stdout).toMatch(/^text passed \ntool passed \nstructured-output passed \nerror-input passed \n/)
    expect(stdout).toContain('text failed frame 5: total_tokens is 19, but the counts sum up to 18')
  })

  it('server.ts starts a server, answers a request and stops', async () => {
    expect((await runProgram(readExample('server.ts'))).stdout).toMatch(/^completed Hello! /)
  })

  it.each(['sdk-openai', 'sdk-anthropic', 'sdk-gemini', 'sdk-ollama'])('%s.mjs prints an answer', async (name) => {
    const { stdout } = await runProgram(readExample(`${name}.mjs`), { MILLRACE_URL: gateway.url, MILLRACE_KEY: KEY })
    expect(stdout).toMatch(name === 'sdk-anthropic' ? /^text .*31/m : /Hello! .* 👋/)
  })

  it.skipIf(!hasPython('ast'))('sdk-python.py has no error of syntax', () => {
    const { status, stderr } = python(
      '-c',
      'import ast, sys; ast.parse(sys.stdin.read())',
      readExample('sdk-python.py'),
    )
    expect([status, stderr]).toEqual([0, ''])
    expect(python('-c', 'import ast, sys; ast.parse(sys.stdin.read())', 'for = 1').status).toBe(1)
  })

  it.skipIf(!hasPython('openai, anthropic'))('sdk-python.py prints the answers of both clients', async () => {
    const env = { PATH: process.env.PATH, MILLRACE_URL: gateway.url, MILLRACE_KEY: KEY }
    const { stdout } = await promisify(execFile)('python3', ['examples/sdk-python.py'], {
      cwd: fileURLToPath(ROOT),
      env,
    })
    expect(stdout.match(/Hello! .* 👋/g)).toHaveLength(2)
    expect(stdout).toMatch(/^text .*31/m)
  })

  it('testing-node.mjs passes under node:test', async () => {
    const { stdout } = await runProgram(readExample('testing-node.mjs'))
    expect(stdout).toMatch(/^(?:#|ℹ) pass 3$/m)
    expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m)
  })

  it('testing-vitest.mjs passes under Vitest', async () => {
    // Its own process: a test file registers its tests in the run that imports it.
    const vitest = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', ROOT))
    // A bundle, because vitest would transform each source.
    const { stdout } = await withBundle("export * from 'millrace/testing'", {}, (file) =>
      promisify(execFile)(process.execPath, [vitest, 'run', '--config', 'test/docs/vitest-example.config.ts'], {
        cwd: fileURLToPath(ROOT),
        env: { PATH: process.env.PATH, CI: '1', NO_COLOR: '1', TESTING: file },
      }),
    )
    expect(stdout).toMatch(/Tests\s+1 passed/)
  })

  it('every example has a test in this file', () => {
    const programs = [
      'bodies',
      'check',
      'check-server',
      'collect',
      'core',
      'events',
      'express',
      'fetch-handler',
      'hono',
      'request',
    ]
    // test/docs/redact-cards.test.ts has those of the last one.
    const others = [
      'ag-ui-route',
      'copilotkit-route',
      'ai-sdk-route',
      'ui-route',
      'own-target',
      'own-vendor',
      'own-wire',
      'turns',
      'explain-request',
      'fetch-gateway',
      'sans-io',
      'server',
      'translate-stream',
      'redact-cards',
    ]
    const clients = ['testing-node', 'testing-vitest', 'sdk-anthropic', 'sdk-gemini', 'sdk-ollama', 'sdk-openai']
    const tested = [
      ...[...programs, ...others].map((name) => `${name}.ts`),
      ...clients.map((name) => `${name}.mjs`),
      'sdk-python.py',
    ]
    expect([...EXAMPLES].sort()).toEqual(tested.sort())
  })
})
