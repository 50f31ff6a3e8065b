import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { anthropicMessages } from '../../../../src/wires/anthropic-messages/index.ts'
import type { DecodeContext } from '../../../../src/wires/client-contract.ts'
import { encodeFor } from '../../../engine/encode-request.ts'
import {
  bodyOf,
  decoded,
  ENCODE_CONTEXT,
  FOREIGN_ENVELOPE,
  HOME,
  sealForeign,
  sealOwn,
  stop,
  text,
  throughHub,
  USER_TURN,
} from '../client-bodies.ts'
import {
  args,
  callBlock,
  close,
  deltasOf,
  type Event,
  stop as ended,
  open,
  sign,
  start,
  textBlock,
  thinkingBlock,
} from '../events.ts'

/** Content that only its vendor can read, from the vendor's answer through a client to the next request. */

const answered = (content: unknown, asking: DecodeContext) => {
  const messages = [...USER_TURN, { role: 'assistant', content }, { role: 'user', content: 'And?' }]
  return decoded({ messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, asking)
}

/** Returns the items between the two messages of the user. */
const itemsOf = (content: unknown, asking: DecodeContext = HOME): readonly Json[] =>
  answered(content, asking).body.input.slice(1, -1)

const lossesOf = (content: unknown, asking: DecodeContext): readonly string[] => answered(content, asking).losses

/** Returns the part of an answer, sent back by its client, that the vendor of this wire receives. */
function returned(content: unknown): unknown {
  const target = { model: 'claude-sonnet-4-5', quirks: {}, open: ENCODE_CONTEXT.open }
  const encoded = encodeFor(anthropicMessages, answered(content, HOME).request, target)
  if (!encoded.ok) throw new Error(encoded.error.message)
  return (encoded.body.messages as readonly JsonObject[])[1]?.content
}

const throughAll = (events: readonly Event[]) => bodyOf(throughHub(deltasOf(events), sealOwn)).content

const THINKING = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' }
const REDACTED = { type: 'redacted_thinking', data: 'eA==' }
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }
const USE = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rain' } }
const PAGE = { type: 'web_search_result', url: 'https://a.example/1', title: 'A', encrypted_content: 'x' }
const FOUND = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [PAGE] }
const SAID = { type: 'text', text: 'A' }
const COMPACTION = { type: 'compaction', content: 'They met.' }
const CHANGED = [{ type: 'tool_removal', tool: { name: 'f' } }]
const whole = (index: number, block: object) => [open(index, block), close(index)]

/** The events of an answer, and its blocks, which return unchanged. */
// biome-ignore format: a row a case
const RETURNED: readonly (readonly [title: string, events: readonly Event[], blocks: readonly object[]])[] = [
  ['block by block',
    [open(0, { ...THINKING, thinking: '', signature: '' }), thinkingBlock(0, 'H'), thinkingBlock(0, 'm'), sign(0, 'c2ln'), close(0),
      ...whole(1, REDACTED), ...textBlock(2, 'A'), ...callBlock(3, 'toolu_1', '{"a":1}')],
    [THINKING, REDACTED, SAID, CALL]],
  ['with its searches and their encrypted content',
    [open(0, { ...USE, input: {} }), args(0, '{"query":"rain"}'), close(0), ...whole(1, FOUND), ...textBlock(2, 'A')],
    [USE, FOUND, SAID]],
  ...[COMPACTION, { ...COMPACTION, signature: 's', tool_changes: CHANGED },
    { type: 'compaction', content: null, encrypted_content: 'e', signature: 's' }].map((block) => (
    [`with the whole block of a compaction: ${JSON.stringify(block)}`, [...whole(0, block), ...textBlock(1, 'A')], [block, SAID]] as const)),
]

describe('an answer of a vendor of this wire to an Anthropic client', () => {
  it.each(RETURNED)('returns through the client unchanged, %s', (_, events, blocks) => {
    const content = throughAll([start(), ...events, ...ended('end_turn')])
    expect(content).toEqual(blocks)
    expect(returned(content)).toEqual(blocks)
  })

  it.each([
    [[THINKING], 'messages[1].content[0].signature dropped'],
    [[REDACTED], 'messages[1].content[0] dropped'],
    [[{ type: 'compaction', content: null, encrypted_content: 'e' }], 'messages[1].content[0] dropped'],
  ])('drops its sealed content for another vendor: %j', (content, loss) => {
    expect(lossesOf(content, FOREIGN_ENVELOPE)).toEqual([loss])
  })

  it('keeps its reasoning text for a vendor that accepts text', () => {
    expect(itemsOf([THINKING], FOREIGN_ENVELOPE)).toEqual([
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }], encrypted_content: null },
    ])
    expect(itemsOf([REDACTED, { ...THINKING, thinking: '' }], FOREIGN_ENVELOPE)).toEqual([])
  })

  it('is a text summary for another vendor if it was compacted', () => {
    const summary = { role: 'user', content: [{ text: expect.stringContaining('They met.') }] }
    expect(answered([COMPACTION], FOREIGN_ENVELOPE).request.input[1]).toMatchObject(summary)
  })

  it('keeps its search for another vendor without the sealed blocks', () => {
    const found = { ...FOUND, content: [{ url: 'https://a.example/1' }] }
    const action = { type: 'search', query: 'rain', sources: [{ type: 'url', url: 'https://a.example/1' }] }
    const item = { type: 'web_search_call', status: 'completed', action }
    expect(itemsOf([USE, found], FOREIGN_ENVELOPE)).toEqual([item])
    expect(lossesOf([USE, found], FOREIGN_ENVELOPE)).toEqual(['messages[1].content[0] dropped'])
  })

  it('may have a result whose call was in an earlier message', () => {
    const found = { ...FOUND, content: [] }
    const [item] = itemsOf([found]) as readonly JsonObject[]
    expect(ENCODE_CONTEXT.open(item?.encrypted_content as string)).toEqual({ type: 'server_tool', blocks: [found] })
  })
})

describe('an answer of another vendor to an Anthropic client', () => {
  const ENVELOPE = sealForeign({ id: 'rs_1', encrypted_content: 'x' })
  const reasoningBlocks = (...deltas: readonly Delta[]) =>
    bodyOf(throughHub([...deltas, { kind: 'finish', reason: 'stop' }])).content

  it.each<[string, readonly Delta[]]>([
    ['with its text', [{ kind: 'summary', key: 'r', part: '0', text: 'Hm', logprobs: null }]],
    ['without text', []],
  ])('returns with its envelope unchanged, %s', (_, words) => {
    const opaque: Delta = { kind: 'opaque', key: 'r', payload: { id: 'rs_1', encrypted_content: 'x' } }
    const content = reasoningBlocks(...words, opaque, stop('r'), text('A'))
    expect(itemsOf(content, FOREIGN_ENVELOPE)).toMatchObject([
      {
        type: 'reasoning',
        summary: words.map(() => ({ type: 'summary_text', text: 'Hm' })),
        encrypted_content: ENVELOPE,
      },
      { role: 'assistant' },
    ])
    expect(lossesOf(content, FOREIGN_ENVELOPE)).toEqual([])
    expect(lossesOf(content, HOME)).toEqual([])
  })

  it('returns with an envelope from a redacted_thinking block', () => {
    expect(itemsOf([{ type: 'redacted_thinking', data: ENVELOPE }], FOREIGN_ENVELOPE)).toEqual([
      { type: 'reasoning', summary: [], encrypted_content: ENVELOPE },
    ])
  })

  it('returns with reasoning that has no signature', () => {
    const words: Delta = { kind: 'reasoning', key: 'r', part: '0', text: 'Hm', logprobs: null }
    const content = reasoningBlocks(words, stop('r'), text('A'))
    expect(content).toMatchObject([{ type: 'thinking', signature: 'unsigned' }, {}])
    const reasoning = { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }], encrypted_content: null }
    expect(itemsOf(content, FOREIGN_ENVELOPE)).toMatchObject([reasoning, {}])
    expect(itemsOf(content, HOME)).toMatchObject([reasoning, {}])
    expect(itemsOf([{ type: 'thinking', thinking: 'Hm', signature: '' }], HOME)).toMatchObject([reasoning])
  })

  it('returns without its search to a vendor of this wire, which did not sign the search', () => {
    const item = {
      type: 'web_search_call' as const,
      id: '',
      status: 'completed',
      fields: { action: { type: 'search', query: 'rain', sources: [] } },
    }
    const content = reasoningBlocks({ kind: 'hosted', key: 'w', item, done: true }, text('Wet.'))
    expect(content).toMatchObject([{ id: 'srvtoolu_mr_ws_1_0' }, {}, {}])
    expect(itemsOf(content, HOME)).toMatchObject([{ type: 'web_search_call', action: { query: 'rain' } }, {}])
    expect(itemsOf(content, HOME)[0]).not.toHaveProperty('encrypted_content')
    expect(returned(content)).toEqual([{ type: 'text', text: 'Wet.' }])
  })
})

describe('a stream for Anthropic clients, decoded by another gateway', () => {
  it('has no sealed content for unsigned reasoning', () => {
    const events = [
      start(),
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      thinkingBlock(0, 'Hm'),
      sign(0, 'unsigned'),
      close(0),
      ...ended('end_turn'),
    ]
    expect(deltasOf(events).filter(({ kind }) => kind === 'opaque')).toEqual([])
  })
})
