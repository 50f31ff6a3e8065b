import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffBodies } from '../../../src/page/views/explain/diff/diff-rows.ts'
import { foldRows } from '../../../src/page/views/explain/diff/fold-rows.ts'
import { type BodyNote, placeNotes } from '../../../src/page/views/explain/diff/row-notes.ts'
import { check } from '../../property.ts'

const bodyOf = (values: readonly number[]) => ({ model: 'm', stop: values })
const bodies = fc.tuple(
  fc.array(fc.nat({ max: 9 }), { maxLength: 40 }),
  fc.array(fc.nat({ max: 9 }), { maxLength: 40 }),
)

describe('folded rows', () => {
  it('have every row once in order, and fold none that is changed, noted or opened', () => {
    check(
      fc.property(bodies, fc.uniqueArray(fc.nat({ max: 60 })), ([left, right], marks) => {
        const rows = diffBodies(bodyOf(left), bodyOf(right), [])
        const noted = new Set(marks)
        const sections = foldRows(rows, noted)
        expect(
          sections.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)),
        ).toEqual(rows.map((_, at) => at))
        for (const { kind, start, end } of sections) {
          if (kind === 'rows') continue
          for (let at = start; at < end; at += 1) {
            expect(noted.has(at)).toBe(false)
            expect(rows[at]).toMatchObject({ left: { kind: rows[start]?.left?.kind } })
            expect(['same', 'moved']).toContain(rows[at]?.right?.kind)
          }
          expect(
            foldRows(rows, noted, new Set([start])).find((one) => one.kind === 'fold' && one.start === start),
          ).toBe(undefined)
        }
      }),
      500,
    )
  })

  it('keep three rows beside a change and hide the rest', () => {
    const long = Array.from({ length: 100 }, (_, at) => at + 100)
    const rows = diffBodies(bodyOf(long), bodyOf(long.map((value) => (value === 150 ? 7 : value))), [])
    expect(foldRows(rows, new Set())).toEqual([
      { kind: 'fold', start: 0, end: 50, isMoved: false },
      { kind: 'rows', start: 50, end: 57 },
      { kind: 'fold', start: 57, end: 105, isMoved: false },
    ])
  })
})

describe('notes of rows', () => {
  const rows = diffBodies({ model: 'm', tools: [{ name: 'f' }], seed: 1 }, { model: 'm', tools: [{ name: 'f' }] }, [])
  const note = (side: 'left' | 'right', path: string): BodyNote => ({ kind: 'loss', side, path, text: 'why' })

  it('stand at their value, or at the nearest value around it', () => {
    const notes = [
      note('left', 'seed'),
      note('right', 'tools[0].strict'),
      note('left', 'tools[0]'),
      note('left', 'and more'),
    ]
    const { byRow, general } = placeNotes(rows, notes)
    const placed = [...byRow].flatMap(([at, found]) => found.map(({ path }) => [rows[at]?.left?.path, path]))
    expect(placed).toEqual([
      ['seed', 'seed'],
      ['tools[0]', 'tools[0].strict'],
      ['tools[0]', 'tools[0]'],
    ])
    expect(general.map(({ path }) => path)).toEqual(['and more'])
  })
})
