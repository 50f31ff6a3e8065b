const NUMBER = /-?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?/y
const WORDS = ['true', 'false', 'null'] as const
const SPACES = ' \t\n\r'
const ESCAPES = '"\\/bfnrt'

/** The next part of a value: `value`, a `key`, the end of an empty `object` or `list`, or what is between members. */
type Expected = 'value' | 'list' | 'object' | 'key' | 'colon' | 'next'

/** The end of a string that begins at this place: after its quote; -1 if it is cut off, -2 if it is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '"') return at + 1
    if (char < ' ') return -2
    if (char !== '\\') continue
    at += 1
    const escaped = text.charAt(at)
    if (escaped === 'u') {
      const digits = text.slice(at + 1, at + 5)
      if (!/^[0-9a-fA-F]*$/.test(digits)) return -2
      if (digits.length < 4) return -1
      at += 4
    } else if (escaped !== '' && !ESCAPES.includes(escaped)) return -2
  }
  return -1
}

/** The end of a number or a literal; the same codes as for strings. */
function endOfWord(text: string, at: number): number {
  NUMBER.lastIndex = at
  const end = at + (NUMBER.exec(text)?.[0].length ?? 0)
  if (end > at) return end === text.length ? -1 : end
  const rest = text.slice(at, at + 5)
  const word = WORDS.find((one) => one.startsWith(rest) || rest.startsWith(one))
  if (word === undefined) return -2
  return at + word.length > text.length ? -1 : at + word.length
}

/** Whether a text is the beginning of JSON text that was cut off. It is not if it is JSON, or can no longer become it. O(n). */
export function isCutJson(text: string): boolean {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (SPACES.includes(char)) {
      at += 1
      continue
    }
    const inObject = open.at(-1) === '}'
    if (expected === 'next') {
      if (open.length === 0) return false
      if (char === open.at(-1)) open.pop()
      else if (char !== ',') return false
      else expected = inObject ? 'key' : 'value'
      at += 1
    } else if (expected === 'colon') {
      if (char !== ':') return false
      expected = 'value'
      at += 1
    } else if ((expected === 'object' && char === '}') || (expected === 'list' && char === ']')) {
      open.pop()
      expected = 'next'
      at += 1
    } else if (expected === 'object' || expected === 'key') {
      const end = char === '"' ? endOfString(text, at) : -2
      if (end < 0) return end === -1
      expected = 'colon'
      at = end
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']')
      expected = char === '{' ? 'object' : 'list'
      at += 1
    } else {
      const end = char === '"' ? endOfString(text, at) : endOfWord(text, at)
      if (end < 0) return end === -1
      expected = 'next'
      at = end
    }
  }
  return open.length > 0 || (expected !== 'next' && text.trim() !== '')
}
