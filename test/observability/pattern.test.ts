import { describe, expect, it } from 'vitest'
import { compilePattern, faultOfPattern } from '../../src/observability/pattern.ts'

describe('the pattern of an operator', () => {
  it.each([
    ['^(\\w+\\s?)*$', false],
    ['(a+)+$', false],
    ['(a|a)*$', true],
    ['(.*,){12}P', false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', false],
  ])('takes linear time for %s', (pattern, expected) => {
    // In quadratic time, let alone that of an engine that tries every way, this takes longer than a test may.
    expect(compilePattern(pattern).test(`${'a'.repeat(1024 * 1024)}!`)).toBe(expected)
  })

  it.each([
    ['^session-\\d$', 'session-1', true],
    ['^session-\\d$', 'session-1\n', false],
    ['(?i)oslo', 'In OSLO', true],
    ['\\u00e9t\\u00e9', 'un été', true],
    ['^\\p{L}+$', 'λόγος', true],
    ['(?<year>\\d{4})-\\d\\d', '2026-01', true],
    ['gpt|claude', 'gemini', false],
    ['a{2,3}', 'aa', true],
  ])('%s is tested against %j with the right result', (pattern, text, expected) => {
    expect(faultOfPattern(pattern)).toBeNull()
    expect(compilePattern(pattern).test(text)).toBe(expected)
  })

  it.each(['(', '(?=a)b', '(?<!a)b', '(a)\\1', '[z-a]', 'a**'])('%s is rejected with a reason', (pattern) => {
    expect(faultOfPattern(pattern)).toMatch(
      /^expected a regular expression that RE2 supports \(no lookaround, no backreferences\), got \S/,
    )
  })

  it('is compiled only once for repeated use', () => {
    expect(compilePattern('^once$')).toBe(compilePattern('^once$'))
  })
})
