import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { toCitation } from '../../../../src/wires/bedrock-converse/upstream/citations.ts'
import { decodeBody } from '../../../../src/wires/bedrock-converse/upstream/stream.ts'
import { bodyOf, deltasOf, type Loose, outputOf, say } from '../converses.ts'

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
      say.text(0, '🌊 Wasser '),
      say.stop(0),
      say.citation(1, web(A)),
      say.text(1, 'treibt '),
      say.text(1, 'Räder'),
      say.stop(1),
      say.text(2, ' und '),
      say.stop(2),
      say.citation(3, web(B)),
      say.text(3, 'Mühlen'),
      say.stop(3),
      say.text(4, '.'),
      say.end('end_turn'),
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
    const frames = [say.citation(0, web(A)), say.text(0, 'x'), say.stop(0), say.text(1, 'y')]
    expect(deltasOf(...frames).map(({ kind }) => kind)).toEqual(['text', 'citation', 'text'])
  })

  it('may share its block with other citations', () => {
    const output = outputOf(say.citation(0, web(A)), say.citation(0, web(B)), say.text(0, 'x'), say.end('end_turn'))
    expect(cited(output)).toEqual([
      [A, 'x'],
      [B, 'x'],
    ])
  })

  it('cites the block before it if it has a block of its own (Nova)', () => {
    const output = outputOf(
      say.text(0, 'Four. '),
      say.stop(0),
      say.text(1, 'Five'),
      say.stop(1),
      say.citation(2, web(A)),
      say.stop(2),
      say.citation(3, web(B)),
      say.stop(3),
      say.text(4, '.'),
      say.end('end_turn'),
    )
    expect(cited(output)).toEqual([
      [A, 'Five'],
      [B, 'Five'],
    ])
  })

  it('is emitted if nothing follows it', () => {
    const output = outputOf(say.text(0, 'Five'), say.stop(0), say.citation(1, web(A)), say.end('end_turn'))
    expect(cited(output)).toEqual([[A, 'Five']])
    expect(cited(outputOf(say.text(0, 'Five'), say.stop(0), say.citation(1, web(A))))).toEqual([[A, 'Five']])
  })

  it('is kept without a position if it precedes all text', () => {
    const output = outputOf(say.citation(0, web(A)), say.stop(0), say.text(1, 'Five'), say.end('end_turn'))
    expect(cited(output)).toEqual([[A, '']])
  })

  it('has offsets that count anew in another message', () => {
    const output = outputOf(
      say.text(0, 'I look.'),
      say.tool(1, 't', 'f'),
      say.input(1, '{}'),
      say.stop(1),
      say.citation(2, web(A)),
      say.text(2, 'Here'),
      say.end('tool_use'),
    )
    expect(cited(output)).toEqual([[A, 'Here']])
  })

  it('is a file citation at the end of its block if it cites a document', () => {
    const page = { title: 'rules', location: { documentPage: { documentIndex: 1, start: 2, end: 3 } } }
    const output = outputOf(
      say.text(0, 'So '),
      say.citation(1, page),
      say.text(1, 'it is'),
      say.text(2, '.'),
      say.end('x'),
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
    ['a name alone', { title: 'A' }, { url: '', file: { file_id: 'A', filename: 'A' } }],
  ])('is decoded from %s with URL, title or file', (_, told, citation) => {
    expect(toCitation(told)).toMatchObject(citation)
  })

  it('is a loss if it has no source', () => {
    for (const told of [{}, { location: { web: { url: 'javascript:x' } } }, { title: { toString: 1 } }]) {
      expect(deltasOf(say.citation(0, told))).toEqual([{ kind: 'loss', feature: 'a citation without a source' }])
    }
  })
})
