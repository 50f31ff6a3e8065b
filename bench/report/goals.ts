import { isOfBase } from '../figure.ts'
import { median } from '../measure.ts'
import type { PartResults } from '../results.ts'
import { toValue } from './tables.ts'

/** A bound for the medians of cases. */
export interface Goal {
  readonly text: string
  readonly isAbout: (caseName: string) => boolean
  readonly atLeast?: number
  readonly atMost?: number
}

/** How one version of Node meets a goal: `reached`, or the cases that do not reach it. */
export function verdict(goal: Goal, results: PartResults, major: string): string {
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = goal
  const measured = Object.entries(results[major]?.figures ?? {})
    .filter(([name]) => goal.isAbout(name) && !isOfBase(name))
    .map(([name, { values }]) => ({ name, value: median(values) }))
  if (measured.length === 0) return 'not measured'
  const missed = measured.filter(({ value }) => value < atLeast || value > atMost)
  if (missed.length === 0) return 'reached'
  const isBelow = goal.atLeast !== undefined
  const worst = missed.reduce((a, b) => (isBelow === b.value < a.value ? b : a))
  const share = measured.length === 1 ? '' : ` by ${missed.length} of ${measured.length} cases`
  const example = measured.length === 1 ? `: ${toValue(worst.value)}` : `; worst ${toValue(worst.value)}, ${worst.name}`
  return `**not reached**${share}${example}`
}
