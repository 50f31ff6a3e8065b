import { expect } from 'vitest'
import type { AnswerCase } from '../../answer-cases.ts'
import { answers, start, stop, textBlock } from '../events.ts'

type Counts = Readonly<Record<string, unknown>>

const usage = (
  input: number | null,
  output: number | null,
  cached: number | null = null,
  reasoning: number | null = null,
) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input === null || output === null ? null : input + output,
  cached_tokens: cached,
  reasoning_tokens: reasoning,
})
type Usage = ReturnType<typeof usage>

/** The hub has all counts, and its client 0 for unknown details. */
const uses = (found: Usage): Pick<AnswerCase, 'usage' | 'emits'> => ({
  usage: [
    found.input_tokens,
    found.output_tokens,
    found.total_tokens,
    found.cached_tokens ?? 0,
    found.reasoning_tokens ?? 0,
  ],
  emits: [{ kind: 'usage', usage: found }],
})
/** An answer with these counts at its start and at its end; its body has only the last of each. */
const counted = (first: Counts, last: Counts, found: Usage, more: AnswerCase = {}): AnswerCase => ({
  stream: [start({ usage: first }), ...textBlock(0, 'A'), ...stop('end_turn', {}, last)],
  body: {
    content: [{ type: 'text', text: 'A' }],
    stop_reason: 'end_turn',
    usage: { ...first, ...Object.fromEntries(Object.entries(last).filter(([, value]) => value !== null)) },
  },
  ...uses(found),
  ...more,
})
const inside = { output_tokens: 9, iterations: [{ input_tokens: 500, output_tokens: 500 }] }
const START = start({ usage: { input_tokens: 3, output_tokens: 1 } })
const REST = { cache_read_input_tokens: 7, cache_creation_input_tokens: 2, output_tokens: 5 }

// biome-ignore format: a row a case
answers('usage of an anthropic-messages answer', 'has the right counts: ', {
  'the cache counts by lifetimes only': counted({ input_tokens: 10, cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 5 }, output_tokens: 1 },
    { output_tokens: 2 }, { ...usage(45, 2), cache_write_tokens: 35, cache_writes: { '5m': 30, '1h': 5 } } as Usage),
  'the delta replaces the start': counted({ input_tokens: 2037, output_tokens: 1 }, { input_tokens: 15_665, output_tokens: 90 },
    usage(15_665, 90)),
  'counts absent from the delta stay': counted({ input_tokens: 17, output_tokens: 1 }, { output_tokens: 65 }, usage(17, 65)),
  'cached tokens, read or written, are input': counted(
    { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1 }, { output_tokens: 5 },
    { ...usage(123, 5, 100), cache_write_tokens: 20 } as Usage),
  'a full cache hit counts once': counted({ input_tokens: 9000, cache_creation_input_tokens: 500, cache_read_input_tokens: 0, output_tokens: 1 },
    { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 9500, output_tokens: 15 }, usage(9500, 15, 9500)),
  'what a compaction has left': counted({ input_tokens: 181, cache_creation_input_tokens: 55_096, cache_read_input_tokens: 0, output_tokens: 1 },
    { input_tokens: 181, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 15 }, usage(181, 15, 0)),
  'zeros alone replace nothing': { ...counted({ input_tokens: 9332, cache_read_input_tokens: 120, output_tokens: 1 },
    { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }, usage(9452, 1, 120)), body: null },
  'texts are counts': counted({ input_tokens: '39', output_tokens: '1' }, { output_tokens: '64' }, usage(39, 64)),
  'more from the cache than the start counts': counted({ input_tokens: 6, output_tokens: 1 },
    { input_tokens: 0, cache_read_input_tokens: 7, output_tokens: 5 }, usage(7, 5, 7)),
  'the cache in the delta, with the rest of the input': counted({ input_tokens: 30, output_tokens: 1 },
    { input_tokens: 2, cache_read_input_tokens: 28, output_tokens: 5 }, usage(30, 5, 28)),
  'nulls replace nothing': counted({ input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 2 },
    { input_tokens: null, cache_read_input_tokens: null }, usage(5, 4, 2)),
  '0 is not unknown': counted({ input_tokens: 3, output_tokens: 0, cache_read_input_tokens: 0 }, {}, usage(3, 0, 0)),
  'thinking': counted({ input_tokens: 3, output_tokens: 1 },
    { output_tokens: 9, output_tokens_details: { thinking_tokens: 6 } }, usage(3, 9, null, 6)),
  'calls inside the call are not added': counted({ input_tokens: 3, output_tokens: 1 }, inside, usage(3, 9),
    { losses: ['usage.iterations'] }),
  'invalid counts are unknown': counted({ input_tokens: '3 tokens', output_tokens: -1 }, { output_tokens: 1.5 }, usage(null, null),
    { usage: null, passed: { usage: [0, 0, 0, 0, 0] }, emits: [], deltas: expect.not.arrayContaining([expect.objectContaining({ kind: 'usage' })]) }),
})

// biome-ignore format: a row a case
answers('usage of an anthropic-messages answer', '', {
  'counts what the cache had once where the start counts the whole prompt': {
    ...counted({ input_tokens: 30, output_tokens: 1 }, REST, { ...usage(30, 5, 7), cache_write_tokens: 2 } as Usage), body: null },
  'has the counts of message_start if the answer was cut': {
    stream: [START, ...textBlock(0, 'A')], ...uses(usage(3, 1)), end: 'failed' },
})
