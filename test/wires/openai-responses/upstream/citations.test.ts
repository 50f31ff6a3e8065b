import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import {
  added,
  completed,
  done,
  ev,
  type LooseRecord,
  lossesOf,
  message,
  outputOf,
  text,
  textDelta,
} from '../streams.ts'

const URL = 'https://a.example/1'
const LINK = `([a.example](${URL}))`

const page = (start_index?: number, end_index?: number, url = URL): LooseRecord => ({
  type: 'url_citation',
  url,
  title: 'A',
  ...(start_index === undefined ? {} : { start_index, end_index }),
})
const cites = (annotation: LooseRecord, output_index = 0): LooseRecord =>
  ev('output_text.annotation.added', { output_index, content_index: 0, annotation_index: 0, annotation })

/** Returns the cited texts of an answer, in order. */
function citedIn(events: readonly LooseRecord[]): readonly [url: string, words: string][] {
  const parts = outputOf(events).flatMap((item) => (item.content ?? []) as readonly JsonObject[])
  return parts.flatMap((part) =>
    (part.annotations as readonly JsonObject[]).map((it): [string, string] => [
      `${it.url ?? it.file_id}`,
      `${part.text}`.slice(Number(it.start_index ?? 0), Number(it.end_index ?? it.index)),
    ]),
  )
}

const withList = (content: string, annotations: readonly LooseRecord[]): LooseRecord => ({
  type: 'message',
  content: [text(content, { annotations })],
})

describe('citations of an openai-responses stream', () => {
  const sentence = `Wet ${LINK}.`
  const mark = page(4, 4 + LINK.length)
  const pieces = [textDelta('Wet '), textDelta(LINK), cites(mark), textDelta('.')]

  it.each([
    ['in an event of their own', [...pieces, completed()]],
    [
      'in an event, the finished part, the finished item and at the end',
      [
        ...pieces,
        ev('content_part.done', { output_index: 0, content_index: 0, part: text(sentence, { annotations: [mark] }) }),
        done(0, withList(sentence, [mark])),
        completed([withList(sentence, [mark])]),
      ],
    ],
    ['in the finished item only', [textDelta(sentence), done(0, withList(sentence, [mark])), completed()]],
    ['at the end only', [textDelta(sentence), completed([withList(sentence, [mark])])]],
    ['before their text', [cites(mark), textDelta(sentence), completed()]],
    [
      'where their page got its title later',
      [...pieces, done(0, withList(sentence, [{ ...mark, title: 'B' }])), completed()],
    ],
  ] as [string, readonly LooseRecord[]][])('are emitted once: %s', (_, events) => {
    expect(citedIn(events)).toEqual([[URL, LINK]])
  })

  it('are all emitted if only the first has an event', () => {
    const two = `${LINK}${LINK}`
    const marks = [page(0, LINK.length), page(LINK.length, two.length)]
    expect(
      citedIn([textDelta(two), cites(marks[0] as LooseRecord), done(0, withList(two, marks)), completed()]),
    ).toEqual([
      [URL, LINK],
      [URL, LINK],
    ])
  })

  it('have the span of their link if they have no indices, or an empty span (xAI)', () => {
    const marks = [page(), page(undefined, undefined, 'https://b.example/')]
    const events = [
      textDelta(sentence),
      ...marks.map((it) => cites(it)),
      done(0, withList(sentence, marks)),
      completed([withList(sentence, marks)]),
    ]
    expect(citedIn(events)).toEqual([
      [URL, LINK.slice(1, -1)],
      ['https://b.example/', ''],
    ])
  })

  it.each(['utf16', 'code points'])('have the span of their link after an emoji if their offsets count %s', (unit) => {
    const before = unit === 'utf16' ? '😀 '.length : [...'😀 '].length
    const mark = page(before, before + LINK.length)
    expect(citedIn([textDelta(`😀 ${LINK}!`), cites(mark), completed()])).toEqual([[URL, LINK]])
  })

  it('belong to the part in which they were sent, across other items', () => {
    const shell = { type: 'shell_call', action: {} }
    const events = [
      textDelta('Wet '),
      added(1, shell),
      done(1, shell),
      textDelta(LINK),
      cites(page(4, 4 + LINK.length)),
      completed(),
    ]
    expect(citedIn(events)).toEqual([[URL, LINK]])
  })

  it('have a single index if they cite files', () => {
    const file = { type: 'file_citation', file_id: 'file_1', filename: 'a.pdf', index: 3 }
    const made = {
      type: 'container_file_citation',
      container_id: 'c',
      file_id: 'file_2',
      filename: 'b.csv',
      start_index: 0,
      end_index: 5,
    }
    const first = { ...file, file_id: 'file_3', index: 0 }
    const events = [
      textDelta('Water'),
      cites(file),
      cites(made),
      cites(first),
      done(0, withList('Water', [file, made, first])),
      completed(),
    ]
    expect(lossesOf(events)).toEqual(['the container of a cited file'])
    expect(outputOf(events)).toMatchObject([
      {
        content: [
          {
            annotations: [
              { type: 'file_citation', file_id: 'file_1', filename: 'a.pdf', index: 3 },
              { type: 'file_citation', file_id: 'file_2', filename: 'b.csv', index: 5 },
              { type: 'file_citation', file_id: 'file_3', index: 0 },
            ],
          },
        ],
      },
    ])
  })

  it('are recorded as losses if their kind is unknown or their URL is missing', () => {
    expect(lossesOf([textDelta('A'), cites({ type: 'file_path', file_id: 'file_1', index: 0 }), completed()])).toEqual([
      'annotation file_path',
    ])
    expect(lossesOf([textDelta('A'), cites({ type: 'url_citation' }), completed()])).toEqual([
      'annotation url_citation',
    ])
    expect(outputOf([done(0, message('A')), completed()])).toMatchObject([{ content: [{ annotations: [] }] }])
  })
})
