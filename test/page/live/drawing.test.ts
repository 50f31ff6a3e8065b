import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerRecord } from '../../../src/page/views/live/answer/answer-record.ts'
import { RateCounts } from '../../../src/page/views/live/answer/rate-counts.ts'
import { segmentsOf, spanOf } from '../../../src/page/views/live/drawing/answer-text.ts'
import { axisEnd, axisLabels } from '../../../src/page/views/live/drawing/time-axis.ts'
import { NO_SELECTION, selectFrame, selectLane, selectTick } from '../../../src/page/views/live/selection.ts'
import type { Event } from '../../../src/protocol/event.ts'
import type { Annotation } from '../../../src/protocol/part.ts'
import { webUrls } from '../../arbitraries/strings.ts'
import { check } from '../../property.ts'

const annotations: fc.Arbitrary<readonly Annotation[]> = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('url_citation' as const),
      url: webUrls,
      title: fc.constant(null),
      start_index: fc.nat(30),
      end_index: fc.nat(30),
      content: fc.constant(null),
    }),
    fc.record({
      type: fc.constant('file_citation' as const),
      file_id: fc.string(),
      filename: fc.string(),
      index: fc.nat(30),
    }),
  ),
  { maxLength: 5 },
)

describe('a cited text', () => {
  it('is whole in its segments, and each unit has exactly the citations that cover it', () => {
    check(
      fc.property(fc.string({ maxLength: 25 }), fc.nat(10), annotations, (text, from, citations) => {
        const segments = segmentsOf(text, from, citations)
        expect(segments.map((one) => one.text).join('')).toBe(text)
        let at = from
        for (const { text: piece, sources } of segments) {
          for (let unit = at; unit < at + piece.length; unit += 1) {
            const covering = citations.flatMap((citation, i) => {
              const span = spanOf(citation)
              return span !== null && span.start <= unit && unit < span.end ? [i] : []
            })
            expect(sources).toEqual(covering)
          }
          at += piece.length
        }
      }),
    )
  })
})

describe('the time axis', () => {
  it('contains the answer, never shrinks while it grows, and has few labels at round distances', () => {
    check(
      fc.property(fc.array(fc.nat(600_000), { minLength: 1 }), (times) => {
        let end = 0
        for (const now of times.sort((a, b) => a - b)) {
          const next = axisEnd(now, end, false)
          expect(next).toBeGreaterThanOrEqual(Math.max(now, end))
          end = next
        }
        const labels = axisLabels(end, 10)
        expect(labels.length).toBeLessThanOrEqual(11)
        expect(labels.length).toBeGreaterThan(3)
        expect(labels.at(-1)).toBeLessThanOrEqual(end)
      }),
    )
  })
})

describe('the rates of an answer', () => {
  it('contain each amount once, however many points they have', () => {
    const amounts = fc.array(fc.tuple(fc.nat(20_000), fc.nat(1000)), { maxLength: 50 })
    check(
      fc.property(amounts, fc.integer({ min: 1, max: 200 }), (added, most) => {
        const counts = new RateCounts()
        for (const [time, amount] of added) counts.add('bytes', time, amount)
        const until = Math.max(1, ...added.map(([time]) => time + 1))
        const [times, rates] = counts.points('bytes', until, most)
        expect(times.length).toBeLessThanOrEqual(most)
        const width = (times[1] ?? Number.NaN) - (times[0] ?? 0)
        const sum = added.reduce((all, [, amount]) => all + amount, 0)
        const shown = rates.reduce((all, rate) => all + rate * (rates.length > 1 ? width : 1), 0)
        if (rates.length > 1) expect(shown).toBeCloseTo(sum, 3)
      }),
    )
  })
})

describe('the selection', () => {
  const item = (id: string) => ({ type: 'message', id, status: 'in_progress', role: 'assistant', content: [] }) as const
  const added = (index: number): Event => ({
    type: 'output_item.added',
    response_id: 'r',
    output_index: index,
    item: item(`m${index}`),
  })
  const text = (index: number, delta: string): Event => ({
    type: 'output_text.delta',
    response_id: 'r',
    item_id: `m${index}`,
    output_index: index,
    content_index: 0,
    delta,
    logprobs: [],
  })
  const record = new AnswerRecord()
  const frame = { event: '', data: '{}' }
  record.addFrames([{ frame, events: [added(0)] }], 0)
  record.addFrames([{ frame, events: [text(0, 'a'), text(0, 'b')] }], 10)
  record.addFrames([{ frame, events: [added(1), text(1, 'c')] }], 20)
  record.addFrames([{ frame, events: [text(0, 'd')] }], 30)

  it('leads from a tick to its frame and back, and stays within the answer', () => {
    expect(selectTick(record, 1)).toEqual({ tick: 1, frame: 1 })
    expect(selectFrame(record, 2)).toEqual({ tick: 2, frame: 2 })
    expect(selectFrame(record, 0)).toEqual({ tick: null, frame: 0 })
    expect(selectTick(record, 99)).toEqual({ tick: 3, frame: 3 })
    expect(selectFrame(record, -5)).toEqual({ tick: null, frame: 0 })
    expect(selectTick(new AnswerRecord(), 0)).toEqual(NO_SELECTION)
  })

  it('goes to the tick of the next lane that is nearest in time', () => {
    expect(selectLane(record, selectTick(record, 0), 1)).toEqual({ tick: 2, frame: 2 })
    expect(selectLane(record, selectTick(record, 2), -1)).toEqual({ tick: 3, frame: 3 })
    expect(selectLane(record, selectTick(record, 3), -1)).toEqual({ tick: 3, frame: 3 })
  })
})
