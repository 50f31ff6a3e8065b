import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { run } from '../../src/machine/run.ts'
import type { Citation, Delta, OffsetUnit } from '../../src/protocol/delta.ts'
import { collect } from '../../src/responses/collect.ts'
import { respond } from '../../src/responses/respond.ts'
import { headOf } from '../engine/run-engine.ts'

const outputOf = (...deltas: readonly Delta[]) =>
  run(collect, run(respond(headOf('x'), openai), [...deltas, { kind: 'finish', reason: 'stop' }]))[0]?.output ?? []

const text = (words: string): Delta => ({ kind: 'text', key: 'm', part: '', text: words, logprobs: null })
const cited: Citation = { url: 'https://a.example', title: null, content: null, span: null, marker: null }

describe('a citation of a content block', () => {
  const block: Delta = { kind: 'citation', key: 'm', part: '', citation: cited, block: true }
  const mark: Delta = { kind: 'mark', key: 'm' }
  const spans = (...deltas: readonly Delta[]) =>
    outputOf(...deltas).flatMap((item) =>
      item.type === 'message'
        ? item.content.flatMap((part) => (part.type === 'output_text' ? part.annotations : []))
        : [],
    )

  it('spans all text since the last mark', () => {
    expect(spans(text('One. '), mark, text('Tw'), text('o 🙂'), block, mark, text(' Three.'))).toMatchObject([
      { start_index: 5, end_index: 11 },
    ])
  })

  it('spans all text if there was no mark', () => {
    expect(spans(mark, text('One.'), block)).toMatchObject([{ start_index: 0, end_index: 4 }])
  })

  it('is kept with an empty span if the block has no text', () => {
    expect(spans(text('One.'), mark, block)).toMatchObject([{ start_index: 0, end_index: 0 }])
    expect(spans(block, text('One.'))).toMatchObject([{ start_index: 0, end_index: 0 }])
  })
})

describe('the excerpt of a citation', () => {
  it.each([
    ['\ude00 a.', 3, 8],
    ['Oh \ud83d', 0, 5],
  ])('that cuts a character has all of it: %j', (content, start_index, end_index) => {
    const citation: Citation = { ...cited, content }
    const [item] = outputOf(text('Oh 😀 a.'), { kind: 'citation', key: 'm', part: '', citation })
    expect(item).toMatchObject({ content: [{ annotations: [{ start_index, end_index }] }] })
  })
})

describe('a call', () => {
  it('ends before the next item begins once more arguments have made it whole', () => {
    const call = (key: string, name: string | null, args: string): Delta => ({
      kind: 'call',
      key,
      type: 'function_call',
      callId: name,
      name,
      arguments: args,
    })
    const pieces = [call('0', 'f', '{"x":'), call('1', 'g', '{}'), call('0', null, '1}'), call('2', 'h', '{}')]
    const events = run(respond(headOf('x'), openai), [...pieces, { kind: 'finish', reason: 'stop' }])
    const items = events.flatMap((event) =>
      event.type === 'output_item.added' || event.type === 'output_item.done'
        ? [`${event.output_index} ${event.type.slice('output_item.'.length)}`]
        : [],
    )
    expect(items).toEqual(['0 added', '1 added', '0 done', '1 done', '2 added', '2 done'])
  })
})

describe('a citation of a file', () => {
  it('is at the end of its span', () => {
    const citation = {
      ...cited,
      url: '',
      span: { start: 0, end: 4, unit: 'utf16' },
      file: { file_id: 'f', filename: 'a.pdf' },
    } as const
    const [item] = outputOf(text('One. Two.'), { kind: 'citation', key: 'm', part: '', citation })
    expect(item).toMatchObject({ content: [{ annotations: [{ type: 'file_citation', file_id: 'f', index: 4 }] }] })
  })
})

describe('the quote of a citation', () => {
  const quoted = (start: number, end: number, quote: string): Delta => ({
    kind: 'citation',
    key: 'm',
    part: '',
    citation: { ...cited, quote, span: { start, end, unit: 'utf8' } },
  })
  const places = (delta: Delta) =>
    outputOf(text('Bern är Bern, not Basel.'), delta).flatMap((item) =>
      item.type === 'message' ? item.content.flatMap((part) => ('annotations' in part ? part.annotations : [])) : [],
    )

  it('keeps its span if the text contains it there', () => {
    expect(places(quoted(9, 13, 'Bern'))).toMatchObject([{ start_index: 8, end_index: 12 }])
  })

  it('is searched at the nearest position if its span is wrong', () => {
    expect(places(quoted(7, 11, 'Bern'))).toMatchObject([{ start_index: 8, end_index: 12 }])
    expect(places(quoted(1, 5, 'Bern'))).toMatchObject([{ start_index: 0, end_index: 4 }])
  })

  it('gives the span 0..0 if the text does not contain it', () => {
    expect(places(quoted(1, 5, 'Chur'))).toMatchObject([{ start_index: 0, end_index: 0 }])
  })
})

describe('a citation in a text that reasoning interrupts', () => {
  const think: Delta = { kind: 'reasoning', key: 'r', part: '', text: 'Hm.', logprobs: null }
  const at = (start: number, end: number, unit: OffsetUnit): Delta => ({
    kind: 'citation',
    key: 'm',
    part: '',
    citation: { ...cited, span: { start, end, unit } },
  })
  const cutsOut = (...deltas: readonly Delta[]) =>
    outputOf(...deltas).flatMap((item) =>
      item.type === 'message'
        ? item.content.flatMap((part) =>
            part.type === 'output_text'
              ? part.annotations.map(
                  (it) => it.type === 'url_citation' && part.text.slice(it.start_index, it.end_index),
                )
              : [],
          )
        : [],
    )

  it.each([
    ['utf16', 9, 13],
    ['code-point', 8, 12],
    ['utf8', 11, 15],
  ] as const)('counts its offset from the first text: %s', (unit, start, end) => {
    expect(cutsOut(text('Oh 😀 a. '), think, text('Then rain.'), at(start, end, unit))).toEqual(['Then'])
    expect(cutsOut(text('Oh 😀 a. '), think, at(start, end, unit), text('Then rain.'))).toEqual(['Then'])
  })

  it('cites the part within the second text if it starts in the first', () => {
    expect(cutsOut(text('Oh dear. '), think, text('Then rain.'), at(3, 13, 'utf16'))).toEqual(['Then'])
  })

  it('has an empty span if it refers only to the first text, which is done', () => {
    expect(cutsOut(text('Oh dear. '), think, text('Then rain.'), at(3, 7, 'utf16'))).toEqual([''])
  })

  it('counts only text with its own key', () => {
    const other: Delta = { kind: 'text', key: 'n', part: '', text: 'Another. ', logprobs: null }
    expect(cutsOut(other, text('Then rain.'), at(0, 4, 'utf16'))).toEqual(['Then'])
  })
})
