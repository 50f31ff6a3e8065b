import { describe, expect, it } from 'vitest'
import { measureWords, sameCells } from '../../tools/sdk-contract/measure.ts'
import type { SdkPackage } from '../../tools/sdk-contract/packages.ts'
import { byWord, CELLS, findRow, patternOf, type Row, readRows } from '../../tools/sdk-contract/rows.ts'

/** A row for a whole type is verified by this many of its words. */
const OF_A_TYPE = 2

const format = (row: Row | undefined): string =>
  row === undefined ? 'no row' : CELLS.map((cell) => row[cell]).join(' | ')

export const testBehaviour = (packages: readonly SdkPackage[]): void =>
  describe.each(packages)('the behaviour of the engine for the words of $name', (sdk) => {
    it('is what the table states', { timeout: 600_000 }, () => {
      const known = byWord(readRows(sdk.id))
      const counts = new Map<string, number>()
      const measured = measureWords(sdk, (path) => {
        if (known.has(path)) return true
        const pattern = patternOf(path) ?? ''
        counts.set(pattern, (counts.get(pattern) ?? 0) + 1)
        return (counts.get(pattern) ?? 0) <= OF_A_TYPE
      })
      const wrong = measured.flatMap((row) => {
        const stated = findRow(known, row.word)
        return stated !== undefined && sameCells(stated, row)
          ? []
          : [`${row.word}: ${format(row)}, the table: ${format(stated)}`]
      })
      expect(wrong).toEqual([])
    })
  })
