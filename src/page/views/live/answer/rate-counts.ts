export type RateName = 'bytes' | 'frames' | 'characters'

/** The length of one count, in milliseconds. */
export const RATE_STEP_MS = 100

/** Points of a chart: times in seconds, and amounts per second at them. */
export type RatePoints = readonly [times: readonly number[], amounts: readonly number[]]

/** Amounts that arrived, counted in steps of 100 ms. Mutable state of one answer. */
export class RateCounts {
  private readonly counts: Readonly<Record<RateName, number[]>> = { bytes: [], frames: [], characters: [] }

  /** `time`: milliseconds after the request was sent. */
  add(name: RateName, time: number, amount: number): void {
    const counts = this.counts[name]
    const at = Math.floor(time / RATE_STEP_MS)
    while (counts.length <= at) counts.push(0)
    counts[at] = (counts[at] as number) + amount
  }

  /** The amounts from 0 to `until` (milliseconds), joined to at most `most` points. */
  points(name: RateName, until: number, most: number): RatePoints {
    const counts = this.counts[name]
    const steps = Math.max(1, Math.ceil(until / RATE_STEP_MS))
    const width = Math.ceil(steps / most)
    const times: number[] = []
    const amounts: number[] = []
    for (let from = 0; from < steps; from += width) {
      let sum = 0
      for (let at = from; at < from + width; at += 1) sum += counts[at] ?? 0
      times.push((from * RATE_STEP_MS) / 1000)
      amounts.push((sum * 1000) / (width * RATE_STEP_MS))
    }
    return [times, amounts]
  }
}
