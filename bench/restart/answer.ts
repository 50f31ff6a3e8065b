/** The answers of the restart simulation. The name of a model is the number of chunks of its answers. */

/** A chunk says which one it is, and when it was written, in microseconds of the clock of all processes. */
export const chunkText = (at: number, microseconds: number): string => `@${at}:${microseconds} `

/** The chunks in a text, as `[text, number, microseconds]`. */
export const chunksIn = (text: string): IterableIterator<RegExpExecArray> => text.matchAll(/@(\d+):(\d+) /g)

/** Microseconds of a clock that all processes of a machine have in common. */
export const now = (): number => Number(process.hrtime.bigint() / 1000n)
