import fc from 'fast-check'
import { describe, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta, OffsetUnit } from '../../src/protocol/delta.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { UrlCitation } from '../../src/protocol/part.ts'
import { respond } from '../../src/responses/respond.ts'
import { splitsPair } from '../../src/text/offsets.ts'
import { deltas, UNITS } from '../arbitraries/deltas.ts'
import { anyString, hostile } from '../arbitraries/strings.ts'
import { headOf } from '../engine/run-engine.ts'
import { check, expectEqual, expectSame } from '../property.ts'

/**
 * Law 7: an annotation points at text that exists, never into the middle of a character, and its slice is the cited
 * text.
 */

const hub = respond(headOf('x'), DIALECTS.openai)

/** Returns every text part with its annotations, as the finished items contain them. */
const partsOf = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === 'output_item.done' && event.item.type === 'message'
      ? event.item.content.flatMap((part) => (part.type === 'output_text' ? [part] : []))
      : [],
  )

const urlCitations = (events: readonly Event[]) =>
  partsOf(events).flatMap(({ text, annotations }) =>
    annotations.flatMap((annotation) => (annotation.type === 'url_citation' ? [{ text, annotation }] : [])),
  )

const sliceOf = (text: string, { start_index, end_index }: UrlCitation): string => text.slice(start_index, end_index)

const LENGTH: Readonly<Record<OffsetUnit, (text: string) => number>> = {
  utf16: (text) => text.length,
  'code-point': (text) => [...text].length,
  utf8: (text) => [...text].reduce((sum, character) => sum + Buffer.byteLength(character), 0),
}

const text = (content: string): Delta => ({ kind: 'text', key: 'm', part: '', text: content, logprobs: null })

describe('law 7, annotations of text parts', () => {
  it('point at existing text and never split a surrogate pair', () => {
    check(
      fc.property(deltas, (list) => {
        for (const { text: whole, annotation } of urlCitations(run(hub, list))) {
          const { start_index: start, end_index: end } = annotation
          expectSame(Number.isInteger(start) && Number.isInteger(end), true)
          expectSame(0 <= start && start <= end && end <= whole.length, true)
          expectSame(splitsPair(whole, start) || splitsPair(whole, end), false)
        }
      }),
      2000,
    )
  })

  it('select the cited text in every offset unit, wherever in the stream the citation arrives', () => {
    const pieces = fc.tuple(hostile, anyString, hostile).filter(([before, cited, after]) => {
      const whole = before + cited + after
      return !splitsPair(whole, before.length) && !splitsPair(whole, before.length + cited.length)
    })
    const when = fc.constantFrom('before', 'inside', 'after')
    check(
      fc.property(pieces, fc.constantFrom(...UNITS), when, fc.nat(), ([before, cited, after], unit, comes, at) => {
        const whole = before + cited + after
        const start = LENGTH[unit](before)
        const span = { start, end: start + LENGTH[unit](cited), unit }
        const citation = { url: 'https://a.example/', title: null, content: null, span, marker: null }
        const delta: Delta = { kind: 'citation', key: 'm', part: '', citation }
        const place = at % (whole.length + 1)
        const [head, tail] = [text(whole.slice(0, place)), text(whole.slice(place))]
        const order: readonly Delta[] =
          comes === 'before' ? [delta, head, tail] : comes === 'inside' ? [head, delta, tail] : [head, tail, delta]
        const found = urlCitations(run(hub, [...order, { kind: 'finish', reason: 'stop' }]))
        expectEqual(
          found.map(({ text: it, annotation }) => sliceOf(it, annotation)),
          [cited],
        )
      }),
      2000,
    )
  })

  it('are at every occurrence of their marker', () => {
    const words = fc.array(fc.constantFrom('[1]', '[2]', 'a', '😀', '\ud83d', '日', '[', '1]'), {
      minLength: 1,
      maxLength: 12,
    })
    check(
      fc.property(words, fc.boolean(), (list, first) => {
        const citation = { url: 'https://a.example/', title: null, content: null, span: null, marker: '[1]' }
        const delta: Delta = { kind: 'citation', key: 'm', part: '', citation }
        const texts = list.map(text)
        const found = urlCitations(run(hub, first ? [delta, ...texts] : [...texts, delta]))
        expectEqual(
          found.map(({ text: it, annotation }) => sliceOf(it, annotation)),
          list.join('').match(/\[1\]/g) ?? [],
        )
      }),
    )
  })

  it('are at the link or the excerpt that a citation without a span cites', () => {
    const url = 'https://a.example/1'
    check(
      fc.property(hostile, hostile, fc.boolean(), (before, after, linked) => {
        fc.pre(!before.includes(url) && !before.includes('excerpt'))
        const cited = linked ? `[site](${url})` : 'an excerpt'
        const citation = { url, title: null, content: linked ? null : cited, span: null, marker: null }
        fc.pre(linked || !after.includes(url))
        const list: readonly Delta[] = [
          text(before),
          text(cited),
          text(after),
          { kind: 'citation', key: 'm', part: '', citation },
        ]
        expectEqual(
          urlCitations(run(hub, list)).map(({ text: it, annotation }) => sliceOf(it, annotation)),
          [cited],
        )
      }),
    )
  })
})
