/** Work that can be interrupted: it yields between its slices, each of a few milliseconds at most, and returns its result. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** All of it at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
