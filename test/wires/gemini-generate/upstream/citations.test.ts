import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../../property.ts'
import {
  call,
  chunk,
  cited,
  code,
  deltasOf,
  eventsFor,
  output,
  reasoningPart,
  result,
  signed,
  stop,
  text,
} from '../answers.ts'

const URL_A = 'https://a.example/'
const URL_B = 'https://b.example/'
const bytes = (content: string): number => new TextEncoder().encode(content).length

/** Returns the position of a text in the whole text, in UTF-8 bytes as Google counts. */
const segment = (all: string, words: string, off = 0) => {
  const startIndex = bytes(all.slice(0, all.indexOf(words))) + off
  const endIndex = startIndex + bytes(words)
  return startIndex === 0 ? { endIndex, text: words } : { startIndex, endIndex, text: words }
}
const support = (found: object, ...groundingChunkIndices: number[]) => ({ segment: found, groundingChunkIndices })
const chunks = [{ web: { uri: URL_A, title: 'a' } }, { web: { uri: URL_B, title: 'b' } }]
const grounded = (...groundingSupports: object[]) => ({
  groundingMetadata: { groundingChunks: chunks, groundingSupports },
})
const hint = { groundingMetadata: {} }

describe('grounding of a gemini-generate answer', () => {
  it('has the widget and the pictures of a search as losses', () => {
    const groundingMetadata = {
      searchEntryPoint: { renderedContent: '<div></div>' },
      groundingChunks: [{ image: { imageUri: URL_A } }],
    }
    const deltas = deltasOf([chunk([text('A')], { ...stop, groundingMetadata })])
    expect(deltas.filter(({ kind }) => kind === 'loss')).toEqual([
      { kind: 'loss', feature: 'searchEntryPoint' },
      { kind: 'loss', feature: 'groundingChunks image' },
    ])
  })

  it('has spans counted in UTF-8 bytes through all chunks (edge case 35)', () => {
    const all = 'Größe 🙂 and more. Ünd so weiter.'
    const found = grounded(
      support(segment(all, 'Größe 🙂 and more.'), 0),
      support(segment(all, 'Ünd so weiter.'), 0, 1),
    )
    expect(cited([chunk([text(all.slice(0, 7))]), chunk([text(all.slice(7))], { ...stop, ...found })])).toEqual([
      {
        text: all,
        marks: [
          [URL_A, 'Größe 🙂 and more.'],
          [URL_A, 'Ünd so weiter.'],
          [URL_B, 'Ünd so weiter.'],
        ],
      },
    ])
  })

  it('cites exactly the text of a segment at any position, however the text is cut', () => {
    const word = fc.constantFrom('a', 'é', '日本', '🙂', ' ', '. ', 'Wort', '\n')
    const texts = fc.array(word, { minLength: 1, maxLength: 20 })
    check(
      fc.property(texts, fc.nat(), fc.nat(), fc.nat(), (words, from, to, cut) => {
        const [a, b] = [from % words.length, to % words.length]
        const before = words.slice(0, Math.min(a, b)).join('')
        const marked = words.slice(Math.min(a, b), Math.max(a, b) + 1).join('')
        const at = cut % (words.length + 1)
        const pieces = [words.slice(0, at).join(''), words.slice(at).join('')]
        const place = { startIndex: bytes(before), endIndex: bytes(before + marked), text: marked }
        const texts = cited([
          chunk([text(pieces[0] ?? '')]),
          chunk([text(pieces[1] ?? '')], { ...stop, ...grounded(support(place, 0)) }),
        ])
        expect(texts).toEqual([{ text: words.join(''), marks: [[URL_A, marked]] }])
      }),
    )
  })

  it('has spans that do not count reasoning', () => {
    const all = 'One. Two.'
    const parts = [reasoningPart('Ignore me. '), text('One. '), text('Two.')]
    expect(cited([chunk(parts, { ...stop, ...grounded(support(segment(all, 'Two.'), 0)) })])[0]?.marks).toEqual([
      [URL_A, 'Two.'],
    ])
  })

  it('is placed at the text of the segment if its offsets are wrong', () => {
    const all = 'One. Two. Three.'
    const found = grounded(support(segment(all, 'Three.', -4), 0))
    expect(cited([chunk([text(all)], { ...stop, ...found })])[0]?.marks).toEqual([[URL_A, 'Three.']])
  })

  it('keeps its source without a span if the text of the segment is missing', () => {
    const found = grounded(support({ startIndex: 2, endIndex: 6, text: 'Nowhere' }, 0))
    expect(cited([chunk([text('Somewhere')], { ...stop, ...found })])[0]?.marks).toEqual([[URL_A, '']])
  })

  it('is emitted once if every chunk repeats it', () => {
    const found = grounded(support(segment('AB', 'A'), 0))
    expect(cited([chunk([text('A')], found), chunk([text('B')], { ...stop, ...found })])[0]?.marks).toEqual([
      [URL_A, 'A'],
    ])
  })

  it('has spans counted through texts with a tool between them', () => {
    const [first, second] = ['Prémier 🙂. ', 'Sécond. Third.']
    const all = first + second
    const found = grounded(support(segment(all, 'Prémier 🙂.'), 0), support(segment(all, 'Third.'), 1))
    const chunks = [
      chunk([text(first)], hint),
      chunk([code, result]),
      chunk([text(second)]),
      chunk([text('')], { ...stop, ...found }),
    ]
    expect(cited(chunks)).toEqual([
      { text: first, marks: [[URL_A, 'Prémier 🙂.']] },
      { text: second, marks: [[URL_B, 'Third.']] },
    ])
    expect(output(chunks).map(({ type }) => type)).toEqual(['message', 'code_interpreter_call', 'message'])
  })

  it('is placed in the right message by its text if its offsets are wrong', () => {
    const found = grounded(
      support({ startIndex: 0, endIndex: 7, text: 'Second.' }, 0),
      support({ startIndex: 40, endIndex: 46, text: 'First.' }, 1),
    )
    expect(
      cited([chunk([text('First. ')], hint), chunk([code, result]), chunk([text('Second.')], { ...stop, ...found })]),
    ).toEqual([
      { text: 'First. ', marks: [[URL_B, 'First.']] },
      { text: 'Second.', marks: [[URL_A, 'Second.']] },
    ])
  })

  it('cites the end of the first text if a segment spans two texts', () => {
    const all = 'One. Two.'
    const chunks = [
      chunk([text('One. ')], hint),
      chunk([code, result]),
      chunk([text('Two.')], { ...stop, ...grounded(support(segment(all, 'One. Two.'), 0)) }),
    ]
    expect(cited(chunks).map(({ marks }) => marks)).toEqual([[[URL_A, 'One. ']], []])
  })

  it('is attached to the text before a call in the last chunk', () => {
    const found = grounded(support(segment('Fact.', 'Fact.'), 0))
    expect(cited([chunk([text('Fact.')]), chunk([call('f')], { ...stop, ...found })])[0]?.marks).toEqual([
      [URL_A, 'Fact.'],
    ])
    expect(
      cited([chunk([text('Fact.')], hint), chunk([call('f')]), chunk([], { ...stop, ...found })])[0]?.marks,
    ).toEqual([[URL_A, 'Fact.']])
  })

  it('has an empty span in the later text if no earlier chunk announced it', () => {
    const found = grounded(support(segment('One. Two.', 'One.'), 0))
    expect(
      cited([chunk([text('One. ')]), chunk([code, result]), chunk([text('Two.')]), chunk([], { ...stop, ...found })]),
    ).toEqual([
      { text: 'One. ', marks: [] },
      { text: 'Two.', marks: [[URL_A, '']] },
    ])
  })

  it('precedes the signature of the answer in the same part', () => {
    const found = grounded(support(segment('Fact.', 'Fact.'), 0))
    const events = eventsFor([chunk([text('Fact.')]), chunk([text('', signed('s'))], { ...stop, ...found })])
    const types = events.map(({ type }) => type)
    expect(types.indexOf('response.output_text.annotation.added')).toBeLessThan(
      types.indexOf('response.output_text.done'),
    )
    const done = events.filter(({ type }) => type === 'response.output_item.done').map((it) => it.output_index)
    expect(done).toEqual([0, 1])
  })

  it('lets items finish in their order if nothing stands between them', () => {
    const found = grounded(support(segment('Fact.', 'Fact.'), 0))
    const events = eventsFor([chunk([text('Fact.', signed('s'))], hint), chunk([], { ...stop, ...found })])
    const brackets = events.filter(({ type }) => /output_item\.(added|done)/.test(String(type)))
    expect(brackets.map((it) => `${String(it.type).slice(21)} ${it.output_index}`)).toEqual([
      'added 0',
      'done 0',
      'added 1',
      'done 1',
    ])
  })

  it.each([
    ['a map', { maps: { uri: URL_A, title: 'Mill', text: 'A mill.' } }, { url: URL_A, content: 'A mill.' }],
    [
      'a page of a store',
      { retrievedContext: { uri: URL_A, title: 'p', text: 'excerpt' } },
      { url: URL_A, content: 'excerpt' },
    ],
    [
      'a file',
      { retrievedContext: { title: 'm.pdf', documentName: 'files/1' } },
      { url: '', file: { file_id: 'files/1', filename: 'm.pdf' } },
    ],
    [
      'a store',
      { retrievedContext: { fileSearchStore: 'stores/1' } },
      { url: '', file: { file_id: 'stores/1', filename: '' } },
    ],
  ])('has as its source %s', (_, source, citation) => {
    const groundingMetadata = { groundingChunks: [source], groundingSupports: [support(segment('A', 'A'), 0)] }
    const deltas = deltasOf([chunk([text('A')], { ...stop, groundingMetadata })])
    expect(deltas).toContainEqual(
      expect.objectContaining({ kind: 'citation', citation: expect.objectContaining(citation) }),
    )
  })

  it.each([
    ['no source', { groundingSupports: [support(segment('A', 'A'), 0)] }],
    ['a source index beyond the list', { groundingChunks: chunks, groundingSupports: [support(segment('A', 'A'), 7)] }],
    [
      'an invalid index',
      { groundingChunks: chunks, groundingSupports: [{ groundingChunkIndices: ['0', -1, 0.5, null] }] },
    ],
    ['values other than lists', { groundingChunks: {}, groundingSupports: 'x', webSearchQueries: 5 }],
    ['no fields', {}],
  ])('cites nothing if it has %s', (_, groundingMetadata) => {
    expect(cited([chunk([text('A')], { ...stop, groundingMetadata })])).toEqual([{ text: 'A', marks: [] }])
  })

  it('has its queries and pages in a web_search_call', () => {
    const groundingMetadata = { groundingChunks: chunks, webSearchQueries: ['mills', 'wheels'] }
    const items = output([chunk([text('A')], { ...stop, groundingMetadata })])
    expect(items.map(({ type }) => type)).toEqual(['message', 'web_search_call'])
    expect(items[1].action).toEqual({
      type: 'search',
      query: 'mills',
      queries: ['mills', 'wheels'],
      sources: [
        { type: 'url', url: URL_A, title: 'a' },
        { type: 'url', url: URL_B, title: 'b' },
      ],
    })
  })
})

describe('recitations of a gemini-generate answer', () => {
  it.each(['citationSources', 'citations'])('cite the known text from the list %s', (list) => {
    const found = { startIndex: 4, endIndex: 7, uri: URL_A, title: 't' }
    const chunks = [
      chunk([text('é, ')]),
      chunk([text('two words')], { ...stop, citationMetadata: { [list]: [found] } }),
    ]
    expect(cited(chunks)).toEqual([{ text: 'é, two words', marks: [[URL_A, 'two']] }])
  })

  it('wait for their text if they arrive first', () => {
    const citationMetadata = { citationSources: [{ endIndex: 2, uri: URL_A }] }
    expect(cited([chunk([], { citationMetadata }), chunk([text('éa')], stop)])).toEqual([
      { text: 'éa', marks: [[URL_A, 'é']] },
    ])
  })

  it('cite nothing if they have no URL', () => {
    const citationMetadata = { citationSources: [{ endIndex: 1, uri: '', license: 'mit' }, { endIndex: 1 }] }
    expect(cited([chunk([text('A')], { ...stop, citationMetadata })])[0]?.marks).toEqual([])
  })
})
