import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AlignedFrame,
  type AlignedSource,
  type AlignedTarget,
  type AlignmentSteps,
  alignFrames,
  alignTarget,
} from '../../src/alignment/align.ts'
import { findTarget, type NamedTarget, TARGET_NAMES } from '../../src/alignment/named-target.ts'
import { clockOf } from '../../src/engine/reducer.ts'
import { createTranslation, streamWholeBody } from '../../src/engine/translation.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { slices } from '../arbitraries/bytes.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { ALL_FIXTURES, headOf, toBytes } from '../engine/run-engine.ts'
import { check, expectSame, someOf } from '../property.ts'

const TARGETS = TARGET_NAMES.map((name) => findTarget(name) as NamedTarget)

function finished<Made>(steps: AlignmentSteps<Made>): Made {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

interface Aligned {
  readonly frames: readonly AlignedFrame[]
  readonly targets: readonly AlignedTarget[]
}

function align(source: AlignedSource, targets: readonly NamedTarget[] = TARGETS): Aligned {
  const frames = finished(alignFrames(source))
  return { frames, targets: targets.map((target) => finished(alignTarget(source, target, frames.length))) }
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The output of `translate`, in reads of several frames, with the fast path. */
function translated({ bytes, isBody, ...source }: AlignedSource, { target }: NamedTarget) {
  const options = { ...source, now: clockOf(source.head), target }
  if (isBody) {
    const { bytes: written, outcome } = streamWholeBody(options, decode(bytes))
    return { text: decode(written), outcome }
  }
  const translation = createTranslation(options)
  const pieces = slices(bytes, 16 * 1024).map((piece) => decode(translation.push(piece)))
  const text = pieces.join('') + decode(translation.push('end'))
  return { text, outcome: translation.outcome() }
}

/** Checks that each byte of the source and of each target belongs to one row. */
function expectAligned(source: AlignedSource, targets: readonly NamedTarget[] = TARGETS): Aligned {
  const aligned = align(source, targets)
  let offset = 0
  for (const frame of aligned.frames) {
    expectSame(frame.offset, offset)
    offset += frame.size
  }
  expectSame(offset, source.bytes.length)
  const numbers = aligned.frames.flatMap(({ frame }) => (typeof frame === 'number' ? [frame] : []))
  numbers.forEach((number, at) => expectSame(number, at))
  aligned.targets.forEach((made, at) => {
    const { text, outcome } = translated(source, targets[at] as NamedTarget)
    expectSame(made.rows.length, aligned.frames.length)
    expectSame(made.rows.flatMap((row) => row.map(({ written }) => written)).join(''), text)
    const [its, expected] = [made.outcome, outcome].map((one) => ({ ...one, answer: null, chunks: null }))
    if (JSON.stringify(its) !== JSON.stringify(expected)) expect(its).toEqual(expected)
  })
  return aligned
}

const sourceOf = (wire: KnownWire, bytes: Uint8Array, isBody = false, quirks = {}): AlignedSource => ({
  wire,
  quirks,
  head: headOf('aligned'),
  bytes,
  isBody,
})

describe('an alignment', () => {
  it.each(Object.values(WIRES))('of each fixture of $name has all output of all targets', (wire) => {
    for (const { stream, quirks, at } of someOf(
      ALL_FIXTURES.filter((one) => one.wire === wire),
      5,
    )) {
      const { targets } = expectAligned(sourceOf(wire, stream, false, quirks), someOf(TARGETS, 2, stream.length))
      expect(targets.flatMap(({ findings }) => findings)).toEqual([])
      const body = at('body.json')
      if (existsSync(body)) expectAligned(sourceOf(wire, readFileSync(body), true, quirks), TARGETS.slice(0, 3))
    }
  })

  it.each(Object.values(WIRES))('of any stream of $name, also a damaged one, has all output', (wire) => {
    const targets = TARGETS.filter(({ target }) => ['openai', 'beta', 'anthropic-messages'].includes(target.name))
    const cut = fc.option(fc.nat(), { freq: 2 })
    check(
      fc.property(ANSWERS[wire.name].stream, cut, (bytes, at) => {
        expectAligned(sourceOf(wire, at === null ? bytes : bytes.subarray(0, at % (bytes.length + 1))), targets)
      }),
      200,
    )
  })

  it('reports the progress in bytes, and rows for comments and an empty recording', () => {
    const stream = toBytes(': a\n\ndata: {"choices":[{"delta":{"content":"Hi"}}]}\n\n: b\n\n')
    const source = sourceOf(WIRES['openai-chat'], stream)
    const progress = [...alignFrames(source)].filter((bytes) => bytes !== undefined)
    expect(progress.at(-1)).toBe(stream.length)
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    expect(expectAligned(source).frames.map(({ frame }) => frame)).toEqual([0, 'end'])
    expect(expectAligned(sourceOf(WIRES['openai-chat'], new Uint8Array())).frames.map(({ frame }) => frame)).toEqual([
      'end',
    ])
  })

  it('marks frames without deltas of which the decoder keeps something, and no others', () => {
    const kept = ({ name, stream, wire, quirks }: (typeof ALL_FIXTURES)[number]) =>
      finished(alignFrames(sourceOf(wire, stream, false, quirks))).flatMap(({ event, data, deltas, isKept }) => {
        if (isKept && deltas.length > 0) expect.unreachable(name)
        const word = event === '' ? data : event
        return deltas.length > 0 || data === '' ? [] : [`${isKept ? 'kept' : 'none'} ${word.slice(0, 20)}`]
      })
    const of = (wire: string, name: string): readonly string[] => {
      const found = ALL_FIXTURES.find((one) => one.wire.name === wire && one.name === name)
      if (found === undefined) throw new Error(`no fixture ${wire}/${name}`)
      return [...new Set(kept(found))]
    }
    for (const fixture of ALL_FIXTURES) kept(fixture)
    // The type of a block is needed for its deltas, and the end of one for what follows.
    expect(of('anthropic-messages', 'hello')).toEqual([
      'kept content_block_start',
      'none ping',
      'kept content_block_stop',
    ])
    expect(of('openai-chat', 'hello')).toEqual(['kept [DONE]'])
    expect(of('bedrock-converse', 'hello')).toEqual(['none messageStart', 'kept contentBlockStop'])
  })

  it('of a frame and of a body of megabytes is made in pieces, and has all output', () => {
    const content = 'Lorem ipsum dolor sit "amet". '.repeat(40_000)
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
    const frames = [{ delta: { content } }, { delta: {}, finish_reason: 'stop' }]
    const stream = frames.map((choice) => `data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`).join('')
    const body = JSON.stringify({
      id: 'c',
      choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
    })
    for (const source of [
      sourceOf(WIRES['openai-chat'], toBytes(stream)),
      sourceOf(WIRES['openai-chat'], toBytes(body), true),
    ]) {
      expectAligned(source, TARGETS.slice(0, 2))
      // Without pieces: one for each of the two reads, and none for a body.
      expect([...alignFrames(source)].length).toBeGreaterThan(source.isBody ? 1 : 2)
    }
  })
})
