/** Why a text is not JSON, and where. */
export interface JsonProblem {
  /** UTF-16 units before it. */
  readonly offset: number
  /** From 1. */
  readonly line: number
  readonly column: number
  readonly message: string
}

const SPACE = /[ \n\r\t]*/y
/** Any text but quotes, backslashes and control characters. */
const TEXT = /[ !#-[\]-\uffff]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y

/** The states of the scan, and the messages for text that none of them allows. */
const EXPECTED = {
  value: 'expected a value',
  entry: 'expected a value or ]',
  member: 'expected the name of a member in quotes, or }',
  name: 'expected the name of a member in quotes: JSON has no comma before }',
  nextValue: 'expected a value: JSON has no comma before ]',
  colon: 'expected a colon after the name of a member',
  afterMember: 'expected a comma or }',
  afterEntry: 'expected a comma or ]',
  end: 'expected the end of the text',
} as const

type Expected = keyof typeof EXPECTED

/** The first place at which a text is not JSON (RFC 8259), in words that help to repair it; null for JSON. O(n). */
export function findJsonProblem(text: string): JsonProblem | null {
  // The scan takes ten times as long, and most texts are correct.
  if (isJson(text)) return null
  const open: ('{' | '[')[] = []
  let at = 0
  let next: Expected = 'value'
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return false
    at += found[0].length
    return true
  }
  const problem = (message: string): JsonProblem => ({ offset: at, ...placeOf(text, at), message })
  const readString = (): JsonProblem | null => {
    const start = at
    at += 1
    for (;;) {
      skip(TEXT)
      if (text[at] === '"') break
      if (at >= text.length) {
        at = start
        return problem('this text has no closing quote')
      }
      if (text[at] !== '\\')
        return problem('a line end or control character in a text: write \\n, \\t or \\u and four digits')
      if (!skip(ESCAPE))
        return problem('no such escape: expected \\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t or \\u and four digits')
    }
    at += 1
    return null
  }
  const after = (): Expected => (open.length === 0 ? 'end' : open.at(-1) === '{' ? 'afterMember' : 'afterEntry')
  for (;;) {
    skip(SPACE)
    const char = text[at]
    if (char === undefined) return next === 'end' ? null : problem(`${EXPECTED[next]}, got the end of the text`)
    if (next === 'end') return problem(EXPECTED.end)
    const closing = open.at(-1) === '{' ? '}' : ']'
    const mayClose = next === 'entry' || next === 'member' || next === 'afterMember' || next === 'afterEntry'
    if (char === closing && mayClose) {
      open.pop()
      at += 1
      next = after()
    } else if (next === 'afterMember' || next === 'afterEntry') {
      if (char !== ',') return problem(EXPECTED[next])
      at += 1
      next = next === 'afterMember' ? 'name' : 'nextValue'
    } else if (next === 'colon') {
      if (char !== ':') return problem(EXPECTED.colon)
      at += 1
      next = 'value'
    } else if (next === 'member' || next === 'name') {
      if (char !== '"') return problem(EXPECTED[next])
      const wrong = readString()
      if (wrong !== null) return wrong
      next = 'colon'
    } else if (char === '{' || char === '[') {
      open.push(char)
      at += 1
      next = char === '{' ? 'member' : 'entry'
    } else if (char === '"') {
      const wrong = readString()
      if (wrong !== null) return wrong
      next = after()
    } else {
      if (!skip(WORD) && !skip(NUMBER))
        return problem(char === "'" ? 'expected double quotes around a text' : EXPECTED[next])
      next = after()
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function placeOf(text: string, offset: number): Pick<JsonProblem, 'line' | 'column'> {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}
