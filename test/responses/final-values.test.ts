import { expect, it } from 'vitest'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { ALL_CAPABILITIES } from '../../src/responses/capabilities.ts'
import { collect } from '../../src/responses/collect.ts'
import { respond } from '../../src/responses/respond.ts'
import { headOf } from '../engine/run-engine.ts'

it('the final text of a message that also refuses adds what its pieces lack', () => {
  const deltas: readonly Delta[] = [
    { kind: 'refusal', key: 'm', part: '0', text: 'No.', logprobs: null },
    { kind: 'text', key: 'm', part: '1', text: 'But', logprobs: null },
    { kind: 'final', whole: { kind: 'text', key: 'm', part: '1', text: 'But this.', logprobs: null } },
    { kind: 'finish', reason: 'stop' },
  ]
  const [response] = run(collect, run(respond(headOf('x'), ALL_CAPABILITIES), deltas))
  expect(response?.output).toMatchObject([
    {
      content: [
        { type: 'refusal', refusal: 'No.' },
        { type: 'output_text', text: 'But this.' },
      ],
    },
  ])
})

it.each<'summary' | 'reasoning'>(['summary', 'reasoning'])(
  'the final text of finished reasoning adds nothing to the same pieces: %s',
  (kind) => {
    const thought = { kind, key: 'r', part: '0', text: 'Hm.', logprobs: null }
    const deltas: readonly Delta[] = [
      thought,
      { kind: 'stop', key: 'r' },
      { kind: 'final', whole: thought },
      { kind: 'text', key: 'm', part: '0', text: 'Yes.', logprobs: null },
      { kind: 'finish', reason: 'stop' },
    ]
    const [response] = run(collect, run(respond(headOf('x'), ALL_CAPABILITIES), deltas))
    expect(response?.output).toMatchObject([
      { type: 'reasoning', [kind === 'summary' ? 'summary' : 'content']: [{ text: 'Hm.' }] },
      { type: 'message' },
    ])
  },
)
