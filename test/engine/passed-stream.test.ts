import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { type AnswerEditor, createEditor } from '../../src/engine/passthrough/edit-frames.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget, type Target } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { FRAMINGS } from '../../src/framing/registry.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import type { Wire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { check } from '../property.ts'
import { optionsOf } from './run-engine.ts'

const PASSING: readonly Wire[] = Object.values(WIRES).filter(({ passthrough }: Wire) => passthrough !== undefined)

const targetOf = ({ name, client }: Wire, settings: JsonObject = {}): Target =>
  client === undefined ? dialectTarget(openai) : wireTarget({ name, client }, { settings })

const answersOf = ({ passthrough, name }: Wire) => passthrough?.answer ?? expect.unreachable(name)

const joined = (pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces))

function framesOf({ framing }: Wire, bytes: Uint8Array): readonly Frame[] {
  const reader = FRAMINGS[framing].open(Number.MAX_SAFE_INTEGER)
  return [...reader.push(bytes), ...reader.end()]
}

interface Run {
  readonly output: Uint8Array
  /** The bytes that were received before the answer was over. */
  readonly received: Uint8Array
  readonly stream: PassedStream
}

/** Runs a stream with work left, too. */
function pass(options: TranslationOptions, wire: Wire, pieces: readonly Uint8Array[], ending: 'end' | 'fail'): Run {
  const stream = new PassedStream(options, answersOf(wire), openFastPath)
  const made: Uint8Array[] = []
  const received: Uint8Array[] = []
  const take = (bytes: Uint8Array): void => {
    made.push(bytes.slice())
    for (let i = 0; stream.busy(); i += 1) {
      made.push(stream.resume().slice())
      if (i > 100_000) expect.unreachable('never finishes')
    }
  }
  for (const piece of pieces) {
    if (stream.over()) break
    received.push(piece)
    // The caller reuses its memory.
    const lent = piece.slice()
    const first = stream.receive(lent).slice()
    lent.fill(0)
    take(first)
  }
  if (!stream.over()) take(ending === 'end' ? stream.end() : stream.fail(CUT))
  return { output: joined(made), received: joined(received), stream }
}

const CUT = upstreamError('upstream_disconnected', 'The connection broke.')

function editOf(editor: AnswerEditor, frame: Frame): readonly Frame[] {
  const value = parseJson(frame.data)
  if (!isObject(value)) return frame.data.trim() === '[DONE]' ? [frame] : []
  const edited = editor.edit(value as JsonObject)
  return edited === null ? [] : [{ event: frame.event, data: JSON.stringify(edited) }]
}

/** The frames up to the terminal event. */
function upToEnd({ wire, quirks = {} }: TranslationOptions, frames: readonly Frame[]): readonly Frame[] {
  const decoder = wire.decodeStream(quirks)
  let state = decoder.initial
  const end = frames.findIndex((frame) => {
    state = decoder.step(state, frame).state
    return decoder.remainder?.(state) === 'nothing'
  })
  return end < 0 ? frames : frames.slice(0, end + 1)
}

/** Frames with their payloads in one spelling. Those without JSON are left out. */
const spelled = (frames: readonly Frame[]): readonly Frame[] =>
  frames.flatMap(({ event, data }) => {
    const value = parseJson(data)
    if (isObject(value)) return [{ event, data: JSON.stringify(value) }]
    return data.trim() === '[DONE]' ? [{ event, data: '[DONE]' }] : []
  })

describe.each(PASSING.map((wire) => [wire.name, wire] as const))('a stream of %s', (name, wire) => {
  const { stream, quirks } = ANSWERS[name]
  const options = fc
    .tuple(quirks, fc.boolean(), fc.constantFrom(undefined, 1, 64))
    .map(([its, usage, slice]): TranslationOptions => {
      const base = optionsOf(openai, its, 'x', wire)
      return { ...base, target: targetOf(wire, { usage }), ...(slice === undefined ? {} : { slice }) }
    })

  it('reaches the client with its own events after the declared edits, and at most the frames of an end', () => {
    check(
      fc.property(options, stream, cuts, fc.constantFrom('end', 'fail'), (its, bytes, at, ending) => {
        const { output, received, stream } = pass(its, wire, cutBytes(bytes, at), ending)
        const editor = createEditor(its, answersOf(wire))
        const expected = spelled(upToEnd(its, framesOf(wire, received)).flatMap((frame) => editOf(editor, frame)))
        const actual = spelled(framesOf(wire, output))
        const last = ending === 'fail' && !stream.over() ? 1 : 0
        const shared = actual.slice(0, expected.length - last)
        expect(shared).toEqual(expected.slice(0, shared.length))
        expect(actual.length).toBeGreaterThanOrEqual(expected.length - (ending === 'fail' ? 1 : 0))
        expect(stream.over()).toBe(true)
      }),
    )
  })

  it('has the same outcome as if it was translated, but for losses', () => {
    check(
      fc.property(options, stream, cuts, (its, bytes, at) => {
        const pieces = cutBytes(bytes, at)
        const passed = pass(its, wire, pieces, 'end').stream.outcome()
        const { slice: _, ...whole } = its
        const translation = createTranslation(whole)
        for (const piece of pieces) translation.receive(piece)
        translation.end()
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
        expect(new TextDecoder().decode(output).startsWith(new TextDecoder().decode(turn))).toBe(true)
        expect(spelled(framesOf(wire, output.subarray(turn.length))).length).toBeLessThanOrEqual(1)
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
        const failed = frames.filter(({ data }) => {
          const value = parseJson(data)
          return isObject(value) && answersOf(wire).isFailure(value as JsonObject)
        })
        expect(failed).toHaveLength(1)
        expect(failed[0]?.data).toContain('The connection broke.')
      }),
    )
  })

  it('is edited in slices, though the caller reuses its memory', () => {
    const frames = Array.from({ length: 300 }, (_, i) => ({ error: null, usage: null, nonce: i }))
    const texts = frames.map((value) => JSON.stringify(value))
    const bytes = new TextEncoder().encode(
      wire.framing === 'ndjson' ? `${texts.join('\n')}\n` : texts.map((data) => `data: ${data}\n\n`).join(''),
    )
    const { output } = pass({ ...optionsFor(wire), slice: 8, lend: true }, wire, [bytes], 'fail')
    expect(spelled(framesOf(wire, output)).slice(0, 300)).toEqual(texts.map((data) => ({ event: '', data })))
  })

  it('takes the fast path', () => {
    const { stream } = pass(optionsFor(wire), wire, cutBytes(turn, [100]), 'end')
    expect(stream.outcome().chunks.fast).toBeGreaterThan(20)
  })
})

function encodeTurn({ name }: Wire, text: readonly string[]): Uint8Array {
  return WIRE_UPSTREAMS[name].encodeTurn({ text, calls: [] }) as Uint8Array
}

const optionsFor = (wire: Wire, settings: JsonObject = {}): TranslationOptions => ({
  ...optionsOf(openai, {}, 'x', wire),
  target: targetOf(wire, settings),
})
