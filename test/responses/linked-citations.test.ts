import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anchorAll } from '../../src/responses/citations.ts'
import { measure } from '../../src/responses/measured-text.ts'
import { runSteps } from '../../src/text/steps.ts'
import { countGrowth, MOST_GROWTH } from '../complexity/growth.ts'
import { check } from '../property.ts'

/** A text can cite such a source by a link as well as by a marker. */

const URL = 'https://a.example/x'

const cutsOf = (text: string, url = URL, marker: string | null = '[1]'): string[] => {
  const citation = { url, title: null, content: null, span: null, marker, linked: true }
  return runSteps(anchorAll([citation], text, measure(text), 'utf16')).flatMap((it) =>
    it.type === 'url_citation' ? [text.slice(it.start_index, it.end_index)] : [],
  )
}

describe('a source that links and markers cite', () => {
  it.each<[string, string[]]>([
    ['no link and no marker', []],
    ['by mark [1], and again [1].', ['[1]', '[1]']],
    ['beside others [2][1][11]', ['[1]']],
    [`by link [site](${URL}).`, [`[site](${URL})`]],
    [`by link and mark [1] [site](${URL})`, ['[1]', `[site](${URL})`]],
    [`by a mark that is a link [1](${URL})`, [`[1](${URL})`]],
    [`by a mark in the brackets of a link [[1]](${URL})`, [`[[1]](${URL})`]],
    ['by a mark that is a link to another page [1](https://b.example/)', []],
    [`with a title [site](${URL} "The title")`, [`[site](${URL} "The title")`]],
    [`with an anchor [site](${URL}#top)`, [`[site](${URL}#top)`]],
    [`with a slash [site](${URL}/)`, [`[site](${URL}/)`]],
    [`of a page that begins alike [site](${URL}y) ${URL}/y`, []],
    [`as it is: ${URL}, or <${URL}>.`, [URL, URL]],
    [`at the end ${URL}.`, [URL]],
    [`twice [a](${URL}) [b](${URL})`, [`[a](${URL})`, `[b](${URL})`]],
    [`a link without its brackets](${URL})`, [URL]],
    [`a link without an end [site](${URL}`, [URL]],
    [`😀 behind an emoji [site](${URL})`, [`[site](${URL})`]],
  ])('is cited at the expected positions: %s', (text, cuts) => {
    expect(cutsOf(text)).toEqual(cuts)
  })

  it('is cited by its link also if it has a span', () => {
    const text = `ab [site](${URL})`
    const span = { start: 0, end: 2, unit: 'utf16' as const }
    const citation = { url: URL, title: null, content: null, span, marker: null, linked: true }
    const [only] = runSteps(anchorAll([citation], text, measure(text), 'utf16'))
    expect(only).toMatchObject({ start_index: 3, end_index: text.length })
  })

  it('is cited by a link whose URL contains brackets', () => {
    const url = 'https://a.example/Mill_(river)'
    expect(cutsOf(`see [Mill](${url}).`, url)).toEqual([`[Mill](${url})`])
  })

  it.each([`](${URL}`, `](${URL})`, `[1](${URL})`, '[1]', '[', ']'])(
    'is searched for in a number of steps linear in the text: %s',
    (piece) => {
      const { costs, factor } = countGrowth((size) => {
        const text = piece.repeat(size)
        return () => void cutsOf(text)
      })
      expect(factor, costs.join(' to ')).toBeLessThanOrEqual(MOST_GROWTH)
    },
  )

  it('is never cited at an empty range, and never twice at one position', () => {
    const words = fc.array(
      fc.constantFrom('[1]', '[', ']', '(', ')', URL, `](${URL})`, `[x](${URL})`, ' ', '#a', '"', '😀', '\ud83d', '/'),
      { maxLength: 12 },
    )
    check(
      fc.property(words, fc.constantFrom('[1]', null, ''), fc.constantFrom(URL, ''), (list, marker, url) => {
        const text = list.join('')
        const citation = { url, title: null, content: null, span: null, marker, linked: true }
        const places = runSteps(anchorAll([citation], text, measure(text), 'utf16')).flatMap((it) =>
          it.type === 'url_citation' ? [[it.start_index, it.end_index] as const] : [],
        )
        places.forEach(([start, end], i) => {
          expect(end).toBeGreaterThan(start)
          const slice = text.slice(start, end)
          expect(slice === marker || (url !== '' && slice.includes(url))).toBe(true)
          const before = places[i - 1]
          if (before !== undefined) expect(start).toBeGreaterThanOrEqual(before[1])
        })
      }),
      2000,
    )
  })
})
