import { readFileSync } from 'node:fs'
import { table } from './markdown.ts'

type Found = Readonly<Record<string, boolean | null>>

/** Written by `test/ai-sdk/carried.test.ts`. */
const RESULTS = new URL('../../test/ai-sdk/carried.json', import.meta.url)

/** The wires of which a way carries a feature. */
function cell(found: Found): string {
  const measured = Object.entries(found).filter(([, is]) => is !== null)
  const carried = measured.filter(([, is]) => is === true).map(([wire]) => wire)
  if (carried.length === measured.length) return measured.length === 0 ? '–' : 'yes'
  return carried.length === 0 ? 'no' : carried.join(', ')
}

/** What a program of the AI SDK has by each way to a vendor: yes where all wires have it that have such a thing. */
export function carriedTable(): string {
  const results = JSON.parse(readFileSync(RESULTS, 'utf8')) as Readonly<Record<string, Readonly<Record<string, Found>>>>
  const ways = Object.keys(Object.values(results)[0] ?? {})
  return table(
    ['', ...ways],
    Object.entries(results).map(([feature, found]) => [feature, ...ways.map((way) => cell(found[way] ?? {}))]),
  )
}
