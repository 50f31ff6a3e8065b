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
  const losses = cell.losses.length === 0 ? 'no losses' : `${cell.losses.length} losses`
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

/** Each loss of an agent's requests, with the wires on which it occurs. */
export function agentLosses(): string {
  const rows = agents().flatMap(({ title, cells }) => {
    const wiresOf = new Map<string, string[]>()
    for (const [wire, { losses }] of Object.entries(cells))
      for (const loss of losses) wiresOf.set(loss, [...(wiresOf.get(loss) ?? []), wire])
    return [...wiresOf].sort().map(([loss, wires]) => {
      const [, path = '', action = '', reason = ''] = /^(\S+) (dropped|mapped): ([\s\S]*)$/.exec(loss) ?? []
      return [title, code(path), action, reason, codes(wires)]
    })
  })
  return table(['agent', 'field', 'loss', 'reason', 'upstream'], rows)
}

/** The median times from the start of Codex to its first answer. */
export function firstAnswerTable(): string {
  const { medians } = readResult<{ readonly medians: Readonly<Record<string, number>> }>(FIRST_ANSWER)
  return table(
    ['Codex', 'first answer, ms'],
    Object.entries(medians).map(([title, ms]) => [title, String(Math.round(ms))]),
  )
}
