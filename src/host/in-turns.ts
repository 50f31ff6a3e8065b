import type { Steps } from '../text/steps.ts'

/** Work goes on for as long without a turn for others, in milliseconds: what waits behind it hardly notices. */
export const SLICE_MS = 8

/** After everything that waits now. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Does the work in slices: whenever one has taken its time, everything else that waits has its turn. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const startedAt = performance.now()
    do {
      const { done, value } = steps.next()
      if (done === true) return value
    } while (performance.now() - startedAt < SLICE_MS)
    await nextTurn()
  }
}
