import { expect } from 'vitest'
import { type AnswerCase, exactly } from '../../answer-cases.ts'
import { answers, cite, close, type Event, open, start, stop, text, textBlock } from '../events.ts'

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

const of = (events: readonly Event[], items: AnswerCase['items'], more: AnswerCase = {}): AnswerCase => ({
  stream: [start(), ...events, ...stop('end_turn')],
  items,
  ...more,
})
const A = page('https://a')
const search = [open(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }), close(1)]
const begun = open(1, { type: 'text', text: '' })
const annotated = (...annotations: readonly object[]) => [
  { content: [{ text: 'A', annotations: exactly(annotations) }] },
]
const file = (citation: object, file_id: string, filename: string): AnswerCase => ({
  name: citation,
  ...of(cited(0, 'A', citation), annotated({ type: 'file_citation', file_id, filename, index: 1 })),
})
const two = [
  { type: 'text', text: 'So ' },
  { type: 'text', text: 'A', citations: [A, page('https://b')] },
]

// biome-ignore format: a row a case
answers('citations of an anthropic-messages stream', '', {
  'have the span of their whole block if they arrive before its text': of(
    [...textBlock(0, 'So 🗼 '), ...cited(1, 'it stands', A), ...textBlock(2, '.')], ['So 🗼 it stands. [https://a "it stands"]']),
  'have the same span if they share a block': of([...cited(0, 'A', A, page('https://b')), ...cited(1, 'B', page('https://c'))],
    ['AB [https://a "A"] [https://b "A"] [https://c "B"]']),
  'have the span of their block if they arrive after its text': of(
    [...textBlock(0, 'So '), begun, text(1, 'A'), cite(1, A), close(1)], ['So A [https://a "A"]']),
  'are emitted as soon as their block is over': {
    stream: [start(), ...cited(0, 'A', A), ...textBlock(1, 'B')],
    deltas: ['start', 'text', 'citation', 'text'].map((kind) => expect.objectContaining({ kind })) },
  'have offsets that count anew in each message': of(
    [...textBlock(0, 'Let me see.'), ...search, ...textBlock(2, 'So '), ...cited(3, 'A', A)],
    ['Let me see.', { type: 'web_search_call' }, 'So A [https://a "A"]']),
  'have the span of the received text if their block was cut': {
    stream: [start(), ...textBlock(0, 'So '), begun, cite(1, A), text(1, 'hal')],
    items: ['So hal [https://a "hal"] (incomplete)'], end: 'failed' },
  'have the title and the excerpt of their page': of(cited(0, 'A', page('https://a', 'the source')), annotated(
    { type: 'url_citation', url: 'https://a', title: 'T', start_index: 0, end_index: 1, content: 'the source' })),
  'are dropped with a loss if their kind is unknown': of(cited(0, 'A', { type: 'hearsay' }), ['A'], { losses: ['citation hearsay'] }),
  'are no loss if they are null': of([open(0, { type: 'text', text: '', citations: null }), text(0, 'A'), close(0)], ['A']),
  'are the same in a whole body': of([...textBlock(0, 'So '), ...cited(1, 'A', A, page('https://b'))],
    ['So A [https://a "A"] [https://b "A"]'], { body: { content: two, stop_reason: 'end_turn', model: 'claude-x' }, model: 'claude-x' }),
})

const PLACE = { losses: ['the place of a citation in its source'] }
answers('citations of an anthropic-messages stream', 'are decoded to a URL or a file: ', [
  of(cited(0, 'A', { type: 'search_result_location', source: 'https://r', title: 'R', cited_text: 'c' }), [
    'A [https://r "A"]',
  ]),
  {
    ...file(
      { type: 'char_location', document_index: 2, document_title: 'facts.txt', start_char_index: 0 },
      'document-2',
      'facts.txt',
    ),
    ...PLACE,
  },
  {
    ...file(
      { type: 'page_location', document_index: 0, document_title: null, start_page_number: 1 },
      'document-0',
      'document-0',
    ),
    ...PLACE,
  },
  file({ type: 'content_block_location', document_index: 1, document_title: 'D', file_id: 'file_9' }, 'file_9', 'D'),
])
