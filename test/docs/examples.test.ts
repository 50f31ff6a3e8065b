import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import { type RunningServer, start } from '../../src/host/start.ts'
import { HELLO, ROOT, readExample, runProgram } from './programs.ts'

const KEY = 'key-of-nobody'
const WRONG_KEY =
  '{"error":{"message":"Incorrect API key provided: wrong. You can find your API key in your account.",' +
  '"type":"invalid_request_error","param":null,"code":"invalid_api_key"}}'

const upstream = createServer((incoming, response) => {
  incoming.resume()
  if (incoming.headers.authorization === `Bearer ${KEY}`) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(HELLO)
  } else response.writeHead(401, { 'content-type': 'application/json' }).end(WRONG_KEY)
})
const urlOf = (): string => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

let gateway: RunningServer
beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const sha256 = createHash('sha256').update(KEY).digest('hex')
  gateway = await start({ listen: { port: 0 }, keys: [{ name: 'docs', sha256 }] })
})
afterAll(async () => {
  await gateway.close()
  await new Promise((resolve) => upstream.close(resolve))
})

const embed = (env: Readonly<Record<string, string>>) =>
  runProgram(readExample('embed'), env, { 'https://api.openai.com': urlOf() })

describe('the example embed.mjs', () => {
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

describe('the other example programs', () => {
  it('proxy.mjs translates a request and its answer, and reports dropped fields', async () => {
    const { stdout, stderr } = await runProgram(
      readExample('proxy'),
      { GROQ_API_KEY: KEY },
      { 'vendor.baseUrl': `'${urlOf()}'` },
    )
    expect(checkStream(stdout, openai)).toEqual([])
    expect(stdout).toContain('"status":"completed"')
    expect(stderr).toContain('metadata dropped')
  })

  it('collect.mjs prints the items of a recorded stream and its status', async () => {
    const { stdout } = await runProgram(readExample('collect'))
    expect(stdout).toMatch(/^web_search_call$/m)
    expect(stdout).toMatch(/^message$/m)
    expect(stdout).toMatch(/^completed \d+$/m)
  })

  it('check.mjs accepts a complete stream and names the rule that a cut one breaks', async () => {
    const { stdout } = await runProgram(readExample('check'))
    expect(stdout).toMatch(/^openai 0\n/)
    expect(stdout).toContain('rule:')
  })

  it('server.mjs starts a server, answers a request and stops', async () => {
    expect((await runProgram(readExample('server'))).stdout).toMatch(/^completed Hello! /)
  })

  it.each(['sdk-openai', 'sdk-anthropic', 'sdk-gemini', 'sdk-ollama'])('%s.mjs prints an answer', async (name) => {
    const { stdout } = await runProgram(readExample(name), { MILLRACE_URL: gateway.url, MILLRACE_KEY: KEY })
    expect(stdout).toMatch(name === 'sdk-anthropic' ? /^text .*31/m : /Hello! .* 👋/)
  })

  it('every example has a test in this file', () => {
    const tested = ['check', 'collect', 'embed', 'proxy', 'sdk-anthropic', 'sdk-gemini', 'sdk-ollama', 'sdk-openai']
    const programs = readdirSync(new URL('examples/', ROOT)).filter((file) => file.endsWith('.mjs'))
    expect(programs.map((file) => file.slice(0, -4)).sort()).toEqual([...tested, 'server'].sort())
  })
})
