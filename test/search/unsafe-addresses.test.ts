import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { createReducer } from '../../src/engine/reducer.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { readEngineAnswer } from '../../src/search/engine.ts'
import { exa } from '../../src/search/engines/exa.ts'
import { optionsOf } from '../engine/run-engine.ts'

const UNSAFE = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
]

describe('an address that runs a script', () => {
  it('is no result of a search engine', () => {
    const results = [...UNSAFE, 'ftp://a.example/x', 'https://a.example/'].map((url) => ({
      url,
      title: 't',
      text: 'x',
    }))
    const query = {
      query: 'q',
      maxResults: 20,
      filter: { allowed: [], excluded: [] },
      maxCharacters: 1000,
      country: null,
      mode: null,
    }
    const answer = readEngineAnswer(exa, query, 200, JSON.stringify({ results }))
    expect(answer.ok && answer.results.map(({ url }) => url)).toEqual(['https://a.example/'])
  })

  const citing = (url: string): readonly Delta[] => [
    { kind: 'text', key: 'm', part: '', text: 'As written.', logprobs: null },
    {
      kind: 'citation',
      key: 'm',
      part: '',
      citation: { url, title: 't', content: null, span: { start: 0, end: 2, unit: 'utf16' }, marker: null },
    },
    { kind: 'finish', reason: 'stop' },
  ]
  const citationsOf = (url: string): number =>
    run(createReducer(optionsOf(DIALECTS.openai)), citing(url)).filter(
      ({ type }) => type === 'output_text.annotation.added',
    ).length

  it.each(UNSAFE)('is no citation: %j', (url) => {
    expect(citationsOf(url)).toBe(0)
  })

  it.each(['https://a.example/', 'http://a.example/', 'kb://handbook/3', 'gs://bucket/a.pdf'])(
    'leaves other citations as they are: %s',
    (url) => {
      expect(citationsOf(url)).toBe(1)
    },
  )
})
