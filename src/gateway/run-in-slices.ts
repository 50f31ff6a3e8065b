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

/** A value that is there at once in most cases. `await` would cost each of them a promise and a turn. */
export type Awaitable<T> = T | Promise<T>

/** Continues with a value: at once if it is there. */
export const onceReady = <From, To>(value: Awaitable<From>, next: (value: From) => Awaitable<To>): Awaitable<To> =>
  value instanceof Promise ? value.then(next) : next(value)

interface Slice<Result> {
  readonly result: Result
}

/** Does one slice of the work; returns null if work is left. */
function runSlice<Result>(steps: Steps<Result>): Slice<Result> | null {
  let startedAt = 0
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return { result: value }
    // Read after the first step, because most work has no other.
    if (startedAt === 0) startedAt = performance.now()
    else if (performance.now() - startedAt >= SLICE_MS) return null
  }
}

/** Does the work in slices, and lets all waiting tasks run between two slices. Most work ends in its first slice. */
export function runInSlices<Result>(steps: Steps<Result>): Awaitable<Result> {
  const first = runSlice(steps)
  return first === null ? runFurther(steps) : first.result
}

async function runFurther<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await nextTurn()
    const slice = runSlice(steps)
    if (slice !== null) return slice.result
  }
}
