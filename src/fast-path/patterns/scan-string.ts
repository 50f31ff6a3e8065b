import type { Slot } from './slot.ts'

/** The inside of a JSON string. */
export const TEXT = /(?:[ !#-[\]-\uffff]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*/y
// A number with more digits would not be exact when it is added up, and 0 does not replace an earlier count.
const COUNT = /[1-9][0-9]{0,14}(?=[,}\] ])/y
const BLANKS = / */y

const PATTERNS = { leaf: TEXT, count: COUNT, blanks: BLANKS }

/** All slots but the repetition of a text, whose end depends on that text. */
type Single = Exclude<Slot, 'repeat'>

export function patternEnd(payload: string, pattern: RegExp, start: number): number {
  pattern.lastIndex = start
  return pattern.test(payload) ? pattern.lastIndex : -1
}

export const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * Returns the end of the content of such a slot in valid JSON; negative if there is none. Members end at the first one
 * that is known.
 */
export function endOf(payload: string, slot: Single, start: number, known = NO_NAMES): number {
  switch (slot) {
    case 'value':
      return valueEnd(payload, start)
    case 'members':
      return membersEnd(payload, start, known)
    default:
      return patternEnd(payload, PATTERNS[slot], start)
  }
}

const SIMPLE = /"(?:[^"\\]|\\.)*"|[^\s,[\]{}":]+/y
// An unterminated string is read to the end: a search for an end from each later quote would take quadratic time.
const BRACKETS = /"(?:[^"\\]|\\.)*"?|[[\]{}]/g

function valueEnd(payload: string, start: number): number {
  if (payload[start] !== '[' && payload[start] !== '{') return patternEnd(payload, SIMPLE, start)
  BRACKETS.lastIndex = start
  let depth = 0
  for (let found = BRACKETS.exec(payload); found !== null; found = BRACKETS.exec(payload)) {
    if (found[0] === '[' || found[0] === '{') depth += 1
    else if (found[0] === ']' || found[0] === '}') depth -= 1
    if (depth === 0) return BRACKETS.lastIndex
  }
  return -1
}

// A name with escapes does not match, because it may be another spelling of any name.
const LABEL = /"([ !#-[\]-~]*)" *: */y
/** The separator of two members. */
export const COMMA = / *, *(?="[ !#-[\]-~]*")/y

function membersEnd(payload: string, start: number, known: ReadonlySet<string>): number {
  let at = start
  while (at >= 0) {
    LABEL.lastIndex = at
    const [, name] = LABEL.exec(payload) ?? []
    if (name === undefined) return -1
    if (known.has(name)) return at
    const end = valueEnd(payload, LABEL.lastIndex)
    at = end < 0 ? -1 : patternEnd(payload, COMMA, end)
  }
  return at
}
