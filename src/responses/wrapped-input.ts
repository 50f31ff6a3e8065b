/**
 * Writes the free text of a custom tool call as the arguments of a function, `{"input": "…"}`, piece by piece: for
 * targets that have no item for such a call.
 */

const START = '{"input":"'
const END = '"}'

/**
 * Writes one more piece; the first one opens the object. An unpaired half of a surrogate pair is escaped, so that
 * halves join.
 */
export const wrapPiece = (piece: string, isFirst: boolean): string =>
  (isFirst ? START : '') + JSON.stringify(piece).slice(1, -1)

/** Returns the rest of the JSON text, given the text that is already written. */
export const wrapEnd = (written: string): string => (written === '' ? START + END : END)
