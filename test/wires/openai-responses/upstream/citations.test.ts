import { expect, it } from 'vitest'
import { openaiResponses } from '../../../../src/wires/openai-responses/index.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import { clientStreamOf } from '../../client-stream.ts'
import { added, answers, at, completed, done, message, text, textDelta } from '../answers.ts'

const URL = 'https://a.example/1'
const OTHER = 'https://b.example/'
const LINK = `([a.example](${URL}))`

const page = (start_index?: number, end_index?: number, url = URL) => ({
  type: 'url_citation',
  url,
  title: 'A',
  ...(start_index === undefined ? {} : { start_index, end_index }),
})
const cites = (annotation: object) => at(0, 'output_text.annotation.added', { annotation_index: 0, annotation })
const withList = (content: string, annotations: readonly object[]) => ({
  type: 'message',
  content: [text(content, { annotations })],
})
const ended = (items: AnswerCase['items'], ...stream: readonly object[]): AnswerCase => ({
  stream: [...stream, completed()],
  items,
})

const sentence = `Wet ${LINK}.`
const mark = page(4, 4 + LINK.length)
const pieces = [textDelta('Wet '), textDelta(LINK), cites(mark), textDelta('.')]
const whole = withList(sentence, [mark])
const { type: _, ...fields } = mark
const nested = withList(sentence, [{ type: 'url_citation', url_citation: fields }])
const CITED = [`${sentence} [${URL} "${LINK}"]`]

// biome-ignore format: a row a case
answers('citations of an openai-responses stream', 'are emitted once: ', {
  'in an event of their own': ended(CITED, ...pieces),
  'in the form of chat completions': { items: CITED, losses: [], stream: [textDelta(sentence), done(0, nested), completed([nested])] },
  'in an event, the finished part, the finished item and at the end': { items: CITED, stream: [...pieces,
    at(0, 'content_part.done', { part: text(sentence, { annotations: [mark] }) }), done(0, whole), completed([whole])] },
  'where each piece of the text repeats the event': ended(CITED, ...pieces, cites(mark), cites(mark), done(0, whole)),
  'in the finished item only': ended(CITED, textDelta(sentence), done(0, whole)),
  'at the end only': { items: CITED, stream: [textDelta(sentence), completed([whole])] },
  'before their text': ended(CITED, cites(mark), textDelta(sentence)),
  'where their page got its title later': ended(CITED, ...pieces, done(0, withList(sentence, [{ ...mark, title: 'B' }]))),
})

const twice = `${LINK}${LINK}`
const [once, again] = [page(0, LINK.length), page(LINK.length, twice.length)]
const bare = [page(), page(undefined, undefined, OTHER)]
const shell = { type: 'shell_call', action: {} }
const file = (id: string, index: number) => ({ type: 'file_citation', file_id: id, filename: 'a.pdf', index })
const made = { type: 'container_file_citation', container_id: 'c', file_id: 'file_2', filename: 'b.csv' }
const files = [file('file_1', 3), { ...made, start_index: 0, end_index: 5 }, file('file_3', 0)]

// biome-ignore format: a row a case
answers('citations of an openai-responses stream', '', {
  'have the span of their link if they have no indices, or an empty span (xAI)': {
    stream: [textDelta(sentence), ...bare.map(cites), done(0, withList(sentence, bare)), completed([withList(sentence, bare)])],
    items: [`${sentence} [${URL} "${LINK.slice(1, -1)}"] [${OTHER} ""]`] },
  'have the span of their link after an emoji if their offsets count UTF-16 units or code points':
    ['😀 '.length, [...'😀 '].length].map((before) => ended([`😀 ${LINK}! [${URL} "${LINK}"]`],
      textDelta(`😀 ${LINK}!`), cites(page(before, before + LINK.length)))),
  'belong to the part in which they were sent, across other items': ended(
    [`Wet ${LINK} [${URL} "${LINK}"]`, 'shell_call'], textDelta('Wet '), added(1, shell), done(1, shell), textDelta(LINK), cites(mark)),
  'have a single index if they cite files': {
    ...ended([{ content: [{ annotations: [file('file_1', 3), { type: 'file_citation', file_id: 'file_2', filename: 'b.csv', index: 5 },
      file('file_3', 0)] }] }], textDelta('Water'), ...files.map(cites), done(0, withList('Water', files))),
    losses: ['the container of a cited file'] },
  'are recorded as losses if their kind is unknown or their URL is missing': [
    { ...ended(['A'], textDelta('A'), cites({ type: 'file_path', file_id: 'file_1', index: 0 })), losses: ['annotation file_path'] },
    { ...ended(['A'], textDelta('A'), cites({ type: 'url_citation' })), losses: ['annotation url_citation'] },
    ended([{ content: [{ annotations: [] }] }], done(0, message('A'))),
  ],
})

// The order among the positions differs between a stream and a body.
it('citations of an openai-responses stream are all emitted if only the first has an event', () => {
  const events = [textDelta(twice), cites(once), done(0, withList(twice, [once, again])), completed()]
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const [{ content }] = clientStreamOf(openaiResponses).responseOfStream(stream).output
  expect(content[0].annotations).toHaveLength(2)
  expect(content[0].annotations).toEqual(expect.arrayContaining([once, again]))
})
