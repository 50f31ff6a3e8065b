import { EFFORT_LEVELS, type Effort } from '../protocol/request.ts'
import type { EffortStep } from './facts.ts'

const indexOf = (effort: Effort): number => EFFORT_LEVELS.indexOf(effort)
const HIGH = indexOf('high')

/** Returns the step at the smallest distance; of two, the one that is nearer to high. */
export function nearestStep(effort: Effort, steps: readonly EffortStep[]): EffortStep | undefined {
  const distance = (step: EffortStep): number => Math.abs(indexOf(step) - indexOf(effort))
  const fromHigh = (step: EffortStep): number => Math.abs(indexOf(step) - HIGH)
  return [...steps].sort((a, b) => distance(a) - distance(b) || fromHigh(a) - fromHigh(b))[0]
}
