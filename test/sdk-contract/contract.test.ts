import { describe, expect, it } from 'vitest'
import { declarationsOf, wordsOf } from '../../tools/sdk-contract/package-words.ts'
import { PACKAGES } from '../../tools/sdk-contract/packages.ts'
import { byWord, findRow, patternOf, readRows } from '../../tools/sdk-contract/rows.ts'

describe.each(PACKAGES)('the table of $name', (sdk) => {
  const words = wordsOf(sdk, declarationsOf(sdk)).map(({ path }) => path)
  const rows = readRows(sdk.id)
  const known = byWord(rows)

  it('has a row for every word of its types', () => {
    expect(words.filter((word) => findRow(known, word) === undefined)).toEqual([])
  })

  it('has no row for a word that the types do not have', () => {
    const all = new Set([...words, ...words.map(patternOf), ...(sdk.newer ?? [])])
    expect(rows.filter(({ word }) => !all.has(word)).map(({ word }) => word)).toEqual([])
  })
})
