import type { Hole } from './hole.ts'

/** The inside of a JSON string. */
export const TEXT = /(?:[ !#-[\]-\uffff]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*/y
// What is added up must be exact.
const COUNT = /(?:0|[1-9][0-9]{0,14})(?=[,}\] ])/y
const BLANKS = / */y

const PATTERNS = { leaf: TEXT, count: COUNT, blanks: BLANKS }

/** All but the twin of a leaf: where that ends, the leaf tells. */
type Single = Exclude<Hole, 'twin'>

export function patternEnd(payload: string, pattern: RegExp, start: number): number {
  pattern.lastIndex = start
  return pattern.test(payload) ? pattern.lastIndex : -1
}

export const NO_NAMES: ReadonlySet<string> = new Set()

/** Of what stands in such a hole of valid JSON; negative where it is none. Members end at the first that is known. */
export function endOf(payload: string, hole: Single, start: number, known = NO_NAMES): number {
  switch (hole) {
    case 'value':
      return valueEnd(payload, start)
    case 'members':
      return membersEnd(payload, start, known)
    default:
      return patternEnd(payload, PATTERNS[hole], start)
  }
}

const SIMPLE = /"(?:[^"\\]|\\.)*"|[^\s,[\]{}":]+/y
// A string that does not end is taken to the end: to look for an end again at each later quote would cost the square.
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

// A name that is spelt otherwise may be any name.
const LABEL = /"([ !#-[\]-~]*)" *: */y
/** Between two members. */
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
