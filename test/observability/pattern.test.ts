import { describe, expect, it } from 'vitest'
import { compilePattern, faultOfPattern } from '../../src/observability/pattern.ts'

/** Returns processor time in milliseconds, which other programs on the machine hardly affect. */
function timeOf(act: () => void): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe('the pattern of an operator', () => {
  it.each(['^(\\w+\\s?)*$', '(a+)+$', '(a|a)*$', '(.*,){12}P', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'takes linear time for %s',
    (pattern) => {
      const text = `${'a'.repeat(64 * 1024)}!`
      compilePattern(pattern).test('warm')
      expect(timeOf(() => void compilePattern(pattern).test(text))).toBeLessThan(2000)
    },
  )

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
