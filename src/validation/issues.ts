import type * as z from 'zod'
import { describeValue, oneOf } from './messages.ts'

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
