/** A field of a JSON text, wherever it stands, and where its value begins and ends. */
export interface Field {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** What is nested deeper is told as part of what it lies in. */
const DEEPEST = 12

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:]|[^\s"[\]{}:,]+/g

/** All fields of valid JSON, in one pass; of anything else some that nobody may rely on. */
export function fieldsOf(payload: string): readonly Field[] {
  const fields: Field[] = []
  const open: { readonly name: string; readonly start: number }[] = []
  const end = (name: string, start: number, to: number): void => {
    if (name !== '' && open.length < DEEPEST) fields.push({ name, start, end: to })
  }
  let last = ''
  let name = ''
  TOKENS.lastIndex = 0
  for (let found = TOKENS.exec(payload); found !== null; found = TOKENS.exec(payload)) {
    const [token] = found
    if (token === ':') name = last
    else if (token === '{' || token === '[') open.push({ name, start: found.index })
    else if (token === '}' || token === ']') {
      const bracket = open.pop()
      if (bracket !== undefined) end(bracket.name, bracket.start, TOKENS.lastIndex)
    } else end(name, found.index, TOKENS.lastIndex)
    if (token !== ':') name = ''
    last = token[0] === '"' && !token.includes('\\') ? token.slice(1, -1) : ''
  }
  return fields
}

/** The same by name, each in the order in which they end. */
export function byName(fields: readonly Field[]): ReadonlyMap<string, readonly Field[]> {
  const named = new Map<string, Field[]>()
  for (const field of fields) {
    const others = named.get(field.name)
    if (others === undefined) named.set(field.name, [field])
    else others.push(field)
  }
  return named
}
