import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { start } from '../../src/host/start.ts'
import { type MockUpstream, startMockUpstream } from '../mock-upstreams/server.ts'
import { importProgram, readExample, runProgram } from './programs.ts'

/** The programs of the documentation as they run on the first day: without a key. */

/** Each vendor's own answer to a request without a key. */
const REFUSALS = {
  openai:
    '{"error":{"message":"You didn\'t provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).","type":"invalid_request_error","param":null,"code":null}}',
  groq: '{"error":{"message":"Invalid API Key","type":"invalid_request_error","code":"invalid_api_key"}}',
  anthropic:
    '{"type":"error","error":{"type":"authentication_error","message":"x-api-key header is required"},"request_id":"req_011CVa2kby3oF8B4piMDuD4C"}',
  google:
    '{"error":{"code":403,"message":"Method doesn\'t allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.","status":"PERMISSION_DENIED"}}',
} as const

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(closing.splice(0).map((close) => close()))
})

async function refusing(vendor: keyof typeof REFUSALS): Promise<MockUpstream> {
  const mock = await startMockUpstream((response) => {
    const status = vendor === 'google' ? 403 : 401
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(REFUSALS[vendor])
  })
  closing.push(() => mock.close())
  return mock
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

describe('an example without a key', () => {
  it('translate-stream.ts prints the message of OpenAI, and the variable that is missing', async () => {
    const mock = await refusing('openai')
    const program = readExample('translate-stream.ts')
    const { stdout, stderr } = await runProgram(program, {}, { 'https://api.openai.com/v1': mock.url })
    expect(stderr).toMatch(/^failed undefined \[\] HTTP 401: You didn't provide an API key\. .*YOUR_KEY\)\. \S/)
    expect(stderr).toContain(
      'Set the environment variable OPENAI_API_KEY to a valid key, and send it with the request.',
    )
    expect(stdout).toContain('"type":"response.failed"')
    expect(mock.received[0]?.headers.authorization).toBe('Bearer undefined')
  })

  /** The example with its upstream at a mock, and the variable of its key unset. */
  const imported = async (file: string, variable: string, { url }: MockUpstream) => {
    const before = process.env[variable]
    delete process.env[variable]
    const key = `apiKey: process.env.${variable}`
    try {
      return await importProgram(readExample(file), { [key]: `${key}, baseUrl: '${url}'` })
    } finally {
      if (before !== undefined) process.env[variable] = before
    }
  }
  const remedy = (variable: string): string =>
    `The request had no key: set the environment variable ${variable}, and pass it as upstream.apiKey.`

  it('fetch-handler.ts answers with the message of Groq, and logs the variable that is missing', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const program = await imported('fetch-handler.ts', 'GROQ_API_KEY', await refusing('groq'))
    const handle = program.default as (request: Request) => Promise<Response>
    const body = { model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], stream: true }
    const response = await handle(new Request('http://localhost/v1/messages', post(body)))
    expect(response.status).toBe(502)
    const { error } = await response.json()
    expect(error.message).toBe('HTTP 401: Invalid API Key')
    expect(logged.mock.calls).toEqual([[remedy('GROQ_API_KEY')]])
  })

  it('hono.ts answers with the message of Anthropic, and logs the variable that is missing', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const program = await imported('hono.ts', 'ANTHROPIC_API_KEY', await refusing('anthropic'))
    const { fetch: handle } = program.app as { readonly fetch: (request: Request) => Promise<Response> }
    const response = await handle(new Request('http://localhost/v1/responses', post({ model: 'm', input: 'Hi' })))
    expect(response.status).toBe(502)
    const { error } = await response.json()
    expect(error.message).toBe('HTTP 401: x-api-key header is required')
    expect(logged.mock.calls).toEqual([[remedy('ANTHROPIC_API_KEY')]])
  })

  it('express.ts answers with the message of Google, and logs the variable that is missing', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const program = await imported('express.ts', 'GEMINI_API_KEY', await refusing('google'))
    const server = createServer(program.app as RequestListener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`
    const response = await fetch(url, post({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }))
    expect(response.status).toBe(502)
    const { error } = await response.json()
    expect(error.message).toMatch(/^HTTP 403: Method doesn't allow unregistered callers/)
    expect(error.message).not.toContain('GEMINI_API_KEY')
    expect(logged.mock.calls).toEqual([[remedy('GEMINI_API_KEY')]])
  })

  it.each(['openai', 'anthropic', 'gemini', 'ollama'])('sdk-%s.mjs names its own variable', async (name) => {
    const failed = await runProgram(readExample(`sdk-${name}.mjs`)).catch((error: Error) => error)
    expect(String(failed)).toContain('Error: Set MILLRACE_KEY to a key of the server; `npm start` prints one.')
  })

  it('sdk-openai.mjs prints the failure of the server for a wrong key', async () => {
    const server = await start({ listen: { port: 0 } })
    closing.push(() => server.close())
    const env = { MILLRACE_URL: server.url, MILLRACE_KEY: 'wrong' }
    const failed = await runProgram(readExample('sdk-openai.mjs'), env).catch((error: Error) => error)
    expect(String(failed)).toMatch(/AuthenticationError: 401 /)
  })
})
