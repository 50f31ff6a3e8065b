import fc from 'fast-check'
import { expect, test } from 'vitest'
import { run } from '../../src/machine/run.ts'
import type { Citation, Delta } from '../../src/protocol/delta.ts'
import { ALL_CAPABILITIES } from '../../src/responses/capabilities.ts'
import { anchorAll } from '../../src/responses/citations.ts'
import { measure } from '../../src/responses/measured-text.ts'
import { respond } from '../../src/responses/respond.ts'
import { runSteps } from '../../src/text/steps.ts'
import { UNITS } from '../arbitraries/deltas.ts'
import { headOf } from '../engine/run-engine.ts'
import { check } from '../property.ts'

const word = fc.constantFrom('[1]', '[', ']', '(', ')', 'u', '](u)', '[x](u)', ' ', 'a', 'b', 'ab', '😀', '\ud83d', 'é')
const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(''))
const offset = fc.integer({ min: -1, max: 50 })
const span = fc.record({ start: offset, end: offset, unit: fc.constantFrom(...UNITS) })
const source = fc.record({
  url: fc.constantFrom('u', '', 'v', 'a'),
  title: fc.constant(null),
  content: fc.constantFrom(null, 'ab', 'b', '😀', ''),
})
const citation: fc.Arbitrary<Citation> = fc.oneof(
  fc.tuple(source, span).map(([it, at]) => ({ ...it, span: at, marker: null })),
  fc.tuple(source, span, fc.constantFrom('ab', 'a', '😀', 'no')).map(([it, at, quote]) => ({
    ...it,
    span: at,
    marker: null,
    quote,
  })),
  fc.tuple(source, fc.constantFrom('[1]', 'a', '', null)).map(([it, marker]) => ({ ...it, span: null, marker })),
  fc.tuple(source, fc.constantFrom('[1]', null)).map(([it, marker]) => ({ ...it, span: null, marker, linked: true })),
)

test('many citations placed together have the same positions as each alone', () => {
  check(
    // The maximum is above the number up to which citations are searched one by one.
    fc.property(fc.array(citation, { maxLength: 50 }), text, fc.constantFrom(...UNITS), (list, page, unit) => {
      const alone = list.flatMap((one) => runSteps(anchorAll([one], page, measure(page), unit)))
      expect(runSteps(anchorAll(list, page, measure(page), unit))).toEqual(alone)
    }),
    500,
  )
})

test('a citation whose place is settled is announced at once, and stays there', () => {
  const settled: Citation = { url: 'u', title: null, content: null, span: null, marker: null, settled: true }
  const hub = respond(headOf('x'), ALL_CAPABILITIES)
  const text = hub.step(hub.initial, { kind: 'text', key: 'm', part: '', text: 'See [it](u).', logprobs: null })
  const cited = hub.step(text.state, { kind: 'citation', key: 'm', part: '', citation: settled })
  expect(cited.events).toMatchObject([
    { type: 'output_text.annotation.added', annotation: { url: 'u', start_index: 0, end_index: 0 } },
  ])
})

test('a marker is cited at every occurrence, also if its citation has a block', () => {
  const cited: Citation = { url: 'u', title: null, content: null, span: null, marker: '[1]' }
  const textDelta = (words: string): Delta => ({ kind: 'text', key: 'm', part: '', text: words, logprobs: null })
  const events = run(respond(headOf('x'), ALL_CAPABILITIES), [
    textDelta('a[1]'),
    { kind: 'citation', key: 'm', part: '', citation: cited, block: true },
    textDelta('b[1]'),
    { kind: 'finish', reason: 'stop' },
  ])
  expect(events.flatMap((it) => (it.type === 'output_text.annotation.added' ? [it.annotation] : []))).toMatchObject([
    { start_index: 1, end_index: 4 },
    { start_index: 5, end_index: 8 },
  ])
})
