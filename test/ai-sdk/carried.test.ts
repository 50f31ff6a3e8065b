import { describe, expect, it } from 'vitest'
import { FEATURES, MEASURED, measure, WAYS, type Way } from './carried.ts'

/** The results are those of the page; `-u` writes them. */
describe('the ways of a program of the AI SDK to a vendor', () => {
  it('carry what docs/ai-sdk.md says', async () => {
    const rows: Record<string, Record<string, Record<string, boolean | null>>> = {}
    for (const feature of Object.keys(FEATURES)) {
      const ways: Record<string, Record<string, boolean | null>> = {}
      for (const way of Object.keys(WAYS) as Way[]) {
        const found = await Promise.all(
          MEASURED.map(async (wire) => [wire, await measure(feature, way, wire)] as const),
        )
        ways[way] = Object.fromEntries(found)
      }
      rows[feature] = ways
    }
    await expect(`${JSON.stringify(rows, null, 2)}\n`).toMatchFileSnapshot('carried.json')
  })
})
