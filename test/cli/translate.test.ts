import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { translateFiles } from '../../src/cli/translate.ts'
import { framingOf } from '../../src/host/recording/recordings.ts'
import type { Response } from '../../src/protocol/response.ts'
import { findWire } from '../../src/wires/find-wire.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { CLIENT_WIRES, readAnswerAs } from '../cross-translate.ts'
import { ALL_FIXTURES } from '../engine/run-engine.ts'
import { runCommand } from './run-command.ts'

const HELLO = fileURLToPath(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url))
const CHAT = ['translate', '--from', 'openai-chat', '--to', 'openai']

/** A recording of a short text for each wire. */
const HELLOS = Object.values(WIRES).map((wire) => ({
  wire,
  hello: ALL_FIXTURES.find((it) => it.wire === wire && it.name === 'hello'),
}))

describe.each(HELLOS)('a translation from $wire.name', ({ wire, hello }) => {
  if (hello === undefined) throw new Error(`${wire.name} has no recording of a hello`)
  const meant = readAnswerAs(wire, hello.stream)
  const file = fileURLToPath(hello.at(`stream.${framingOf(wire.name).extension}`))

  it.each(['openai-responses', 'openai', 'beta', ...CLIENT_WIRES.map(({ name }) => name)])(
    'keeps the text, streamed and as one body, in %s',
    async (to) => {
      const out = await mkdtemp(join(tmpdir(), 'millrace-'))
      try {
        const options = { from: wire.name, to, out }
        expect(await translateFiles([file], options)).toBe(0)
        expect(await translateFiles([file], { ...options, collect: true })).toBe(0)
        const names = (await readdir(out)).toSorted()
        const [whole = '', stream = ''] = names[0]?.endsWith('.json') ? names : names.toReversed()
        const [streamed, body] = [await readFile(join(out, stream)), await readFile(join(out, whole), 'utf8')]
        const text = textOf(meant)
        expect(text.length).toBeGreaterThan(5)
        if (to !== 'beta') expect(textOf(readAnswerAs(findWire(to) ?? WIRES['openai-responses'], streamed))).toBe(text)
        expect(body).toContain(JSON.stringify(text).slice(1, -1))
      } finally {
        await rm(out, { recursive: true })
      }
    },
  )
})

const textOf = ({ output }: Response): string =>
  output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('')

describe('millrace translate', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    await mkdir(join(folder, 'a'))
    await cp(HELLO, join(folder, 'a', 'one.sse'))
    await cp(HELLO, join(folder, 'One.sse'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('writes nothing if two files would have the same name', async () => {
    const [first, second] = [join(folder, 'a', 'one.sse'), join(folder, 'One.sse')]
    const { code, complaint } = await runCommand([...CHAT, '--out', join(folder, 'out'), first, second])
    expect(code).toBe(2)
    expect(complaint).toBe(
      `millrace: ${first} and ${second} would both be written to One.openai.sse. Translate them in separate runs\n`,
    )
    expect(await readdir(folder)).not.toContain('out')
  })

  it.each([[[]], [['--collect']]])(
    'gives a completed answer the constant time of its beginning: %j',
    async (options) => {
      const { output } = await runCommand([...CHAT, ...options, HELLO])
      const last = output
        .replaceAll('"completed_at": ', '"completed_at":')
        .match(/"completed_at":[^,]*/g)
        ?.at(-1)
      expect(last).toBe('"completed_at":0')
    },
  )

  it('writes one output file for each input', async () => {
    const { code } = await runCommand([...CHAT, '--out', join(folder, 'fine'), HELLO, join(folder, 'One.sse')])
    expect(code).toBe(0)
    expect((await readdir(join(folder, 'fine'))).toSorted()).toEqual(['One.openai.sse', 'hello.stream.openai.sse'])
  })

  it.each([
    ['an empty name', '', '--out: expected the name of a folder, got "".'],
    ['a file', 'One.sse', /^--out: ".*One\.sse" cannot be created: it already exists\.$/],
    [
      'a folder below a file',
      'One.sse/x',
      /^--out: ".*One\.sse\/x" cannot be created: a part of its path is a file\.$/,
    ],
  ])('is refused with the value of --out for %s', async (_, name, complaint) => {
    const out = name === '' ? '' : join(folder, name)
    const result = await runCommand([...CHAT, '--out', out, HELLO])
    expect(result).toMatchObject({ code: 2, complaint: expect.stringMatching(/^millrace: /) })
    const text = result.complaint.slice('millrace: '.length).trimEnd()
    if (typeof complaint === 'string') expect(text).toBe(complaint)
    else expect(text).toMatch(complaint)
  })

  it('names the value of --out if an output cannot be written', async () => {
    const out = join(folder, 'taken')
    await mkdir(join(out, 'hello.stream.openai.sse'), { recursive: true })
    const { code, complaint } = await runCommand([...CHAT, '--out', out, HELLO])
    expect(code).toBe(2)
    expect(complaint).toContain(`--out: "${join(out, 'hello.stream.openai.sse')}" cannot be written: it is a folder.`)
  })

  it('names a file that it cannot read', async () => {
    const file = join(folder, 'nowhere.sse')
    const { code, complaint } = await runCommand([...CHAT, file])
    expect(code).toBe(2)
    expect(complaint).toBe(`millrace: "${file}" cannot be read: it does not exist.\n`)
  })

  it('supports every wire that has clients, and no other', async () => {
    const refused = await runCommand(['translate', '--from', 'openai-chat', '--to', 'cohere-chat', HELLO])
    expect(refused.code).toBe(2)
    expect(refused.complaint).toContain('millrace: --to: "cohere-chat" is not known.')
    for (const name of ['openai-responses', ...CLIENT_WIRES.map((wire) => wire.name)]) {
      const to = ['translate', '--from', 'openai-chat', '--to', name, '--out', join(folder, 'wires')]
      for (const more of [[], ['--collect']]) {
        expect((await runCommand([...to, ...more, HELLO])).code).toBe(0)
      }
      const extension = name === 'ollama-chat' ? 'ndjson' : 'sse'
      const files = await readdir(join(folder, 'wires'))
      expect(files).toContain(`hello.stream.${name}.${extension}`)
      expect(files).toContain(`hello.stream.${name}.json`)
    }
  })
})

describe('a recording that is translated', () => {
  const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))

  it('is reported on the standard error if it was cut off', async () => {
    const file = fixture('openai-chat/cut-off.stream.sse')
    for (const to of ['openai', 'anthropic-messages']) {
      const { code, output, complaint } = await runCommand([
        'translate',
        '--from',
        'openai-chat',
        '--to',
        to,
        HELLO,
        file,
      ])
      expect(code).toBe(0)
      expect(output.match(/"type":"(?:response.completed|message_stop)"/g)).toHaveLength(1)
      expect(output).toContain(to === 'openai' ? '"type":"response.failed"' : '"type":"error"')
      expect(complaint).toMatch(/^millrace: .*cut-off\.stream\.sse: [^\n]+\n$/)
      expect(complaint).not.toContain('no answer')
    }
  })

  it.each(Object.keys(WIRES).filter((name) => name !== 'anthropic-messages'))(
    'is refused as a wrong call if it is not of the wire %s',
    async (from) => {
      const [stream, body] = ['stream.sse', 'body.json'].map((end) => fixture(`anthropic-messages/hello.${end}`))
      for (const more of [[`${stream}`], ['--collect', `${stream}`], [`${body}`]]) {
        const shown = await runCommand(['translate', '--from', from, '--to', 'openai', ...more])
        expect([shown.code, shown.output]).toEqual([2, ''])
        expect(shown.complaint).toContain(
          `: --from ${from} does not fit, its bytes have the protocol anthropic-messages. `,
        )
      }
    },
    60_000,
  )

  it('is reported with the expected form if it is the text of an AWS event stream', async () => {
    const file = fixture('bedrock-converse/hello.stream.ndjson')
    const { code, complaint } = await runCommand(['translate', '--from', 'bedrock-converse', '--to', 'openai', file])
    expect(code).toBe(0)
    expect(complaint).toBe(
      `millrace: ${file}: no answer of the wire bedrock-converse found: expected the bytes of an AWS event stream (as in NAME.stream.bin), got their text.\n`,
    )
  })

  it('of an unknown vendor uses its wire alone, with a line on the standard error', async () => {
    const { code, output, complaint } = await runCommand([...CHAT, '--vendor', 'nope', HELLO])
    expect([code, complaint]).toEqual([
      0,
      expect.stringContaining('millrace: --vendor: "nope" is not known: no quirks. Expected one of: '),
    ])
    expect(output).toBe((await runCommand([...CHAT, HELLO])).output)
    expect((await runCommand([...CHAT, '--vendor', 'groq', HELLO])).complaint).toBe('')
  })

  it('has its dropped values listed on the standard error', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    const message = { content: [{ type: 'text', text: 'Hi' }, { type: 'a\nb' }], audio: { data: 'AAAA' } }
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
    const stream = `data: ${body.replace('"message"', '"delta"')}\n\ndata: [DONE]\n\n`
    const [whole, streamed] = [join(folder, 'one.json'), join(folder, 'two.sse')]
    try {
      await writeFile(whole, body)
      await writeFile(streamed, stream)
      for (const more of [[], ['--collect']]) {
        const { code, complaint } = await runCommand([...CHAT, ...more, whole, streamed])
        const warnings = [whole, streamed].map((file) => `millrace: ${file}: dropped: content part a?b, audio\n`)
        expect([code, complaint]).toEqual([0, warnings.join('')])
      }
      const ollama = await runCommand(['translate', '--from', 'openai-chat', '--to', 'ollama-chat', whole])
      expect(ollama.complaint).toContain('dropped: content part a?b, audio')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('causes no message if it contains an error of the vendor', async () => {
    const files = ['openai-chat', 'anthropic-messages'].map((wire) => [
      wire,
      fixture(`${wire}/error-midstream.stream.sse`),
    ])
    for (const [wire = '', file = ''] of files) {
      const { code, output, complaint } = await runCommand(['translate', '--from', wire, '--to', 'openai', file])
      expect([code, complaint]).toEqual([0, ''])
      expect(output).toContain('"type":"response.failed"')
    }
  })
})
