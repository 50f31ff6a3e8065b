import { expect, it } from 'vitest'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { sealSummary } from '../../src/responses/compaction/compaction.ts'
import { summaryToCompaction } from '../../src/responses/compaction/summary-to-compaction.ts'

const message = (key: string, phase: string, text: string): readonly Delta[] => [
  { kind: 'phase', key, phase },
  { kind: 'text', key, part: '', text, logprobs: null },
]
const COMMENTARY = message('a', 'commentary', 'I sum up.')
const ANSWER = message('b', 'final_answer', 'Ann has no files.')

it('the model of a compaction is the one that its upstream names', () => {
  const start: Delta = { kind: 'start', model: 'm-1' }
  expect(run(summaryToCompaction, [start, ...ANSWER, { kind: 'finish', reason: 'stop' }])[0]).toBe(start)
})

it('a refusal is no summary', () => {
  const refusal: Delta = { kind: 'refusal', key: 'a', part: '', text: 'No.', logprobs: null }
  expect(run(summaryToCompaction, [refusal, { kind: 'finish', reason: 'stop' }])).toMatchObject([{ kind: 'error' }])
})

it.each<[deltas: readonly Delta[], summary: string]>([
  [[...COMMENTARY, ...ANSWER], 'Ann has no files.'],
  [COMMENTARY, 'I sum up.'],
])('a summary has commentary only if the model writes nothing else: %#', (deltas, summary) => {
  const made = run(summaryToCompaction, [...deltas, { kind: 'finish', reason: 'stop' }])
  const sealed = made.flatMap((delta) => (delta.kind === 'hosted' ? [delta.item.fields.encrypted_content] : []))
  expect(sealed).toEqual([sealSummary(summary), sealSummary(summary)])
})
