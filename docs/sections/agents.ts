import { readdirSync, readFileSync } from 'node:fs'
import { WIRES } from '../../src/wires/registry.ts'
import type { Cell } from '../../test/agents/scenarios.ts'
import { code, codes, table } from './markdown.ts'

const RESULTS = new URL('../../test/agents/results/', import.meta.url)

interface AgentResults {
  readonly title: string
  readonly cells: Readonly<Record<string, Cell>>
}

const readResult = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, RESULTS), 'utf8'))

const FIRST_ANSWER = 'first-answer.json'

const agents = (): readonly AgentResults[] =>
  readdirSync(RESULTS)
    .filter((file) => file !== FIRST_ANSWER)
    .sort()
    .map((file) => readResult<AgentResults>(file))

function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return 'not run'
  const failed = Object.keys(cell.problems)
  const { length } = cell.losses
  const losses = length === 0 ? 'no losses' : length === 1 ? '1 loss' : `${length} losses`
  return failed.length === 0 ? `passed, ${cell.requests} requests, ${losses}` : `failed: ${failed.join(', ')}`
}

/** The table of agents and upstream wires, as the last run has written it. */
export function agentTable(): string {
  const wires = Object.keys(WIRES)
  return table(
    ['agent', ...wires.map(code)],
    agents().map(({ title, cells }) => [title, ...wires.map((wire) => cellText(cells[wire]))]),
  )
}

/** The name of the program, without how it was configured. */
const programOf = (title: string): string => /^[\w ]+?(?=,| by |:|$)/.exec(title)?.[0] ?? title

/** Each loss of an agent's requests, with the wires on which it occurs. */
export function agentLosses(): string {
  const wiresOf = new Map<string, Set<string>>()
  for (const { title, cells } of agents())
    for (const [wire, { losses }] of Object.entries(cells))
      for (const loss of losses) {
        const key = `${programOf(title)}: ${loss}`
        wiresOf.set(key, (wiresOf.get(key) ?? new Set()).add(wire))
      }
  const rows = [...wiresOf].sort().map(([key, wires]) => {
    const [, agent = '', path = '', action = '', reason = ''] =
      /^([\w ]+): (\S+) (dropped|mapped): ([\s\S]*)$/.exec(key) ?? []
    return [agent, code(path), action, reason, codes(Object.keys(WIRES).filter((wire) => wires.has(wire)))]
  })
  return table(['agent', 'field', 'loss', 'reason', 'upstream'], rows)
}

/** The median times from the start of Codex to its first answer, and their ratios to the first of them. */
export function firstAnswerTable(): string {
  const { medians } = readResult<{ readonly medians: Readonly<Record<string, number>> }>(FIRST_ANSWER)
  const [first = 1] = Object.values(medians)
  return table(
    ['Codex', 'first response', 'ratio'],
    Object.entries(medians).map(([title, ms]) => [title, `${Math.round(ms)} ms`, (ms / first).toFixed(2)]),
  )
}
