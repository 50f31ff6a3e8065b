/**
 * An unescaped text, and for each of its UTF-16 units the offset of its origin in the original text, with one more
 * entry for the end.
 */
export interface Unescaped {
  readonly text: string
  readonly starts: Uint32Array
}

/** Escapes of JSON and JavaScript, of URLs (RFC 3986, 2.1), and of HTML. */
const ESCAPE =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(["'\\/])|%([0-9a-f]{2})|&#x([0-9a-f]{1,5});|&#([0-9]{1,6});|&(amp|apos|gt|lt|quot);/gi

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['gt', '>'],
  ['lt', '<'],
  ['quot', '"'],
])

type Groups = readonly (string | undefined)[]

function characterOf([unit, byte, itself, escaped, hexadecimal, decimal, entity]: Groups): string {
  if (itself !== undefined) return itself
  if (entity !== undefined) return ENTITIES.get(entity.toLowerCase()) ?? ''
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
  return String.fromCodePoint(Number.parseInt(unit ?? byte ?? escaped ?? hexadecimal ?? '', 16))
}

/** Reads one level of escapes of any kind; null if there are none. Each escaped byte of a URL becomes one character. */
export function readEscapes(text: string): Unescaped | null {
  const pieces: string[] = []
  const starts: number[] = []
  let at = 0
  const copy = (end: number): void => {
    pieces.push(text.slice(at, end))
    for (; at < end; at += 1) starts.push(at)
  }
  for (const found of text.matchAll(ESCAPE)) {
    const [whole, ...groups] = found
    copy(found.index)
    const character = characterOf(groups)
    pieces.push(character)
    for (let unit = 0; unit < character.length; unit += 1) starts.push(found.index)
    at = found.index + whole.length
  }
  if (pieces.length === 0) return null
  copy(text.length)
  starts.push(text.length)
  return { text: pieces.join(''), starts: Uint32Array.from(starts) }
}
