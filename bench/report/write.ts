import { mkdirSync, writeFileSync } from 'node:fs'
import { PARTS } from '../parts.ts'
import { type Results, readBenchResults } from '../results.ts'
import { renderBenchmarks, renderTables } from './page.ts'
import { peerChart, targetChart } from './pictures.ts'

/** The files that are written from the data, from the root of the repository. */
export const renderedFiles = (results: Results): Readonly<Record<string, string>> => ({
  'docs/benchmarks.md': renderBenchmarks(PARTS, results),
  'docs/benchmark-tables.md': renderTables(PARTS, results),
  'docs/assets/benchmark-peers.svg': peerChart(results),
  'docs/assets/benchmark-targets.svg': targetChart(results),
})

export function writePages(): void {
  mkdirSync('docs/assets', { recursive: true })
  for (const [file, text] of Object.entries(renderedFiles(readBenchResults()))) writeFileSync(file, text)
}
