import { expect } from 'vitest'
import type { AnswerCase } from '../../answer-cases.ts'
import { answers, start, stop, textBlock } from '../events.ts'

type Counts = Readonly<Record<string, unknown>>

/** An answer with these counts at its start and at its end; its body has only the last of each. */
const counted = (first: Counts, last: Counts, usage: AnswerCase['usage'], more: AnswerCase = {}): AnswerCase => ({
  stream: [start({ usage: first }), ...textBlock(0, 'A'), ...stop('end_turn', {}, last)],
  body: {
    content: [{ type: 'text', text: 'A' }],
    stop_reason: 'end_turn',
    usage: { ...first, ...Object.fromEntries(Object.entries(last).filter(([, value]) => value !== null)) },
  },
  usage,
  ...more,
})
const written = { emits: [{ kind: 'usage', usage: expect.objectContaining({ cache_write_tokens: 20 }) }] }
const inside = { output_tokens: 9, iterations: [{ input_tokens: 500, output_tokens: 500 }] }
const START = start({ usage: { input_tokens: 3, output_tokens: 1 } })
const REST = { cache_read_input_tokens: 7, cache_creation_input_tokens: 20, output_tokens: 5 }

// biome-ignore format: a row a case
answers('usage of an anthropic-messages answer', 'has the right counts: ', {
  'the delta replaces the start': counted({ input_tokens: 2037, output_tokens: 1 }, { input_tokens: 15_665, output_tokens: 90 },
    [15_665, 90, 15_755, 0, 0]),
  'counts absent from the delta stay': counted({ input_tokens: 17, output_tokens: 1 }, { output_tokens: 65 }, [17, 65, 82, 0, 0]),
  'cached tokens, read or written, are input': counted(
    { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1 }, { output_tokens: 5 },
    [123, 5, 128, 100, 0], written),
  'more from the cache than the start counts': counted({ input_tokens: 6, output_tokens: 1 },
    { input_tokens: 0, cache_read_input_tokens: 7, output_tokens: 5 }, [7, 5, 12, 7, 0]),
  'the cache in the delta, with the rest of the input': counted({ input_tokens: 30, output_tokens: 1 },
    { input_tokens: 2, cache_read_input_tokens: 28, output_tokens: 5 }, [30, 5, 35, 28, 0]),
  'nulls replace nothing': counted({ input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 2 },
    { input_tokens: null, cache_read_input_tokens: null }, [5, 4, 9, 2, 0]),
  '0 is not unknown': counted({ input_tokens: 3, output_tokens: 0, cache_read_input_tokens: 0 }, {}, [3, 0, 3, 0, 0],
    { emits: [{ kind: 'usage', usage: expect.objectContaining({ output_tokens: 0, cached_tokens: 0, reasoning_tokens: null }) }] }),
  'thinking': counted({ input_tokens: 3, output_tokens: 1 },
    { output_tokens: 9, output_tokens_details: { thinking_tokens: 6 } }, [3, 9, 12, 0, 6]),
  'calls inside the call are not added': counted({ input_tokens: 3, output_tokens: 1 }, inside, [3, 9, 12],
    { losses: ['usage.iterations'] }),
  'invalid counts are unknown': counted({ input_tokens: '3', output_tokens: -1 }, { output_tokens: 1.5 }, null),
})

// biome-ignore format: a row a case
answers('usage of an anthropic-messages answer', '', {
  'counts what the cache had once where the start counts the whole prompt': {
    ...counted({ input_tokens: 30, output_tokens: 1 }, REST, [30, 5, 35, 7, 0], written), body: null },
  'has the counts of message_start if the answer was cut': {
    stream: [START, ...textBlock(0, 'A')], usage: [3, 1, 4], end: 'failed' },
})
