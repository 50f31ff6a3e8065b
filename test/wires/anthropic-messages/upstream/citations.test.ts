import { describe, expect, it } from 'vitest'
import type { MessageItem } from '../../../../src/protocol/item.ts'
import type { OutputText } from '../../../../src/protocol/part.ts'
import {
  answer,
  answerOfBody,
  cite,
  close,
  deltasOf,
  itemsOf,
  lossesOf,
  open,
  start,
  stop,
  text,
  textBlock,
} from '../events.ts'

const page = (url: string, cited_text = 'excerpt') => ({
  type: 'web_search_result_location',
  url,
  title: 'T',
  encrypted_index: 'x',
  cited_text,
})

const cited = (index: number, words: string, ...citations: object[]) => [
  open(index, { type: 'text', text: '', citations: [] }),
  ...citations.map((it) => cite(index, it)),
  text(index, words),
  close(index),
]

const partsIn = (items: readonly unknown[]): readonly OutputText[] =>
  (items as readonly MessageItem[]).flatMap(({ type, content }) =>
    type === 'message' ? (content as OutputText[]) : [],
  )

/** Returns the cited text or the cited file of each annotation. */
const marks = (events: Parameters<typeof itemsOf>[0]) =>
  partsIn(itemsOf(events)).flatMap(({ text: words, annotations }) =>
    annotations.map((it) =>
      it.type === 'url_citation'
        ? [it.url, words.slice(it.start_index, it.end_index)]
        : [it.file_id, it.filename, it.index],
    ),
  )

describe('citations of an anthropic-messages stream', () => {
  it('have the span of their whole block if they arrive before its text', () => {
    const events = [
      start(),
      ...textBlock(0, 'So 🗼 '),
      ...cited(1, 'it stands', page('https://a')),
      ...textBlock(2, '.'),
    ]
    expect(marks([...events, ...stop('end_turn')])).toEqual([['https://a', 'it stands']])
  })

  it('have the same span if they share a block', () => {
    const events = [
      start(),
      ...cited(0, 'A', page('https://a'), page('https://b')),
      ...cited(1, 'B', page('https://c')),
    ]
    expect(marks([...events, ...stop('end_turn')])).toEqual([
      ['https://a', 'A'],
      ['https://b', 'A'],
      ['https://c', 'B'],
    ])
  })

  it('have the span of their block if they arrive after its text', () => {
    const events = [
      start(),
      ...textBlock(0, 'So '),
      open(1, { type: 'text', text: '' }),
      text(1, 'A'),
      cite(1, page('https://a')),
      close(1),
    ]
    expect(marks([...events, ...stop('end_turn')])).toEqual([['https://a', 'A']])
  })

  it('are emitted as soon as their block is over', () => {
    const kinds = deltasOf([start(), ...cited(0, 'A', page('https://a')), ...textBlock(1, 'B')]).map(({ kind }) => kind)
    expect(kinds).toEqual(['start', 'text', 'citation', 'text'])
  })

  it('have offsets that count anew in each message', () => {
    const search = open(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} })
    const events = [
      start(),
      ...textBlock(0, 'Let me see.'),
      search,
      close(1),
      ...textBlock(2, 'So '),
      ...cited(3, 'A', page('https://a')),
    ]
    expect(marks([...events, ...stop('end_turn')])).toEqual([['https://a', 'A']])
  })

  it('have the span of the received text if their block was cut', () => {
    const events = [
      start(),
      ...textBlock(0, 'So '),
      open(1, { type: 'text', text: '' }),
      cite(1, page('https://a')),
      text(1, 'hal'),
    ]
    expect(marks(events)).toEqual([['https://a', 'hal']])
  })

  it('have the title and the excerpt of their page', () => {
    const [part] = partsIn(itemsOf([start(), ...cited(0, 'A', page('https://a', 'the source')), ...stop('end_turn')]))
    expect(part?.annotations).toEqual([
      { type: 'url_citation', url: 'https://a', title: 'T', start_index: 0, end_index: 1, content: 'the source' },
    ])
  })

  it.each([
    [{ type: 'search_result_location', source: 'https://r', title: 'R', cited_text: 'c' }, ['https://r', 'A']],
    [
      { type: 'char_location', document_index: 2, document_title: 'facts.txt', start_char_index: 0 },
      ['document-2', 'facts.txt', 1],
    ],
    [
      { type: 'page_location', document_index: 0, document_title: null, start_page_number: 1 },
      ['document-0', 'document-0', 1],
    ],
    [{ type: 'content_block_location', document_index: 1, document_title: 'D', file_id: 'file_9' }, ['file_9', 'D', 1]],
  ])('are decoded to a URL or a file: %j', (citation, mark) => {
    expect(marks([start(), ...cited(0, 'A', citation), ...stop('end_turn')])).toEqual([mark])
  })

  it('are dropped with a loss if their kind is unknown', () => {
    const events = [start(), ...cited(0, 'A', { type: 'hearsay' }), ...stop('end_turn')]
    expect(marks(events)).toEqual([])
    expect(lossesOf(events)).toEqual(['citation hearsay'])
  })

  it('are no loss if they are null', () => {
    const events = [
      start(),
      open(0, { type: 'text', text: '', citations: null }),
      text(0, 'A'),
      close(0),
      ...stop('end_turn'),
    ]
    expect(lossesOf(events)).toEqual([])
  })

  it('are the same in a whole body', () => {
    const content = [
      { type: 'text', text: 'So ' },
      { type: 'text', text: 'A', citations: [page('https://a'), page('https://b')] },
    ]
    const events = [
      start(),
      ...textBlock(0, 'So '),
      ...cited(1, 'A', page('https://a'), page('https://b')),
      ...stop('end_turn'),
    ]
    expect(answerOfBody({ content, stop_reason: 'end_turn', model: 'claude-x' })).toEqual(answer(deltasOf(events)))
  })
})
