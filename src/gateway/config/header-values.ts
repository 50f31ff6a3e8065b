/** The value of a header: no control characters, and none beyond Latin-1 (RFC 9110, 5.5). */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers that frame a request or belong to its connection (RFC 9110, 7.6.1): with others, no request can be sent. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Describes what is wrong with each configured name; names are equal in any case. */
export function* headerProblems(names: readonly string[]): Iterable<readonly [name: string, message: string]> {
  const known = new Map<string, string>()
  for (const name of names) {
    const lower = name.toLowerCase()
    const first = known.get(lower)
    if (OF_THE_CONNECTION.has(lower)) yield [name, 'expected another header, because the gateway sets this one']
    else if (first !== undefined) yield [name, `expected once, because ${first} is the same header`]
    known.set(lower, name)
  }
}

/** The same headers under names in lower case, so that they replace those of a row and those that the gateway sets. */
export const toLowerCaseNames = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
