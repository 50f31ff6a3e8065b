import { describe, expect, it } from 'vitest'
import { READ_TEXTS } from '../../tools/style/main.ts'
import { countMannerisms, proseOf, textsOf } from '../../tools/style/mannerisms.ts'

/** At most so many phrases of a translation in 1,000 words (docs/style.md). */
const MOST_PER_THOUSAND = 1

/** Long pages may have a phrase that a quotation needs; short ones may not have three. */
const MOST_IN_A_PAGE = 3

describe('the texts that people read', () => {
  it('have hardly a phrase that reads like a translation', () => {
    const { words, total } = countMannerisms([...READ_TEXTS.values()].join('\n'))
    expect(words).toBeGreaterThan(100_000)
    expect((1000 * total) / words).toBeLessThan(MOST_PER_THOUSAND)
  })

  it('have at most three of them in any page or source', () => {
    const crowded = [...READ_TEXTS]
      .filter(([file]) => file !== 'docs/style.md')
      .map(([file, text]) => [file, countMannerisms(text).total] as const)
      .filter(([, total]) => total > MOST_IN_A_PAGE)
    expect(crowded).toEqual([])
  })
})

describe('the count of phrases', () => {
  it.each([
    ['a file that is no folder', '"is no" for "is not a"'],
    ['the exit code is that of the agent', '"that of"'],
    ['its losses are those of the request', '"those of"'],
    ['the name of a rule of the server', '"of … of"'],
    ['the call of the one that is forced', '"the one that"'],
    ['the variable is to have a key', '"is to have"'],
  ] as const)('finds "%s"', (text, name) => {
    expect(countMannerisms(text).counts[name]).toBe(1)
  })

  it.each(['it is no longer there', 'the name of the rule', 'a list of names, one of each', 'that is not a folder'])(
    'does not find anything in "%s"',
    (text) => {
      expect(countMannerisms(text).total).toBe(0)
    },
  )

  it('reads prose without code and addresses, and texts without comments', () => {
    expect(proseOf('a\n```\nis no x\n```\n[b](that-of)')).not.toMatch(/is no|that-of/)
    expect(textsOf("// this is no text at all\nconst a = 'a text with words'\n")).toBe("'a text with words'")
  })
})
