import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Journal, type JournalEntry, type Summary, summaryOf } from '../../src/gateway/exchange/journal.ts'
import { lineLog, toLogLine } from '../../src/gateway/telemetry/log.ts'
import { dropped } from '../../src/protocol/loss.ts'

const UPSTREAM = { vendor: 'acme', member: 'eu', model: 'm' }
const LOSS = dropped('seed', 'no such field')

/** An exchange in which everything happened that has a field. */
const ENTRIES: readonly JournalEntry[] = [
  { type: 'matched', path: '/v1/responses' },
  { type: 'unmatched', path: '/v2/responses' },
  { type: 'admitted', key: 'ci', owner: '0a1b', label: 'team' },
  { type: 'opened', dialect: 'openai', client: 'openai-responses' },
  { type: 'read', stream: true, model: 'm' },
  { type: 'routed', wire: 'openai-chat', preferred: 'acme@us', ...UPSTREAM },
  { type: 'learned', lines: ['"acme/m": {}'] },
  { type: 'called' },
  { type: 'attempted', error: 'overloaded', isSkipped: false, ...UPSTREAM },
  { type: 'retried' },
  { type: 'encoded', losses: [LOSS], edits: ['model'] },
  { type: 'head' },
  { type: 'attempted', error: 'overloaded', isSkipped: false, ...UPSTREAM },
  { type: 'explained', message: 'No capacity.' },
  { type: 'streaming' },
  { type: 'first token' },
  { type: 'first byte' },
  { type: 'continued', from: 'acme', to: 'other', characters: 3 },
  { type: 'continued', from: 'acme', to: 'third', characters: 3 },
  { type: 'wrote nothing' },
  { type: 'counted', basis: 'model' },
  {
    type: 'answered',
    outcome: 'failed',
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, cached_tokens: null, reasoning_tokens: null },
    edits: [],
    losses: [],
    error: 'overloaded',
    party: 'upstream',
    chunks: 3,
    responseId: null,
    model: null,
    finishReason: 'error',
  },
  { type: 'gone' },
  { type: 'ended' },
]

/** The names in the first column of the table of the section "Log". */
function documented(): readonly string[] {
  const page = readFileSync(new URL('../../docs/gateway.md', import.meta.url), 'utf8')
  const [, section = ''] = /^## Log\n([\s\S]*?)^On a terminal/m.exec(page) ?? []
  return [...section.matchAll(/^\|(.+?)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  )
}

it('the page of the gateway has exactly the fields of the log line of a request', () => {
  const journal = new Journal('req_1', 'POST')
  for (const entry of ENTRIES) journal.add(entry)
  const summary = summaryOf(journal)
  // A new field needs a entry above: only a call that has not ended has a `calledMs`.
  expect(Object.keys(summary).filter((name) => summary[name as keyof Summary] === null)).toEqual(['calledMs'])
  let written = ''
  lineLog(
    (text) => (written += text),
    () => 0,
  )(toLogLine(summary, { upstream_messages: true }))
  expect(Object.keys(JSON.parse(written)).sort()).toEqual(documented().toSorted())
})

it('a line shows no character that a terminal would obey, and loses none', () => {
  const name = 'a\u202eb\u0085c\u2066d\u009be\u007ff\ufeffg é 漢 😀'
  let written = ''
  lineLog(
    (text) => (written += text),
    () => 0,
  )({ event: 'request', model: name })
  expect(written).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/)
  expect(written).toContain('é 漢 😀')
  expect(JSON.parse(written).model).toBe(name)
})
