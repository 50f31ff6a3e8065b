import type { CheckedServer } from './exchange.ts'
import type { RowFinding } from './findings.ts'

/** The findings of a row, or the reason why it shows nothing. */
export interface RowResult {
  readonly findings: readonly RowFinding[]
  readonly reason: string | null
}

/** One kind of request, and how its answers are checked. */
export interface Row {
  readonly name: string
  readonly about: string
  /** The most requests, and the most output tokens of all of them. */
  readonly requests: number
  readonly tokens: number
  run(server: CheckedServer): Promise<RowResult>
}
