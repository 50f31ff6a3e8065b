import type * as z from 'zod'
// By their names: as members of a namespace they bring all of zod, with its translations, into a bundle.
import { $ZodEnum, $ZodObject, $ZodRecord } from 'zod/v4/core'
import { didYouMean } from '../../text/did-you-mean.ts'
import { lookup } from '../../text/lookup.ts'
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
      return `expected ${expectation(issue)}, got ${issue.expected === 'int' ? sizeOf(issue.input) : kindOf(issue.input)}${forSection(issue)}`
    default:
      return `expected ${expectation(issue)}, got ${kindOf(issue.input)}`
  }
}

/** A section without options has its defaults. */
const forSection = ({ expected, input }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string =>
  expected === 'object' && input === true ? '. Write {} for its defaults' : ''

/** The message for a value that is none of these words, with the closest one. */
export const expectedWord = (words: readonly unknown[], input: unknown): string =>
  typeof input === 'string'
    ? `expected ${oneOf(words)}.${didYouMean(input, words.map(String))}`
    : `expected ${oneOf(words)}, got ${kindOf(input)}`

/** Options of other programs. Their values have another place here. */
const HINTS: Readonly<Record<string, (options: readonly string[]) => string>> = {
  enabled: (options) =>
    options.includes('pool')
      ? 'Remove the vendor, or set it for a member of a pool.'
      : 'The section is on where it is there, also as {}. Remove it to turn it off.',
  cooldown: () =>
    'An upstream is paused for as long as it asks for (Retry-After), and after outages in a row (retry.breaker_failures, retry.breaker_seconds).',
}

const HINTED: Readonly<Record<string, keyof typeof HINTS>> = {
  enabled: 'enabled',
  disabled: 'enabled',
  cooldown: 'cooldown',
  cooldown_seconds: 'cooldown',
  cooldown_time: 'cooldown',
  allowed_fails: 'cooldown',
}

function unknownOption(name: string, options: readonly string[]): string {
  const hint = lookup(HINTS, lookup(HINTED, name) ?? '')?.(options)
  if (hint !== undefined) return `the option ${describeValue(name)} does not exist. ${hint}`
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
