import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { Agent } from './agent.ts'
import { converse } from './converse.ts'
import { type Cell, toCell } from './scenarios.ts'

const RESULTS = new URL('results/', import.meta.url)

export const resultFile = (title: string): URL =>
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

const ONLY = process.env.WIRE?.split(',')

/** Runs the script with an agent over every wire, and writes what happened to `results/`. */
export function describeAgent(agent: Agent, config: object = {}): void {
  const wires = (Object.keys(WIRES) as WireName[]).filter((wire) => ONLY === undefined || ONLY.includes(wire))
  const cells = readResults(agent.title)

  describe(agent.title, () => {
    it.each(wires)('completes the script over %s', async (wire) => {
      const cell = toCell(await converse(agent, wire, config))
      cells[wire] = cell
      expect(cell.problems).toEqual({})
    })

    afterAll(() => {
      mkdirSync(RESULTS, { recursive: true })
      const ordered = Object.fromEntries(
        Object.keys(WIRES).flatMap((wire) => (cells[wire] ? [[wire, cells[wire]]] : [])),
      )
      writeFileSync(resultFile(agent.title), `${JSON.stringify({ title: agent.title, cells: ordered }, null, 2)}\n`)
    })
  })
}
