import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CLIENT_WIRES, closing, tell } from './crossing.ts'
import { FEATURES, verdictOn } from './features.ts'

/** What every client must hear as it was said, whatever its wire. */
const NEVER_LOST = new Set(['text', 'thoughts', 'calls: names and arguments', 'finish: stop', 'finish: token limit'])

const table = (): string => {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rows = FEATURES.map((feature) => [feature.name, ...CLIENT_WIRES.map((wire) => verdictOn(wire, feature))])
  const head: readonly string[] = ['an answer has', ...CLIENT_WIRES.map(({ name }) => name)]
  return `${[row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')}\n`
}

describe.runIf(CLIENT_WIRES.length > 0)('the loss table', () => {
  it('shows something of each feature in the hub itself', () => {
    for (const { deltas, see } of FEATURES) expect(see(closing(tell(deltas)))).not.toEqual([])
  })

  it('is the one that is written down', async () => {
    await expect(table()).toMatchFileSnapshot(fileURLToPath(new URL('loss-table.md', import.meta.url)))
  })

  it.each(CLIENT_WIRES)('$name hears what every client must hear', (wire) => {
    const lost = FEATURES.filter((one) => NEVER_LOST.has(one.name) && verdictOn(wire, one) !== 'carried')
    expect(lost.map(({ name }) => name)).toEqual([])
  })
})
