import { appendFlat } from './flat-string.ts'
import { parseJson } from './json.ts'

/** Names of members → their new names. */
export type KeyNames = ReadonlyMap<string, string>

/** The position in a growing JSON text, as far as the keys of its outermost object depend on it. */
export interface KeyScan {
  readonly depth: number
  /** The outermost value is an object. */
  readonly isObject: boolean
  readonly quoted: boolean
  readonly escaped: boolean
  /** The next string is a key of the outermost object. */
  readonly expectsKey: boolean
  /** The begun key, from its opening quote on; null outside of a key. */
  readonly key: string | null
}

export const KEYS_START: KeyScan = {
  depth: 0,
  isObject: false,
  quoted: false,
  escaped: false,
  expectsKey: false,
  key: null,
}

/** A text with new names, up to a key that has only begun. */
interface RenamedText {
  readonly scan: KeyScan
  readonly text: string
}

const [COMMA, QUOTE, BACKSLASH, LIST, LIST_END, OBJECT, OBJECT_END] = [44, 34, 92, 91, 93, 123, 125] as const

function renamedKey(written: string, names: KeyNames): string {
  const name = parseJson(written)
  const renamed = typeof name === 'string' ? names.get(name) : undefined
  return renamed === undefined ? written : JSON.stringify(renamed)
}

/**
 * Renames the keys of the outermost object in one more piece of JSON; everything else stays as it is written. A key is
 * returned as soon as it has ended. O(k) for a piece of k characters.
 */
export function renameKeys(before: KeyScan, piece: string, names: KeyNames): RenamedText {
  let { depth, isObject, quoted, escaped, expectsKey, key } = before
  let text = ''
  let from = 0
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at)
    if (quoted) {
      if (escaped) escaped = false
      else if (code === BACKSLASH) escaped = true
      else if (code === QUOTE) {
        quoted = false
        if (key === null) continue
        text += renamedKey(key + piece.slice(from, at + 1), names)
        from = at + 1
        key = null
      }
    } else if (code === QUOTE) {
      quoted = true
      if (!expectsKey) continue
      text += piece.slice(from, at)
      from = at
      key = ''
      expectsKey = false
    } else if (code === LIST || code === OBJECT) {
      depth += 1
      if (depth === 1) isObject = code === OBJECT
      expectsKey = depth === 1 && isObject
    } else if (code === LIST_END || code === OBJECT_END) {
      depth = Math.max(0, depth - 1)
      expectsKey = false
    } else if (code === COMMA) expectsKey = depth === 1 && isObject
  }
  const rest = piece.slice(from)
  const scan = { depth, isObject, quoted, escaped, expectsKey, key: key === null ? null : appendFlat(key, rest) }
  return { scan, text: key === null ? text + rest : text }
}

/** The same for a whole text. */
export function renameAllKeys(json: string, names: KeyNames): string {
  const { scan, text } = renameKeys(KEYS_START, json, names)
  return text + (scan.key ?? '')
}
