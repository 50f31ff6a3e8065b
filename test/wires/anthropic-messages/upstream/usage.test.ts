import { describe, expect, it } from 'vitest'
import { answerOf, answerOfBody, start, stop, textBlock } from '../events.ts'

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

describe('usage of an anthropic-messages answer', () => {
  it.each([
    [
      'the delta replaces the start',
      { input_tokens: 2037, output_tokens: 1 },
      { input_tokens: 15_665, output_tokens: 90 },
      usage(15_665, 90),
    ],
    ['counts absent from the delta stay', { input_tokens: 17, output_tokens: 1 }, { output_tokens: 65 }, usage(17, 65)],
    [
      'cached tokens, read or written, are input',
      { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1 },
      { output_tokens: 5 },
      { ...usage(123, 5, 100), cache_write_tokens: 20 },
    ],
    [
      'more from the cache than the start counts',
      { input_tokens: 6, output_tokens: 1 },
      { input_tokens: 0, cache_read_input_tokens: 7, output_tokens: 5 },
      usage(7, 5, 7),
    ],
    [
      'the cache in the delta, with the rest of the input',
      { input_tokens: 30, output_tokens: 1 },
      { input_tokens: 2, cache_read_input_tokens: 28, output_tokens: 5 },
      usage(30, 5, 28),
    ],
    [
      'nulls replace nothing',
      { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 2 },
      { input_tokens: null, cache_read_input_tokens: null },
      usage(5, 4, 2),
    ],
    ['0 is not unknown', { input_tokens: 3, output_tokens: 0, cache_read_input_tokens: 0 }, {}, usage(3, 0, 0)],
    [
      'thinking',
      { input_tokens: 3, output_tokens: 1 },
      { output_tokens: 9, output_tokens_details: { thinking_tokens: 6 } },
      usage(3, 9, null, 6),
    ],
    [
      'calls inside the call are not added',
      { input_tokens: 3, output_tokens: 1 },
      { output_tokens: 9, iterations: [{ input_tokens: 500, output_tokens: 500 }] },
      usage(3, 9),
    ],
    ['invalid counts are unknown', { input_tokens: '3', output_tokens: -1 }, { output_tokens: 1.5 }, null],
  ])('has the right counts: %s', (_, first, last, expected) => {
    const events = [start({ usage: first }), ...textBlock(0, 'A'), ...stop('end_turn', {}, last)]
    expect(answerOf(events).usage).toEqual(expected)
    // The same numbers in a whole body, which has only the last of each.
    const merged = { ...first, ...Object.fromEntries(Object.entries(last).filter(([, value]) => value !== null)) }
    expect(
      answerOfBody({ content: [{ type: 'text', text: 'A' }], stop_reason: 'end_turn', usage: merged }).usage,
    ).toEqual(expected)
  })

  it('counts what the cache had once where the start counts the whole prompt', () => {
    const last = { cache_read_input_tokens: 7, cache_creation_input_tokens: 2, output_tokens: 5 }
    const events = [
      start({ usage: { input_tokens: 30, output_tokens: 1 } }),
      ...textBlock(0, 'A'),
      ...stop('end_turn', {}, last),
    ]
    expect(answerOf(events).usage).toEqual({ ...usage(30, 5, 7), cache_write_tokens: 2 })
  })

  it('has the counts of message_start if the answer was cut', () => {
    expect(answerOf([start({ usage: { input_tokens: 3, output_tokens: 1 } }), ...textBlock(0, 'A')]).usage).toEqual(
      usage(3, 1),
    )
  })
})
