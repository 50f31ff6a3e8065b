import { readFileSync, writeFileSync } from 'node:fs'
import type { Unit } from './figure.ts'

/** The data of docs/benchmarks.md: for each part, the last run with each major version of Node. */
export type Results = Readonly<Record<string, PartResults>>

/** By major version of Node, as `v20`. */
export type PartResults = Readonly<Record<string, NodeResults>>

export interface NodeResults {
  readonly node: string
  /** The day on which the run ended, as `2026-01-31`. */
  readonly date: string
  /** With `, changed` if files of the tree were not committed. */
  readonly commit: string
  readonly machine: Machine
  /** The commit of the build that took turns with this tree. */
  readonly base?: string
  /** Versions of the packages that the part measures or compares with. */
  readonly packages: Readonly<Record<string, string>>
  /** Processes that wanted to run when the part began, without its own; absent in older results. */
  readonly load?: number
  /** Short rounds in fewer processes. */
  readonly isQuick: boolean
  /** The processes that measured each case. */
  readonly processes: number
  readonly seconds: number
  readonly figures: Figures
}

/** By the name of the case. */
export type Figures = Readonly<Record<string, Values>>

export interface Values {
  readonly unit: Unit
  /** One value a process. */
  readonly values: readonly number[]
}

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGiB: number
  readonly kernel: string
}

/** Next to the sources: the compiled programs run in the root of the repository. */
const FILE = 'bench/results.json'

export const readBenchResults = (): Results => JSON.parse(readFileSync(FILE, 'utf8')) as Results

/** One line a case, so that a difference between two runs can be read. */
export const textOfResults = (results: Results): string =>
  `${JSON.stringify(results, null, 2)
    .replace(/\[[^\][{}"]*\]/g, (list) => list.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']'))
    .replace(/\{\s+("unit": "[^"]*"),\s+("values": \[[^\]]*\])\s+\}/g, '{ $1, $2 }')}\n`

export const writeBenchResults = (results: Results): void => writeFileSync(FILE, textOfResults(results))
