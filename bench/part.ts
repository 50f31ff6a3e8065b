import type { Job } from './jobs.ts'
import type { Goal } from './report/goals.ts'
import type { PartResults } from './results.ts'

/**
 * A part of `npm run bench:all`, and its section of docs/benchmarks.md. A new part is a folder with a program that
 * prints its figures with `openReport`, a file `part.ts`, and a row in `parts.ts`.
 */
export interface Part {
  /** The word after `--only`. */
  readonly name: string
  readonly title: string
  /** The processes that measure each case in a full run. */
  readonly processes: number
  /** Whether a job must be the only one that runs; otherwise as many run at once as there are cores. */
  readonly isAlone: boolean
  /** The packages whose versions the page names. */
  readonly packages: readonly string[]
  readonly goals: readonly Goal[]
  jobs(isQuick: boolean): readonly Job[]
  /** The commit whose build takes turns with this tree. It is built first. */
  readonly base?: string
  /** Installs what the part needs besides the project. */
  prepare?(): void
  /** The section below the title: text and tables. */
  section(results: PartResults): string
}
