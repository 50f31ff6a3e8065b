import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../../property.ts'
import { type AnswerCase, exactly } from '../../answer-cases.ts'
import { answers, call, chunk, code, eventsFor, output, reasoningPart, result, signed, stop, text } from '../answers.ts'

const bytes = (content: string): number => new TextEncoder().encode(content).length

/** Returns the position of a text in the whole text, in UTF-8 bytes as Google counts. */
const segment = (all: string, words: string, off = 0) => {
  const startIndex = bytes(all.slice(0, all.indexOf(words))) + off
  const endIndex = startIndex + bytes(words)
  return startIndex === 0 ? { endIndex, text: words } : { startIndex, endIndex, text: words }
}
const support = (found: object, ...groundingChunkIndices: unknown[]) => ({ segment: found, groundingChunkIndices })
const SOURCES = [{ web: { uri: 'https://a', title: 'a' } }, { web: { uri: 'https://b', title: 'b' } }]
/** The end of an answer with these supports by the sources `https://a` and `https://b`. */
const grounded = (...groundingSupports: object[]) => ({
  ...stop,
  groundingMetadata: { groundingChunks: SOURCES, groundingSupports },
})
const hint = { groundingMetadata: {} }
const of = (stream: readonly unknown[], ...items: readonly (string | object)[]): AnswerCase => ({ stream, items })
const A = segment('A', 'A')
const BOTH = 'Größe 🙂 and more. Ünd so weiter.'
const spans = grounded(support(segment(BOTH, 'Größe 🙂 and more.'), 0), support(segment(BOTH, 'Ünd so weiter.'), 0, 1))
const TWO = segment('One. Two.', 'Two.')
const fact = grounded(support(segment('Fact.', 'Fact.'), 0))
const repeated = grounded(support(A, 0))
const ran = chunk([code, result])
const RAN = { type: 'code_interpreter_call' }
const between = 'Prémier 🙂. Sécond. Third.'
const crossed = grounded(
  support({ startIndex: 0, endIndex: 7, text: 'Second.' }, 0),
  support({ startIndex: 40, endIndex: 46, text: 'First.' }, 1),
)
const searched = { type: 'search', query: 'mills', queries: ['mills', 'wheels'] }
const sources = ['a', 'b'].map((title) => ({ type: 'url', url: `https://${title}`, title }))
const groundingMetadata = {
  searchEntryPoint: { renderedContent: '<div></div>' },
  groundingChunks: [{ image: { imageUri: 'https://a' } }],
}

// biome-ignore format: a row a case
answers('grounding of a gemini-generate answer', '', {
  'has the widget and the pictures of a search as losses': {
    ...of([chunk([text('A')], { ...stop, groundingMetadata })], 'A'), losses: ['searchEntryPoint', 'groundingChunks image'] },
  'has spans counted in UTF-8 bytes through all chunks (edge case 35)': of(
    [chunk([text(BOTH.slice(0, 7))]), chunk([text(BOTH.slice(7))], spans)],
    `${BOTH} [https://a "Größe 🙂 and more."] [https://a "Ünd so weiter."] [https://b "Ünd so weiter."]`),
  'has spans that do not count reasoning': of(
    [chunk([reasoningPart('Ignore me. '), text('One. '), text('Two.')], grounded(support(TWO, 0)))],
    'reasoning: Ignore me. ', 'One. Two. [https://a "Two."]'),
  'is placed at the text of the segment if its offsets are wrong': of(
    [chunk([text('One. Two.')], grounded(support(segment('One. Two.', 'Two.', -4), 0)))], 'One. Two. [https://a "Two."]'),
  'keeps its source without a span if the text of the segment is missing': of(
    [chunk([text('Somewhere')], grounded(support({ startIndex: 2, endIndex: 6, text: 'Nowhere' }, 0)))],
    'Somewhere [https://a ""]'),
  'is emitted once if every chunk repeats it': of(
    [chunk([text('A')], { groundingMetadata: repeated.groundingMetadata }), chunk([text('B')], repeated)], 'AB [https://a "A"]'),
  'has spans counted through texts with a tool between them': of(
    [chunk([text('Prémier 🙂. ')], hint), ran, chunk([text('Sécond. Third.')]),
      chunk([text('')], grounded(support(segment(between, 'Prémier 🙂.'), 0), support(segment(between, 'Third.'), 1)))],
    'Prémier 🙂.  [https://a "Prémier 🙂."]', RAN, 'Sécond. Third. [https://b "Third."]'),
  'is placed in the right message by its text if its offsets are wrong': of(
    [chunk([text('First. ')], hint), ran, chunk([text('Second.')], crossed)],
    'First.  [https://b "First."]', RAN, 'Second. [https://a "Second."]'),
  'cites the end of the first text if a segment spans two texts': of(
    [chunk([text('One. ')], hint), ran, chunk([text('Two.')], grounded(support(segment('One. Two.', 'One. Two.'), 0)))],
    'One.  [https://a "One. "]', RAN, 'Two.'),
  'is attached to the text before a call in the last chunk': [
    of([chunk([text('Fact.')]), chunk([call('f')], fact)], 'Fact. [https://a "Fact."]', 'f({})'),
    of([chunk([text('Fact.')], hint), chunk([call('f')]), chunk([], fact)], 'Fact. [https://a "Fact."]', 'f({})'),
  ],
  'has an empty span in the later text if no earlier chunk announced it': of(
    [chunk([text('One. ')]), ran, chunk([text('Two.')]), chunk([], grounded(support(segment('One. Two.', 'One.'), 0)))],
    'One. ', RAN, 'Two. [https://a ""]'),
  'has its queries and pages in a web_search_call': of(
    [chunk([text('A')], { ...stop, groundingMetadata: { groundingChunks: SOURCES, webSearchQueries: ['mills', 'wheels'] } })],
    'A', { type: 'web_search_call', action: exactly({ ...searched, sources }) }),
})

const cites = (source: object, citation: object): AnswerCase => ({
  stream: [
    chunk([text('A')], {
      ...stop,
      groundingMetadata: { groundingChunks: [source], groundingSupports: [support(A, 0)] },
    }),
  ],
  emits: [{ kind: 'citation', citation: expect.objectContaining(citation) }],
})

// biome-ignore format: a row a case
answers('grounding of a gemini-generate answer', 'has as its source ', {
  'a map': cites({ maps: { uri: 'https://a', title: 'Mill', text: 'A mill.' } }, { url: 'https://a', content: 'A mill.' }),
  'a page of a store': cites({ retrievedContext: { uri: 'https://a', title: 'p', text: 'excerpt' } },
    { url: 'https://a', content: 'excerpt' }),
  'a file': cites({ retrievedContext: { title: 'm.pdf', documentName: 'files/1' } },
    { url: '', file: { file_id: 'files/1', filename: 'm.pdf' } }),
  'a store': cites({ retrievedContext: { fileSearchStore: 'stores/1' } },
    { url: '', file: { file_id: 'stores/1', filename: '' } }),
})

const uncited = (groundingMetadata: object) => of([chunk([text('A')], { ...stop, groundingMetadata })], 'A')

// biome-ignore format: a row a case
answers('grounding of a gemini-generate answer', 'cites nothing if it has ', {
  'no source': uncited({ groundingSupports: [support(A, 0)] }),
  'a source index beyond the list': uncited({ groundingChunks: SOURCES, groundingSupports: [support(A, 7)] }),
  'an invalid index': uncited({ groundingChunks: SOURCES, groundingSupports: [support(A, '0', -1, 0.5, null)] }),
  'values other than lists': uncited({ groundingChunks: {}, groundingSupports: 'x', webSearchQueries: 5 }),
  'no fields': uncited({}),
})

describe('grounding of a gemini-generate answer', () => {
  it('cites exactly the text of a segment at any position, however the text is cut', () => {
    const word = fc.constantFrom('a', 'é', '日本', '🙂', ' ', '. ', 'Wort', '\n')
    const texts = fc.array(word, { minLength: 1, maxLength: 20 })
    check(
      fc.property(texts, fc.nat(), fc.nat(), fc.nat(), (words, from, to, cut) => {
        const [a, b] = [from % words.length, to % words.length]
        const before = words.slice(0, Math.min(a, b)).join('')
        const marked = words.slice(Math.min(a, b), Math.max(a, b) + 1).join('')
        const at = cut % (words.length + 1)
        const place = { startIndex: bytes(before), endIndex: bytes(before + marked), text: marked }
        const [first, second] = [words.slice(0, at).join(''), words.slice(at).join('')]
        const [message] = output([chunk([text(first)]), chunk([text(second)], grounded(support(place, 0)))])
        const [{ text: whole, annotations }] = message.content
        expect(whole).toBe(words.join(''))
        expect(annotations).toMatchObject([{ url: 'https://a' }])
        expect(whole.slice(annotations[0].start_index, annotations[0].end_index)).toBe(marked)
      }),
    )
  })

  const bracketsOf = (chunks: readonly unknown[]) =>
    eventsFor(chunks).flatMap(({ type, output_index }) => {
      const [, name] = /output_item\.(\w+)|\.(annotation)/.exec(String(type)) ?? []
      return type === 'response.output_text.annotation.added' ? ['cited'] : name ? [`${name} ${output_index}`] : []
    })

  it('precedes the signature of the answer in the same part', () => {
    expect(bracketsOf([chunk([text('Fact.')]), chunk([text('', signed('s'))], fact)])).toEqual([
      ...['added 0', 'cited', 'done 0', 'added 1', 'done 1'],
    ])
  })

  it('lets items finish in their order if nothing stands between them', () => {
    expect(bracketsOf([chunk([text('Fact.', signed('s'))], hint), chunk([], fact)])).toEqual([
      ...['added 0', 'cited', 'done 0', 'added 1', 'done 1'],
    ])
  })
})

const recited = (list: string) => ({
  ...stop,
  citationMetadata: { [list]: [{ startIndex: 4, endIndex: 7, uri: 'https://a', title: 't' }] },
})
const early = { citationMetadata: { citationSources: [{ endIndex: 2, uri: 'https://a' }] } }
const nowhere = { citationSources: [{ endIndex: 1, uri: '', license: 'mit' }, { endIndex: 1 }] }

// biome-ignore format: a row a case
answers('recitations of a gemini-generate answer', '', {
  'cite the known text from the lists citationSources and citations': ['citationSources', 'citations'].map((list) =>
    of([chunk([text('é, ')]), chunk([text('two words')], recited(list))], 'é, two words [https://a "two"]')),
  'wait for their text if they arrive first': of([chunk([], early), chunk([text('éa')], stop)], 'éa [https://a "é"]'),
  'cite nothing if they have no URL': of([chunk([text('A')], { ...stop, citationMetadata: nowhere })], 'A'),
})
