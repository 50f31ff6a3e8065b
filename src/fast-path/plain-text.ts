const [QUOTE, SLASH, BACKSLASH, OBJECT, OBJECT_END] = [34, 47, 92, 123, 125] as const

/**
 * Whether JSON text is plain: it begins with no opening brace, and has neither a closing one nor a control character.
 * Arguments of calls treat such pieces alike (`responses/argument-text.ts`).
 */
export const isPlainJson = (json: string): boolean =>
  json.charCodeAt(0) !== OBJECT && /^(?:[^\\}]|\\["\\/]|\\u(?!00[01]))*$/.test(json)

/** The same for bytes. An escaped character by its number is left to the machines. */
export function isPlainRange(bytes: Uint8Array, start: number, end: number): boolean {
  if (start < end && bytes[start] === OBJECT) return false
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]
    if (byte === OBJECT_END) return false
    if (byte !== BACKSLASH) continue
    at += 1
    const escaped = bytes[at]
    if (!(escaped === QUOTE || escaped === SLASH || escaped === BACKSLASH)) return false
  }
  return true
}
