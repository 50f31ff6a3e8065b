import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cell } from './scenarios.ts'

interface Results {
  readonly title: string
  readonly cells?: Readonly<Record<string, Cell>>
}

const readResults = (file: string): Results | null =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : null

const without = (losses: readonly string[] = [], others: readonly string[] = []): readonly string[] =>
  losses.filter((loss) => !others.includes(loss))

/** Lines about what differs between two folders of results: cells that failed, and losses that only one of them has. */
export function compareResults(before: string, after: string): readonly string[] {
  if (!existsSync(after)) return []
  const files = readdirSync(after).sort()
  const lines = files.flatMap((file) => {
    const { title, cells = {} } = readResults(join(after, file)) as Results
    const old = readResults(join(before, file))?.cells ?? {}
    return Object.entries(cells).flatMap(([wire, { losses, problems }]) => [
      ...Object.entries(problems).map(([name, problem]) => `${title} over ${wire}: failed: ${name}: ${problem}`),
      ...without(losses, old[wire]?.losses).map((loss) => `${title} over ${wire}: + ${loss}`),
      ...without(old[wire]?.losses, losses).map((loss) => `${title} over ${wire}: - ${loss}`),
    ])
  })
  return lines.length === 0 ? ['No cell differs from the pinned versions.'] : lines
}
