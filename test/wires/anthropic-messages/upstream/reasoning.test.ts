import type { AnswerCase } from '../../answer-cases.ts'
import { answers, callBlock, close, type Event, open, sign, start, stop, textBlock, thinkingBlock } from '../events.ts'

const thinking = (index: number, words: readonly string[], signature: string) => [
  open(index, { type: 'thinking', thinking: '', signature: '' }),
  ...words.map((word) => thinkingBlock(index, word)),
  sign(index, signature),
  close(index),
]
const signed = (thinking: string, signature: string) => ({ type: 'thinking', thinking, signature })
const REDACTED = { type: 'redacted_thinking', data: 'd' }
/** An answer whose reasoning is sealed with these payloads, in their order. */
const sealed = (events: readonly Event[], items: readonly string[], ...payloads: readonly object[]): AnswerCase => ({
  stream: [start(), ...events, ...stop('end_turn')],
  items,
  seals: payloads,
})
const content = [signed('Hm', 's'), REDACTED, { type: 'text', text: 'A' }]

// biome-ignore format: a row a case
answers('reasoning of an anthropic-messages stream', '', {
  'is sealed as its original block': sealed([...thinking(0, ['Hm', ', well'], 'c2ln'), ...textBlock(1, 'A')],
    ['sealed reasoning: Hm, well', 'A'], signed('Hm, well', 'c2ln')),
  'keeps its signature even without text': sealed([...thinking(0, [], 'c2ln'), ...callBlock(1, 'c', '{}')],
    ['sealed reasoning', 'c f({})'], signed('', 'c2ln')),
  'is sealed without text if it is redacted': sealed([open(0, REDACTED), close(0), ...textBlock(1, 'A')],
    ['sealed reasoning', 'A'], REDACTED),
  'has a seal of its own for each block': sealed(
    [...thinking(0, ['A'], 'a'), ...thinking(1, ['B'], 'b'), ...textBlock(2, 'x'), ...thinking(3, ['C'], 'c')],
    ['sealed reasoning: A', 'sealed reasoning: B', 'x', 'sealed reasoning: C'], signed('A', 'a'), signed('B', 'b'), signed('C', 'c')),
  'joins a signature that arrives in fragments': sealed(
    [open(0, { type: 'thinking', thinking: 'H' }), sign(0, 'c2'), thinkingBlock(0, 'm'), sign(0, 'ln'), close(0)],
    ['sealed reasoning: Hm'], signed('Hm', 'c2ln')),
  'has no seal if it was cut': {
    stream: [start(), open(0, { type: 'thinking', thinking: '' }), thinkingBlock(0, 'Hm')],
    items: ['reasoning: Hm'], end: 'failed', seals: [] },
  'is the same in a whole body': {
    ...sealed([...thinking(0, ['Hm'], 's'), open(1, REDACTED), close(1), ...textBlock(2, 'A')],
      ['sealed reasoning: Hm', 'sealed reasoning', 'A'], signed('Hm', 's'), REDACTED),
    body: { content, stop_reason: 'end_turn', model: 'claude-x' } },
})
