import { type Calibration, type CountedModel, createCalibration } from '../../engine/token-counts/calibration.ts'

/** The memory of the server about the tokens of requests. It ends with the process. */
export interface CountMemory {
  readonly calibration: Calibration
  mayCount(upstream: CountedModel): boolean
  /** Called when the upstream has no count for the model. It is not requested again for a while. */
  noteMissing(upstream: CountedModel): void
}

/** The part of a gateway that counts tokens. */
export interface TokenCounter {
  readonly counts: CountMemory
}

/** Servers are updated, and models are added. */
const MISSING_MS = 10 * 60 * 1000
const MOST_MISSING = 1000

/** `clock`: milliseconds. */
export function createCountMemory(clock: () => number): CountMemory {
  const missing = new Map<string, number>()
  const keyOf = ({ vendor, model }: CountedModel): string => `${vendor} ${model}`
  return {
    calibration: createCalibration(),
    mayCount: (upstream) => clock() >= (missing.get(keyOf(upstream)) ?? 0),
    noteMissing(upstream) {
      if (missing.size >= MOST_MISSING) missing.clear()
      missing.set(keyOf(upstream), clock() + MISSING_MS)
    },
  }
}
