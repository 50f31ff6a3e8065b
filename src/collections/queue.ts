import { EMPTY_LIST, type List, listAppend, listAt, listWith } from './list.ts'

/**
 * A persistent first-in, first-out queue as plain JSON. The slot of a removed value stays in the list as null until the
 * queue is empty and starts over. Append and shift cost O(log n).
 */
export interface Queue<T> {
  readonly values: List<T | null>
  /** The index of the first value. */
  readonly next: number
}

export const EMPTY_QUEUE: Queue<never> = { values: EMPTY_LIST, next: 0 }

export const queueAppend = <T>({ values, next }: Queue<T>, value: T): Queue<T> => ({
  values: listAppend(values, value),
  next,
})

/** The first value; null in an empty queue. */
export const queueFirst = <T>({ values, next }: Queue<T>): T | null => listAt(values, next) ?? null

/** The queue without its first value. */
export function queueShift<T>({ values, next }: Queue<T>): Queue<T> {
  return next + 1 >= values.length ? EMPTY_QUEUE : { values: listWith(values, next, null), next: next + 1 }
}

export const queueSize = <T>({ values, next }: Queue<T>): number => values.length - next
