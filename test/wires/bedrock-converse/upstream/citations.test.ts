import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../../src/framing/frame.ts'
import { toCitation } from '../../../../src/wires/bedrock-converse/upstream/citations.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import { answers, bodyOf, frameOf } from '../converses.ts'

const web = (url: string) => ({ location: { web: { url, domain: 'a.example' } } })
const A = 'https://a.example/1'
const B = 'https://a.example/2'

const { text, stop, citation } = frameOf
const of = (frames: readonly Frame[], items: AnswerCase['items'], more: AnswerCase = {}): AnswerCase => ({
  stream: [...frames, frameOf.end('end_turn')],
  items,
  ...more,
})
const spanOf = (start: number, end: number) => ({
  kind: 'citation',
  citation: expect.objectContaining({ span: { start, end, unit: 'utf16' } }),
})
const page = { title: 'rules', location: { documentPage: { documentIndex: 1, start: 2, end: 3 } } }
const call = [frameOf.tool(1, 't', 'f'), frameOf.input(1, '{}'), stop(1)]
const five = [text(0, 'Five'), stop(0), citation(1, web(A))]
const whole = [
  { text: 'So ' },
  { citationsContent: { content: [{ text: 'it ' }, { text: 'is' }], citations: [web(A)] } },
  { citationsContent: { citations: [web(B)] } },
]
const NO_SOURCE = 'a citation without a source'

// biome-ignore format: a row a case
answers('a citation of a bedrock-converse stream', '', {
  'cites the whole block, in UTF-16 units of one text, if it precedes the text': of(
    [text(0, '🌊 Wasser '), stop(0), citation(1, web(A)), text(1, 'treibt '), text(1, 'Räder'), stop(1), text(2, ' und '),
      stop(2), citation(3, web(B)), text(3, 'Mühlen'), stop(3), text(4, '.')],
    [`🌊 Wasser treibt Räder und Mühlen. [${A} "treibt Räder"] [${B} "Mühlen"]`], { emits: [spanOf(10, 22), spanOf(27, 33)] }),
  'is emitted as soon as its block is over': {
    stream: [citation(0, web(A)), text(0, 'x'), stop(0), text(1, 'y')],
    deltas: ['text', 'citation', 'text'].map((kind) => expect.objectContaining({ kind })) },
  'may share its block with other citations': of([citation(0, web(A)), citation(0, web(B)), text(0, 'x')],
    [`x [${A} "x"] [${B} "x"]`]),
  'cites the block before it if it has a block of its own (Nova)': of(
    [text(0, 'Four. '), stop(0), text(1, 'Five'), stop(1), citation(2, web(A)), stop(2), citation(3, web(B)), stop(3),
      text(4, '.')], [`Four. Five. [${A} "Five"] [${B} "Five"]`]),
  'is emitted if nothing follows it': [
    of(five, [`Five [${A} "Five"]`]),
    { stream: five, items: [`Five [${A} "Five"] (incomplete)`], end: 'failed' },
  ],
  'is kept without a position if it precedes all text': of([citation(0, web(A)), stop(0), text(1, 'Five')], [`Five [${A} ""]`]),
  'has offsets that count anew in another message': of(
    [text(0, 'I look.'), ...call, citation(2, web(A)), text(2, 'Here')], ['I look.', 't f({})', `Here [${A} "Here"]`]),
  'is a file citation at the end of its block if it cites a document': of(
    [text(0, 'So '), citation(1, page), text(1, 'it is'), text(2, '.')],
    [{ content: [{ text: 'So it is.', annotations: [{ file_id: 'document-1', filename: 'rules', index: 8 }] }] }]),
  'has the same span in a whole answer': {
    body: bodyOf(whole), items: [`So it is [${A} "it is"] [${B} "it is"]`], emits: [spanOf(3, 8), spanOf(3, 8)] },
  'is a loss if it has no source': [{}, { location: { web: { url: 'javascript:x' } } }, { title: { toString: 1 } }].map(
    (location) => ({ stream: [citation(0, location)], deltas: [{ kind: 'loss', feature: NO_SOURCE }], losses: [NO_SOURCE] })),
})

describe('a citation of a bedrock-converse stream', () => {
  it.each([
    ['a page', web(A), { url: A, title: 'a.example' }],
    ['a page with a title', { ...web(A), title: 'A' }, { url: A, title: 'A' }],
    [
      'a search result',
      { source: A, title: 'A', sourceContent: [{ text: 'x' }, { text: 'y' }], location: { searchResultLocation: {} } },
      { url: A, title: 'A', content: 'xy' },
    ],
    [
      'a search result from no page',
      { source: 'shelf 3', title: 'A' },
      { url: '', file: { file_id: 'shelf 3', filename: 'A' } },
    ],
    [
      'characters',
      { title: 'A', location: { documentChar: { documentIndex: 0, start: 1, end: 2 } } },
      { url: '', file: { file_id: 'document-0', filename: 'A' } },
    ],
    [
      'chunks of a document without a name',
      { location: { documentChunk: { documentIndex: 4 } } },
      { url: '', file: { file_id: 'document-4', filename: 'document-4' } },
    ],
    ['a title alone', { title: 'A' }, { url: '', file: { file_id: 'A', filename: 'A' } }],
  ])('is decoded from %s with URL, title or file', (_, location, citation) => {
    expect(toCitation(location)).toMatchObject(citation)
  })
})
