import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { openSummary } from '../../src/responses/compaction/compaction.ts'
import { summaryToCompaction } from '../../src/responses/compaction/summary-to-compaction.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { encodedFor } from './encoded-call.ts'
import { collected, eventsOf, optionsOf, toBytes, translated } from './run-engine.ts'

const message = (text: string, phase: string) => ({
  type: 'message',
  id: `msg_${text}`,
  status: 'completed',
  role: 'assistant',
  phase,
  content: [{ type: 'output_text', text, annotations: [] }],
})

const OUTPUT = [message('I look.', 'commentary'), message('Found.', 'final_answer')]

const STREAM = toBytes(
  [
    ...OUTPUT.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, content: [], status: 'in_progress' } },
      { type: 'response.output_text.delta', output_index, content_index: 0, delta: item.content[0]?.text },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { status: 'completed', output: OUTPUT } },
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join(''),
)

const optionsFor = (dialect: keyof typeof DIALECTS) => optionsOf(DIALECTS[dialect], {}, 'x', WIRES['openai-responses'])

const ITEM_EVENTS = ['response.output_item.added', 'response.output_item.done']

describe('the phases of messages in an answer', () => {
  it('reach a client of the dialect openai in each event with the item, and in its body', () => {
    const events = eventsOf(translated(optionsFor('openai'), [STREAM]))
    const items = events.filter(({ type }) => ITEM_EVENTS.includes(String(type))).map(({ item }) => item)
    expect(items).toMatchObject(
      ['commentary', 'commentary', 'final_answer', 'final_answer'].map((phase) => ({ phase })),
    )
    const { output } = collected(optionsFor('openai'), [STREAM])
    expect(output).toMatchObject([{ phase: 'commentary' }, { phase: 'final_answer' }])
  })

  it('are not fields of the dialect beta', () => {
    expect(translated(optionsFor('beta'), [STREAM])).not.toContain('commentary')
    expect(JSON.stringify(collected(optionsFor('beta'), [STREAM]))).not.toContain('phase')
  })
})

describe('the phases of messages in a request', () => {
  const input = [{ role: 'user', content: 'Where?' }, ...OUTPUT, { role: 'user', content: 'Why?' }]

  it('reach an upstream of the Responses API', () => {
    const { body, losses } = encodedFor('openai', 'gpt-5.5', { input })
    expect(body.input).toMatchObject([
      { role: 'user' },
      { content: 'I look.', phase: 'commentary' },
      { content: 'Found.', phase: 'final_answer' },
      { role: 'user' },
    ])
    expect(losses).toEqual([])
  })

  it.each(['groq', 'anthropic', 'google', 'bedrock', 'cohere', 'ollama'])(
    'are a loss of each message that is not the answer for %s',
    (vendor) => {
      const { body, losses } = encodedFor(vendor, 'm', { input })
      expect(losses.filter((loss) => loss.includes('phase'))).toEqual([
        'input[1].phase dropped: this upstream does not distinguish commentary from the answer',
      ])
      expect(JSON.stringify(body)).not.toContain('commentary')
    },
  )

  it('are no loss before a call, which shows that the text is commentary', () => {
    const reasoning = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }
    const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'c', output: 'Here.' }
    const called = [input[0], OUTPUT[0], reasoning, call, output]
    expect(encodedFor('groq', 'm', { input: called }).losses.filter((loss) => loss.includes('phase'))).toEqual([])
  })

  it('of more than 64 characters are refused', () => {
    expect(() => encodedFor('openai', 'gpt-5.5', { input: [message('A', 'x'.repeat(65))] })).toThrow('input[0].phase')
  })
})

describe('a compaction', () => {
  const summaryOf = (...phases: readonly (readonly [phase: string, text: string])[]): string => {
    const deltas = phases.flatMap(([phase, text], at): readonly Delta[] => [
      { kind: 'phase', key: `${at}`, phase },
      { kind: 'text', key: `${at}`, part: '', text, logprobs: null },
    ])
    const made = run(summaryToCompaction, [...deltas, { kind: 'finish', reason: 'stop' }])
    const item = made.find((delta) => delta.kind === 'hosted')?.item ?? expect.unreachable()
    return openSummary(String(item.fields.encrypted_content)) ?? ''
  }

  it('is the answer without the commentary', () => {
    expect(summaryOf(['commentary', 'I look.'], ['final_answer', 'Found.'])).toBe('Found.')
    expect(summaryOf(['commentary', 'I look.'], ['final_answer', 'Found.'], ['final_answer', 'More.'])).toBe(
      'Found.\n\nMore.',
    )
  })

  it('is the commentary if there is nothing else', () => {
    expect(summaryOf(['commentary', 'I look.'])).toBe('I look.')
  })
})
