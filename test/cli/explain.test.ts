import { existsSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../src/wires/contract.ts'
import { withKits } from '../wires/with-kits.ts'
import { runCommand } from './run-command.ts'

const FOLDER = fileURLToPath(new URL('../../fixtures/explain/', import.meta.url))
const SHAPES = ['claude-code', 'codex', 'parallel-calls', 'gemini-images', 'structured-output'] as const
const request = (shape: (typeof SHAPES)[number]): string => path.join(FOLDER, `${shape}.request.json`)

/** A vendor of each wire, with one of its models. */
const UPSTREAMS: Readonly<Record<WireName, readonly [vendor: string, model: string]>> = withKits(
  {
    'openai-chat': ['openai-chat', 'gpt-5.1'],
    'openai-responses': ['openai', 'gpt-5.1'],
    'anthropic-messages': ['anthropic', 'claude-sonnet-4-5'],
    'gemini-generate': ['google', 'gemini-3-pro-preview'],
    'gemini-interactions': ['google-interactions', 'gemini-3-pro-preview'],
    'bedrock-converse': ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    'cohere-chat': ['cohere', 'command-a-reasoning-08-2025'],
    'ollama-chat': ['ollama', 'gemma4:12b'],
  },
  ({ vendor, model }) => [vendor, model] as const,
)

const explain = (...args: readonly string[]) => runCommand(['explain', ...args])

/** `npx vitest run --project unit test/cli/explain.test.ts -u` writes the files again; read every changed line. */
describe.each(SHAPES)('the explanation of %s', (shape) => {
  it.each(Object.entries(UPSTREAMS))('for %s is that of the golden files', async (wire, [vendor, model]) => {
    const previous = path.join(FOLDER, `${shape}.previous.json`)
    const options = ['--vendor', vendor, '--model', model, ...(existsSync(previous) ? ['--previous', previous] : [])]
    const shown = await explain(...options, request(shape))
    expect(shown).toMatchObject({ code: 0, complaint: '' })
    await expect(shown.output).toMatchFileSnapshot(path.join(FOLDER, `${shape}.${wire}.txt`))
    const json = await explain(...options, '--json', request(shape))
    expect(JSON.parse(json.output)).toMatchObject({ ok: true, wire, vendor, model })
    await expect(json.output).toMatchFileSnapshot(path.join(FOLDER, `${shape}.${wire}.json`))
  })
})

describe('millrace explain', () => {
  it.each([
    ['[1,,2]', 1, 4],
    ['{"model": nul', 1, 14],
    ['\ufeff{\n  "a": 1,\n}', 3, 1],
    ['{\n "a": NaN }', 2, 7],
    ['{"a": .5}', 1, 7],
    ["{'a': 1}", 1, 2],
    ['{"a":\n [1, 2', 2, 7],
    ['{"a": "x\ny"}', 1, 9],
    ['{"a": 1} {"b": 2}', 1, 10],
    ['{"a": "\\x"}', 1, 9],
    ['$0', 1, 1],
  ])('names line and column of a text that is not JSON: %j', async (text, line, column) => {
    const { code, complaint } = await runCommand(['explain', '--vendor', 'groq'], Buffer.from(text))
    expect([code, complaint]).toEqual([
      2,
      `millrace: the standard input is not JSON (line ${line}, column ${column}).\n`,
    ])
  })

  it.each([
    ['claude-sonnet-4-5', undefined, 'anthropic-messages'],
    ['anthropic/claude-sonnet-4-5', undefined, 'anthropic-messages'],
    ['gpt-5.1', undefined, 'openai-chat'],
    ['o3', undefined, 'openai-chat'],
    [undefined, 'claude-sonnet-4-5', 'anthropic-messages'],
    [undefined, 'gpt-5.1', 'openai-chat'],
    ['gpt-5.1', 'claude-sonnet-4-5', 'openai-chat'],
  ])('chooses a protocol with messages by its model: %s, --model %s', async (own, asked, client) => {
    const body = JSON.stringify({ model: own, messages: [{ role: 'user', content: 'Hello!' }] })
    const options = ['--vendor', 'anthropic', ...(asked === undefined ? [] : ['--model', asked])]
    const shown = await runCommand(['explain', ...options], Buffer.from(body))
    expect(shown.code).toBeLessThan(2)
    expect(shown.complaint).toMatch(
      new RegExp(
        `^millrace: ${own ?? asked} is a model of \\w+: read as ${client}\\. --client chooses another protocol\\.\\n$`,
      ),
    )
    const named = await runCommand(['explain', ...options, '--client', 'ollama-chat'], Buffer.from(body))
    expect(named.complaint).toBe('')
  })

  it('explains for several vendors, in the order of the options', async () => {
    const shown = await explain('--vendor', 'groq,anthropic', '--vendor', 'ollama', request('parallel-calls'))
    expect(shown.output.match(/^\S+ \S+ gpt-5\.1: .*/gm)).toEqual([
      'groq openai-chat gpt-5.1: passed through with the edits: name of the limit',
      'anthropic anthropic-messages gpt-5.1: translated from openai-chat',
      'ollama ollama-chat gpt-5.1: translated from openai-chat',
    ])
    const json = await explain('--vendor', 'groq', '--vendor', 'cohere', '--json', request('parallel-calls'))
    expect(JSON.parse(json.output).map(({ vendor }: { vendor: string }) => vendor)).toEqual(['groq', 'cohere'])
  })

  it('masks the password of an address, as text and as JSON', async () => {
    const server_url = 'https://ada:hunter2!x@mcp.example/sse'
    const body = { model: 'm', input: 'Hi', tools: [{ type: 'mcp', server_label: 'd', server_url }] }
    for (const args of [[], ['--json']])
      for (const vendor of ['openai', 'anthropic', 'groq']) {
        const { output } = await runCommand(['explain', '--vendor', vendor, ...args], Buffer.from(JSON.stringify(body)))
        expect(output).not.toContain('hunter2')
        if (args.length > 0 && vendor === 'openai') expect(output).toContain('ada:********@mcp.example')
      }
  })

  it('reads the standard input', async () => {
    const body = await readFile(request('claude-code'))
    for (const args of [[], ['-']]) {
      const { code, output } = await runCommand(['explain', '--vendor', 'anthropic', ...args], body)
      expect(code).toBe(0)
      expect(output).toMatch(/^anthropic anthropic-messages claude-sonnet-4-5: passed through as it is\n/)
    }
    const twice = await explain('--vendor', 'groq', '--previous', '-')
    expect(twice).toMatchObject({ code: 2, complaint: expect.stringContaining('at most once') })
  })

  it('exits with 1 if a vendor refuses the request, and with --strict if it has losses', async () => {
    const chat = ['--vendor', 'anthropic', request('parallel-calls')]
    expect((await explain(...chat)).code).toBe(0)
    expect((await explain('--strict', ...chat)).code).toBe(1)
    expect((await explain('--strict', '--vendor', 'groq', request('structured-output'))).code).toBe(1)
    const body = Buffer.from('{"model":"m","messages":[],"seed":1}')
    const refused = await runCommand(['explain', '--vendor', 'anthropic'], body)
    expect(refused.code).toBe(1)
    expect(refused.output).toMatch(/^anthropic: refused: messages: /)
  })

  it('uses the vendors of a configuration without their keys', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-explain-'))
    const file = path.join(folder, 'config.json')
    const own = {
      wire: 'anthropic-messages',
      base_url: 'https://claude.example/anthropic',
      key: { env: 'A_VARIABLE_THAT_IS_NOT_SET' },
      headers: { 'x-secret': 'hidden' },
      body: { service_tier: 'standard_only' },
      cache: 'off',
    }
    await writeFile(file, JSON.stringify({ vendors: { own } }))
    const { output } = await explain('--config', file, '--vendor', 'own', '--json', request('parallel-calls'))
    const found = JSON.parse(output)
    expect(found).toMatchObject({ vendor: 'own', upstream: { service_tier: 'standard_only' }, breakpoints: [] })
    expect(found.headers).toEqual({ 'anthropic-version': '2023-06-01' })
    const unknown = await explain('--config', file, '--vendor', 'owm', request('parallel-calls'))
    expect(unknown).toMatchObject({ code: 2, complaint: expect.stringContaining('Did you mean "own"?') })
  })

  it('lists the members of a pool without their keys', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-explain-'))
    const file = path.join(folder, 'config.json')
    const pool = [
      { name: 'eu', key: 'my-secret-key' },
      { name: 'us', key: { env: 'NOT_SET' }, weight: 2 },
    ]
    await writeFile(file, JSON.stringify({ vendors: { groq: { pool } } }))
    const { output } = await explain('--config', file, '--vendor', 'groq', request('parallel-calls'))
    expect(output).toContain('pool, each conversation prefers one of them (2):\n  eu\n  us, weight 2\n')
    expect(output).not.toContain('my-secret-key')
  })

  it('names the options and files that are missing or wrong', async () => {
    const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"Hi"}]}')
    const messages = await Promise.all([
      runCommand(['explain', '--vendor', 'anthropic'], body),
      explain(request('codex')),
      runCommand(['explain', '--vendor', 'groq'], Buffer.from('no JSON')),
      explain('--vendor', 'groq', 'missing.json'),
    ])
    expect(messages.map(({ code, complaint }) => `${code} ${complaint.slice(0, 80)}`)).toEqual([
      '2 millrace: the standard input fits several protocols. Pass --client with one of: ',
      '2 millrace: explain: --vendor is missing: the provider, from the table or the conf',
      '2 millrace: the standard input is not JSON (line 1, column 1).\n',
      '2 millrace: "missing.json" cannot be read: it does not exist.\n',
    ])
  })

  it('has colours in terminals only, and fits the width', async () => {
    const { output } = await runCommand(['explain', '--vendor', 'anthropic', request('codex')], undefined, 80)
    expect(output).toContain('\u001b[33m~ ')
    expect((await explain('--vendor', 'anthropic', request('codex'))).output).not.toContain('\u001b')
  })
})
