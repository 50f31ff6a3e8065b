import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openMock } from '../../src/testing/mock/open-mock.ts'
import { runCommand } from './run-command.ts'

const KEY = 'sk-of-a-test'
let url = ''
let folder = ''
let close = async (): Promise<void> => undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-check-'))
  const mock = await openMock({ key: KEY })
  url = `${mock.url}/v1`
  close = mock.close
})
afterAll(async () => {
  await close()
  await rm(folder, { recursive: true })
})
afterEach(() => vi.unstubAllEnvs())

const checkChat = (model: string, ...args: readonly string[]) =>
  runCommand(['check', url, '--protocol', 'chat', '--model', model, '--only', 'text,tool,error-key', ...args])

describe('millrace check of a URL', () => {
  it('prints the bounds, then a line for each request and their sum', async () => {
    vi.stubEnv('MILLRACE_KEY', KEY)
    const { code, output, complaint } = await checkChat('script')
    expect(complaint).toBe(`At most 9 requests and 3600 output tokens, to ${url} (chat).\n`)
    expect(output.split('\n')).toEqual([
      'passed     text                     a short text',
      'passed     tool                     a tool call',
      'passed     error-key                an invalid key',
      '3 passed, 0 failed; 5 requests',
      '',
    ])
    expect(code).toBe(0)
  })

  it('ends with exit code 1 if a request shows a defect, and never prints the key', async () => {
    const { code, output, complaint } = await checkChat('script+fault-chat-usage-total', '--key', KEY)
    expect(code).toBe(1)
    expect(output).toMatch(/^failed {5}text .*\nfailed {5}tool .*\n/)
    expect(output).toMatch(/^error \[usage\] total_tokens is 19, [^\n]*\n {2}in text \(streamed, frame 5\), /m)
    expect(output + complaint).not.toContain(KEY)
  })

  it('ends with exit code 0 after a warning, and with --strict with 1', async () => {
    const args = ['check', url, '--protocol', 'chat', '--key', KEY, '--only', 'error-type', '--model']
    const warned = await runCommand([...args, 'script+fault-chat-error-vague'])
    expect([warned.code, warned.output]).toEqual([0, expect.stringContaining('warned     error-type')])
    expect((await runCommand([...args, 'script+fault-chat-error-vague', '--strict'])).code).toBe(1)
  })

  it('ends with exit code 2 if the server cannot be reached', async () => {
    const { code, output } = await runCommand(['check', 'http://127.0.0.1:1/v1', '--model', 'm'])
    expect([code, output]).toEqual([2, expect.stringMatching(/^unreachable http:\/\/127\.0\.0\.1:1\/v1: [^\n]+\n$/)])
  })

  it('ends after the first row that fails because of the key, and counts those that it did not send', async () => {
    const { code, output } = await checkChat('script', '--key', 'wrong')
    expect(code).toBe(1)
    expect(output.split('\n').slice(0, 2)).toEqual([
      'failed     text                     a short text',
      '2 further rows were not sent, because the first request failed',
    ])
  })

  it('prints a finding of several rows once, with their names', async () => {
    const { output } = await checkChat('script+fault-chat-missing-done', '--key', KEY)
    expect(output.match(/\[DONE\] is missing/g)).toHaveLength(1)
    expect(output).toMatch(/^ {2}in text \(streamed\), tool \(streamed\)$/m)
  })

  it('prints the report as JSON, and writes it as JUnit and as a picture', async () => {
    const [junit, badge] = [join(folder, 'report.xml'), join(folder, 'badge.svg')]
    const args = ['--key', KEY, '--json', '--junit', junit, '--badge', badge]
    const { output } = await checkChat('script+fault-chat-usage-total', ...args)
    expect(JSON.parse(output)).toMatchObject({
      protocol: 'chat',
      requests: 5,
      rows: [{ name: 'text', status: 'failed' }, {}, {}],
    })
    const report = await readFile(junit, 'utf8')
    expect(report).toContain('tests="3" failures="2" skipped="0"')
    expect(report).toContain('<failure>error [usage] streamed: frame 5')
    expect(await readFile(badge, 'utf8')).toContain('2 of 3 failed')
  })

  it.each([
    [['--max-requests', '0'], '--max-requests: expected a whole number from 1, got "0".'],
    [['--protocol', 'chatt'], '--protocol: "chatt" is not known. Did you mean "chat"?'],
    [['--only', 'text,other'], 'millrace: --only: expected names of text, '],
    [['--dialect', 'beta'], '--dialect: only for files.'],
    [['file.sse'], 'check: expected one URL, and no files beside it.'],
  ] as const)('refuses %j', async (args, message) => {
    const { code, complaint } = await runCommand(['check', url, '--model', 'm', ...args])
    expect([code, complaint]).toEqual([2, expect.stringContaining(message)])
  })

  it('refuses another scheme', async () => {
    const { code, complaint } = await runCommand(['check', 'ftp://h/v1', '--model', 'm'])
    const message = 'millrace: check: expected an http or https URL, got one with the scheme "ftp".\n'
    expect([code, complaint]).toEqual([2, message])
  })

  it('refuses a call without a model', async () => {
    expect((await runCommand(['check', url])).complaint).toContain('check: expected the model of the requests')
  })
})

describe('millrace mock', () => {
  it('lists the fixtures and the faults', async () => {
    const { code, output } = await runCommand(['mock', '--list'])
    expect(code).toBe(0)
    expect(output).toMatch(/^openai-chat {21}.*\bhello\b/m)
    expect(output).toMatch(/^chat-missing-done {15}\[DONE\] is missing$/m)
  })

  it.each([
    [['--fault', 'gemini-don'], '--fault: unknown "gemini-don". Did you mean "gemini-done"?'],
    [['--pieces', '0'], '--pieces: expected a whole number from 1, got "0"'],
    [['--delay', 'soon'], '--delay: expected a whole number, got "soon"'],
  ])('refuses %j', async (args, message) => {
    const { code, complaint } = await runCommand(['mock', ...args])
    expect([code, complaint]).toEqual([2, `millrace: ${message}\n`])
  })
})
