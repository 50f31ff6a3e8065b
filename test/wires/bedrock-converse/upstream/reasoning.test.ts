import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import type { Json } from '../../../../src/protocol/json.ts'
import { decodeBody } from '../../../../src/wires/bedrock-converse/upstream/stream.ts'
import { sealed } from '../../../engine/target.ts'
import {
  assistant,
  bodyOf,
  CLAUDE,
  call,
  deltasOf,
  encode,
  frameOf,
  type Loose,
  messagesOf,
  output,
  toolResult,
  toolUse,
  user,
} from '../converses.ts'

const WIRE = 'bedrock-converse'
const payloadsOf = (deltas: readonly Delta[]): readonly Json[] =>
  deltas.flatMap((delta) => (delta.kind === 'opaque' ? [delta.payload] : []))

const item = (payload: Json, text = '') => ({
  type: 'reasoning',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  encrypted_content: sealed(WIRE, payload, CLAUDE),
})
const signed = (text: string, signature: string) => ({ reasoningContent: { reasoningText: { text, signature } } })
const hidden = (redactedContent: string) => ({ reasoningContent: { redactedContent } })

describe('reasoning of a bedrock-converse answer in the next request', () => {
  it.each([
    [
      'signed',
      [frameOf.thought(0, 'Wa'), frameOf.thought(0, 'ter.'), frameOf.signature(0, 'c2ln')],
      [signed('Water.', 'c2ln')],
    ],
    [
      'signed in pieces',
      [frameOf.thought(0, 'W'), frameOf.signature(0, 'c2'), frameOf.signature(0, 'ln')],
      [signed('W', 'c2ln')],
    ],
    ['without readable text', [frameOf.signature(0, 'c2ln')], [signed('', 'c2ln')]],
    ['redacted', [frameOf.redacted(0, 'aGk=')], [hidden('aGk=')]],
    [
      'redacted in several blocks',
      [frameOf.redacted(0, 'b25l'), frameOf.stop(0), frameOf.redacted(1, 'dHdv'), frameOf.stop(1)],
      [hidden('b25l'), hidden('dHdv')],
    ],
    ['redacted in pieces', [frameOf.redacted(0, 'b25l'), frameOf.redacted(0, 'IHR3bw==')], [hidden('b25lIHR3bw==')]],
    [
      'redacted in pieces with padding',
      [frameOf.redacted(0, 'aGk='), frameOf.redacted(0, 'IHlvdQ==')],
      [hidden('aGkgeW91')],
    ],
    [
      'of both kinds',
      [frameOf.thought(0, 'A'), frameOf.signature(0, 'c2ln'), frameOf.stop(0), frameOf.redacted(1, 'aGk=')],
      [signed('A', 'c2ln'), hidden('aGk=')],
    ],
  ] as [string, ReturnType<typeof frameOf.text>[], Loose[]][])(
    'returns unchanged if it was %s',
    (_, frames, blocks) => {
      const payloads = payloadsOf(deltasOf(...frames, frameOf.text(9, 'So.'), frameOf.end('end_turn')))
      const input = [
        user('Q'),
        ...payloads.map((payload) => item(payload)),
        assistant({ type: 'output_text', text: 'So.' }),
        user('And?'),
      ]
      expect(messagesOf(input.map(asItem))[1]).toEqual(assistant(...blocks, { text: 'So.' }))
      expect(payloadsOf(decodeBody(bodyOf(blocks), {}))).toEqual(payloads)
    },
  )

  it('returns at its position before the text and the calls that it led to', () => {
    const blocks = [
      { text: 'A', signature: 's1', redacted: [] },
      { text: 'B', signature: 's2', redacted: [] },
    ]
    const [one, two] = blocks.map((payload) => item(payload, 'summary'))
    const answer = { type: 'message', role: 'assistant', content: 'I look.' }
    expect(
      messagesOf([
        { role: 'user', content: 'Q' },
        one,
        answer,
        call('c1'),
        output('c1'),
        two,
        call('c2'),
        output('c2'),
      ]),
    ).toEqual([
      user({ text: 'Q' }),
      assistant(signed('A', 's1'), { text: 'I look.' }, toolUse('c1')),
      user(toolResult('c1')),
      assistant(signed('B', 's2'), toolUse('c2')),
      user(toolResult('c2')),
    ])
  })

  it.each([
    ['unsigned', { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }],
    ['of another upstream', { type: 'reasoning', summary: [], encrypted_content: sealed('openai-chat', {}, CLAUDE) }],
    ['of another family of models', { type: 'reasoning', summary: [], encrypted_content: sealed(WIRE, {}, 'nova') }],
    ['damaged', { type: 'reasoning', summary: [], encrypted_content: 'mr1.broken' }],
    ['in an unknown format', item({ text: 1, signature: {}, redacted: 'x' })],
    ['of no shape', item([])],
  ])('is dropped with a loss if it is %s', (_, block) => {
    const { body, losses } = encode({ input: [{ role: 'user', content: 'Q' }, block, asItem(assistant('A'))] })
    expect(JSON.stringify(body)).not.toContain('reasoningContent')
    expect(losses).toMatchObject([{ path: 'input[1]', action: 'dropped' }])
  })

  it('is not sealed if it has neither a signature nor redacted content', () => {
    expect(payloadsOf(deltasOf(frameOf.thought(0, 'Hm.'), frameOf.stop(0)))).toEqual([])
    // DeepSeek sends its reasoning after its answer and signs nothing.
    const body = bodyOf([{ text: 'A' }, { reasoningContent: { reasoningText: { text: 'Hm.' } } }])
    expect(payloadsOf(decodeBody(body, {}))).toEqual([])
  })
})

/** Converts `user('Q')` and similar messages to input items. */
function asItem(it: Loose): Loose {
  if (it.type !== undefined) return it
  const text = it.content.map((part: Loose) => (typeof part === 'string' ? part : part.text)).join('')
  return { type: 'message', role: it.role, content: text }
}
