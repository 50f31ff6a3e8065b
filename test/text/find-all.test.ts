import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findAll, findTogether } from '../../src/text/find-all.ts'
import { runSteps } from '../../src/text/steps.ts'
import { check } from '../property.ts'

/** Searches for one needle with `indexOf`. */
function placesOf(text: string, needle: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) places.push(at)
  return places
}

/** Uses few letters, so that needles overlap, share prefixes and suffixes, and contain each other. */
const letters = fc.string({ unit: fc.constantFrom('a', 'b', '[', ']', '\ud83d', '\u00e9'), maxLength: 6 })
const needle = letters.filter((it) => it !== '')
const text = fc.array(letters, { maxLength: 60 }).map((pieces) => pieces.join(''))

test('a search for many needles finds the same positions as a search for each', () => {
  check(
    fc.property(text, fc.uniqueArray(needle, { maxLength: 60 }), (page, needles) => {
      const found = runSteps(findTogether(page, needles))
      expect([...found.keys()]).toEqual(needles)
      for (const [words, places] of found) expect(places).toEqual(placesOf(page, words))
    }),
    1000,
  )
})

test('a search finds few and many needles alike, and never the empty needle', () => {
  check(
    fc.property(text, fc.array(letters, { maxLength: 60 }), (page, needles) => {
      const found = findAll(page, needles)
      expect(found.get('')).toBeUndefined()
      for (const words of needles) if (words !== '') expect(found.get(words)).toEqual(placesOf(page, words))
    }),
    500,
  )
})

test('the positions of one needle do not overlap', () => {
  expect(runSteps(findTogether('aaaa', ['aa', 'aaa']))).toEqual(
    new Map([
      ['aa', [0, 2]],
      ['aaa', [0]],
    ]),
  )
})
