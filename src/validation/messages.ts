import type * as z from 'zod'
import { isObject } from '../text/json.ts'

/** zod's names of types, in words for users. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'null'],
])

const noun = (type: string): string => NOUNS.get(type) ?? type

const LONGEST_QUOTE = 40

/** Quotes a short text, because it may be misspelt. The content of a long text is not repeated. */
const describeText = (text: string): string =>
  text.length > LONGEST_QUOTE ? `a string of ${text.length} characters` : JSON.stringify(text)

/**
 * Describes the value that was received. Of anything but short strings, numbers and booleans only the kind is repeated.
 */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return typeof value === 'string' ? describeText(value) : String(value)
}

/** Formats the allowed words as part of a sentence. */
export const oneOf = (words: readonly unknown[]): string =>
  words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`

const tooSmall = (minimum: unknown, origin: string): string => {
  if (origin === 'string') return minimum === 1 ? 'a string that is not empty' : `at least ${minimum} characters`
  return origin === 'array' ? `at least ${minimum} entries` : `at least ${minimum}`
}

const tooBig = (maximum: unknown, origin: string): string => {
  if (origin === 'string') return `at most ${maximum} characters`
  return origin === 'array' ? `at most ${maximum} entries` : `at most ${maximum}`
}

function describeKeyIssue([issue]: readonly z.core.$ZodIssue[]): string {
  return issue?.code === 'too_big' ? `a key of at most ${issue.maximum} characters` : 'a valid key'
}

/** Describes the value that an issue of zod expects. */
export function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return noun(issue.expected)
    case 'invalid_value':
      return oneOf(issue.values)
    case 'too_small':
      return tooSmall(issue.minimum, issue.origin)
    case 'too_big':
      return tooBig(issue.maximum, issue.origin)
    case 'invalid_key':
      return describeKeyIssue(issue.issues)
    default:
      return 'a valid value'
  }
}

/** Formats an issue of zod: the expected value, and the one that was received. */
export const describeIssue = (issue: z.core.$ZodRawIssue): string =>
  `expected ${expectation(issue)}, got ${
    issue.code === 'too_big' && Array.isArray(issue.input) ? issue.input.length : describeValue(issue.input)
  }`

/**
 * Characters that JSON does not escape and that do not belong in a log: controls, marks that change the direction of a
 * line, line ends.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu

const escaped = (unseen: string): string =>
  [...unseen].map((it) => `\\u{${it.codePointAt(0)?.toString(16) ?? ''}}`).join('')

/**
 * Formats a step into an object: `.name`. A name with unusual characters is quoted, and of a long one only the length
 * is given.
 */
const formatStep = (name: string): string =>
  /^[\w-]{1,64}$/.test(name) ? `.${name}` : `[${describeText(name).replace(UNSEEN, escaped)}]`

/** Formats a path, such as `input[3].content[0].text`. A name with unusual characters is quoted. */
export function formatPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : formatStep(String(step))))
  return steps.length === 0 ? 'body' : steps.join('').replace(/^\./, '')
}

/** Returns the path of a field of the object at `path`; an empty `path` is the body itself. */
export const pathIn = (path: string, name: string): string =>
  path === '' ? formatPath([name]) : path + formatStep(name)
