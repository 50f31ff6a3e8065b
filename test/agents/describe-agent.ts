import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { Agent } from './agent.ts'
import { converse } from './converse.ts'
import { type Cell, toCell } from './scenarios.ts'

/** Other versions have a folder of their own. `main.ts` names a copy, which replaces the results at the end of a run. */
export const RESULTS =
  process.env.AGENTS === undefined
    ? pathToFileURL(`${process.env.AGENT_RESULTS ?? fileURLToPath(new URL('results', import.meta.url))}/`)
    : pathToFileURL(`${process.env.AGENTS}/results/`)

const resultFile = (title: string): URL =>
  new URL(
    `${title
      .toLowerCase()
      .replace(/[^a-z\d.]+/g, '-')
      .replace(/-$/, '')}.json`,
    RESULTS,
  )

function readResults(title: string): Record<string, Cell> {
  try {
    return JSON.parse(readFileSync(resultFile(title), 'utf8')).cells
  } catch {
    return {}
  }
}

export const ONLY = process.env.WIRE?.split(',')

/** Replaces the result of one wire in the file of the agent. */
export function writeResult(title: string, wire: WireName, cell: Cell): void {
  const cells = { ...readResults(title), [wire]: cell }
  const ordered = Object.fromEntries(Object.keys(WIRES).flatMap((name) => (cells[name] ? [[name, cells[name]]] : [])))
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(resultFile(title), `${JSON.stringify({ title, cells: ordered }, null, 2)}\n`)
}

/** Runs the script with an agent over every wire, or those of the variable WIRE, and writes what happened to `results/`. */
export function describeAgent(agent: Agent, config: object = {}): void {
  const wires = (Object.keys(WIRES) as WireName[]).filter((wire) => ONLY === undefined || ONLY.includes(wire))

  // The registry has no program of opencode for some platforms.
  describe.skipIf(!existsSync(agent.program))(agent.title, () => {
    it.each(wires)('completes the script over %s', async (wire) => {
      const cell = toCell(await converse(agent, wire, config))
      writeResult(agent.title, wire, cell)
      expect(cell.problems).toEqual({})
    })
  })
}
