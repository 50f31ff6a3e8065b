import type { AnswerRecord } from '../answer/answer-record.ts'

/** The part of an answer that is shown: from 0 to `end`, in milliseconds. */
export interface TimeScale {
  readonly end: number
  /** Pixels. */
  readonly width: number
}

/** The axis of a short answer still has room for its first deltas. */
const SHORTEST_MS = 1000

/** Each time an answer outgrows its axis, the axis grows by this factor: seldom, because then everything is drawn again. */
const GROWTH = 1.5

/** The end of the axis for an answer of this length, in milliseconds. `before`: the end so far. A finished answer fills it. */
export function axisEnd(now: number, before: number, isOver: boolean): number {
  if (isOver) return Math.max(now * 1.02, 50)
  let end = Math.max(before, SHORTEST_MS)
  while (end < now) end *= GROWTH
  return end
}

/** The end of the axis of an answer, which all its rows share, in milliseconds. */
export const axisEndOf = ({ now, ending }: AnswerRecord): number => axisEnd(now, SHORTEST_MS, ending !== null)

export const toPixel = (time: number, { end, width }: TimeScale): number => (time / end) * width

const STEPS = [1, 2, 5]

/** Times of at most `most` labels at round distances, from 0 on. */
export function axisLabels(end: number, most: number): readonly number[] {
  let unit = 1
  for (;;) {
    for (const step of STEPS) {
      const distance = unit * step
      if (end / distance > most) continue
      return Array.from({ length: Math.floor(end / distance) + 1 }, (_, i) => i * distance)
    }
    unit *= 10
  }
}

/** A duration as text: `320 ms`, `4.25 s`, `2:05 min`. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
}

export const formatAxisTime = (ms: number, end: number): string =>
  end < 2000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(2))} s`
