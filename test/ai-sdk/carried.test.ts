import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { IS_WHOLE, someOf } from '../property.ts'
import { FEATURES, MEASURED, measure, WAYS, type Way } from './carried.ts'

/** The results are those of the page; `-u` writes them with RUNS=1. A short run measures every third feature. */
describe('the ways of a program of the AI SDK to a vendor', () => {
  it('carry what docs/ai-sdk.md says', async () => {
    const rows: Record<string, Record<string, Record<string, boolean | null>>> = {}
    for (const feature of someOf(Object.keys(FEATURES), 3)) {
      const ways: Record<string, Record<string, boolean | null>> = {}
      for (const way of Object.keys(WAYS) as Way[]) {
        const found = await Promise.all(
          MEASURED.map(async (wire) => [wire, await measure(feature, way, wire)] as const),
        )
        ways[way] = Object.fromEntries(found)
      }
      rows[feature] = ways
    }
    if (IS_WHOLE) return expect(`${JSON.stringify(rows, null, 2)}\n`).toMatchFileSnapshot('carried.json')
    const known = JSON.parse(await readFile(new URL('carried.json', import.meta.url), 'utf8'))
    expect(Object.keys(known)).toEqual(Object.keys(FEATURES))
    expect(rows).toEqual(Object.fromEntries(Object.keys(rows).map((feature) => [feature, known[feature]])))
  })
})
