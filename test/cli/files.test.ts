import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProgress } from '../../src/cli/files/progress.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { collecting, runCommand } from './run-command.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))
const HELLO = fixture('openai-chat/hello.stream.sse')
/** The wires whose streams are server-sent events. */
const EVENTS = Object.values(WIRES).flatMap(({ name, framing }) => (framing.name.startsWith('sse') ? [name] : []))
const CUT = fixture('openai-chat/cut-off.stream.sse')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  await mkdir(join(folder, 'many'))
  await mkdir(join(folder, 'none'))
  const copies = Array.from({ length: 12 }, (_, i) => join(folder, 'many', `${String(i).padStart(2, '0')}.sse`))
  await Promise.all(copies.map((copy) => cp(HELLO, copy)))
  await cp(CUT, join(folder, 'many', '12.sse'))
  await cp(CUT, join(folder, 'many', '13.sse'))
  await cp(fixture('openai-responses/hello.stream.sse'), join(folder, 'many', '14.sse'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('a wire of --from that does not fit the bytes', () => {
  it.each(Object.values(WIRES).filter(({ name }) => name !== 'openai-chat'))('is refused: $name', async ({ name }) => {
    for (const args of [['translate', '--to', 'openai'], ['trace']]) {
      const shown = await runCommand([...args, '--from', name, HELLO])
      expect([shown.code, shown.output]).toEqual([2, ''])
      expect(shown.complaint).toContain(
        `--from ${name} does not fit, its bytes have the protocol openai-chat. Pass --from openai-chat, or neither --from nor --vendor.`,
      )
    }
  })
})

describe('translate without --from', () => {
  it('detects the wire of files of each wire, and writes the same as with it', async () => {
    for (const { name } of Object.values(WIRES)) {
      const hello = fixture(
        `${name}/hello.stream.${{ 'bedrock-converse': 'bin', 'ollama-chat': 'ndjson' }[name as string] ?? 'sse'}`,
      )
      const detected = await runCommand(['translate', '--to', 'beta', hello])
      expect([name, detected.code]).toEqual([name, 0])
      expect(detected).toEqual(await runCommand(['translate', '--from', name, '--to', 'beta', hello]))
    }
    const body = await readFile(fixture('ollama-chat/hello.body.json'))
    expect((await runCommand(['translate', '--to', 'openai', '--collect'], body)).output).toContain('"completed"')
  })

  it('takes the wire of the vendor, among whose wires the bytes decide', async () => {
    const chat = await runCommand(['translate', '--vendor', 'groq', '--to', 'openai', HELLO])
    expect([chat.code, chat.complaint]).toEqual([0, ''])
    const other = await runCommand([
      'translate',
      '--vendor',
      'groq',
      '--to',
      'openai',
      fixture('gemini-generate/hello.stream.sse'),
    ])
    expect(other.complaint).toContain('no answer of the wire openai-chat found')
    const messages = fixture('anthropic-messages/hello.stream.sse')
    const own = await runCommand(['translate', '--vendor', 'openrouter', '--to', 'openai', messages])
    expect([own.code, own.complaint]).toEqual([0, ''])
  })

  it.each([
    [
      'data: {}\n\n',
      new RegExp(
        `^millrace: the standard input: its bytes do not show their wire\\. Pass --from with one of: ${EVENTS.join(', ')}\\.\n$`,
      ),
    ],
    ['{"a":1}', new RegExp(`Pass --from with one of: ${Object.keys(WIRES).join(', ')}\\.\n$`)],
    ['', /^millrace: the standard input is empty\.$/m],
  ])('is refused with the candidates for %j', async (text, complaint) => {
    for (const command of ['translate', 'trace']) {
      const result = await runCommand([command, '--to', 'openai', '-'], Buffer.from(text))
      expect([result.code, result.output]).toEqual([2, ''])
      expect(result.complaint).toMatch(complaint)
    }
  })
})

describe('a compressed file or an archive', () => {
  it.each([
    ['translate', '--to', 'openai'],
    ['translate', '--from', 'bedrock-converse', '--to', 'openai'],
    ['trace', '--from', 'openai-chat'],
    ['check'],
    ['explain', '--vendor', 'groq'],
  ])('is refused by %s with its format', async (...args) => {
    const zipped = join(folder, 'hello.sse.gz')
    await writeFile(zipped, gzipSync(await readFile(HELLO)))
    const named = await runCommand([...args, zipped])
    expect([named.code, named.output]).toEqual([2, ''])
    expect(named.complaint).toBe(
      `millrace: "${zipped}" is compressed with gzip. Decompress it first; curl --compressed records decoded bytes.\n`,
    )
    const piped = await runCommand([...args, '-'], Buffer.from('PK\u0003\u0004 and more'))
    expect([piped.code, piped.complaint]).toEqual([
      2,
      'millrace: the standard input is a ZIP archive. Unpack it first, and use one of its files.\n',
    ])
  })
})

describe('translate with many files', () => {
  it('reads a folder, counts equal messages and results, and never reads its own outputs', async () => {
    const many = join(folder, 'many')
    const before = await readdir(many)
    const args = ['translate', '--to', 'ollama-chat', '--out', many, many, join(folder, 'missing.sse')]
    for (const _ of ['first', 'again']) {
      const { code, output, complaint } = await runCommand(args)
      expect([code, output]).toEqual([2, ''])
      const lines = complaint.replaceAll(folder, '').trimEnd().split('\n')
      expect(lines[0]).toMatch(/^millrace: "\/missing\.sse" cannot be read: it does not exist\.$/)
      expect(lines[1]).toMatch(/^millrace: \/many\/12\.sse and 1 other file: \S/)
      expect(lines.slice(2)).toEqual([
        'millrace: /many/14.sse: dropped: usage.reasoning_tokens',
        'millrace: 16 files: 13 translated, 2 damaged, 1 unreadable, 1 with losses',
      ])
    }
    expect((await readdir(many)).length).toBe(2 * before.length)
    const checked = await runCommand(['check', many])
    expect([checked.code, checked.complaint]).toEqual([
      1,
      'millrace: 15 files: 0 clean, 15 with violations, 0 unreadable\n',
    ])
  })

  it('refuses a folder without recordings', async () => {
    const { code, complaint } = await runCommand(['translate', '--to', 'openai', join(folder, 'none')])
    expect(code).toBe(2)
    expect(complaint).toContain('has no recorded stream (.sse, .ndjson, .jsonl, .bin). Name its files.')
    expect((await runCommand(['trace', join(folder, 'many')])).complaint).toMatch(/has \d+ recorded streams\. Name one/)
  })

  it('shows its progress on a terminal only, in one line that its end removes', () => {
    const run = (isTTY: boolean, writesOutput: boolean): string => {
      const [stdout, stderr] = [collecting(), collecting()]
      const terminal = { isTTY, columns: 12 }
      const streams = {
        stdin: process.stdin,
        stdout: Object.assign(stdout.stream, terminal),
        stderr: Object.assign(stderr.stream, terminal),
      }
      let now = 0
      const progress = createProgress(streams, 300, writesOutput, () => now)
      progress.show(0, 'a.sse')
      progress.show(1, 'too soon')
      now = 60
      progress.show(2, 'b\n.a-long-name.sse')
      progress.clear()
      return stderr.text()
    }
    const line = '\r\u001b[2K'
    expect(run(true, false)).toBe(`${line}0/300 a.sse${line}2/300 b?.a-${line}`)
    expect([run(false, false), run(true, true)]).toEqual(['', ''])
  })
})

describe('translate --strict', () => {
  it.each([
    ['a whole answer', HELLO, 0],
    ['a cut stream', CUT, 1],
    ['a dropped value', fixture('openai-responses/hello.stream.sse'), 1],
    ['an error of the vendor', fixture('openai-chat/error-midstream.stream.sse'), 0],
    ['a missing file', '/none.sse', 2],
  ])('has the exit code for %s', async (_, file, code) => {
    expect((await runCommand(['translate', '--strict', '--to', 'ollama-chat', file, HELLO])).code).toBe(code)
  })

  it('lists at most twenty losses of a file', async () => {
    const content = Array.from({ length: 30 }, (_, i) => ({ type: `kind${i}` }))
    const body = {
      choices: [{ index: 0, message: { content: [...content, { type: 'text', text: 'Hi' }] }, finish_reason: 'stop' }],
    }
    const file = join(folder, 'body.json')
    await writeFile(file, JSON.stringify(body))
    const { complaint } = await runCommand(['translate', '--from', 'openai-chat', '--to', 'openai', file])
    expect(complaint).toMatch(/dropped: content part kind0, .*kind19 and 10 more\n$/)
  })
})

it.each(['translate', 'check', 'trace'])('%s without a file does not wait for a terminal', async (command) => {
  const { code, complaint } = await runCommand(
    [command, ...(command === 'translate' ? ['--to', 'openai'] : [])],
    'terminal',
  )
  expect([code, complaint]).toEqual([
    2,
    `millrace: ${command}: expected at least one FILE, or - for the standard input, or a pipe.\n`,
  ])
})
