import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../src/protocol/version.ts'
import { releaseProblems, sectionsOf } from '../tools/package/release-check.ts'

it('the exported version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(VERSION).toBe(version)
})

describe('a release', () => {
  it('is accepted if tag, package and changelog agree', () => {
    expect(releaseProblems('v1.2.0', '1.2.0', '# C\n\n## Unreleased\n\n## 1.2.0 (2026-12-01)\n\n- a\n')).toEqual([])
  })

  it('is refused with each reason', () => {
    const changelog = '# C\n\n## Unreleased\n\n### Added\n\n- a\n\n## 1.1.0\n'
    expect(releaseProblems('v1.3.0', '1.2.0', changelog)).toEqual([
      'The tag is v1.3.0, the version in package.json 1.2.0.',
      'CHANGELOG.md has lines under "Unreleased". Move them to 1.2.0.',
      'The first version in CHANGELOG.md is 1.1.0, not 1.2.0.',
      'CHANGELOG.md: expected "## 1.2.0 (YYYY-MM-DD)".',
    ])
  })

  it('has a changelog whose sections are versions, the newest first', () => {
    const [first, ...versions] = sectionsOf(readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')).keys()
    expect(first).toBe('Unreleased')
    expect(versions.filter((title) => !/^\d+\.\d+\.\d+(?: \(\d{4}-\d\d-\d\d\))?$/.test(title))).toEqual([])
    const numbers = versions.map((title) => title.split(' ')[0]?.split('.').map(Number) ?? [])
    const isNewer = ([a = 0, b = 0, c = 0]: readonly number[], [d = 0, e = 0, f = 0]: readonly number[]): boolean =>
      a - d > 0 || (a === d && (b - e > 0 || (b === e && c > f)))
    expect(numbers.every((one, index) => index === 0 || isNewer(numbers[index - 1] ?? [], one))).toBe(true)
  })
})
