import { describe, expect, it } from 'vitest'
import type { Loose } from '../../client-stream.ts'
import { call, callEnd, cite, DONE, decodedDeltas, deltasOf, end, plan, START, text, thinkingText } from '../decoded.ts'

describe('citations of a cohere-chat stream', () => {
  const page = (more: object = {}) => ({
    type: 'tool',
    id: 't:0',
    tool_output: { url: 'https://a.example/1', title: 'One', snippet: 'From one.', ...more },
  })
  const doc = { type: 'document', id: 'doc:0', document: { id: 'doc:0', title: 'a.txt', text: 'All of it.' } }
  const annotationsOf = (response: Loose) =>
    response.output.flatMap((item: Loose) => item.content?.flatMap((part: Loose) => part.annotations ?? []) ?? [])
  const cited = (events: readonly unknown[]) =>
    annotationsOf(decodedDeltas([START, ...events, end(), DONE])).map((it: Loose) =>
      it.type === 'file_citation' ? [it.file_id, it.filename, it.index] : [it.url, it.start_index, it.end_index],
    )
  const at = (start: number, stop: number, words: string, more: object = {}) => ({
    start,
    end: stop,
    text: words,
    sources: [page()],
    type: 'TEXT_CONTENT',
    ...more,
  })

  it('have the span, title and excerpt of their page', () => {
    expect(annotationsOf(decodedDeltas([START, text('It is warm.'), cite(at(6, 10, 'warm')), end()]))).toEqual([
      {
        type: 'url_citation',
        url: 'https://a.example/1',
        title: 'One',
        start_index: 6,
        end_index: 10,
        content: 'From one.',
      },
    ])
  })

  it('are file citations for documents and outputs of tools', () => {
    const output = { type: 'tool', id: 'f_1:0', tool_output: { content: 'warm' } }
    expect(cited([text('It is warm.'), cite(at(6, 10, 'warm', { sources: [doc, output] }))])).toEqual([
      ['doc:0', 'a.txt', 10],
      ['f_1:0', 'f_1:0', 10],
    ])
  })

  it.each([
    ['the document', { document: { uri: 'https://b.example/' } }],
    ['the source itself', { url: 'https://b.example/' }],
  ])('have the URL that stands in %s', (_, source) => {
    expect(cited([text('It is warm.'), cite(at(6, 10, 'warm', { sources: [source] }))])).toEqual([
      ['https://b.example/', 6, 10],
    ])
  })

  it('are read from a list in one event between fragments of the text', () => {
    expect(cited([text('It is '), text('warm'), cite([at(6, 10, 'warm'), at(0, 2, 'It')]), text('.')])).toEqual([
      ['https://a.example/1', 6, 10],
      ['https://a.example/1', 0, 2],
    ])
  })

  it.each([
    ['code points', 2],
    ['UTF-16', 3],
    ['something else', 9],
  ])('are placed at the cited text after an astral character, with offsets in %s', (_, start) => {
    expect(cited([text('😀 It is warm.'), cite(at(start, start + 2, 'It'))])).toEqual([['https://a.example/1', 3, 5]])
  })

  it('are placed at the nearest occurrence of the cited text', () => {
    expect(cited([text('warm, warm, warm'), cite(at(7, 11, 'warm'))])).toEqual([['https://a.example/1', 6, 10]])
  })

  it('have offsets that count from the named block, or from the only one', () => {
    expect(cited([thinkingText('warm'), text('It is warm', 1), cite(at(6, 10, 'warm', { content_index: 1 }))])).toEqual(
      [['https://a.example/1', 6, 10]],
    )
    expect(cited([thinkingText('warm'), text('It is warm', 1), cite(at(6, 10, 'warm'))])).toEqual([
      ['https://a.example/1', 6, 10],
    ])
    const two = [text('ä😀 warm, ', 0), text('and warm', 1)]
    expect(
      cited([...two, cite(at(4, 8, 'warm', { content_index: 1 })), cite(at(3, 7, 'warm', { content_index: 0 }))]),
    ).toEqual([
      ['https://a.example/1', 14, 18],
      ['https://a.example/1', 4, 8],
    ])
  })

  it('wait for their text if they arrive first', () => {
    expect(cited([cite(at(6, 10, 'warm')), text('It is warm')])).toEqual([['https://a.example/1', 6, 10]])
  })

  it('are attached to the text of a plan', () => {
    expect(
      cited([plan('Look at warm'), cite(at(8, 12, 'warm', { type: 'PLAN' })), call(0, 'f_1', 'f'), callEnd(0)]),
    ).toEqual([['https://a.example/1', 8, 12]])
  })

  it('are recorded as losses if they cite reasoning or have no source', () => {
    expect(
      deltasOf([
        cite(at(0, 1, 'x', { type: 'THINKING_CONTENT' })),
        cite(at(0, 1, 'x', { sources: [{ type: 'tool' }] })),
      ]),
    ).toEqual([
      { kind: 'loss', feature: 'a citation in reasoning' },
      { kind: 'loss', feature: 'a citation without a source' },
    ])
    expect(deltasOf([cite(at(0, 1, 'x', { sources: null })), cite(null), cite([null])])).toEqual([])
  })

  it('are read without a type, as older models send them', () => {
    expect(cited([text('It is warm'), cite(at(6, 10, 'warm', { type: undefined }))])).toEqual([
      ['https://a.example/1', 6, 10],
    ])
  })
})
