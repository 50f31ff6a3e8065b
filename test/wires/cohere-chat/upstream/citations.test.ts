import { type AnswerCase, exactly } from '../../answer-cases.ts'
import { answers, call, callEnd, cite, of, plan, text, thinkingText } from '../decoded.ts'

const URL = 'https://a.example/1'
const page = { type: 'tool', id: 't:0', tool_output: { url: URL, title: 'One', snippet: 'From one.' } }
const doc = { type: 'document', id: 'doc:0', document: { id: 'doc:0', title: 'a.txt', text: 'All of it.' } }
const output = { type: 'tool', id: 'f_1:0', tool_output: { content: 'warm' } }
const at = (start: number, stop: number, words: string, more: object = {}) => ({
  start,
  end: stop,
  text: words,
  sources: [page],
  type: 'TEXT_CONTENT',
  ...more,
})
const spans = (...list: readonly (readonly [start: number, end: number])[]) => ({
  content: [{ annotations: list.map(([start_index, end_index]) => ({ url: URL, start_index, end_index })) }],
})
/** A text with one citation, at this span. */
const placed = (words: string, citation: unknown, start: number, end: number) =>
  of([text(words), cite(citation)], [spans([start, end])])
const from = (source: object): AnswerCase =>
  of([text('It is warm.'), cite(at(6, 10, 'warm', { sources: [source] }))], ['It is warm. [https://b.example/ "warm"]'])
const warm = (more: object) => [thinkingText('warm'), text('It is warm', 1), cite(at(6, 10, 'warm', more))]
const lost = (feature: string) => ({ kind: 'loss', feature })
const LOSSES = ['a citation in reasoning', 'a citation without a source']

// biome-ignore format: a row a case
answers('citations of a cohere-chat stream', '', {
  'have the span, title and excerpt of their page': of([text('It is warm.'), cite(at(6, 10, 'warm'))], [{ content: [{
    annotations: exactly([{ type: 'url_citation', url: URL, title: 'One', start_index: 6, end_index: 10, content: 'From one.' }]),
  }] }]),
  'are file citations for documents and outputs of tools': of(
    [text('It is warm.'), cite(at(6, 10, 'warm', { sources: [doc, output] }))], [{ content: [{ annotations: [
      { type: 'file_citation', file_id: 'doc:0', filename: 'a.txt', index: 10 },
      { type: 'file_citation', file_id: 'f_1:0', filename: 'f_1:0', index: 10 }] }] }]),
  'have the URL that stands in the document or the source itself': [
    from({ document: { uri: 'https://b.example/' } }), from({ url: 'https://b.example/' }),
  ],
  'are read from a list in one event between fragments of the text': of(
    [text('It is '), text('warm'), cite([at(6, 10, 'warm'), at(0, 2, 'It')]), text('.')], [spans([6, 10], [0, 2])]),
  'are placed at the cited text after an astral character, with offsets in code points, UTF-16 or something else':
    [2, 3, 9].map((start) => placed('😀 It is warm.', at(start, start + 2, 'It'), 3, 5)),
  'are placed at the nearest occurrence of the cited text': placed('warm, warm, warm', at(7, 11, 'warm'), 6, 10),
  'have offsets that count from the named block, or from the only one': [
    of(warm({ content_index: 1 }), ['reasoning: warm', spans([6, 10])]),
    of(warm({}), ['reasoning: warm', spans([6, 10])]),
    of([text('ä😀 warm, ', 0), text('and warm', 1), cite(at(4, 8, 'warm', { content_index: 1 })),
      cite(at(3, 7, 'warm', { content_index: 0 }))], [spans([14, 18], [4, 8])]),
  ],
  'wait for their text if they arrive first': of([cite(at(6, 10, 'warm')), text('It is warm')], [spans([6, 10])]),
  'are attached to the text of a plan': of(
    [plan('Look at warm'), cite(at(8, 12, 'warm', { type: 'PLAN' })), call(0, 'f_1', 'f'), callEnd(0)],
    [spans([8, 12]), 'f_1 f({})']),
  'are recorded as losses if they cite reasoning or have no source': [
    { stream: [cite(at(0, 1, 'x', { type: 'THINKING_CONTENT' })), cite(at(0, 1, 'x', { sources: [{ type: 'tool' }] }))],
      deltas: LOSSES.map(lost), losses: LOSSES },
    { stream: [cite(at(0, 1, 'x', { sources: null })), cite(null), cite([null])], deltas: [] },
  ],
  'are read without a type, as older models send them': placed('It is warm', at(6, 10, 'warm', { type: undefined }), 6, 10),
})
