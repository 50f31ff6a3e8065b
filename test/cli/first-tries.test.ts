import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommand } from './run-command.ts'

/** Calls that a person tries before reading, and the answers that lead on. */

const HELLO = fileURLToPath(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url))

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  await mkdir(join(folder, 'many'))
  for (let i = 0; i < 12; i++) await cp(HELLO, join(folder, 'many', `${i}.sse`))
  await writeFile(join(folder, 'empty.json'), '')
  await writeFile(join(folder, 'broken.json'), '{\n  "model": "m",\n}')
  await writeFile(join(folder, 'request.json'), '{"method":"POST","body":{"model":"m"}}')
  await writeFile(join(folder, 'messages.json'), '{"model":"m","messages":[{"role":"user","content":"Hi"}]}')
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

describe('a wrong call', () => {
  it.each([
    [['--versoin'], '--versoin: expected a command first. Did you mean "--version"? Run millrace --help.'],
    [['version'], /^command: "version" is not known\. Did you mean "--version"\? Expected one of: serve, launch, /],
    [['--port', '80'], '--port: expected a command first, such as millrace serve --port. Run millrace --help.'],
    [['translate', '--collect=yes'], 'translate: --collect takes no value.'],
    [['translate', '--kee=secret'], /^translate: --kee is not an option of translate\. Options: --from, /],
    [
      ['translate', HELLO],
      'translate: --to is missing: the dialect, wire or user interface of the output. Expected one of: beta, openai, openai-chat, openai-responses, anthropic-messages, gemini-generate, gemini-interactions, ollama-chat, ai-sdk-ui, ag-ui.',
    ],
    [['record'], 'record: --to is missing: the folder of the recordings, which is created.'],
    [['explain'], /^explain: --vendor is missing: the provider, from the table .* Expected one of: openai-chat, /],
    [['key', '-'], 'key: the standard input has no key.'],
    [
      ['launch', 'claude', '-p', 'Hi'],
      'launch: -p is not an option of launch. Options: --model, --config, --log, --print, --url. Put the arguments of the agent after --.',
    ],
  ])('%j leads on to a right one', async (args, complaint) => {
    const result = await runCommand(args)
    expect([result.code, result.output]).toEqual([2, ''])
    const text = result.complaint.slice('millrace: '.length, -1)
    if (typeof complaint === 'string') expect(text).toBe(complaint)
    else expect(text).toMatch(complaint)
  })

  it('reports a file that is no stream in one line', async () => {
    const empty = join(folder, 'empty.json')
    expect((await runCommand(['check', empty])).output).toBe(
      `${empty}: empty: expected a stream. To check a server, name its URL: millrace check URL\n`,
    )
    const bytes = join(folder, 'bytes.bin')
    await writeFile(
      bytes,
      Uint8Array.from({ length: 2000 }, (_, n) => (n * 7919) % 251),
    )
    expect((await runCommand(['check', bytes])).output).toBe(
      `${bytes}: not an event stream: no line begins with data:, event:, id: or retry:\n`,
    )
  })

  it('prints the version for -V as well, as curl and jq do', async () => {
    expect((await runCommand(['-V'])).output).toBe((await runCommand(['--version'])).output)
  })

  it('names the required options in the line of the usage', async () => {
    const usage = async (name: string): Promise<string> =>
      (await runCommand([name, '--help'])).output.split('\n')[0] ?? ''
    expect(await usage('translate')).toBe('Usage: millrace translate --to TARGET [options] [FILE...]')
    expect(await usage('explain')).toBe('Usage: millrace explain --vendor VENDOR [options] [FILE]')
    expect(await usage('record')).toBe('Usage: millrace record --to DIR [options]')
    expect(await usage('check')).toBe('Usage: millrace check [options] [FILE... | URL]')
  })
})

describe('an input that is not there', () => {
  it('is named with a reason in words', async () => {
    const missing = join(folder, 'missing.sse')
    for (const args of [
      ['translate', '--to', 'openai', missing],
      ['trace', missing],
      ['check', missing],
      ['explain', '--vendor', 'groq', missing],
    ]) {
      const { code, complaint } = await runCommand(args)
      expect([code, complaint]).toEqual([2, `millrace: "${missing}" cannot be read: it does not exist.\n`])
    }
    const { complaint } = await runCommand(['check', join(HELLO, 'x.sse')])
    expect(complaint).toContain('cannot be read: a part of its path is a file.')
    const previous = await runCommand([
      'explain',
      '--vendor',
      'groq',
      '--client',
      'openai-chat',
      '--previous',
      folder,
      join(folder, 'messages.json'),
    ])
    expect(previous.complaint).toContain('cannot be read: it is a folder.')
    const out = await runCommand(['translate', '--to', 'openai', '--out', HELLO, HELLO])
    expect(out.complaint).toBe(`millrace: --out: "${HELLO}" cannot be created: it already exists.\n`)
  })

  it('is a terminal for explain, which does not wait for it', async () => {
    const { code, complaint } = await runCommand(['explain', '--vendor', 'groq'], 'terminal')
    expect([code, complaint]).toEqual([
      2,
      'millrace: explain: expected a FILE, or - for the standard input, or a pipe.\n',
    ])
  })

  it.each([
    [['translate', '--to', 'openai'], 'the standard input is empty.'],
    [['trace'], 'the standard input is empty.'],
    [['explain', '--vendor', 'groq'], 'the standard input is empty.'],
    [['explain', '--vendor', 'groq', 'empty.json'], '"empty.json" is empty.'],
    [['explain', '--vendor', 'groq', 'broken.json'], '"broken.json" is not JSON (line 3, column 1).'],
    [
      ['explain', '--vendor', 'groq', 'messages.json'],
      '"messages.json" fits several protocols. Pass --client with one of: openai-chat, anthropic-messages, ollama-chat.',
    ],
    [
      ['explain', '--vendor', 'groq', 'request.json'],
      '"request.json" is a recorded request. Explain its body: jq .body FILE | millrace explain -',
    ],
  ])('or is no request: %j', async (args, complaint) => {
    const result = await runCommand(args.map((arg) => (arg.endsWith('.json') ? join(folder, arg) : arg)))
    expect([result.code, result.output]).toEqual([2, ''])
    expect(result.complaint.replace(`${folder}/`, '')).toBe(`millrace: ${complaint}\n`)
  })

  it('is the recording of an upstream for check, which names the wire and the remedy once', async () => {
    const { code, output } = await runCommand(['check', HELLO])
    expect([code, output]).toEqual([
      1,
      `${HELLO}: not a Responses stream, but one of openai-chat. Check its translation: millrace translate --to openai FILE | millrace check\n`,
    ])
  })

  it('is one key without blanks for key', async () => {
    for (const text of ['a key', ' ', 'one\ntwo\n', 'caf\u00e9'])
      expect((await runCommand(['key', '-'], Buffer.from(text))).complaint).toBe(
        'millrace: key: expected one key of visible ASCII characters, because a header carries it.\n',
      )
  })
})

it('the recordings of record, which have equal names, are translated into folders of their own', async () => {
  const [recordings, out] = [join(folder, 'recordings'), join(folder, 'out')]
  for (const name of ['0001-groq-m', '0002-groq-m']) {
    await mkdir(join(recordings, name), { recursive: true })
    await cp(HELLO, join(recordings, name, 'stream.sse'))
  }
  const { code, complaint } = await runCommand(['translate', '--to', 'beta', '--out', out, recordings])
  expect([code, complaint]).toEqual([0, ''])
  expect((await readdir(out, { recursive: true })).filter((name) => name.endsWith('.sse')).sort()).toEqual([
    join('0001-groq-m', 'stream.beta.sse'),
    join('0002-groq-m', 'stream.beta.sse'),
  ])
})

describe('a terminal', () => {
  it('without colours (TERM=dumb) receives none, and neither does its progress', async () => {
    vi.stubEnv('TERM', 'dumb')
    for (const args of [['vendors', '--help'], ['trace', HELLO], ['--help']])
      expect((await runCommand(args, 'terminal', 80)).output).not.toContain('\u001b')
    vi.stubEnv('FORCE_COLOR', '1')
    expect((await runCommand(['vendors', '--help'], 'terminal', 80)).output).toContain('\u001b[1mUsage:')
  })

  it('has bold headings in the list of commands, as in the help of each command', async () => {
    vi.stubEnv('TERM', 'xterm')
    const { output } = await runCommand(['--help'], 'terminal', 80)
    expect(output).toContain('\u001b[1mCommands:\u001b[22m\n')
    for (const line of output.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('that is narrow receives the columns of vendors that fit, and the names of the others', async () => {
    const wide = await runCommand(['vendors'], 'terminal', 200)
    expect([wide.complaint, wide.output.split('\n')[0]]).toEqual([
      '',
      expect.stringMatching(/^VENDOR +WIRES +KEY +SET +BASE URL$/),
    ])
    const narrow = await runCommand(['vendors'], 'terminal', 80)
    expect(narrow.output.split('\n')[0]).toMatch(/^VENDOR +KEY +SET$/)
    for (const line of narrow.output.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(narrow.complaint).toBe(
      'millrace: left out for the width of the terminal: BASE URL, WIRES. --json has them.\n',
    )
  })
})
