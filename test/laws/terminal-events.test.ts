import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import { createBareBodyReader } from '../../src/framing/bare-body-reader.ts'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import type { Frame } from '../../src/framing/frame.ts'
import type { KnownStreamWire, KnownWire, WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts, slices } from '../arbitraries/bytes.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { ALL_FIXTURES, endOf, optionsOf, toBytes } from '../engine/run-engine.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { check, expectEqual, expectSame, someOf } from '../property.ts'
import { withKits } from '../wires/with-kits.ts'

/** A stream that ends with the terminal event of its protocol is complete without the end of its connection. */

const TARGETS = [
  ...Object.values(DIALECTS).map((dialect) => dialectTarget(dialect)),
  ...CLIENT_WIRES.map((to) => wireTarget(to, { settings: { usage: true } })),
]

/** The terminal events of each protocol, independently of its decoder. Gemini has none; `[DONE]` comes from proxies. */
const TERMINALS: Readonly<Record<WireName, (frame: Frame, earlier: readonly Frame[]) => boolean>> = withKits(
  {
    'openai-chat': ({ data }) => data.trim() === '[DONE]',
    'openai-responses': ({ data }) => /^(?:\[DONE\]|\{"type":"response\.(?:completed|incomplete|failed)")/.test(data),
    'anthropic-messages': ({ data }) => /^\{"type": ?"(?:message_stop|error)"/.test(data),
    'gemini-generate': ({ data }) => data === '[DONE]',
    'bedrock-converse': ({ event }, earlier) =>
      event.startsWith(':') || (event === 'metadata' && earlier.some((one) => one.event === 'messageStop')),
    'cohere-chat': ({ data }) => data === '[DONE]' || /^\{(?:"id":"[^"]*",)?"type":"message-end"/.test(data),
    'ollama-chat': ({ data }) => /"done": ?true/.test(data),
  },
  ({ isTerminal }) => isTerminal,
)

const textOf = (pieces: readonly Uint8Array[]): string => new TextDecoder().decode(Buffer.concat(pieces))

/** The same wire, whose streams end only with their connection. */
const withoutEnd = (wire: KnownStreamWire): KnownStreamWire => ({
  ...wire,
  decodeStream(quirks) {
    const { remainder: _, ...decoder } = wire.decodeStream(quirks)
    return decoder
  },
})

/** The frames that are complete without the end of the connection. */
const framesOf = ({ framing }: KnownStreamWire, bytes: Uint8Array): readonly Frame[] =>
  framing.open(Number.MAX_SAFE_INTEGER).push(bytes)

/** Whether the decoder reports the terminal event in these frames. */
function ends(
  wire: KnownStreamWire,
  quirks: Parameters<KnownStreamWire['decodeStream']>[0],
  bytes: Uint8Array,
): boolean {
  const decoder = wire.decodeStream(quirks)
  let state = decoder.initial
  // Bytes that begin as a body are no stream before the end of the connection.
  const reader = createBareBodyReader(wire.framing, Number.MAX_SAFE_INTEGER)
  for (const frame of reader.push(bytes)) state = decoder.step(state, frame).state
  return decoder.remainder?.(state) === 'nothing'
}

interface Run {
  readonly open: string
  readonly whole: string
  readonly done: boolean
  readonly ending: string | null
}

/** Translates a stream. `open`: the output without the end of the connection. */
function run(options: TranslationOptions, pieces: readonly Uint8Array[]): Run {
  const stream = createTranslation(options)
  const made: Uint8Array[] = []
  const take = (first: Uint8Array): void => {
    made.push(first)
    while (stream.busy()) made.push(stream.resume())
  }
  for (const piece of pieces) take(stream.push(piece))
  const open = textOf(made)
  const { ending } = stream.outcome()
  const done = stream.progress.over()
  take(stream.push('end'))
  return { open, whole: textOf(made), done, ending }
}

const terminalIn = (wire: KnownStreamWire, bytes: Uint8Array): boolean => {
  const frames = framesOf(wire, bytes)
  return frames.some((frame, at) => TERMINALS[wire.name](frame, frames.slice(0, at)))
}

describe('the terminal event of a fixture', () => {
  it.each(ALL_FIXTURES)('ends the answer at any cut: $wire.name $name', (fixture) => {
    const { wire, name, quirks, stream } = fixture
    const isTerminated = terminalIn(wire, stream)
    const at = ALL_FIXTURES.indexOf(fixture)
    for (const target of someOf(TARGETS, TARGETS.length, at)) {
      const options = { ...optionsOf(DIALECTS.openai, quirks, name, wire), target }
      const expected = run({ ...options, wire: withoutEnd(wire) }, [stream]).whole
      for (const size of someOf([stream.length, 1, 64], 3, at)) {
        for (const slice of [{}, { slice: 1 }]) {
          const { open, whole, done, ending } = run({ ...options, ...slice }, slices(stream, size))
          expectSame(whole, expected)
          expectSame(done, isTerminated)
          if (!isTerminated) continue
          expectSame(open, expected)
          expectSame(ending === null, false)
        }
      }
      const collector = createBodyCollector(options)
      collector.push(stream)
      expect(collector.progress.over()).toBe(isTerminated)
      const whole = createBodyCollector({ ...options, wire: withoutEnd(wire) })
      whole.push(stream)
      const [body, expectedBody] = [endOf(collector), endOf(whole)]
      if (JSON.stringify(body) !== JSON.stringify(expectedBody)) expect(body).toEqual(expectedBody)
    }
  })

  it('exists in most fixtures of each wire but Gemini', () => {
    for (const wire of Object.values(WIRES)) {
      const found = ALL_FIXTURES.filter((fixture) => fixture.wire === wire).map(({ stream }) =>
        terminalIn(wire, stream),
      )
      const share = found.filter(Boolean).length / found.length
      if (wire.name === 'gemini-generate') expect(share).toBe(0)
      else expect(share).toBeGreaterThan(0.6)
    }
  })
})

describe.each(Object.values(WIRES) as KnownWire[])('random streams of $name', (wire) => {
  const { stream, frame, quirks } = ANSWERS[wire.name]

  it('are complete at their terminal event, as they are at the end of their connection', () => {
    check(
      fc.property(stream, cuts, quirks, fc.constantFrom(...TARGETS), (bytes, at, its, target) => {
        const options = { ...optionsOf(DIALECTS.openai, its, 'x', wire), target }
        const { open, whole, done } = run(options, cutBytes(bytes, at))
        expectSame(whole, run({ ...options, wire: withoutEnd(wire) }, [bytes]).whole)
        if (!ends(wire, its, bytes)) return
        expectSame(done, true)
        expectSame(open, whole)
      }),
      500,
    )
  })

  it('have no further effect after their terminal event', () => {
    check(
      fc.property(fc.array(frame, { maxLength: 12 }), quirks, (frames, its) => {
        const decoder = wire.decodeStream(its)
        let state = decoder.initial
        for (const one of frames) {
          const isOver = decoder.remainder?.(state) === 'nothing'
          const step = decoder.step(state, one)
          if (isOver && (step.state !== state || step.events.length > 0)) expect(step).toEqual({ state, events: [] })
          state = step.state
        }
      }),
    )
  })
})

const TURN = { text: ['Hello', ' and', ' bye'], calls: [{ id: 'call_1', name: 'look', args: { q: 'x' } }] }

/** What upstreams and proxies send after the end of an answer. */
const LATE: Readonly<Record<string, Uint8Array>> = {
  sse: toBytes(': heartbeat\n\ndata: {"choices":[{"index":0,"delta":{"content":"late"}}]}\n\ndata: [DONE]\n\n'),
  'sse-or-array': toBytes(': heartbeat\n\n'),
  ndjson: toBytes('\n{"message":{"role":"assistant","content":"late"},"done":false}\n'),
  eventstream: encodeEventStream({
    event: 'contentBlockDelta',
    data: '{"contentBlockIndex":9,"delta":{"text":"late"}}',
  }),
}

describe.each(Object.values(WIRE_UPSTREAMS))('a turn of $wire', ({ wire: name, quirks, encodeTurn }) => {
  const wire: KnownWire = WIRES[name]
  const bytes = encodeTurn(TURN)
  const late = new Uint8Array(Buffer.concat([bytes, LATE[wire.framing.name] as Uint8Array]))
  const isTerminated = name !== 'gemini-generate'

  it.each(TARGETS)('is the same for $name, whatever follows its terminal event', (target) => {
    const options = { ...optionsOf(DIALECTS.openai, quirks, 'x', wire), target }
    const expected = run({ ...options, wire: withoutEnd(wire) }, [bytes]).whole
    for (const pieces of someOf([[bytes], [late], slices(late, 1), slices(late, 50)], 2, TARGETS.indexOf(target))) {
      const { open, whole, done } = run(options, pieces)
      expectSame(whole, expected)
      expectSame(done, isTerminated)
      if (isTerminated) expectSame(open, expected)
    }
  })

  it('has finished in other respects if its protocol has no terminal event', () => {
    const stream = createTranslation(optionsOf(DIALECTS.openai, quirks, 'x', wire))
    expect(stream.progress.remainder()).toBe('more')
    stream.push(bytes)
    expect(stream.progress.remainder()).toBe(isTerminated ? 'nothing' : 'details')
  })

  const answers = wire.passthrough?.answer
  it.runIf(answers !== undefined && isTerminated)('is passed up to its terminal event, and nothing after it', () => {
    const target =
      wire.client === undefined
        ? dialectTarget(DIALECTS.openai)
        : wireTarget({ name, client: wire.client }, { settings: { usage: true } })
    const passed = (pieces: readonly Uint8Array[], slice: object): [text: string, isOver: boolean] => {
      const options = { ...optionsOf(DIALECTS.openai, quirks, 'x', wire), target, ...slice }
      const stream = new PassedStream(options, answers ?? expect.unreachable(), openFastPath)
      const made: Uint8Array[] = []
      for (const piece of pieces) {
        made.push(stream.push(piece).slice())
        while (stream.busy()) made.push(stream.resume().slice())
      }
      return [textOf(made), stream.progress.over()]
    }
    const [expected] = passed([bytes], {})
    expect(expected.startsWith(textOf([bytes]))).toBe(true)
    check(
      fc.property(cuts, fc.constantFrom({}, { slice: 1 }), (at, slice) => {
        expectEqual(passed(cutBytes(late, at), slice), [expected, true])
      }),
      100,
    )
  })
})

describe('a stream that has finished without a terminal event', () => {
  const chat = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const gemini = (parts: readonly object[], finishReason?: string): string =>
    `data: ${JSON.stringify({ candidates: [{ content: { parts }, finishReason }] })}\n\n`
  const code = { executableCode: { code: 'print(1)', language: 'PYTHON' } }
  const result = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }
  const expectedAfter = (wire: WireName, ...frames: readonly string[]): readonly string[] => {
    const stream = createTranslation(optionsOf(DIALECTS.openai, {}, 'x', WIRES[wire]))
    return frames.map((text) => {
      stream.push(toBytes(text))
      return stream.progress.remainder()
    })
  }

  it('may have details after a finish reason, and counts only frames that change the answer', () => {
    const stream = createTranslation(optionsOf(DIALECTS.openai))
    const received = (text: string): readonly [string, number] => {
      stream.push(toBytes(text))
      return [stream.progress.remainder(), stream.progress.changes()]
    }
    expect(received(chat({ content: 'Hi' }))[0]).toBe('more')
    const [expected, changes] = received(chat({}, 'stop'))
    expect(expected).toBe('details')
    for (const heartbeat of [': ping\n\n', chat({ content: '' }), 'data: {"choices":[]}\n\n'])
      expect(received(heartbeat)).toEqual(['details', changes])
    const [, more] = received(chat({ content: ' there' }))
    expect(more).toBeGreaterThan(changes)
    expect(received('data: [DONE]\n\n')[0]).toBe('nothing')
  })

  it('has failed after an error that is no terminal event', () => {
    expect(expectedAfter('openai-chat', 'data: {"error":{"message":"x"}}\n\n', 'data: [DONE]\n\n')).toEqual([
      'failure',
      'nothing',
    ])
    expect(expectedAfter('openai-responses', 'data: {"type":"error","code":"x","message":"y"}\n\n')).toEqual([
      'failure',
    ])
    expect(expectedAfter('anthropic-messages', 'data: {"type":"error","error":{"message":"x"}}\n\n')).toEqual([
      'nothing',
    ])
    expect(expectedAfter('ollama-chat', '{"error":"x"}\n')).toEqual(['failure'])
  })

  it('goes on while a tool of Gemini runs, and until the finish reason after its result', () => {
    const frames = [
      gemini([code], 'STOP'),
      gemini([result]),
      gemini([{ text: 'One' }]),
      gemini([{ text: '.' }], 'STOP'),
    ]
    expect(expectedAfter('gemini-generate', ...frames)).toEqual(['more', 'more', 'more', 'details'])
    const blocked = 'data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n'
    expect(expectedAfter('gemini-generate', blocked)).toEqual(['details'])
  })
})
