import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findTarget, type NamedTarget } from '../../src/alignment/named-target.ts'
import { type TracedFrame, type TraceEnd, traceStream } from '../../src/alignment/trace-frames.ts'
import { outcomeLines } from '../../src/cli/output/trace-lines.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { writeFrames } from '../../src/dialects/write.ts'
import { NO_REPORT } from '../../src/engine/outcome.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { splitFrames } from '../../src/framing/framing.ts'
import { framingOf } from '../../src/host/recording/recordings.ts'
import { run } from '../../src/machine/run.ts'
import { createPrinter, printAll } from '../../src/output/frame-printer.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { ALL_FIXTURES, headOf, toBytes } from '../engine/run-engine.ts'
import { someOf } from '../property.ts'
import { RECORDED_STREAMS, RECORDINGS_DIR } from '../recordings.ts'
import { runCommand } from './run-command.ts'

const TARGETS = someOf(['openai', 'anthropic-messages', 'ollama-chat', 'beta'], 2)
const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))
const HELLO = fixture('openai-chat/hello.stream.sse')
const CHAT = ['trace', '--from', 'openai-chat']

afterEach(() => vi.unstubAllEnvs())

interface Traced {
  readonly frames: readonly TracedFrame[]
  readonly end: Omit<TraceEnd, 'outcome'> & { readonly outcome: Omit<TraceEnd['outcome'], 'answer' | 'hasOutput'> }
}

async function traced(args: readonly string[], input?: Uint8Array): Promise<Traced> {
  const { code, output, complaint } = await runCommand(['trace', '--json', '--bytes', ...args], input)
  expect([code, complaint]).toEqual([0, ''])
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { frames: lines.slice(0, -1), end: lines.at(-1) }
}

const writtenIn = (frames: readonly TracedFrame[]): string => frames.map(({ written }) => written).join('')

/** Writes the events of a trace as their dialect writes them. */
function written(frames: readonly TracedFrame[], { dialect }: NamedTarget): string {
  if (dialect === null) throw new Error('a client wire writes no events')
  const events = frames.flatMap((frame) => frame.events)
  return new TextDecoder().decode(printAll(createPrinter(), run(writeFrames(dialect), events)))
}

/** Checks that a trace contains exactly the output of `translate`. */
async function expectTranslation(from: string, to: string, file: string): Promise<Traced> {
  const args = ['--from', from, '--to', to, file]
  const { output } = await runCommand(['translate', ...args])
  const trace = await traced(args)
  expect(writtenIn(trace.frames) === output).toBe(true)
  const target = findTarget(to)
  if (target !== undefined && target.dialect !== null) expect(written(trace.frames, target) === output).toBe(true)
  expect(trace.end).toMatchObject({ violations: [], differences: [] })
  return trace
}

const WIRE_FIXTURES = Object.values<KnownWire>(WIRES).map((wire) => ({
  wire,
  own: ALL_FIXTURES.filter((it) => it.wire === wire),
}))

describe.each(WIRE_FIXTURES)('a trace of $wire.name', ({ wire, own }) => {
  it.each(TARGETS)('contains the output of createTranslation in %s, for every stream', async (to) => {
    expect(own.length).toBeGreaterThan(2)
    for (const { at, stream } of own) {
      const file = fileURLToPath(at(`stream.${framingOf(wire.name).extension}`))
      const { frames, end } = await expectTranslation(wire.name, to, file)
      const numbers = frames.filter(({ frame }) => frame !== 'end').map(({ frame }) => frame)
      expect(numbers).toEqual(numbers.map((_, i) => i))
      expect(numbers).toHaveLength(end.outcome.chunks.received)
      expect(frames.filter(({ path }) => path === 'fast')).toHaveLength(end.outcome.chunks.fast)
      for (const { offset, size } of frames) expect(offset + size).toBeLessThanOrEqual(stream.length)
    }
  })

  it.each(TARGETS)('contains the output of createTranslation in %s, for every body', async (to) => {
    const bodies = own.map(({ at }) => at('body.json')).filter((file) => existsSync(file))
    expect(bodies.length).toBeGreaterThan(0)
    for (const body of bodies) {
      const { frames } = await expectTranslation(wire.name, to, fileURLToPath(body))
      expect(frames.map(({ frame, path }) => [frame, path])).toEqual([['body', 'slow']])
      expect(frames[0]?.deltas).not.toEqual([])
    }
  })
})

describe('the path of a frame', () => {
  const hello = ALL_FIXTURES.find(({ wire, name }) => wire === WIRES['openai-chat'] && name === 'hello')
  if (hello === undefined) throw new Error('openai-chat has no recording of a hello')

  it('is the same whatever the process has translated before', async () => {
    const { wire, quirks, stream } = hello
    const { frames, end } = await traced(['--from', 'openai-chat', HELLO])
    for (let n = 0; n < 5; n += 1) {
      const translation = createTranslation({ wire, quirks, target: dialectTarget(DIALECTS.openai), head: headOf('x') })
      for (const read of splitFrames(framingOf(wire.name), stream)) translation.push(read)
      translation.push('end')
      // A later stream recalls what an earlier one has shown.
      expect(translation.outcome().chunks.fast).toBeGreaterThan(20)
    }
    const again = await traced(['--from', 'openai-chat', HELLO])
    expect(again.frames.map(({ path }) => path)).toEqual(frames.map(({ path }) => path))
    expect(again.end.outcome.chunks).toEqual(end.outcome.chunks)
  })

  it('is the slow one for --slow, with the same deltas, events and bytes', async () => {
    const withFast = await traced(['--from', 'openai-chat', HELLO])
    const slow = await traced(['--from', 'openai-chat', '--slow', HELLO])
    expect(withFast.frames.map(({ path }) => path)).toContain('fast')
    expect(slow.frames).toEqual(withFast.frames.map((frame) => ({ ...frame, path: 'slow' })))
    expect(slow.end.outcome.chunks.fast).toBe(0)
  })

  it('is compared with the slow one, and a difference is reported with its frame', () => {
    let opened = 0
    // The third stream that is opened is the slow one whose bytes are compared.
    const wire: KnownWire = {
      ...hello.wire,
      decodeStream: (quirks) => {
        opened += 1
        const decode = hello.wire.decodeStream(quirks)
        if (opened !== 3) return decode
        return {
          ...decode,
          step: (state, frame) => decode.step(state, { ...frame, data: frame.data.replace(' mill', ' mall') }),
        }
      },
    }
    const target = findTarget('beta') as NamedTarget
    const stream = toBytes(new TextDecoder().decode(hello.stream).replace(' recording:', ' mill'))
    const end = traceStream({ wire, quirks: {}, head: headOf('x'), target, slow: false }, stream, () => undefined)
    expect(opened).toBe(4)
    expect(end.differences).toEqual([6, 'end'])
    expect(outcomeLines(end, null, { width: 120, colours: false }, false)).toContain(
      'paths    the fast path wrote other bytes than the slow path, at frame 6, end',
    )
  })
})

describe('the text of a trace', () => {
  it('has a line for each frame, then the outcome', async () => {
    const { code, output, complaint } = await runCommand([...CHAT, HELLO])
    expect([code, complaint]).toEqual([0, ''])
    const lines = output.trimEnd().split('\n')
    const blank = lines.indexOf('')
    const { frames } = await traced(['--from', 'openai-chat', HELLO])
    expect(blank).toBe(frames.length)
    expect(lines[5]).toBe('    5 text message " a" => output_text.delta 0/0 " a"')
    expect(lines.slice(blank + 1)).toEqual([
      'status   completed',
      'model    gpt-5-mini-2025-08-07',
      'usage    input 9 output 47 total 56 cached 0 reasoning 0',
      'losses   none',
      'frames   46',
      'grammar  clean, 50 events',
    ])
  })

  it('has the path of each frame for --paths, and their count', async () => {
    const lines = (await runCommand([...CHAT, '--paths', HELLO])).output.split('\n')
    expect(lines[5]).toBe('    5 fast text message " a" => output_text.delta 0/0 " a"')
    expect(lines).toContain('frames   46, 38 of them on the fast path')
  })

  it('has the written bytes below their frame for --bytes', async () => {
    const { output } = await runCommand([...CHAT, '--to', 'ollama-chat', '--bytes', HELLO])
    expect(output).toMatch(/^ {4}5 text .* " a"\n {6}\| \{"model":.*…\(132\)\n {4}6 /m)
  })

  it('cuts texts to the width, with their length, and has them whole in JSON', async () => {
    const words = 'Zürich 🌊 '.repeat(40)
    const chunk = { choices: [{ index: 0, delta: { content: words }, finish_reason: 'stop' }] }
    const stream = toBytes(`data: ${JSON.stringify({ ...chunk, x: 1 })}\n\n: odd\n\ndata: [DONE]\n\n`)
    for (const columns of [undefined, 300]) {
      vi.stubEnv('NO_COLOR', '1')
      const { output } = await runCommand(CHAT, stream, columns)
      const [line = ''] = output.split('\n')
      expect(line).toMatch(/^ {4}0 loss "x", text message "Zür.*…"\(400\), served "\{.*"(?:\(23\))?, finish stop => /)
      expect(line).toContain(`output_text.delta 0/0 "Z`)
      // An emoji takes two columns.
      const wide = line.match(/🌊/gu)?.length ?? 0
      if (columns === 300) expect([...line].length + wide).toBeGreaterThan(290)
      if (columns === 300) expect([...line].length + wide).toBeLessThanOrEqual(300)
    }
    expect((await traced(['--from', 'openai-chat'], stream)).frames[0]?.deltas).toContainEqual(
      expect.objectContaining({ text: words }),
    )
  })

  it('never contains a control character of a terminal', async () => {
    vi.stubEnv('NO_COLOR', '1')
    const chunk = { choices: [{ index: 0, delta: { content: '\u001b[2J\u009b31m\u202e' } }] }
    const stream = toBytes(`event: \u001b]0;x\ndata: {"odd":"\u007f"}\n\ndata: ${JSON.stringify(chunk)}\n\n`)
    const { output } = await runCommand([...CHAT, '--bytes'], stream, 300)
    expect(output).toContain('\\u001b[2J\\u009b31m\\u202e')
    expect(output).not.toMatch(/[^\P{C}\n]/u)
  })

  it('has colours only on a terminal, and none if NO_COLOR is set', async () => {
    const coloured = async (columns?: number): Promise<boolean> =>
      (await runCommand([...CHAT, HELLO], undefined, columns)).output.includes('\u001b[')
    vi.stubEnv('NO_COLOR', '')
    expect(await coloured()).toBe(false)
    expect(await coloured(80)).toBe(true)
    vi.stubEnv('NO_COLOR', '1')
    expect(await coloured(80)).toBe(false)
  })

  it('is that of the standard input if FILE is - or omitted, a stream or a body', async () => {
    const [stream, body] = await Promise.all([HELLO, fixture('openai-chat/hello.body.json')].map((it) => readFile(it)))
    for (const input of [stream, body]) {
      const named = await runCommand([...CHAT, '-'], input)
      expect(named).toEqual(await runCommand(CHAT, input))
      expect([named.code, named.complaint]).toEqual([0, ''])
      expect(named.output).toContain('\nstatus   completed\n')
    }
    expect((await runCommand(CHAT, body)).output).toMatch(/^ body [^\n]*finish stop => created, [^\n]*completed\n\n/)
  })
})

describe('the outcome of a trace', () => {
  it('gives the reason if a recording is not a whole answer', async () => {
    const cut = await runCommand([...CHAT, fixture('openai-chat/cut-off.stream.sse')])
    expect(cut.output).toMatch(/\nstatus {3}failed\nerror {4}upstream_truncated: /)
    const other = await runCommand([...CHAT, fixture('anthropic-messages/hello.stream.sse')])
    expect(other.complaint).toContain(
      '--from openai-chat does not fit, its bytes have the protocol anthropic-messages.',
    )
    expect([cut.code, other.code]).toEqual([0, 2])
  })

  it('lists the losses of an answer', async () => {
    const body = toBytes('{"choices":[{"message":{"content":"Hi","audio":{"data":"AAAA"}},"finish_reason":"stop"}]}')
    expect((await runCommand(CHAT, body)).output).toContain('\nlosses   audio\n')
  })

  it('names frame, event and rule of a violation', () => {
    const end: TraceEnd = {
      outcome: {
        status: 'completed',
        ending: 'complete',
        model: 'm',
        usage: null,
        served: null,
        error: null,
        upstream: NO_REPORT,
        remedy: null,
        losses: [],
        hasOutput: true,
        answer: null,
        chunks: { received: 2, fast: 0 },
      },
      checked: 9,
      violations: [
        { frame: 1, event: 4, rule: 'sequence', message: '5, expected 4' },
        { frame: null, event: null, rule: 'terminator', message: 'the terminator is missing' },
      ],
      differences: [],
    }
    expect(outcomeLines(end, null, { width: 80, colours: false }, false).slice(-3)).toEqual([
      'grammar  violated, 9 events',
      '         frame 1, event 4: [sequence] 5, expected 4',
      '         stream: [terminator] the terminator is missing',
    ])
  })
})

describe('the command trace', () => {
  it.each([
    ['an unknown --to', [...CHAT, '--to', 'bta', HELLO], /--to: "bta" is not known\. Did you mean "beta"\?/],
    ['a wire that has no clients', [...CHAT, '--to', 'cohere-chat', HELLO], /--to: "cohere-chat" is not known/],
    [
      'two files',
      [...CHAT, 'a.sse', 'b.sse'],
      /expected at most one argument, got "a\.sse", "b\.sse"\. Run it once for each\./,
    ],
    ['no file', [...CHAT, 'nowhere.sse'], /"nowhere\.sse" cannot be read: it does not exist\./],
  ])('is refused with a reason for %s', async (_, args, complaint) => {
    const result = await runCommand(args)
    expect([result.code, result.output]).toEqual([2, ''])
    expect(result.complaint).toMatch(complaint)
  })

  it('uses the wire alone for an unknown vendor, with a line on the standard error', async () => {
    const { code, complaint } = await runCommand([...CHAT, '--vendor', 'gorq', HELLO])
    expect(code).toBe(0)
    expect(complaint).toContain('--vendor: "gorq" is not known: no quirks. Did you mean "groq"?')
  })
})

/** Two recordings of each wire. */
const SOME_RECORDED = Object.keys(WIRES).flatMap((name) => {
  const own = RECORDED_STREAMS.filter(({ wire }) => wire.name === name)
  return own.filter((_, i) => i % Math.ceil(own.length / 2) === 0)
})

it.runIf(SOME_RECORDED.length > 0)('a trace of recorded streams contains the output of translate', async () => {
  for (const { file, wire } of SOME_RECORDED) {
    for (const to of ['openai', 'anthropic-messages']) {
      await expectTranslation(wire.name, to, resolve(RECORDINGS_DIR, file))
    }
  }
})
