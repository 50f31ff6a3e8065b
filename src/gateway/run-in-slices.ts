import type { Steps } from '../text/steps.ts'

/** The longest time of work without a pause, in milliseconds: short enough that waiting requests are hardly delayed. */
export const SLICE_MS = 8

const platform = globalThis as { readonly setImmediate?: (act: () => void) => unknown }

/** Calls the function after all tasks that wait now. A timer is a fallback, because it waits for a millisecond or more. */
export function afterTurn(act: () => void): void {
  if (platform.setImmediate === undefined) setTimeout(act, 0)
  else platform.setImmediate(act)
}

/** Resolves after all tasks that wait now. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => afterTurn(resolve))

/** Does the work in slices, and lets all waiting tasks run between two slices. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const startedAt = performance.now()
    do {
      const { done, value } = steps.next()
      if (done === true) return value
    } while (performance.now() - startedAt < SLICE_MS)
    await nextTurn()
  }
}
