import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AlignedSource,
  type AlignedTarget,
  type AlignmentSteps,
  alignFrames,
  alignTarget,
} from '../../src/alignment/align.ts'
import { jsonStringsIn, rangeInside } from '../../src/alignment/json-strings.ts'
import { findTarget, type NamedTarget } from '../../src/alignment/named-target.ts'
import { piecesOfFrames, piecesOfTarget } from '../../src/alignment/text-flows.ts'
import { placesOfEchoes, placesOfPieces, repetitionsOf } from '../../src/alignment/text-places.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { hostile } from '../arbitraries/strings.ts'
import { ALL_FIXTURES, headOf, toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'

function finished<Made>(steps: AlignmentSteps<Made>): Made {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

function flowsOf(source: AlignedSource, name: string) {
  const frames = finished(alignFrames(source))
  const pieces = finished(piecesOfFrames(frames))
  const aligned = finished(alignTarget(source, findTarget(name) as NamedTarget, frames.length))
  return { frames, pieces, aligned, found: finished(piecesOfTarget(pieces, aligned)) }
}

const chatSource = (chunks: readonly object[]): AlignedSource => ({
  wire: WIRES['openai-chat'],
  quirks: {},
  head: headOf('flows'),
  bytes: toBytes(chunks.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`).join('')),
  isBody: false,
})

const writtenAt = ({ rows }: AlignedTarget, row: number, index: number): string => rows[row]?.[index]?.written ?? ''

describe('the pieces of a target', () => {
  it('continue the text of their deltas, at the same position, in every fixture', () => {
    for (const { wire, stream, quirks } of ALL_FIXTURES.filter((_, at) => at % 3 === 0)) {
      const source = { wire, quirks, head: headOf('flows'), bytes: stream, isBody: false }
      const { pieces, aligned, found } = flowsOf(source, 'openai')
      const texts = new Map<string, string>()
      for (const { flow, text } of pieces) texts.set(flow, (texts.get(flow) ?? '') + text)
      for (const { flow, start, end, text } of found) expect(texts.get(flow)?.slice(start, end)).toBe(text)
      const events = aligned.rows.flat().flatMap(({ event }) => (event?.type === 'output_text.delta' ? [event] : []))
      expect(found.filter(({ kind }) => kind === 'text').length).toBe(events.length)
    }
  })

  it('have a place in the text of their frame and of their event, for any text', () => {
    check(
      fc.property(
        fc.array(
          hostile.filter((text) => text !== ''),
          { minLength: 1, maxLength: 6 },
        ),
        (texts) => {
          const { frames, pieces, aligned, found } = flowsOf(
            chatSource(texts.map((content) => ({ content }))),
            'openai',
          )
          expect(found.map(({ text }) => text).join('')).toBe(pieces.map(({ text }) => text).join(''))
          for (const { row, text } of pieces) {
            const data = frames[row]?.data ?? ''
            const [place] = placesOfPieces(data, [{ text }])
            expect(JSON.parse(`"${data.slice(place?.start, place?.end)}"`)).toBe(text)
          }
          for (const { row, index, text } of found) {
            const written = writtenAt(aligned, row, index)
            const [place] = placesOfPieces(written, [{ text }])
            expect(JSON.parse(`"${written.slice(place?.start, place?.end)}"`)).toBe(text)
          }
        },
      ),
      200,
    )
  })

  it('follow parallel calls with equal arguments by their item', () => {
    const call = (index: number, args: string, id?: string) => ({
      tool_calls: [
        {
          index,
          ...(id === undefined ? {} : { id, type: 'function' }),
          function: { ...(id && { name: 'f' }), arguments: args },
        },
      ],
    })
    const chunks = [call(0, '{"a"', 'one'), call(1, '{"a"', 'two'), call(0, ':1}'), call(1, ':1}')]
    const { found } = flowsOf(chatSource(chunks), 'openai')
    const byFlow = new Map<string, string>()
    for (const { flow, text } of found) byFlow.set(flow, (byFlow.get(flow) ?? '') + text)
    expect([...byFlow.values()]).toEqual(['{"a":1}', '{"a":1}'])
    expect(new Set(found.map(({ part, flow }) => `${part} ${flow}`)).size).toBe(2)
  })

  it('are found again where a target repeats the whole text', () => {
    const { aligned, found } = flowsOf(chatSource([{ content: 'a "b' }, { content: '" c' }]), 'openai')
    const second = found[1]
    if (second === undefined) throw new Error('expected two pieces')
    const places = repetitionsOf(aligned, second, 'a "b" c')
    expect(places.length).toBeGreaterThan(2)
    for (const { row, index, range } of places) {
      expect(writtenAt(aligned, row, index).slice(range.start, range.end)).toBe('\\" c')
    }
  })
})

describe('the strings of a text', () => {
  it('are values and no keys, each with its place and the last key', () => {
    const text = 'event: x\ndata: {"a" : "b\\"c", "d":["e", 1, {"f":null}], "cut'
    expect(jsonStringsIn(text).map(({ value, key }) => [key, value])).toEqual([
      ['a', 'b"c'],
      ['d', 'e'],
    ])
    for (const { start, end, value } of jsonStringsIn(text))
      expect(JSON.parse(`"${text.slice(start, end)}"`)).toBe(value)
  })

  it('have parts, in which an escape sequence is never divided', () => {
    check(
      fc.property(hostile, fc.nat(), fc.nat(), (value, one, other) => {
        const text = `{"text":${JSON.stringify(value)}}`
        const [place] = jsonStringsIn(text)
        if (place === undefined) throw new Error('expected a string')
        const [start = 0, end = 0] = [one, other].map((at) => at % (value.length + 1)).sort((a, b) => a - b)
        const range = rangeInside(text, place, { start, end })
        expect(JSON.parse(`"${text.slice(range.start, range.end)}"`)).toBe(value.slice(start, end))
      }),
      500,
    )
  })

  it('do not stand for a text if they are names, and are divided where one carries several pieces', () => {
    const text = '{"role":"user","content":"user","again":"user"}'
    expect(placesOfPieces(text, [{ text: 'user' }])).toEqual([{ start: 26, end: 30 }])
    expect(placesOfEchoes(text, 'user', 30)).toEqual([{ start: 41, end: 45 }])
    expect(placesOfPieces('{"content":"<think>a</think>b"}', [{ text: 'a' }, { text: 'b' }])).toEqual([
      { start: 19, end: 20 },
      { start: 28, end: 29 },
    ])
    expect(placesOfPieces('{"args":{"a":1}}', [{ text: '{"a":1}' }])).toEqual([null])
  })
})
