/** A field of a JSON text, at any depth, and where its value begins and ends. */
export interface JsonField {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Values that are nested deeper are part of the field that contains them. */
const DEEPEST = 12

const [QUOTE, BACKSLASH, COLON, COMMA, SPACE] = [34, 92, 58, 44, 32] as const
const [LIST, LIST_END, RECORD, RECORD_END] = [91, 93, 123, 125] as const

const isBetween = (code: number): boolean => code <= SPACE || code === COMMA || code === COLON
const isEnd = (code: number): boolean => isBetween(code) || code === LIST_END || code === RECORD_END

/** Returns the offset after the string that begins at `start`. */
function stringEnd(payload: string, start: number): number {
  let at = start + 1
  while (at < payload.length) {
    const code = payload.charCodeAt(at)
    if (code === QUOTE) return at + 1
    at += code === BACKSLASH ? 2 : 1
  }
  return payload.length
}

/** Returns the offset after the number or literal that begins at `start`. */
function wordEnd(payload: string, start: number): number {
  let at = start + 1
  while (at < payload.length && !isEnd(payload.charCodeAt(at))) at += 1
  return at
}

/** Returns the offset after the colon if it is the next character but for spaces; else 0. */
function colonEnd(payload: string, start: number): number {
  let at = start
  while (payload.charCodeAt(at) <= SPACE) at += 1
  return payload.charCodeAt(at) === COLON ? at + 1 : 0
}

/** Returns all fields of valid JSON, in one pass. For any other text the result is not reliable. */
export function jsonFieldsOf(payload: string): readonly JsonField[] {
  const fields: JsonField[] = []
  const open: { readonly name: string; readonly start: number }[] = []
  let name = ''
  let at = 0
  while (at < payload.length) {
    const start = at
    const code = payload.charCodeAt(at)
    at += 1
    if (isBetween(code)) continue
    if (code === LIST || code === RECORD) {
      open.push({ name, start })
      name = ''
      continue
    }
    let from = start
    if (code === LIST_END || code === RECORD_END) {
      const bracket = open.pop()
      name = bracket?.name ?? ''
      from = bracket?.start ?? start
    } else if (code === QUOTE) {
      at = stringEnd(payload, start)
      const behind = colonEnd(payload, at)
      if (behind > 0) {
        name = payload.slice(start + 1, at - 1)
        // A name with escapes has other spellings: a search by name must not find this one.
        if (name.includes('\\')) name = ''
        at = behind
        continue
      }
    } else at = wordEnd(payload, start)
    if (name !== '' && open.length < DEEPEST) fields.push({ name, start: from, end: at })
    name = ''
  }
  return fields
}

/** Returns the fields by name, those of one name in the order in which they end. */
export function byName(fields: readonly JsonField[]): ReadonlyMap<string, readonly JsonField[]> {
  const named = new Map<string, JsonField[]>()
  for (const field of fields) {
    const others = named.get(field.name)
    if (others === undefined) named.set(field.name, [field])
    else others.push(field)
  }
  return named
}
