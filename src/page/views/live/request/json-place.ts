/** The place of a fault in a JSON text. Line and column count from 1, offset from 0; all in UTF-16 units. */
export interface JsonFault {
  readonly message: string
  readonly offset: number
  readonly line: number
  readonly column: number
}

/** Deeper values are not followed: a request has none, and each level takes stack. */
const DEEPEST = 500

const SPACE = /[ \t\r\n]*/y
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
/** The first code that a string may contain without an escape. */
const FIRST_PLAIN = 0x20

/** Raised inside this file only, to leave a nested value at once. */
class Fault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/**
 * Finds the first fault of a text that is not JSON; null if there is none. Browsers report the place in different
 * forms, and some of them not at all.
 */
export function findJsonFault(text: string): JsonFault | null {
  try {
    const end = afterSpace(text, readValue(text, afterSpace(text, 0), 0))
    return end === text.length ? null : toFault(text, 'The text continues after the value.', end)
  } catch (error) {
    if (error instanceof Fault) return toFault(text, error.message, error.offset)
    throw error
  }
}

function toFault(text: string, message: string, offset: number): JsonFault {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { message, offset, line, column: offset - before.lastIndexOf('\n') }
}

const lengthAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

const afterSpace = (text: string, at: number): number => at + lengthAt(SPACE, text, at)

function readValue(text: string, at: number, depth: number): number {
  if (depth > DEEPEST) throw new Fault(`The text has more than ${DEEPEST} levels.`, at)
  const first = text[at]
  if (first === undefined) throw new Fault('The text ends here: a value is missing.', at)
  if (first === '{') return readMembers(text, at, depth, '}')
  if (first === '[') return readMembers(text, at, depth, ']')
  if (first === '"') return readString(text, at)
  const length = lengthAt(WORD, text, at)
  if (length === 0) throw new Fault(`Expected a value, got ${JSON.stringify(first)}.`, at)
  return at + length
}

function readString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') {
    if (text[at] === '\n') break
    if (text.charCodeAt(at) < FIRST_PLAIN) throw new Fault('A string has a control character that must be escaped.', at)
    const length = text[at] === '\\' ? lengthAt(ESCAPE, text, at) : 1
    if (length === 0) throw new Fault('A string has an escape sequence that JSON does not have.', at)
    at += length
  }
  if (text[at] !== '"') throw new Fault('A string has no closing quotation mark.', at)
  return at + 1
}

/** Reads an object or an array from its opening bracket on. */
function readMembers(text: string, start: number, depth: number, close: '}' | ']'): number {
  let at = afterSpace(text, start + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    if (close === '}') at = readName(text, at)
    at = afterSpace(text, readValue(text, at, depth + 1))
    if (text[at] === close) return at + 1
    if (text[at] !== ',') throw new Fault(missing(`"," or "${close}"`, text[at]), at)
    const comma = at
    at = afterSpace(text, at + 1)
    if (text[at] === close) throw new Fault(`A comma stands before "${close}".`, comma)
  }
}

function readName(text: string, start: number): number {
  if (text[start] !== '"') throw new Fault(missing('a name in quotation marks', text[start]), start)
  const at = afterSpace(text, readString(text, start))
  if (text[at] !== ':') throw new Fault(missing('":"', text[at]), at)
  return afterSpace(text, at + 1)
}

const missing = (expected: string, found: string | undefined): string =>
  found === undefined
    ? `The text ends here: expected ${expected}.`
    : `Expected ${expected}, got ${JSON.stringify(found)}.`
