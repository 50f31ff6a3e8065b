/**
 * The answers of the upstream of the scale measurement. The name of a model is the number of chunks of its answers and
 * the milliseconds between two of them, such as `2000-0`: 0 ms, all chunks are written at once; 0 chunks: until the
 * upstream is ordered to end its answers.
 */

/** Microseconds of a clock that all processes of a machine have in common. */
export const now = (): number => Number(process.hrtime.bigint() / 1000n)

/** Delays are from the upstream's write of a chunk to its arrival, and are counted in steps of this length. */
export const DELAY_STEP_MS = 0.25

const BASE = 36

/** A chunk has its own number and the time when it was written. */
export const chunkText = (at: number, microseconds: number): string => `@${at}:${microseconds.toString(BASE)} `

/** The last chunk of an answer has the number of those before it. */
export const lastText = (count: number): string => `#${count} `

/** Calls `take` with the number and the time of each chunk in a text. */
export function readChunks(text: string, take: (at: number, microseconds: number) => void): void {
  for (let from = text.indexOf('@'); from >= 0; from = text.indexOf('@', from + 1)) {
    const middle = text.indexOf(':', from)
    const end = text.indexOf(' ', middle)
    if (middle < 0 || end < 0) return
    take(Number(text.slice(from + 1, middle)), Number.parseInt(text.slice(middle + 1, end), BASE))
  }
}

/** The number in the last chunk, if the text has it; else null. */
export function readLast(text: string): number | null {
  const [, count] = /#(\d+) /.exec(text) ?? []
  return count === undefined ? null : Number(count)
}

export interface AnswerPlan {
  readonly chunks: number
  readonly everyMs: number
}

export const modelOf = ({ chunks, everyMs }: AnswerPlan): string => `${chunks}-${everyMs}`

/** Returns null for a body without such a model. The bare relay passes on the name of the vendor before it. */
export function planOf(body: string): AnswerPlan | null {
  const [, chunks, everyMs] = /"model":"(?:scale\/)?(\d+)-(\d+)"/.exec(body) ?? []
  return chunks === undefined ? null : { chunks: Number(chunks), everyMs: Number(everyMs) }
}
