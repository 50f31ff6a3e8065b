import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AlignedSource, AlignedTarget } from '../../src/alignment/align.ts'
import { TARGET_NAMES } from '../../src/alignment/named-target.ts'
import { packBytes } from '../../src/page/packed-bytes.ts'
import { deltaLines, frameCell, targetLines } from '../../src/page/views/compare/cell-lines.ts'
import { readCompareSettings, writeCompareSettings } from '../../src/page/views/compare/compare-settings.ts'
import type { Comparison } from '../../src/page/views/compare/compared.ts'
import { compareFrames, compareTarget } from '../../src/page/views/compare/comparison.ts'
import { excerptOf, markedPieces, shownParts } from '../../src/page/views/compare/excerpt.ts'
import { rowAt, topsOf } from '../../src/page/views/compare/grid.tsx'
import { LARGEST_RECORDING, readRecordingLink } from '../../src/page/views/compare/recording.ts'
import { moved } from '../../src/page/views/compare/selection.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { ALL_FIXTURES, headOf } from '../engine/run-engine.ts'
import { check, checkAsync } from '../property.ts'

async function compare(source: AlignedSource, names: readonly string[]): Promise<Comparison> {
  const { signal } = new AbortController()
  const frames = await compareFrames(source, signal, () => {})
  const targets = await Promise.all(names.map((name) => compareTarget(source, name, frames, signal, () => {})))
  return { ...frames, targets: targets.filter((target) => target !== null) }
}

const sourceOf = (bytes: Uint8Array, wire: AlignedSource['wire'] = WIRES['openai-chat']): AlignedSource => ({
  wire,
  quirks: {},
  head: headOf('model'),
  bytes,
  isBody: false,
})

const outputOf = ({ rows }: AlignedTarget, row: number): string =>
  (rows[row] ?? []).map(({ written }) => written).join('')

describe('the link of a recording', () => {
  it('carries any bytes', async () => {
    await checkAsync(
      fc.asyncProperty(fc.uint8Array({ maxLength: 20_000 }), async (bytes) => {
        const text = await packBytes(bytes)
        expect(text).toMatch(/^[\w-]*$/)
        expect(await readRecordingLink(text)).toEqual(bytes)
      }),
      100,
    )
  })

  it('is refused if it is damaged, or stands for too many bytes', async () => {
    const text = await packBytes(new Uint8Array(1000).map((_, at) => (at * at) % 251))
    for (const damaged of ['!', 'ab', text.slice(0, -9)]) {
      await expect(readRecordingLink(damaged)).rejects.toThrow('damaged')
    }
    const large = await packBytes(new Uint8Array(LARGEST_RECORDING + 1))
    expect(large.length).toBeLessThan(30_000)
    await expect(readRecordingLink(large)).rejects.toThrow('16 MiB')
  })
})

describe('the settings in the address', () => {
  it('are read as they were written, without unknown targets', () => {
    const settings = { wire: 'openai-chat', vendor: 'groq', targets: ['beta'], fixture: 'a/b', data: 'x-_' }
    expect(readCompareSettings(writeCompareSettings(settings))).toEqual(settings)
    expect(readCompareSettings(new URLSearchParams('to=nothing,openai'))).toMatchObject({ targets: ['openai'] })
    expect(readCompareSettings(writeCompareSettings({ ...settings, targets: [] })).targets).toEqual([])
    expect(readCompareSettings(new URLSearchParams()).targets).toEqual(['openai', 'anthropic-messages'])
  })
})

describe('the cells of a row', () => {
  it('contain each byte that the targets write, and as many lines as their height counts', async () => {
    await checkAsync(
      fc.asyncProperty(ANSWERS['openai-chat'].stream, async (bytes) => {
        const comparison = await compare(sourceOf(bytes), TARGET_NAMES)
        for (const target of comparison.targets) {
          comparison.frames.forEach((_, row) => {
            const lines = targetLines(target, row)
            expect(lines.map(({ text }) => text).join('')).toBe(outputOf(target.aligned, row))
            expect(target.lineCounts[row]).toBe(lines.length)
          })
        }
      }),
      100,
    )
  })

  it('mark the same words in the frame, the delta and each target, and show them in the excerpt', async () => {
    for (const { wire, stream } of ALL_FIXTURES.filter(({ name }) => name === 'hello')) {
      const comparison = await compare(sourceOf(stream, wire), ['openai', 'beta', 'anthropic-messages'])
      const row = comparison.pieces.find(({ kind }) => kind === 'text')?.row ?? -1
      const lines = [
        frameCell(comparison, row),
        ...deltaLines(comparison, row).filter(({ marks }) => marks.length > 0),
        ...comparison.targets.flatMap((target) => targetLines(target, row).filter(({ marks }) => marks.length > 0)),
      ]
      expect(lines.length).toBeGreaterThan(4)
      expect(new Set(lines.map(({ text, marks }) => text.slice(marks[0]?.start, marks[0]?.end))).size).toBe(1)
      for (const line of lines) {
        const { text, marks } = excerptOf(line.text, line.marks)
        const words = markedPieces(text, marks).find(({ mark }) => mark !== null)?.text
        expect(words).toBe(line.text.slice(line.marks[0]?.start, line.marks[0]?.end))
        expect(
          markedPieces(line.text, line.marks)
            .map((one) => one.text)
            .join(''),
        ).toBe(line.text)
      }
    }
  })
})

describe('the shown parts of a long text', () => {
  it('are in order, and contain the beginning, the place of the mark and the end', () => {
    const text = Array.from({ length: 4_000 }, (_, at) => `word${at} `).join('')
    check(
      fc.property(fc.nat(text.length - 2), fc.integer({ min: 1, max: text.length }), (start, size) => {
        const range = { start, end: Math.min(text.length, start + size) }
        const mark = { ...range, kind: 'text' as const, carries: { flow: 'f', ...range } }
        const parts = shownParts({ text, marks: [mark] }, mark)
        let at = 0
        for (const part of parts) {
          at += part.omitted
          expect(part.text).toBe(text.slice(at, at + part.text.length))
          for (const one of part.marks) {
            expect([one.start + at, one.end + at]).toEqual([
              Math.max(at, range.start),
              Math.min(at + part.text.length, range.end),
            ])
          }
          at += part.text.length
        }
        expect(at).toBe(text.length)
        expect(parts.some(({ marks }) => marks.some((one) => one.end > one.start))).toBe(true)
        expect(parts.reduce((sum, part) => sum + part.text.length, 0)).toBeLessThan(8_000)
      }),
    )
  })

  it('are the whole text if it is short', () => {
    expect(shownParts({ text: 'Hello', marks: [] }, undefined)).toEqual([{ text: 'Hello', marks: [], omitted: 0 }])
  })
})

describe('the rows', () => {
  it('are found by their height', () => {
    check(
      fc.property(fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1 }), fc.nat(9_999), (heights, at) => {
        const tops = [0]
        for (const height of heights) tops.push((tops.at(-1) ?? 0) + height)
        const row = rowAt(tops, at)
        const found = tops.findIndex((top, index) => top <= at && at < (tops[index + 1] ?? 0))
        expect(row).toBe(found < 0 ? heights.length - 1 : found)
      }),
    )
  })

  it('are selected by keys, within the recording, and their words in order', async () => {
    const source = sourceOf(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'))
    const comparison = await compare(source, ['openai'])
    const start = { row: 0, range: null }
    expect(topsOf(comparison)).toHaveLength(3)
    expect(moved(start, 'ArrowUp', comparison)?.row).toBe(0)
    expect(moved(start, 'End', comparison)?.row).toBe(1)
    expect(moved(start, 'PageDown', comparison)?.row).toBe(1)
    expect(moved(start, 'x', comparison)).toBeNull()
    const word = moved(start, 'ArrowRight', comparison)
    expect(word?.range).toMatchObject({ start: 0, end: 2 })
    expect(moved(word ?? start, 'ArrowRight', comparison)).toEqual(word)
  })
})
