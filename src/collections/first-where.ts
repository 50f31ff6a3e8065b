/**
 * Returns the first of some places at which a condition holds, which then holds at all later ones; `length` if there is
 * none. O(log n).
 */
export function firstWhere(length: number, holds: (at: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the index of the first of these ascending numbers that is not below a bound. O(log n). */
export const firstFrom = (numbers: readonly number[], bound: number): number =>
  firstWhere(numbers.length, (at) => (numbers[at] as number) >= bound)
