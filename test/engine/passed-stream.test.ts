import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import type { Frame } from '../../src/framing/frame.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { LIMITS, MAX_LENGTHS } from '../../src/protocol/limits.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import { LONG_JSON } from '../../src/text/json-long.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { damage, damages } from '../arbitraries/corrupt-bytes.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { writeFrame } from '../framing/write-frame.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { check, expectEqual, expectSame } from '../property.ts'
import {
  answersOf,
  CUT,
  encodeTurn,
  framesOf,
  joined,
  optionsFor,
  PASSING,
  pass,
  type Run,
  redact,
  SECRET,
  spelled,
  targetOf,
  text,
} from './passing.ts'
import { optionsOf } from './run-engine.ts'
import { endsOf } from './stream-ends.ts'

describe.each(PASSING.map((wire) => [wire.name, wire] as const))('a stream of %s', (name, wire) => {
  const { stream, quirks } = ANSWERS[name]
  const settings = fc.record({ its: quirks, usage: fc.boolean(), slice: fc.constantFrom(undefined, 1, 64) })
  const toOptions = ({ its, usage, slice }: Settings): TranslationOptions => ({
    ...optionsOf(openai, its, 'x', wire),
    target: targetOf(wire, { usage }),
    ...(slice === undefined ? {} : { slice }),
  })

  it('reaches the client with its own events after the declared edits, and at most the frames of an end', () => {
    check(
      fc.property(
        settings,
        stream,
        cuts,
        fc.constantFrom('end' as const, 'fail' as const),
        (set, bytes, at, ending) => {
          const its = toOptions(set)
          const { output, received, stream } = pass(its, wire, cutBytes(bytes, at), ending)
          expectSame(stream.progress.over(), true)
          if (stream.outcome().edits === undefined) return
          // A read of the whole stream on the slow path has the same edits.
          const expected = spelled(framesOf(wire, pass({ ...its, slice: 1 }, wire, [received], ending, null).output))
          const actual = spelled(framesOf(wire, output))
          // The gateway decides about the last frame of the protocol.
          const shared = expected.slice(0, -1)
          const [ours, theirs] = [actual.slice(0, shared.length), shared.slice(0, actual.length)]
          if (JSON.stringify(ours) !== JSON.stringify(theirs)) expect(ours).toEqual(theirs)
        },
      ),
    )
  })

  const damaged = fc.tuple(stream, damages).map(([bytes, strokes]) => damage(wire.framing, bytes, strokes))
  const limits = fc.constantFrom(undefined, { upstreamEvent: 40 }, { upstreamEvent: 400 }, { upstreamTotal: 300 })

  it('ends by its protocol, complete or failed, once and as it is logged, whatever the upstream sends', () => {
    check(
      fc.property(
        settings,
        fc.oneof(stream, damaged),
        limits,
        cuts,
        fc.constantFrom('end' as const, 'fail' as const),
        (set, bytes, most, at, ending) => {
          const its = toOptions(set)
          const bounded = most === undefined ? its : { ...its, limits: { ...LIMITS, ...most } }
          const { output, stream } = pass(bounded, wire, cutBytes(bytes, at), ending)
          const { error } = stream.outcome()
          const ends = endsOf(name, framesOf(wire, output))
          const end = error === null ? 'complete' : 'failed'
          if (ends.length !== 1 || ends[0] !== end) expect(ends, text(output)).toEqual([end])
        },
      ),
      500,
    )
  })

  it('has the same outcome as if it was translated, but for losses', () => {
    check(
      fc.property(settings, stream, cuts, (set, bytes, at) => {
        const its = toOptions(set)
        const pieces = cutBytes(bytes, at)
        const { received, stream } = pass(its, wire, pieces, 'end')
        const passed = stream.outcome()
        const { slice: _, ...whole } = its
        const translation = createTranslation({ ...whole, quirks: { ...whole.quirks, passedAnswer: true } })
        translation.push(received)
        translation.push('end')
        const { status, error, usage, model } = translation.outcome()
        expect(passed).toMatchObject({ status, error, usage, model })
      }),
    )
  })

  const turn = joined([
    new TextEncoder().encode(''),
    encodeTurn(wire, ['Hello', ' and', ...Array.from({ length: 40 }, (_, i) => ` word ${i}`), ' bye']),
  ])

  it('passes the bytes of an ordinary answer unchanged, cut anywhere', () => {
    check(
      fc.property(cuts, (at) => {
        const { output } = pass(optionsFor(wire, { usage: true }), wire, cutBytes(turn, at), 'end')
        expectSame(Buffer.compare(output.subarray(0, turn.length), turn), 0)
        expectSame(spelled(framesOf(wire, output.subarray(turn.length))).length <= 1, true)
      }),
    )
  })

  it('keeps the frames that a proxy joined in one', () => {
    const frames = framesOf(wire, turn)
    const texts = (all: readonly Frame[]) => spelled(all).map(({ data }) => data)
    const format = wire.framing.format
    const wanted = texts(frames).slice(0, -1)
    check(
      fc.property(fc.nat({ max: frames.length - 3 }), fc.constantFrom('', ' '), (at, between) => {
        const one = { event: '', data: `${frames[at + 1]?.data}${between}${frames[at + 2]?.data}` }
        const pieces = frames.toSpliced(at + 1, 2, one).map((frame) => writeFrame(frame, format))
        const { output } = pass(optionsFor(wire, { usage: true }), wire, pieces, 'end')
        const written = texts(framesOf(wire, output)).slice(0, frames.length - 1)
        if (JSON.stringify(written) !== JSON.stringify(wanted)) expect(written).toEqual(wanted)
      }),
    )
  })

  it('ends with one failure of the protocol where the connection breaks, wherever that is', () => {
    check(
      fc.property(fc.nat({ max: turn.length - 40 }), (end) => {
        const its = optionsFor(wire, { usage: true })
        const { output, stream } = pass(its, wire, [turn.subarray(0, end)], 'fail')
        const { error } = stream.outcome()
        if (error === null) return
        expect(error).toEqual(CUT)
        const frames = framesOf(wire, output)
        expect(endsOf(name, frames)).toEqual(['failed'])
        expect(text(output)).toContain('The connection broke.')
        const begun = frames.filter(({ data }) => /"(message_start|response\.created|interaction\.created)"/.test(data))
        expect(begun.length).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('is edited in slices, though the caller reuses its memory', () => {
    const [first, ...others] = framesOf(wire, turn)
    const notes = Array.from({ length: 300 }, (_, i) => ({
      event: '',
      data: JSON.stringify({ usage: null, nonce: i }),
    }))
    const frames = [first ?? { event: '', data: '' }, ...notes, ...others]
    const bytes = joined(frames.map((frame) => writeFrame(frame, wire.framing.format)))
    const { output } = pass({ ...optionsFor(wire), slice: 8, lend: true }, wire, [bytes], 'fail')
    const { output: expected } = pass(optionsFor(wire), wire, [bytes], 'fail')
    expect(spelled(framesOf(wire, output))).toEqual(spelled(framesOf(wire, expected)))
    expect(spelled(framesOf(wire, output)).length).toBeGreaterThan(300)
  })

  it('has the same frames in any reads, with and without the fast path', () => {
    const { format } = wire.framing
    const data = (value: string): Uint8Array => writeFrame({ event: '', data: value }, format)
    const extras = [
      data(`{"error":{"message":"Bad ${SECRET}"}}`),
      data(`{"note":"${SECRET}"}`),
      data('{"object":"interaction","id":"i","status":"completed","steps":[]}'),
      data('{"event_type":"interaction.result","object":"interaction","status":"in_progress","steps":[]}'),
      data('{"type":"ping","error":{"message":"beside"}}'),
      data('{"type":"message_stop","error":{"message":"beside"}}'),
      data('{"type":"response.in_progress","error":{}}'),
      data('{"event_type":"interaction.status_update","error":{"message":"beside"}}'),
      data('no JSON'),
      // In the protocol of Gemini, it is the end for the machines only.
      ...(wire.name === 'gemini-generate' ? [] : [data('[DONE]')]),
      new TextEncoder().encode(format === 'sse' ? `: ${SECRET}\n\n` : '\n'),
    ]
    const frames = framesOf(wire, turn).map((frame) => writeFrame(frame, format))
    const options = { ...optionsFor(wire), redact }
    const extra = fc.tuple(fc.constantFrom(...extras), fc.nat({ max: frames.length }))
    check(
      fc.property(
        fc.array(extra, { maxLength: 3 }),
        cuts,
        fc.constantFrom('end' as const, 'fail' as const),
        (inserted, at, ending) => {
          const sent = inserted.reduce<readonly Uint8Array[]>((all, [one, to]) => all.toSpliced(to, 0, one), frames)
          const all = joined(sent)
          const { output: wanted } = pass(options, wire, [all], ending, null)
          expect(text(wanted)).not.toContain(SECRET)
          for (const pieces of [[all], cutBytes(all, at), sent]) {
            const { output, stream } = pass(options, wire, pieces, ending)
            const end = stream.outcome().error === null ? 'complete' : 'failed'
            expectEqual(endsOf(wire.name, framesOf(wire, output)), [end])
            expectEqual(spelled(framesOf(wire, output)), spelled(framesOf(wire, wanted)))
          }
        },
      ),
    )
  })

  it('is its own bytes where it arrives at once, and takes the fast path', () => {
    const words = encodeTurn(
      wire,
      Array.from({ length: 400 }, (_, i) => ` word ${i}`),
    )
    const { output, stream } = pass(optionsFor(wire, { usage: true }), wire, [words], 'end')
    expectSame(Buffer.compare(output.subarray(0, words.length), words), 0)
    expect(stream.outcome().chunks.fast).toBeGreaterThan(300)
  })

  it('takes the fast path', () => {
    const { stream } = pass(optionsFor(wire), wire, cutBytes(turn, [100]), 'end')
    expect(stream.outcome().chunks.fast).toBeGreaterThan(20)
  })
})

interface Settings {
  readonly its: Quirks
  readonly usage: boolean
  readonly slice: number | undefined
}

describe('a failure of a passed Responses stream', () => {
  const wire: KnownWire = WIRES['openai-responses']
  const words = Array.from({ length: 60 }, (_, i) => ` word ${i}`)
  const frames = framesOf(wire, encodeTurn(wire, words)).slice(0, 50)
  const write = ({ event, data }: Frame): Uint8Array => writeFrame({ event, data }, wire.framing.format)
  const numbered = frames.map(({ event, data }, at) =>
    write({ event, data: JSON.stringify({ ...(parseJson(data) as JsonObject), sequence_number: at }) }),
  )
  const all = joined(numbered)
  const note = new TextEncoder().encode(': keep-alive\n\n')
  const unreadable = new TextEncoder().encode('data: no JSON\n\n')
  const done = new TextEncoder().encode('data: [DONE]\n\n')

  it.each<[string, readonly Uint8Array[], 'end' | 'fail']>([
    ['frames that were not examined', [all], 'fail'],
    ['a comment', [all, note], 'fail'],
    ['a comment in the read', [joined([...numbered, note])], 'fail'],
    ['frames and a comment', [joined(numbered.toSpliced(30, 0, note))], 'fail'],
    ['reads of one frame, and a comment', [...numbered, note], 'fail'],
    ['an unreadable event', [all, unreadable], 'fail'],
    ['the last frame', [joined([all, done])], 'end'],
    ['a frame without its end', [all.subarray(0, -1)], 'end'],
    [
      'reads of one frame, the last without its end',
      [...numbered.slice(0, -1), all.subarray(0, -1).subarray(joined(numbered.slice(0, -1)).length)],
      'end',
    ],
  ])('has the next number behind %s', (_, pieces, ending) => {
    const { output, stream } = pass(optionsFor(wire), wire, pieces, ending)
    expect(stream.outcome().chunks.fast).toBeGreaterThan(20)
    const numbers = framesOf(wire, output).flatMap(({ data }) => {
      const value = parseJson(data)
      return isObject(value) ? [value.sequence_number] : []
    })
    expect(numbers.length).toBeGreaterThan(50)
    expect(numbers).toEqual(numbers.map((_, at) => at))
  })

  it('is all that follows the event `error`, in any reads, with the next number', () => {
    const error = write({ event: 'error', data: `{"type":"error","message":"Bad","code":"x","sequence_number":20}` })
    const sent = numbered.toSpliced(20, 0, error)
    for (const pieces of [sent, [joined(sent)]]) {
      const events = framesOf(wire, pass(optionsFor(wire), wire, pieces, 'fail').output)
      const last = events.slice(events.findIndex(({ event }) => event === 'error') + 1)
      expect(last.map(({ event }) => event)).toEqual(['response.failed', ''])
      expect(parseJson(last[0]?.data ?? '')).toMatchObject({ sequence_number: 21 })
    }
  })
})

/** What the client of a wire receives of these frames, in one read. */
function framesPassed(wire: KnownWire, frames: readonly Frame[], options = optionsFor(wire)): readonly Frame[] {
  const pieces = frames.map((frame) => writeFrame(frame, wire.framing.format))
  return framesOf(wire, pass(options, wire, [joined(pieces)], 'end').output)
}

it('a Responses stream that a limit fails at its last event has no gap in its numbers', () => {
  const wire: KnownWire = WIRES['openai-responses']
  const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A' }] }
  const frames = [
    { type: 'response.created', sequence_number: 0, response: {} },
    { type: 'response.completed', sequence_number: 1, response: { status: 'completed', output: [item, item] } },
  ].map((event) => ({ event: event.type, data: JSON.stringify(event) }))
  const passed = framesPassed(wire, frames, { ...optionsFor(wire), limits: { ...LIMITS, answerItems: 1 } })
  const numbers = passed.slice(0, -1).map(({ data }) => (parseJson(data) as JsonObject).sequence_number)
  expect(numbers).toEqual(numbers.map((_, at) => at))
  expect(passed.slice(-3).map(({ event }) => event)).toEqual(['error', 'response.failed', ''])
})

it('the first event that a client receives decides whether it can read a stream', () => {
  const wire: KnownWire = WIRES['anthropic-messages']
  const noise: Frame = { event: '', data: 'no JSON' }
  const [first, ...rest] = framesOf(wire, encodeTurn(wire, ['A']))
  for (const frames of [rest, [noise, ...rest], rest.slice(0, 1)]) {
    expect(framesPassed(wire, frames)[0]?.event).toBe('message_start')
    const pieces = frames.map((frame) => writeFrame(frame, wire.framing.format))
    expect(framesOf(wire, pass(optionsFor(wire), wire, pieces, 'end').output)[0]?.event).toBe('message_start')
  }
  const two = { event: '', data: `${rest[0]?.data}${rest[1]?.data}` }
  expect(framesPassed(wire, [two, ...rest.slice(2)])[0]?.event).toBe('message_start')
  const cut = writeFrame(rest[0] as Frame, wire.framing.format).subarray(0, -1)
  expect(framesOf(wire, pass(optionsFor(wire), wire, [cut], 'end').output)[0]?.event).toBe('message_start')
  const { stream } = pass(
    optionsFor(wire),
    wire,
    [noise, first as Frame].map((frame) => writeFrame(frame, 'sse')),
    'end',
  )
  expect(stream.outcome().edits).toEqual(['unreadable events'])
})

it('a failure behind a whole body that did not end an interaction has its id', () => {
  const wire: KnownWire = WIRES['gemini-interactions']
  const [created] = framesOf(wire, encodeTurn(wire, ['A']))
  const body: Frame = { event: '', data: '{"object":"interaction","id":"i","status":"in_progress","steps":[]}' }
  const last = framesPassed(wire, [created as Frame, body]).at(-2)
  expect(parseJson(last?.data ?? '')).toMatchObject({ interaction: { id: 'v1_up', status: 'failed' } })
})

it.each(PASSING)('nothing more of a passed stream of $name is written when the client has left, amid work', (wire) => {
  const words = Array.from({ length: 400 }, (_, i) => ` word ${i} ${'x'.repeat(100)}`)
  const turn = encodeTurn(wire, words)
  for (const steps of [1, 30, 60, 90, 120, 150, 200]) {
    const stream = new PassedStream({ ...optionsFor(wire), slice: 8 }, answersOf(wire), null)
    stream.push(turn)
    for (let n = 0; n < steps && stream.busy(); n += 1) stream.resume()
    stream.discard()
    let after = 0
    const finish = (): void => {
      while (stream.busy()) after += stream.resume().length
    }
    finish()
    after += stream.push('end').length
    finish()
    expect(after).toBe(0)
    expect(stream.outcome().error).toBeNull()
  }
})

it.each<[keyof typeof WIRE_UPSTREAMS, string]>([
  ['anthropic-messages', '{"type":"ping","error":{"message":"beside"}}'],
  ['openai-responses', '{"type":"response.in_progress","error":{}}'],
  ['gemini-interactions', '{"event_type":"interaction.status_update","error":{"message":"beside"}}'],
])('a passed stream of %s does not fail by the error of %s, which its decoder does not read', (name, data) => {
  const wire: KnownWire = WIRES[name]
  const frames = framesOf(wire, encodeTurn(wire, ['A'])).toSpliced(3, 0, { event: '', data })
  expect(endsOf(name, framesPassed(wire, frames))).toEqual(['complete'])
})

it('a whole body within a passed stream of Interactions is its last event', () => {
  const wire: KnownWire = WIRES['gemini-interactions']
  const body = { object: 'interaction', id: 'i', status: 'completed', steps: [] }
  const frames = framesOf(wire, encodeTurn(wire, ['A'])).toSpliced(1, 0, { event: '', data: JSON.stringify(body) })
  const { output, stream } = pass(
    optionsFor(wire),
    wire,
    frames.map((frame) => writeFrame(frame, wire.framing.format)),
    'end',
  )
  const [, last, ...after] = framesOf(wire, output)
  expect(parseJson(last?.data ?? '')).toEqual({ event_type: 'interaction.completed', interaction: body })
  expect(after.map(({ event }) => event)).toEqual(['done'])
  expect(stream.outcome().edits).toEqual(['form of events'])
})

it.each([true, false])('an unnamed error fails a passed stream of Interactions once (in one read: %s)', (isOne) => {
  const wire: KnownWire = WIRES['gemini-interactions']
  const error: Frame = { event: '', data: '{"error":{"message":"Bad"}}' }
  const failed: Frame = { event: '', data: '{"event_type":"interaction.completed","interaction":{"status":"failed"}}' }
  const frames = framesOf(wire, encodeTurn(wire, ['A'])).toSpliced(1, 0, error)
  const pieces = [...frames, failed].map((frame) => writeFrame(frame, wire.framing.format))
  const { output } = pass(optionsFor(wire), wire, isOne ? [joined(pieces)] : pieces, 'end')
  expect(framesOf(wire, output).map(({ event }) => event)).toEqual([
    'interaction.created',
    '',
    'interaction.completed',
    'done',
  ])
})

it.each<[error: Json, ends: boolean]>([
  [null, true],
  [{}, true],
  [null, false],
])('an error of Interactions that is %j does not reach the client (whether the answer ends: %s)', (error, ends) => {
  const wire: KnownWire = WIRES['gemini-interactions']
  const { output } = pass(
    optionsFor(wire),
    wire,
    framesOf(wire, encodeTurn(wire, ['A']))
      .toSpliced(3, ends ? 0 : 99, { event: 'error', data: JSON.stringify({ event_type: 'error', error }) })
      .map((frame) => writeFrame(frame, wire.framing.format)),
    'end',
  )
  const frames = framesOf(wire, output)
  const errors = frames.filter(({ event }) => event === 'error').map(({ data }) => parseJson(data))
  const failure = { message: 'The upstream failed without a message.' }
  expect(errors).toMatchObject(ends ? [] : [{ error: failure }])
  expect(parseJson(frames.at(-2)?.data ?? '')).toMatchObject({ interaction: { status: ends ? 'completed' : 'failed' } })
})

it.each(PASSING)('of a passed stream of $name, frames behind a limit are edited, and it fails once', (wire) => {
  const words = Array.from({ length: 60 }, (_, i) => ` word ${i}`)
  const calls = [1, 2, 3].map((n) => ({ id: `c${n}`, name: 'look', args: { a: 1 } }))
  const frames = framesOf(wire, WIRE_UPSTREAMS[wire.name].encodeTurn({ text: words, calls }) as Uint8Array)
  const failure: Frame = { event: '', data: `{"error":{"message":"Bad key ${SECRET}."}}` }
  const write = (some: readonly Frame[]): Uint8Array =>
    joined(some.map((frame) => writeFrame(frame, wire.framing.format)))
  const reads = [write(frames.slice(0, 30)), write([...frames.slice(30, -1), failure, ...frames.slice(-1)])]
  const options = { ...optionsFor(wire), redact }
  for (const limit of [{ answerItems: 1 }, { upstreamTotal: write(frames.slice(0, 45)).length }])
    for (const pieces of [reads, [joined(reads)]]) {
      const { output, stream } = pass({ ...options, limits: { ...LIMITS, ...limit } }, wire, pieces, 'end')
      const { error, chunks } = stream.outcome()
      expect(error?.code).toBe('upstream_too_large')
      expect(chunks.fast).toBeGreaterThan(10)
      expect(text(output)).not.toContain(SECRET)
      expect(endsOf(wire.name, framesOf(wire, output))).toEqual(['failed'])
    }
})

it('a frame that is nested too deep to be written is dropped from a passed stream, which goes on', () => {
  const wire: KnownWire = WIRES['openai-chat']
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
  const chunk = (content: string, finish_reason: string | null = null): string =>
    JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })
  const lines = [chunk('one'), deep, chunk('two'), chunk('', 'stop'), '[DONE]']
  const bytes = new TextEncoder().encode(lines.map((data) => `data: ${data}\n\n`).join(''))
  const { output } = pass(optionsOf(openai, {}, 'x', wire), wire, [bytes], 'end')
  expect(text(output)).toContain('"two"')
  expect(text(output)).not.toContain('"a":{"a"')
  expect(endsOf('openai-chat', framesOf(wire, output))).toEqual(['complete'])
})

it.each(PASSING)('a long frame that is nested too deep ends a passed stream of $name as one too large does', (wire) => {
  const levels = (count: number): string => `${'['.repeat(count)}"${'x'.repeat(LONG_JSON)}"${']'.repeat(count)}`
  const write = (data: string): Uint8Array => writeFrame({ event: '', data }, wire.framing.format)
  const sent = (depth: number, slice?: number): Run => {
    const options = {
      ...optionsOf(openai, {}, 'x', wire),
      target: targetOf(wire),
      ...(slice === undefined ? {} : { slice }),
    }
    const bytes = joined([write(`{"Kq7":${levels(depth - 1)}}`), write('{"Kq8":"after it"}')])
    return pass(options, wire, [bytes], 'end')
  }
  for (const slice of [undefined, 1]) {
    const { output, stream } = sent(MAX_LENGTHS.nesting + 1, slice)
    expect(stream.outcome()).toMatchObject({ status: 'failed', error: { code: 'upstream_too_large' } })
    expect(text(output)).not.toContain('Kq')
    expect(endsOf(wire.name, framesOf(wire, output))).toEqual(['failed'])
    expect(sent(MAX_LENGTHS.nesting, slice).stream.outcome().error?.code).not.toBe('upstream_too_large')
  }
})

describe('a passed Responses stream with', () => {
  const wire: KnownWire = WIRES['openai-responses']
  const frame = (event: JsonObject): Frame => ({ event: `${event.type}`, data: JSON.stringify(event) })
  const eventsIn = (bytes: Uint8Array): readonly JsonObject[] =>
    framesOf(wire, bytes).flatMap(({ data }) => (isObject(parseJson(data)) ? [parseJson(data) as JsonObject] : []))
  const created: JsonObject = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }
  const item = (output_index: number, item: JsonObject): JsonObject => ({
    output_index,
    item: { id: `i${output_index}`, ...item },
  })
  const at = (output_index: number, field = 'content_index'): JsonObject => ({
    item_id: `i${output_index}`,
    output_index,
    [field]: 0,
  })
  const added = (index: number, type: string): JsonObject => ({
    type: 'response.output_item.added',
    ...item(index, { type }),
  })
  const done = (index: number, members: JsonObject): JsonObject => ({
    type: 'response.output_item.done',
    ...item(index, members),
  })
  const part = (index: number): JsonObject => ({
    type: 'response.content_part.added',
    ...at(index),
    part: { type: 'output_text', text: '' },
  })
  const delta = (index: number, delta: string): JsonObject => ({
    type: 'response.output_text.delta',
    ...at(index),
    delta,
  })
  const thought = (index: number): readonly JsonObject[] => [
    {
      type: 'response.reasoning_summary_part.added',
      ...at(index, 'summary_index'),
      part: { type: 'summary_text', text: '' },
    },
    { type: 'response.reasoning_summary_text.delta', ...at(index, 'summary_index'), delta: 'Hm.' },
  ]
  const writing = (index: number, piece = ''): readonly JsonObject[] => [
    added(index, 'message'),
    part(index),
    delta(index, piece),
  ]
  const message = (index: number, text: string): JsonObject =>
    done(index, { type: 'message', content: [{ type: 'output_text', text }] })
  const emptyThought = [added(0, 'reasoning'), done(0, { type: 'reasoning', summary: [] })]

  /** The texts of items in the failed response, by the upstream's ids. */
  function textsOf(sent: readonly JsonObject[]): Readonly<Record<string, string>> {
    const pieces = [created, ...sent].map((event) => writeFrame(frame(event), 'sse'))
    const events = eventsIn(pass(optionsFor(wire), wire, pieces, 'fail').output)
    const { output } = (events.at(-1) as { response?: JsonObject }).response ?? {}
    return Object.fromEntries(
      (output as readonly Record<string, never>[]).map(
        ({ id, content = [], summary = [], encrypted_content: sealed = '', arguments: args = '' }) => [
          id,
          args + [...content, ...summary].map(({ text }) => text).join('') + (sealed === '' ? '' : 'sealed'),
        ],
      ),
    )
  }

  it.each<[string, readonly JsonObject[], Readonly<Record<string, string>>]>([
    ['empty reasoning', [...emptyThought, added(1, 'reasoning'), ...thought(1)], { i0: '', i1: 'Hm.' }],
    [
      'empty reasoning before sealed reasoning',
      [...emptyThought, added(1, 'reasoning'), done(1, { type: 'reasoning', summary: [], encrypted_content: 'E' })],
      { i0: '', i1: 'sealed' },
    ],
    [
      'an empty message',
      [added(0, 'message'), done(0, { type: 'message', content: [] }), added(1, 'message'), part(1), delta(1, 'A')],
      { i0: '', i1: 'A' },
    ],
    [
      'an open message without text',
      [added(0, 'message'), part(0), added(1, 'message'), part(1), delta(1, 'A')],
      { i0: '', i1: 'A' },
    ],
    [
      'items that begin out of order',
      [added(1, 'message'), part(1), delta(1, 'B'), added(0, 'message'), part(0), delta(0, 'A')],
      { i0: 'A', i1: 'B' },
    ],
    [
      'sealed reasoning',
      [
        added(0, 'reasoning'),
        done(0, { type: 'reasoning', summary: [], encrypted_content: 'E' }),
        added(1, 'reasoning'),
        ...thought(1),
      ],
      { i0: 'sealed', i1: 'Hm.' },
    ],
    [
      'a call that arrives whole',
      [
        added(0, 'function_call'),
        done(0, { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"a":1}' }),
        { type: 'response.output_item.added', ...item(1, { type: 'function_call', call_id: 'b', name: 'g' }) },
        { type: 'response.function_call_arguments.delta', item_id: 'i1', output_index: 1, delta: '{"b":2}' },
      ],
      { i0: '{"a":1}', i1: '{"b":2}' },
    ],
    [
      'a whole item without its text',
      [...writing(0, 'A'), done(0, { type: 'message', content: [] }), ...writing(1, 'B')],
      { i0: 'A', i1: 'B' },
    ],
    [
      'text only at the end of a part',
      [...writing(0).slice(0, 2), { type: 'response.output_text.done', ...at(0), text: 'A' }, ...writing(1, 'B')],
      { i0: 'A', i1: 'B' },
    ],
    [
      'a part that is announced with text',
      [added(0, 'message'), { ...part(0), part: { type: 'output_text', text: 'A' } }, ...writing(1, 'B')],
      { i0: '', i1: 'B' },
    ],
    [
      'items that are done out of order',
      [...writing(1, 'B').slice(0, 2), ...writing(0, 'A').slice(0, 2), message(0, 'A'), message(1, 'B')],
      { i0: 'A', i1: 'B' },
    ],
    ['pieces out of order', [...writing(0).slice(0, 2), ...writing(1, 'B'), delta(0, 'A')], { i0: 'A', i1: 'B' }],
    [
      'content as a string',
      [added(0, 'message'), done(0, { type: 'message', content: 'A' }), ...writing(1, 'B')],
      { i0: 'A', i1: 'B' },
    ],
    [
      'a call without its id',
      [
        added(0, 'function_call'),
        done(0, { type: 'function_call', arguments: '{"a":1}' }),
        done(1, { type: 'function_call', call_id: 'b', name: 'g', arguments: '{"b":2}' }),
        { type: 'response.output_item.added', ...item(2, { type: 'function_call', call_id: 'c', name: 'h' }) },
        { type: 'response.function_call_arguments.delta', item_id: 'i2', output_index: 2, delta: '{"c":3}' },
      ],
      { i0: '{"a":1}', i1: '{"b":2}', i2: '{"c":3}' },
    ],
    [
      'a whole item that leaves out its pieces',
      [
        added(0, 'reasoning'),
        ...thought(0),
        done(0, { type: 'reasoning', summary: [], encrypted_content: 'E' }),
        ...writing(1, 'A'),
        { ...part(1), content_index: 1 },
        { ...delta(1, 'B'), content_index: 1 },
        message(1, 'B'),
      ],
      { i0: 'Hm.sealed', i1: 'AB' },
    ],
    [
      'an item that is announced twice',
      [...writing(0, 'A'), added(0, 'message'), delta(0, 'B'), added(1, 'message'), part(1)],
      { i0: 'AB', i1: '' },
    ],
    ['text without parts', [added(0, 'message'), delta(0, 'A')], { i0: 'A' }],
  ])('%s has each text in its own item if it fails', (_, sent, texts) => {
    expect(textsOf(sent)).toEqual(texts)
  })

  it('a call whose end leaves out its name keeps what was announced', () => {
    const call: JsonObject = { type: 'function_call', call_id: 'c', name: 'f' }
    const start: JsonObject = { type: 'response.output_item.added', ...item(0, call) }
    const sent = [created, start, done(0, { type: 'function_call', arguments: '{"a":1}' })].map(frame)
    const pieces = sent.map((one) => writeFrame(one, 'sse'))
    const { response } = eventsIn(pass(optionsFor(wire), wire, pieces, 'fail').output).at(-1) ?? {}
    expect(response).toMatchObject({ output: [{ id: 'i0', ...call, arguments: '{"a":1}', status: 'completed' }] })
  })

  it.each([['E'], [{ message: 'E' }], [{ code: 'c' }], [{}], [5]])(
    'the error %j beside content goes on without it',
    (error) => {
      const annotation: JsonObject = { type: 'response.output_text.annotation.added', ...at(0), annotation: {} }
      const pieces = [part(0), delta(0, 'A'), annotation, { ...part(0), type: 'response.content_part.done' }]
      const message: JsonObject = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A' }] }
      const content = [added(0, 'message'), ...pieces, done(0, message)]
      const end: JsonObject = {
        type: 'response.completed',
        response: { id: 'r', status: 'completed', output: [message] },
      }
      for (const [i, event] of content.entries()) {
        const sent = [created, ...content.with(i, { ...event, error }), end].map(frame)
        const events = framesPassed(wire, sent)
        expect(endsOf(wire.name, events)).toEqual(['complete'])
        expect(events.map(({ data }) => data).join()).not.toContain('"error"')
      }
    },
  )

  it.each([[{}], [5], [true], [[]]])('the error %j that reports nothing ends without it', (error) => {
    const end: JsonObject = {
      type: 'response.completed',
      error,
      response: { id: 'r', status: 'completed', output: [] },
    }
    const events = framesPassed(wire, [created, { type: 'response.in_progress', error }, end].map(frame))
    expect(endsOf(wire.name, events)).toEqual(['complete'])
    expect(events.map(({ data }) => data).join()).not.toContain('"error"')
  })

  it('numbers that jump has the next number in its failure', () => {
    const words = Array.from({ length: 40 }, (_, i) => delta(0, i < 35 ? ` word ${i}` : 'sequence_number'))
    const sent = [created, added(0, 'message'), part(0), ...words].map((event, i) =>
      frame({ sequence_number: 10 * i, ...event }),
    )
    const pieces = sent.map((one) => writeFrame(one, 'sse'))
    for (const reads of [pieces, [joined(pieces)]]) {
      const { output, stream } = pass(optionsFor(wire), wire, reads, 'fail')
      expect(stream.outcome().chunks.fast).toBeGreaterThan(20)
      const numbers = eventsIn(output).map(({ sequence_number }) => sequence_number)
      expect(numbers.slice(sent.length)).toEqual(numbers.slice(sent.length).map((_, i) => 10 * sent.length - 9 + i))
    }
  })

  it('a number that is no count has the number behind the last one that is', () => {
    const pieces = [
      frame({ sequence_number: 0, ...created }),
      { event: '', data: '{"type":"keepalive","sequence_number":1e999}' },
    ]
    const { output } = pass(
      optionsFor(wire),
      wire,
      pieces.map((one) => writeFrame(one, 'sse')),
      'fail',
    )
    expect(eventsIn(output).at(-1)?.sequence_number).toBe(2)
  })

  it('more text than a limit allows has the same text in its deltas and at its end', () => {
    const words = Array.from({ length: 40 }, (_, i) => delta(0, ` word ${i}`))
    const bytes = joined([created, added(0, 'message'), part(0), ...words].map((one) => writeFrame(frame(one), 'sse')))
    const size = writeFrame(frame(words[0] as JsonObject), 'sse').length
    for (let upstreamTotal = 3000; upstreamTotal < 3000 + size + 5; upstreamTotal += 1) {
      const options = { ...optionsFor(wire), limits: { ...LIMITS, upstreamTotal } }
      for (const reads of [[bytes], cutBytes(bytes, [1000, 2500])]) {
        const events = eventsIn(pass(options, wire, reads, 'end').output)
        const deltas = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta)
        const whole = events.find(({ type }) => type === 'response.output_text.done')?.text
        expect(deltas.length).toBeGreaterThan(5)
        expectSame(whole, deltas.join(''))
      }
    }
  })

  it('a secret in an item hides it in its failure, too', () => {
    const item: JsonObject = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: SECRET }] }
    const sent = [created, added(0, 'message'), part(0), delta(0, SECRET), done(0, item)].map(frame)
    const pieces = sent.map((one) => writeFrame(one, 'sse'))
    const { output } = pass({ ...optionsFor(wire), redact }, wire, pieces, 'fail')
    expect(text(output)).toContain('response.failed')
    expect(text(output)).not.toContain(SECRET)
  })

  it('errors that are nested deep goes on', () => {
    const error = (i: number): Json => parseJson(`${'['.repeat(3000)}${i}${']'.repeat(3000)}`) as Json
    const words = Array.from({ length: 12 }, (_, i) => ({
      obfuscation: 'x'.repeat(i),
      error: error(i),
      ...delta(0, ` word ${i}`),
    }))
    const { output } = pass(
      optionsFor(wire),
      wire,
      [created, added(0, 'message'), part(0), ...words].map((one) => writeFrame(frame(one), 'sse')),
      'fail',
    )
    expect(text(output)).toContain(' word 11')
  })
})

it.each(PASSING)('a secret in a failure beside the text of a passed stream of $name is hidden', (wire) => {
  const words = Array.from({ length: 40 }, (_, i) => ` word ${i}`)
  for (const at of [10, 35]) {
    const frames = framesOf(wire, encodeTurn(wire, words)).map(({ event, data }, i) => {
      const value = parseJson(data)
      const error = { message: i === at ? `Bad ${SECRET}` : `note ${i}` }
      return { event, data: isObject(value) && i >= 5 ? JSON.stringify({ ...value, error }) : data }
    })
    const bytes = joined(frames.map((frame) => writeFrame(frame, wire.framing.format)))
    const { output } = pass({ ...optionsFor(wire), redact }, wire, [bytes], 'end')
    expect(text(output)).not.toContain(SECRET)
  }
})

it.each(PASSING)('a body that is no stream reaches no client of a passed stream of $name', (wire) => {
  const bytes = new TextEncoder().encode('<html>\n\n<h1>Kq7</h1>\n\n"Kq8": 1\n\n</html>')
  for (const reads of [[bytes], cutBytes(bytes, [3, 12, 30])]) {
    const { output } = pass(optionsFor(wire), wire, reads, 'end')
    expect(text(output)).not.toMatch(/Kq|html>/)
    expect(endsOf(wire.name, framesOf(wire, output))).toEqual(['failed'])
  }
})

it('a list of Gemini chunks in one frame is passed as one frame for each', () => {
  const wire: KnownWire = WIRES['gemini-generate']
  const chunk = (text: string): JsonObject => ({ candidates: [{ content: { parts: [{ text }], role: 'model' } }] })
  const end: JsonObject = { candidates: [{ finishReason: 'STOP' }] }
  const list = ['{', chunk('B'), [chunk('no chunk')], chunk('C')]
  const sent = [chunk('A'), list, end].map((value) => ({ event: '', data: JSON.stringify(value) }))
  const passed = framesPassed(wire, sent).map(({ data }) => parseJson(data))
  expect(passed).toEqual([chunk('A'), chunk('B'), chunk('C'), end])
})

it('a [DONE] behind a bare failure ends a Gemini answer', () => {
  const wire: KnownWire = WIRES['gemini-generate']
  const write = (data: string): Uint8Array => writeFrame({ event: '', data }, 'sse')
  const stream = new PassedStream(optionsFor(wire), answersOf(wire), openFastPath)
  for (const data of ['{"code":500,"message":"oops"}', '[DONE]']) stream.push(write(data))
  expect(stream.progress.over()).toBe(true)
  expect(stream.outcome().status).toBe('failed')
})

it.each<[keyof typeof WIRES, Frame]>([
  ['gemini-generate', { event: '', data: '[DONE]' }],
  ['anthropic-messages', { event: 'error', data: 'The server is busy.' }],
])('nothing that follows the end of %s in its read is passed: %j', (name, end) => {
  const wire: KnownWire = WIRES[name]
  const words = Array.from({ length: 20 }, (_, i) => ` word ${i}`)
  const write = (frame: Frame): Uint8Array => writeFrame(frame, wire.framing.format)
  const pieces = framesOf(wire, encodeTurn(wire, words)).toSpliced(10, 0, end).map(write)
  const ways = [pieces, [joined(pieces)]].map((reads) => text(pass(optionsFor(wire), wire, reads, 'end').output))
  expect(ways[0]).toContain(' word 2')
  expect(ways[0]).not.toContain(' word 19')
  expect(ways[1]).toBe(ways[0])
})

it('a failure of a chat completion in a list is the first that has a text or is an object', () => {
  const wire: KnownWire = WIRES['openai-chat']
  const bytes = new TextEncoder().encode('data: {"error":["",{"message":"Bad"}]}\n\n')
  const [first] = framesOf(wire, pass(optionsFor(wire), wire, [bytes], 'end').output)
  expect(parseJson(first?.data ?? '')).toEqual({ error: { message: 'Bad' } })
})

it('a failure of a chat completion that is nested deep is passed', () => {
  const wire: KnownWire = WIRES['openai-chat']
  const bytes = new TextEncoder().encode(`data: {"error":${'['.repeat(9000)}1${']'.repeat(9000)}}\n\n`)
  expect(endsOf(wire.name, framesOf(wire, pass(optionsFor(wire), wire, [bytes], 'end').output))).toEqual(['failed'])
})

it('a list of Gemini chunks keeps its text', () => {
  const wire: KnownWire = WIRES['gemini-generate']
  const chunk = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"id":12345678901234567890,"x":1.0}}}]}}]}`
  expect(
    framesPassed(wire, [{ event: '', data: `[${chunk}, ${chunk}]` }])
      .map(({ data }) => data)
      .slice(0, 2),
  ).toEqual([chunk, chunk])
})

it.each([{ usageMetadata: { promptTokenCount: 5 } }, { promptFeedback: { safetyRatings: [] } }, {}])(
  'a [DONE] behind %j does not end a Gemini answer',
  (first) => {
    const wire: KnownWire = WIRES['gemini-generate']
    const chunk = { candidates: [{ content: { parts: [{ text: 'A' }], role: 'model' }, finishReason: 'STOP' }] }
    const write = (data: string): Uint8Array => writeFrame({ event: '', data }, 'sse')
    const pieces = [write(JSON.stringify(first)), write('[DONE]'), write(JSON.stringify(chunk))]
    for (const reads of [pieces, [joined(pieces)]]) {
      const { output, stream } = pass(optionsFor(wire), wire, reads, 'end')
      expect(text(output)).toContain('"A"')
      expect(stream.outcome()).toMatchObject({ status: 'completed', error: null })
    }
  },
)

it('the events of a list in one frame reach clients that read no lists one by one', () => {
  const wire: KnownWire = WIRES['openai-chat']
  const chunk = (content: string): JsonObject => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
  const sent = [chunk('A'), [chunk('B')]].map((value) => ({ event: '', data: JSON.stringify(value) }))
  const values = framesPassed(wire, sent).map(({ data }) => parseJson(data))
  expect(values).toMatchObject([chunk('A'), chunk('B'), ...values.slice(2)])
  expect(values.some(Array.isArray)).toBe(false)
})

it.each(PASSING.filter(({ framing }) => framing.format === 'sse'))(
  'fields without data reach clients of a passed stream of $name that read other lines than data',
  (wire) => {
    const field = new TextEncoder().encode('id: Kq7\n<p>Kq8\nretry: 100\n\n')
    const pieces = framesOf(wire, encodeTurn(wire, ['A'])).map((frame) => writeFrame(frame, 'sse'))
    const { output } = pass(optionsFor(wire), wire, [joined(pieces.toSpliced(1, 0, field))], 'end')
    expect(text(output).includes('id: Kq7\nretry: 100')).toBe(answersOf(wire).dataOnly !== true)
    expect(text(output)).not.toContain('Kq8')
  },
)

it.each(PASSING.filter(({ framing }) => framing.format === 'sse'))(
  'comments reach clients of a passed stream of $name up to 64 KiB, and lines that are no fields not at all',
  (wire) => {
    const pieces = framesOf(wire, encodeTurn(wire, ['A'])).map((frame) => writeFrame(frame, 'sse'))
    const withLines = (lines: string): string => {
      const bytes = new TextEncoder().encode(`${lines}\n\n`)
      return text(pass(optionsFor(wire), wire, [joined(pieces.toSpliced(1, 0, bytes))], 'end').output)
    }
    const none = text(pass(optionsFor(wire), wire, [joined(pieces)], 'end').output)
    const comment = (length: number): string => `: ${'c'.repeat(length)}`
    const longest = comment(LONG_JSON - ': \n\n'.length)
    expect(withLines(longest).length).toBe(none.length + LONG_JSON)
    expect(withLines(`${longest}c`)).toBe(none)
    expect(withLines('<p>Kq8')).toBe(none)
  },
)

it.each([
  ['data in two lines', 'data: {"candidates":\ndata: [', '"A"'],
  ['a field behind the data', 'data: {"candidates":[', '"A"', 'id: 7\n'],
  ['a field before the data', 'event: x\ndata: {"candidates":[', '"A"'],
  ['a comment behind the data', 'data: {"candidates":[', '"A"', ': c\n'],
])('a passed stream of Gemini has one line a frame, which its clients read alone: %s', (_, begin, word, end = '') => {
  const wire: KnownWire = WIRES['gemini-generate']
  const content = `{"content":{"parts":[{"text":${word}}],"role":"model"}}]}`
  const last = '{"candidates":[{"content":{"parts":[{"text":"B"}],"role":"model"},"finishReason":"STOP"}]}'
  const bytes = new TextEncoder().encode(`${begin}${content}\n${end}\ndata: ${last}\n\n`)
  const { output } = pass(optionsFor(wire), wire, [bytes], 'end')
  expect(text(output).trim().split(/\n+/)).toEqual([
    expect.stringMatching(/^data: .*"A".*\}$/),
    expect.stringMatching(/^data: .*"B".*\}$/),
  ])
})

it('the last frame of a passed chat completion has no spaces', () => {
  const wire: KnownWire = WIRES['openai-chat']
  const chunk = { choices: [{ index: 0, delta: { content: 'A' }, finish_reason: 'stop' }] }
  const bytes = new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\ndata:   [DONE] \n\n`)
  const { output, stream } = pass(optionsFor(wire), wire, [bytes], 'end')
  expect(text(output)).toMatch(/\n\ndata: \[DONE\]\n\n$/)
  expect(stream.outcome().edits).toEqual(['form of chunks'])
})

it.each<[type: string, last: Json, status: string]>([
  ['response.completed', { response: null }, 'completed'],
  ['response.incomplete', {}, 'incomplete'],
  ['response.done', { response: 'R' }, 'completed'],
  ['response.completed', { response: null, error: { message: 'E' } }, 'failed'],
])('%s with %j has the response that its client has received', (type, last, status) => {
  const wire: KnownWire = WIRES['openai-responses']
  const frames = framesOf(wire, encodeTurn(wire, ['A', 'B'])).filter(({ data }) => !/"response\.completed"/.test(data))
  const ending: Frame = { event: type, data: JSON.stringify({ type, ...(last as JsonObject) }) }
  const pieces = [...frames, ending].map((frame) => writeFrame(frame, wire.framing.format))
  const { output, stream } = pass(optionsFor(wire), wire, pieces, 'end')
  const shown = framesOf(wire, output)
  const value = parseJson(shown.findLast(({ data }) => data !== '[DONE]')?.data ?? '')
  const response = { id: expect.any(String), object: 'response', status, output: [{ content: [{ text: 'AB' }] }] }
  expect(value).toMatchObject({ type: `response.${status}`, response })
  expect(stream.outcome()).toMatchObject({ status, edits: expect.arrayContaining(['form of events']) })
})

it.each([1, null, {}, ''])('an event of Interactions with the type %j has that of its name', (event_type) => {
  const wire: KnownWire = WIRES['gemini-interactions']
  const frames = framesOf(wire, encodeTurn(wire, ['A'])).map((frame) => {
    const value = parseJson(frame.data)
    return isObject(value) ? { ...frame, data: JSON.stringify({ ...value, event_type }) } : frame
  })
  expect(endsOf(wire.name, framesPassed(wire, frames))).toEqual(['complete'])
})

it.each([{ interaction: null }, {}])('an interaction that ends with %j has the one that began', (last) => {
  const wire: KnownWire = WIRES['gemini-interactions']
  const frames = framesOf(wire, encodeTurn(wire, ['A'])).map((frame) =>
    frame.event === 'interaction.completed'
      ? { ...frame, data: JSON.stringify({ event_type: frame.event, ...last }) }
      : frame,
  )
  const created = parseJson(frames[0]?.data ?? '') as JsonObject
  const shown = framesOf(
    wire,
    joined(framesPassed(wire, frames).map((frame) => writeFrame(frame, wire.framing.format))),
  )
  const { id } = created.interaction as JsonObject
  expect(parseJson(shown.at(-2)?.data ?? '')).toMatchObject({ interaction: { id, status: 'completed' } })
})

describe('what agents require of a passed stream', () => {
  const dataOf = (wire: KnownWire, values: readonly object[], ...last: readonly string[]): readonly unknown[] => {
    const frames = [...values.map((value) => JSON.stringify(value)), ...last].map((data) => ({ event: '', data }))
    const bytes = joined(frames.map((frame) => writeFrame(frame, wire.framing.format)))
    const { output } = pass(optionsFor(wire), wire, [bytes], 'end')
    return framesOf(wire, output).map(({ data }) => parseJson(data) ?? data)
  }

  it.each([
    { content: 'two' },
    { content: '', thinking: 'two' },
    { content: '', tool_calls: [{ function: { name: 'f', arguments: {} } }] },
  ])(
    'the content of a last line of Ollama behind one that cannot be read is sent before the failure: %j',
    (message) => {
      const first = { model: 'm', message: { role: 'assistant', content: 'one' }, done: false }
      const last = { model: 'm', message, done: true }
      const [, second, failure, ...rest] = dataOf(WIRES['ollama-chat'], [first], '{"mess', JSON.stringify(last))
      expect(second).toEqual({ model: 'm', message, done: false })
      expect(failure).toHaveProperty('error')
      expect(rest).toEqual([])
    },
  )

  it('chat completions end with the reason `tool_calls` where a choice has calls', () => {
    const call = (index: number) => ({
      index,
      id: `c${index}`,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    })
    const choice = (index: number, delta: object, finish_reason: string | null = null) => ({
      index,
      delta,
      finish_reason,
    })
    const reasons = (chunks: readonly (readonly object[])[]) =>
      dataOf(
        WIRES['openai-chat'],
        chunks.map((choices) => ({ id: 'i', object: 'chat.completion.chunk', created: 1, model: 'm', choices })),
        '[DONE]',
      ).flatMap((value) =>
        isObject(value) ? (value.choices as readonly JsonObject[]).map(({ finish_reason: reason }) => reason) : [],
      )
    const called = choice(0, { tool_calls: [call(0)] })
    expect(reasons([[called], [choice(0, {}, 'stop')]])).toEqual([null, 'tool_calls'])
    expect(reasons([[choice(0, { tool_calls: [call(0)] }, 'stop')]])).toEqual(['tool_calls'])
    expect(reasons([[called], [choice(0, {}, 'length')]])).toEqual([null, 'length'])
    expect(
      reasons([
        [called, choice(1, { content: 'A' })],
        [choice(1, {}, 'stop'), choice(0, {}, 'stop')],
      ]),
    ).toEqual([null, null, 'stop', 'tool_calls'])
    expect(reasons([[choice(0, { tool_calls: [] })], [choice(0, {}, 'stop')]])).toEqual([null, 'stop'])
  })

  it.each([
    ['ids', [['a', 'f'], ['b', 'g'], ['a'], ['b'], ['a']], [0, 1, 0, 1, 0]],
    [
      'ids and names',
      [
        ['a', 'f'],
        ['b', 'g'],
        ['a', 'f'],
        ['b', 'g'],
      ],
      [0, 1, 0, 1],
    ],
    ['names', [['', 'f'], [''], ['', 'g'], ['']], [0, 0, 1, 1]],
    ['one id', [['a', 'f'], ['a'], ['a', 'g'], ['a']], [0, 0, 1, 1]],
  ] as const)('fragments of calls without an index have that of their call, by %s', (_, fragments, expected) => {
    const pieces = ['{"x":', '1}', '']
    const chunks = fragments.map(([id, name], at) => ({
      id: 'i',
      model: 'm',
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [
              {
                ...(id === '' ? {} : { id }),
                type: 'function',
                function: {
                  ...(name === undefined ? {} : { name }),
                  arguments: pieces[expected.slice(0, at).filter((one) => one === expected[at]).length],
                },
              },
            ],
          },
        },
      ],
    }))
    const values = dataOf(WIRES['openai-chat'], chunks, '[DONE]') as readonly {
      readonly choices?: readonly { readonly delta: { readonly tool_calls?: readonly { readonly index: number }[] } }[]
    }[]
    const indices = values.flatMap(({ choices = [] }) =>
      choices.flatMap(({ delta }) => (delta.tool_calls ?? []).map(({ index }) => index)),
    )
    expect(indices).toEqual(expected)
  })

  it.each([
    [
      { input_tokens: 5, output_tokens: 6 },
      { input_tokens: 5, output_tokens: 6, total_tokens: 11 },
    ],
    [
      {
        input_tokens: 5,
        input_tokens_details: {},
        output_tokens: 6,
        output_tokens_details: { a: 1 },
        total_tokens: 11,
      },
      {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 6,
        output_tokens_details: { a: 1, reasoning_tokens: 0 },
        total_tokens: 11,
      },
    ],
    [
      { input_tokens: 5, input_tokens_details: null, output_tokens: 6, total_tokens: 12 },
      { input_tokens: 5, input_tokens_details: null, output_tokens: 6, total_tokens: 12 },
    ],
    [{}, null],
    [null, null],
  ])('the usage %j of a response has all counts, or is left out', (usage, expected) => {
    const wire = WIRES['openai-responses']
    const response = { id: 'r', object: 'response', model: 'm', status: 'in_progress', output: [] }
    const values = dataOf(wire, [
      { type: 'response.created', sequence_number: 0, response },
      { type: 'response.completed', sequence_number: 1, response: { ...response, status: 'completed', usage } },
    ])
    expect(values[1]).toMatchObject({ type: 'response.completed', response: { usage: expected } })
  })
})

it.each(PASSING)('events of $name with raw control characters and NaN are passed as JSON', (wire) => {
  const lenient = framesOf(wire, encodeTurn(wire, ['A'])).map(({ event, data }) => ({
    event,
    data: data.replace(/^\{/, '{"own":NaN,"note":"a\tb",'),
  }))
  const pieces = lenient.map((frame) => writeFrame(frame, wire.framing.format))
  for (const opener of [openFastPath, null]) {
    const { output, stream } = pass(optionsFor(wire, { usage: true }), wire, pieces, 'end', opener)
    const frames = framesOf(wire, output)
    expect(endsOf(wire.name, frames)).toEqual(['complete'])
    const values = frames.flatMap(({ data }) => (data === '[DONE]' ? [] : [parseJson(data)]))
    expect(values.length).toBe(lenient.filter(({ data }) => data.startsWith('{')).length)
    for (const value of values) expect(value).toMatchObject({ own: null, note: 'a\tb' })
    expect(stream.outcome().edits).toContain('unreadable events')
  }
})

it.each(PASSING)(
  'events of $name behind a second name of their field, or as JSON text of JSON, are passed as JSON',
  (wire) => {
    const turn = encodeTurn(wire, ['A', 'B'])
    const frames = framesOf(wire, turn)
    const wanted = spelled(framesOf(wire, pass(optionsFor(wire, { usage: true }), wire, [turn], 'end').output))
    const isObjectText = (data: string): boolean => isObject(parseJson(data))
    const again = frames.map(({ event, data }) => ({ event, data: `data: ${data}` }))
    const asText = frames.map(({ event, data }) => ({ event, data: isObjectText(data) ? JSON.stringify(data) : data }))
    for (const sent of [again, asText])
      for (const opener of [openFastPath, null]) {
        const pieces = sent.map((frame) => writeFrame(frame, wire.framing.format))
        const { output, stream } = pass(optionsFor(wire, { usage: true }), wire, pieces, 'end', opener)
        const found = framesOf(wire, output)
        expect(endsOf(wire.name, found)).toEqual(['complete'])
        expect(spelled(found)).toEqual(wanted)
        expect(stream.outcome().edits).toContain('unreadable events')
        expect(stream.outcome().losses).toEqual([])
      }
  },
)

describe.each(
  PASSING.filter((wire) => answersOf(wire).hasStarted !== undefined).map((wire) => [wire.name, wire] as const),
)('a stream of %s', (name, wire) => {
  const frames = framesOf(wire, encodeTurn(wire, ['A']))
  const bytes = (all: readonly Frame[]) => joined(all.map(({ event, data }) => writeFrame({ event, data }, 'sse')))

  it.each([
    '{"type":"keepalive","event_type":"keepalive","sequence_number":0}',
    '{"type":"ping","event_type":"ping"}',
    '{"type":"codex.rate_limits","event_type":"codex.rate_limits"}',
    '{"type":"response.queued","event_type":"queued","response":{"id":"r","model":"m","status":"queued"}}',
    '{"type":"new.kind","event_type":"new.kind"}',
  ])('is passed behind %s, with its own id', (data) => {
    const { output, stream } = pass(optionsFor(wire), wire, [bytes([{ event: '', data }, ...frames])], 'end')
    expect(stream.outcome().edits).toBeDefined()
    const own = pass(optionsFor(wire), wire, [bytes(frames)], 'end').output
    const datas = framesOf(wire, output).map((frame) => frame.data)
    const wanted = framesOf(wire, own).map((frame) => frame.data)
    // OpenAI's libraries fail at an event before the first one.
    expect(datas).toEqual(name === 'openai-responses' ? wanted : [data, ...wanted])
  })
})
