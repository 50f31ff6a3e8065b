import type * as z from 'zod'
// By their names: as members of a namespace they bring all of zod, with its translations, into a bundle.
import { $ZodEnum, $ZodObject, $ZodRecord } from 'zod/v4/core'
import { didYouMean } from '../../text/did-you-mean.ts'
import { expectation } from '../../validation/issues.ts'
import { describeValue, formatPath, oneOf } from '../../validation/messages.ts'

/** Formats a path as `vendors.acme.key` or `keys[0].sha256`; the empty path as `configuration`. */
export const formatConfigPath = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? 'configuration' : formatPath(path)

/**
 * Formats an issue of zod: the expected value, and the one that was received. Never quotes a value that may be a secret:
 * of strings, and of numbers in place of strings, only the kind is given. Unknown options have one line each.
 */
export function describeConfigIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((name) => unknownOption(name, optionsOf(issue.inst))).join('\n')
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'expected another name'
    case 'invalid_value':
      return expectedWord(issue.values, issue.input)
    case 'too_small':
    case 'too_big':
      return `expected ${boundOf(issue)}, got ${sizeOf(issue.input)}`
    case 'invalid_type':
      return `expected ${expectation(issue)}, got ${issue.expected === 'int' ? sizeOf(issue.input) : kindOf(issue.input)}`
    default:
      return `expected ${expectation(issue)}, got ${kindOf(issue.input)}`
  }
}

/** The message for a value that is none of these words, with the closest one. */
export const expectedWord = (words: readonly unknown[], input: unknown): string =>
  typeof input === 'string'
    ? `expected ${oneOf(words)}.${didYouMean(input, words.map(String))}`
    : `expected ${oneOf(words)}, got ${kindOf(input)}`

function unknownOption(name: string, options: readonly string[]): string {
  const close = didYouMean(name, options)
  return `the option ${describeValue(name)} does not exist.${close === '' ? ` Options: ${options.join(', ')}.` : close}`
}

function optionsOf(schema: z.core.$ZodRawIssue['inst']): readonly string[] {
  if (schema instanceof $ZodObject) return Object.keys(schema._zod.def.shape)
  const names = schema instanceof $ZodRecord ? schema._zod.def.keyType : null
  return names instanceof $ZodEnum ? Object.values(names._zod.def.entries).map(String) : []
}

function boundOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>): string {
  if (issue.code === 'too_small' && issue.origin === 'array' && issue.minimum === 1) return 'a list that is not empty'
  if (issue.code === 'too_small' && issue.inclusive === false) return `more than ${issue.minimum}`
  return expectation(issue)
}

function sizeOf(input: unknown): string {
  if (typeof input === 'number') return String(input)
  if (Array.isArray(input)) return input.length === 0 ? 'an empty list' : `a list of ${input.length} entries`
  return kindOf(input)
}

function kindOf(input: unknown): string {
  if (typeof input === 'string') return input === '' ? 'an empty string' : 'a string'
  return typeof input === 'number' ? 'a number' : describeValue(input)
}
