/**
 * The position of a growing JSON text in its outermost value. `start`: before it, `word`: in a number or a literal,
 * `inside`: in an object, a list or a string, `over`: after it, `never`: other text followed.
 */
export interface JsonScan {
  readonly phase: 'start' | 'word' | 'inside' | 'over' | 'never'
  readonly depth: number
  readonly quoted: boolean
  readonly escaped: boolean
}

export const JSON_START: JsonScan = { phase: 'start', depth: 0, quoted: false, escaped: false }

const [QUOTE, BACKSLASH, LIST, LIST_END, OBJECT, OBJECT_END] = [34, 92, 91, 93, 123, 125] as const
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13 && code !== 11 && code !== 12)

/**
 * The scan after one more piece: O(k) for a piece of k characters, however long the text is. It shows that a text is
 * not yet JSON, or can no longer become JSON. Only `JSON.parse` shows that a text is JSON.
 */
export function scanJson(before: JsonScan, piece: string): JsonScan {
  let { phase, depth, quoted, escaped } = before
  for (let at = 0; at < piece.length && phase !== 'never'; at += 1) {
    const code = piece.charCodeAt(at)
    if (quoted) {
      if (escaped) escaped = false
      else if (code === BACKSLASH) escaped = true
      else if (code === QUOTE) {
        quoted = false
        if (depth === 0) phase = 'over'
      }
    } else if (isSpace(code)) {
      if (phase === 'word') phase = 'over'
    } else if (phase === 'over') phase = 'never'
    else if (code === QUOTE) {
      if (phase === 'word') phase = 'never'
      else phase = 'inside'
      quoted = true
    } else if (code === LIST || code === OBJECT) {
      phase = phase === 'word' ? 'never' : 'inside'
      depth += 1
    } else if (code === LIST_END || code === OBJECT_END) {
      depth -= 1
      if (depth === 0) phase = 'over'
      else if (depth < 0) phase = 'never'
    } else if (phase === 'start') phase = 'word'
  }
  return { phase, depth, quoted, escaped }
}

/** True if the text so far could be complete. */
export const mayBeWhole = ({ phase }: JsonScan): boolean => phase === 'word' || phase === 'over'

/**
 * The position inside an object or a list as one number, for states that are compared field by field. 0: before its
 * opening bracket, or behind its end.
 */
export type NestedScan = number

const [ESCAPED, QUOTED, LEVEL] = [1, 2, 4] as const

/** The scan after one more piece. Stops where the value ends. */
export function scanNested(before: NestedScan, piece: string): NestedScan {
  let scan = before
  for (let at = 0; at < piece.length && scan >= LEVEL; at += 1) scan = nestedAfter(scan, piece.charCodeAt(at))
  return scan
}

/** The scan after one more character, which is the opening bracket if `scan` is 0. */
export function nestedAfter(scan: NestedScan, code: number): NestedScan {
  if ((scan & ESCAPED) !== 0) return scan - ESCAPED
  if (code === QUOTE) return scan ^ QUOTED
  if ((scan & QUOTED) !== 0) return code === BACKSLASH ? scan + ESCAPED : scan
  if (code === LIST || code === OBJECT) return scan + LEVEL
  return code === LIST_END || code === OBJECT_END ? scan - LEVEL : scan
}

/** Whether the next character is inside a string. */
export const isQuoted = (scan: NestedScan): boolean => (scan & QUOTED) !== 0

/** Whether the next character is escaped by the one before it. */
export const isEscaped = (scan: NestedScan): boolean => (scan & ESCAPED) !== 0

/** The scan behind an escaped character. */
export const withoutEscape = (scan: NestedScan): NestedScan => scan & ~ESCAPED
