import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AGENTS } from '../../src/cli/launch/agents.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { runProgram } from '../host/program.ts'
import { waitUntil, whenDone } from '../host/test-server.ts'
import { startMockUpstream } from '../mock-upstreams/server.ts'
import { createFakeAgents, type FakeReport, filesIn, launchFake, type Variables } from './fake-agents.ts'

const statusesOf = ({ answers }: FakeReport): readonly number[] => answers.map(({ status }) => status)

/** Variables of a user who has directed the agents to other servers and logins. */
const FOREIGN: Variables = {
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
  ANTHROPIC_API_KEY: 'key-of-the-user',
  ANTHROPIC_MODEL: 'another-model',
  CLAUDE_CODE_USE_BEDROCK: '1',
  GOOGLE_GENAI_USE_GCA: 'true',
  GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1',
  GEMINI_API_KEY: 'key-of-the-user',
  OPENCODE_CONFIG_CONTENT: '{}',
  HTTP_PROXY: 'http://127.0.0.1:1',
  NO_PROXY: 'example.com',
  PORT: '1',
  EDITOR: 'ed',
}

describe('millrace launch', () => {
  it.each([...AGENTS.values()])(
    'directs $name to a server with one model, without a file and without a key in its arguments',
    async (agent) => {
      const { code, complaint, agents } = await launchFake(
        agent.name,
        { model: 'replay/hello' },
        { ...FOREIGN, FAKE_END: '7' },
        ['-p', 'hi'],
      )
      const report = await agents.report()
      const { args, env, answers, metrics } = report
      expect(code).toBe(7)
      expect(args.slice(-2)).toEqual(['-p', 'hi'])
      // Every second request has no key.
      expect(statusesOf(report)).toEqual(answers.map((_, at) => (at % 2 === 0 ? 200 : 401)))
      expect(metrics).toBe(401)
      for (const { text } of answers.filter((_, at) => at % 2 === 0)) expect(text).toContain('Hello')
      const key = Object.values(env).find((value) => value?.startsWith('mr-launch-')) ?? JSON.stringify(env)
      expect(args.join(' ')).not.toContain(key)
      const given = agent.env({ url: '', key: '', model: null, vendors: [], login: null })
      const isGiven = (variable: string): boolean => Object.hasOwn(given, variable)
      expect(agent.removed.filter((variable) => env[variable] !== undefined && !isGiven(variable))).toEqual([])
      expect(env).toMatchObject({ EDITOR: 'ed', NO_PROXY: 'example.com,127.0.0.1', no_proxy: 'example.com,127.0.0.1' })
      expect(complaint).toMatch(/^millrace +requests +input +cached +output\nreplay\/hello +[12] +\d+ +0 +\d+$/m)
      expect(complaint).toMatch(/^failures:\n {2}[12] x missing_authentication \(client\)$/m)
      expect(await filesIn(agents.home)).toEqual([])
      await expect(fetch(answers[0]?.url ?? '')).rejects.toThrow()
    },
  )

  it.each([
    ['gemini-api-key', ['GEMINI_API_KEY']],
    ['vertex-ai', ['GOOGLE_API_KEY']],
    [null, ['GOOGLE_API_KEY']],
  ] as const)('gives Gemini CLI one key: its settings choose %s', async (login, keys) => {
    const home = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(home, { recursive: true }))
    await mkdir(join(home, '.gemini'))
    const settings = `{ // chosen\n "security": { "auth": { "selectedType": "${login}" } } }`
    if (login !== null) await writeFile(join(home, '.gemini', 'settings.json'), settings)
    const variables = { ...FOREIGN, GOOGLE_API_KEY: 'key-of-the-user', HOME: home }
    const { agents } = await launchFake('gemini', { model: 'replay/hello' }, variables)
    const { env, answers } = await agents.report()
    const given = Object.keys(env).filter((name) => /^(GOOGLE|GEMINI)_API_KEY$/.test(name))
    expect([given, answers[0]?.status]).toEqual([keys, 200])
  })

  it('names a setting of the configuration by which a vendor has no key', async () => {
    const config = JSON.stringify({ vendors: { groq: { base_url: 'http://127.0.0.1:1' } } })
    const { complaint } = await launchFake('claude', { model: 'replay/hello' }, { GROQ_API_KEY: 'k' }, [], config)
    expect(complaint).toMatch(
      /^millrace: vendors\.groq has no key, although GROQ_API_KEY is set\. To send it there, add "key": \{"env": "GROQ_API_KEY"\}\.\n/,
    )
    const silent = await launchFake('claude', { model: 'replay/hello' }, {}, [], config)
    expect(silent.complaint).not.toContain('vendors.groq')
  })

  const body = (wire: WireName): string =>
    readFileSync(new URL(`../../fixtures/${wire}/hello.body.json`, import.meta.url), 'utf8')

  /** The vendors of all agents, on one mock with the path of each. */
  async function startVendors(names: readonly string[]) {
    const upstream = await startMockUpstream((response, { url }) => {
      const isGemini = url.includes(':generateContent')
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        body(isGemini ? 'gemini-generate' : url.endsWith('/messages') ? 'anthropic-messages' : 'openai-responses'),
      )
    })
    whenDone(upstream.close)
    const vendors = names.map((name) => [name, { base_url: upstream.url, key: { env: 'MOCK_KEY' } }])
    return { upstream, vendors: Object.fromEntries(vendors) }
  }

  it('routes the names that an agent requests itself to their vendors, and reports tokens and losses', async () => {
    const { upstream, vendors } = await startVendors(['anthropic', 'openai', 'google'])
    const models = [{ match: 'claude-haiku-*', to: ['openai/gpt-5-nano'] }]
    const config = { vendors, models, mounts: [{ path: '/other', dialect: 'beta' }] }
    const launched = await Promise.all(
      [...AGENTS.keys()].map((name) => launchFake(name, {}, { MOCK_KEY: 'k' }, [], JSON.stringify(config))),
    )
    expect(launched.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const requested = upstream.received.map(({ url, body: { model } }) => model ?? /models\/(.*):/.exec(url)?.[1])
    // opencode requests a model of each vendor, the others one of their own.
    expect(requested.sort()).toEqual([
      'claude-sonnet-4-5',
      'gemini-2.5-pro',
      'gemini-2.5-pro',
      'gpt-5',
      'gpt-5-nano',
      'gpt-6.1-sol',
    ])
    const [claude, , , opencode] = launched
    expect(claude?.complaint).toBe(`millrace                     requests  input  cached  output
anthropic/claude-sonnet-4-5         1      9       0      38
failures:
  1 x missing_authentication (client)
`)
    expect(opencode?.complaint).toBe(`millrace               requests  input  cached  output
openai/gpt-5-nano             1     12       0      88
openai/gpt-5                  1     12       0      88
google/gemini-2.5-pro         1      4       0      51
losses:
  1 x top_k dropped: this service does not support it
failures:
  3 x missing_authentication (client)
`)
    const log = await readFile(join(opencode?.agents.folder ?? '', 'log'), 'utf8')
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    // The line of a request is written when its connection is free, which may be after the next answer.
    expect(lines.map(({ event, model = event }) => model).sort()).toEqual([
      'draining',
      'encrypted_content_secret_missing',
      'gemini-2.5-pro',
      'gpt-5',
      'gpt-5-nano',
      'listening',
      // Three without a key, and that of the metrics.
      'request',
      'request',
      'request',
      'request',
      'stopped',
    ])
  })
})

it.skipIf(!existsSync('/dev/full'))('keeps the exit code and the report if the log cannot be written', async () => {
  const { code, complaint } = await launchFake('claude', { model: 'replay/hello', log: '/dev/full' }, { FAKE_END: '7' })
  expect([code, complaint]).toEqual([
    7,
    expect.stringMatching(/^millrace: --log: \/dev\/full cannot be written \(ENOSPC\).*\n(.*\n)*replay\/hello +1 /),
  ])
})

describe('signals', () => {
  it('reach the agent once, and its exit code is that of the launch', async () => {
    const agents = await createFakeAgents()
    const args = ['launch', 'claude', '--model', 'replay/hello']
    const { child, output, exited } = runProgram(args, { ...agents.env, FAKE_END: 'signals' })
    const received = async (...lines: readonly string[]): Promise<void> => {
      await waitUntil(async () => (await agents.signals()).length >= lines.length, String(lines.at(-1)))
      expect(await agents.signals()).toEqual(lines)
    }
    await received('ready')
    child.kill('SIGINT')
    await received('ready', 'SIGINT')
    child.kill('SIGHUP')
    await received('ready', 'SIGINT', 'SIGHUP')
    child.kill('SIGUSR1')
    await received('ready', 'SIGINT', 'SIGHUP', 'SIGUSR1')
    child.kill('SIGUSR2')
    await received('ready', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2')
    child.kill('SIGTERM')
    expect(await exited).toBe(3)
    await received('ready', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGTERM')
    expect(output()).toMatch(/^replay\/hello +1 /m)
    const killed = await launchFake('claude', { model: 'replay/hello' }, { FAKE_END: 'SIGKILL' })
    expect(killed.code).toBe(128 + 9)
  })
})
