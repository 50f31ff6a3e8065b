import { describe, expect, it } from 'vitest'
import type { ReasoningItem } from '../../../../src/protocol/item.ts'
import {
  answerOf,
  answerOfBody,
  callBlock,
  close,
  itemsOf,
  open,
  opened,
  sign,
  start,
  stop,
  textBlock,
  thinkingBlock,
} from '../events.ts'

const thinking = (index: number, words: readonly string[], signature: string) => [
  open(index, { type: 'thinking', thinking: '', signature: '' }),
  ...words.map((word) => thinkingBlock(index, word)),
  sign(index, signature),
  close(index),
]

const reasoningOf = (events: Parameters<typeof itemsOf>[0]) =>
  itemsOf(events).flatMap((item) => (item.type === 'reasoning' ? [summaryOf(item)] : []))
const summaryOf = ({ summary, content, encrypted_content }: ReasoningItem) => ({
  words: [...summary, ...content].map(({ text }) => text).join(''),
  payload: encrypted_content === null ? null : opened(encrypted_content),
})

describe('reasoning of an anthropic-messages stream', () => {
  it('is sealed as its original block', () => {
    const payload = { type: 'thinking', thinking: 'Hm, well', signature: 'c2ln' }
    expect(
      reasoningOf([start(), ...thinking(0, ['Hm', ', well'], 'c2ln'), ...textBlock(1, 'A'), ...stop('end_turn')]),
    ).toEqual([{ words: 'Hm, well', payload }])
  })

  it('keeps its signature even without text', () => {
    const payload = { type: 'thinking', thinking: '', signature: 'c2ln' }
    const events = [start(), ...thinking(0, [], 'c2ln'), ...callBlock(1, 'c', '{}'), ...stop('tool_use')]
    expect(reasoningOf(events)).toEqual([{ words: '', payload }])
    expect(itemsOf(events).map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
  })

  it('is sealed without text if it is redacted', () => {
    const events = [start(), open(0, { type: 'redacted_thinking', data: 'x' }), close(0), ...textBlock(1, 'A')]
    expect(reasoningOf([...events, ...stop('end_turn')])).toEqual([
      { words: '', payload: { type: 'redacted_thinking', data: 'x' } },
    ])
  })

  it('has a seal of its own for each block', () => {
    const events = [
      start(),
      ...thinking(0, ['A'], 'a'),
      ...thinking(1, ['B'], 'b'),
      ...textBlock(2, 'x'),
      ...thinking(3, ['C'], 'c'),
    ]
    expect(reasoningOf([...events, ...stop('end_turn')]).map(({ payload }) => payload)).toEqual([
      { type: 'thinking', thinking: 'A', signature: 'a' },
      { type: 'thinking', thinking: 'B', signature: 'b' },
      { type: 'thinking', thinking: 'C', signature: 'c' },
    ])
  })

  it('joins a signature that arrives in fragments', () => {
    const events = [
      start(),
      open(0, { type: 'thinking', thinking: 'H' }),
      sign(0, 'c2'),
      thinkingBlock(0, 'm'),
      sign(0, 'ln'),
      close(0),
    ]
    const payload = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' }
    expect(reasoningOf([...events, ...stop('end_turn')])).toEqual([{ words: 'Hm', payload }])
  })

  it('has no seal if it was cut', () => {
    expect(reasoningOf([start(), open(0, { type: 'thinking', thinking: '' }), thinkingBlock(0, 'Hm')])).toEqual([
      { words: 'Hm', payload: null },
    ])
  })

  it('is the same in a whole body', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
      { type: 'text', text: 'A' },
    ]
    const events = [
      start(),
      ...thinking(0, ['Hm'], 's'),
      open(1, content[1] ?? {}),
      close(1),
      ...textBlock(2, 'A'),
      ...stop('end_turn'),
    ]
    expect(answerOfBody({ content, stop_reason: 'end_turn', model: 'claude-x' })).toEqual(answerOf(events))
  })
})
