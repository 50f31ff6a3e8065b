/**
 * The free text of a custom tool's call as the arguments of a function, `{"input": "…"}`, piece by piece: for dialects
 * that have no item for such a call.
 */

const START = '{"input":"'
const END = '"}'

/** One more piece of the text; the first one opens the object. Half a character is escaped, and whole with its other half. */
export const wrapPiece = (piece: string, isFirst: boolean): string =>
  (isFirst ? START : '') + JSON.stringify(piece).slice(1, -1)

/** What closes arguments of which this much is there. */
export const wrapEnd = (written: string): string => (written === '' ? START + END : END)
