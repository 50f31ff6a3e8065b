/** The longest time of work without a pause, in milliseconds: short enough that waiting requests are hardly delayed. */
export const SLICE_MS = 8

const platform = globalThis as { readonly setImmediate?: (act: () => void) => unknown }

/** Calls the function after all tasks that wait now. A timer is a fallback, because it waits for a millisecond or more. */
export function afterTick(act: () => void): void {
  if (platform.setImmediate === undefined) setTimeout(act, 0)
  else platform.setImmediate(act)
}

/** Resolves after all tasks that wait now. */
export const yieldToLoop = (): Promise<void> => new Promise((resolve) => afterTick(resolve))

/** A value that is there at once in most cases. `await` would cost each of them a promise and a microtask. */
export type Awaitable<T> = T | Promise<T>

/** Steps that may also wait: they yield a promise, and go on with its value. If it is rejected, so is the work. */
export type Work<Result> = Generator<Promise<unknown> | undefined, Result, unknown>

/** Waits for a value, unless it is there at once. */
export function* awaited<T>(value: Awaitable<T>): Work<T> {
  // `runInSlices` goes on with the value of the promise.
  return value instanceof Promise ? ((yield value) as T) : value
}

interface Ended<Result> {
  readonly result: Result
}

/** Does one slice of the work, from this value on. Returns its result, or what the rest waits for. */
function runSlice<Result>(work: Work<Result>, from: unknown): Ended<Result> | Promise<unknown> {
  let startedAt = 0
  for (let step = work.next(from); ; step = work.next()) {
    if (step.done === true) return { result: step.value }
    if (step.value !== undefined) return step.value
    // Read after the first step, because most work has no other.
    if (startedAt === 0) startedAt = performance.now()
    else if (performance.now() - startedAt >= SLICE_MS) return yieldToLoop()
  }
}

/** Does the work in slices, and lets all waiting tasks run between two slices. Most work ends in its first slice. */
export function runInSlices<Result>(work: Work<Result>): Awaitable<Result> {
  const first = runSlice(work, undefined)
  return first instanceof Promise ? runFurther(work, first) : first.result
}

async function runFurther<Result>(work: Work<Result>, first: Promise<unknown>): Promise<Result> {
  for (let pause = first; ; ) {
    const next = runSlice(work, await pause)
    if (!(next instanceof Promise)) return next.result
    pause = next
  }
}
