import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { toCitation } from '../../../../src/wires/bedrock-converse/upstream/citations.ts'
import { decodeBody } from '../../../../src/wires/bedrock-converse/upstream/stream.ts'
import { bodyOf, deltasOf, frameOf, type Loose, outputOf } from '../converses.ts'

const web = (url: string) => ({ location: { web: { url, domain: 'a.example' } } })
const A = 'https://a.example/1'
const B = 'https://a.example/2'

/**
 * Returns for each citation of a page its URL and the cited text, and for each citation of a file its id, its name and
 * all text before it.
 */
const cited = (output: readonly Loose[]) =>
  output.flatMap(({ content = [] }) =>
    content.flatMap(({ text, annotations = [] }: Loose) =>
      annotations.map((it: Loose) =>
        it.type === 'url_citation'
          ? [it.url, text.slice(it.start_index, it.end_index)]
          : [`${it.file_id} ${it.filename}`, text.slice(0, it.index)],
      ),
    ),
  )

const spansOf = (deltas: readonly Delta[]) =>
  deltas.flatMap((delta) => (delta.kind === 'citation' ? [delta.citation.span] : []))

describe('a citation of a bedrock-converse stream', () => {
  it('cites the whole block, in UTF-16 units of one text, if it precedes the text', () => {
    const frames = [
      frameOf.text(0, '🌊 Wasser '),
      frameOf.stop(0),
      frameOf.citation(1, web(A)),
      frameOf.text(1, 'treibt '),
      frameOf.text(1, 'Räder'),
      frameOf.stop(1),
      frameOf.text(2, ' und '),
      frameOf.stop(2),
      frameOf.citation(3, web(B)),
      frameOf.text(3, 'Mühlen'),
      frameOf.stop(3),
      frameOf.text(4, '.'),
      frameOf.end('end_turn'),
    ]
    expect(cited(outputOf(...frames))).toEqual([
      [A, 'treibt Räder'],
      [B, 'Mühlen'],
    ])
    expect(spansOf(deltasOf(...frames))).toEqual([
      { start: 10, end: 22, unit: 'utf16' },
      { start: 27, end: 33, unit: 'utf16' },
    ])
  })

  it('is emitted as soon as its block is over', () => {
    const frames = [frameOf.citation(0, web(A)), frameOf.text(0, 'x'), frameOf.stop(0), frameOf.text(1, 'y')]
    expect(deltasOf(...frames).map(({ kind }) => kind)).toEqual(['text', 'citation', 'text'])
  })

  it('may share its block with other citations', () => {
    const output = outputOf(
      frameOf.citation(0, web(A)),
      frameOf.citation(0, web(B)),
      frameOf.text(0, 'x'),
      frameOf.end('end_turn'),
    )
    expect(cited(output)).toEqual([
      [A, 'x'],
      [B, 'x'],
    ])
  })

  it('cites the block before it if it has a block of its own (Nova)', () => {
    const output = outputOf(
      frameOf.text(0, 'Four. '),
      frameOf.stop(0),
      frameOf.text(1, 'Five'),
      frameOf.stop(1),
      frameOf.citation(2, web(A)),
      frameOf.stop(2),
      frameOf.citation(3, web(B)),
      frameOf.stop(3),
      frameOf.text(4, '.'),
      frameOf.end('end_turn'),
    )
    expect(cited(output)).toEqual([
      [A, 'Five'],
      [B, 'Five'],
    ])
  })

  it('is emitted if nothing follows it', () => {
    const output = outputOf(
      frameOf.text(0, 'Five'),
      frameOf.stop(0),
      frameOf.citation(1, web(A)),
      frameOf.end('end_turn'),
    )
    expect(cited(output)).toEqual([[A, 'Five']])
    expect(cited(outputOf(frameOf.text(0, 'Five'), frameOf.stop(0), frameOf.citation(1, web(A))))).toEqual([
      [A, 'Five'],
    ])
  })

  it('is kept without a position if it precedes all text', () => {
    const output = outputOf(
      frameOf.citation(0, web(A)),
      frameOf.stop(0),
      frameOf.text(1, 'Five'),
      frameOf.end('end_turn'),
    )
    expect(cited(output)).toEqual([[A, '']])
  })

  it('has offsets that count anew in another message', () => {
    const output = outputOf(
      frameOf.text(0, 'I look.'),
      frameOf.tool(1, 't', 'f'),
      frameOf.input(1, '{}'),
      frameOf.stop(1),
      frameOf.citation(2, web(A)),
      frameOf.text(2, 'Here'),
      frameOf.end('tool_use'),
    )
    expect(cited(output)).toEqual([[A, 'Here']])
  })

  it('is a file citation at the end of its block if it cites a document', () => {
    const page = { title: 'rules', location: { documentPage: { documentIndex: 1, start: 2, end: 3 } } }
    const output = outputOf(
      frameOf.text(0, 'So '),
      frameOf.citation(1, page),
      frameOf.text(1, 'it is'),
      frameOf.text(2, '.'),
      frameOf.end('x'),
    )
    expect(cited(output)).toEqual([['document-1 rules', 'So it is']])
  })

  it('has the same span in a whole answer', () => {
    const content = [
      { text: 'So ' },
      { citationsContent: { content: [{ text: 'it ' }, { text: 'is' }], citations: [web(A)] } },
      { citationsContent: { citations: [web(B)] } },
    ]
    expect(spansOf(decodeBody(bodyOf(content), {}))).toEqual([
      { start: 3, end: 8, unit: 'utf16' },
      { start: 3, end: 8, unit: 'utf16' },
    ])
  })

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

  it('is a loss if it has no source', () => {
    for (const location of [{}, { location: { web: { url: 'javascript:x' } } }, { title: { toString: 1 } }]) {
      expect(deltasOf(frameOf.citation(0, location))).toEqual([
        { kind: 'loss', feature: 'a citation without a source' },
      ])
    }
  })
})
