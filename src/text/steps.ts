/**
 * Work that can be interrupted: yields between its slices, each of a few milliseconds at most, and returns its result.
 */
export type Steps<Result> = Generator<undefined, Result, unknown>

/** Like `Array.map`; yields after each `slice` values. */
export function* mapSteps<From, To>(
  list: readonly From[],
  map: (one: From, at: number) => To,
  slice = 1,
): Steps<readonly To[]> {
  const found: To[] = []
  for (const one of list) {
    found.push(map(one, found.length))
    if (found.length % slice === 0) yield
  }
  return found
}

/** Entries of a conversation whose texts are searched in one slice. */
export const SEARCHED_ENTRIES = 16

/** Runs all steps at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
