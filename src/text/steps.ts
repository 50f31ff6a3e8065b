/** Work that can be interrupted: it yields between its slices, each of a few milliseconds at most, and returns its result. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** As `Array.map`; it yields between two of them. */
export function* mapSteps<From, To>(list: readonly From[], map: (one: From, at: number) => To): Steps<readonly To[]> {
  const found: To[] = []
  for (const one of list) {
    found.push(map(one, found.length))
    yield
  }
  return found
}

/** All of it at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
