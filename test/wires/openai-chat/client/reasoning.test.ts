import { describe, expect, it } from 'vitest'
import { run } from '../../../../src/machine/run.ts'
import type { Delta } from '../../../../src/protocol/delta.ts'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { type Origin, sealReasoning } from '../../../../src/responses/encrypted-content.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { openaiChatClient as client } from '../../../../src/wires/openai-chat/client/index.ts'
import { encodeRequest } from '../../../../src/wires/openai-chat/upstream/request.ts'
import { decodeBody, decodeStream } from '../../../../src/wires/openai-chat/upstream/stream.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import type { Loose } from '../../client-stream.ts'
import {
  called,
  decodeContext,
  encodeContext,
  encrypted,
  FINISH,
  framesOf,
  HOME,
  inOrder,
  reasoning,
  requestWith,
  START,
  sealOf,
  summary,
  text,
} from '../../deltas.ts'

/** A vendor of this wire, under the names that `targetOf` gives it. */
const OWN: Origin = { wire: 'openai-chat', vendor: 'acme', model: 'some-model' }

const SIGNED = {
  type: 'reasoning.text',
  text: 'I look it up.',
  signature: 'c2ln',
  format: 'anthropic-claude-v1',
  index: 0,
}
const LOCKED = { type: 'reasoning.encrypted', data: 'bG9jaw==', id: 'call_1', format: 'google-gemini-v1', index: 1 }
const NATIVE = [SIGNED, LOCKED] as const

/** Returns the deltas of an upstream that sends these details. */
const detailed = (details: readonly JsonObject[], words = 'I look it up.'): readonly Delta[] => [
  START,
  ...(words === '' ? [] : [reasoning(words.slice(0, 7)), reasoning(words.slice(7))]),
  encrypted(details),
  called('f', '{}'),
  FINISH,
]

const messageOf = (deltas: readonly Delta[], from: Origin | null, origin: Origin): Loose =>
  (client.encodeBody(inOrder(deltas, sealOf(origin)), encodeContext({}, from)) as Loose).choices[0].message

/** Returns the details of a stream, assembled as the clients of OpenRouter assemble them: by index and type. */
const streamedDetails = (deltas: readonly Delta[], from: Origin | null, origin: Origin): Json =>
  run(decodeStream({}), framesOf(client, inOrder(deltas, sealOf(origin)), encodeContext({}, from))).flatMap((delta) =>
    delta.kind === 'opaque' ? [delta.payload] : [],
  )

const inputOf = (messages: readonly unknown[], from: Origin | null = null): Loose =>
  requestWith(
    runSteps(client.decodeRequest({ model: 'acme/some-model', messages: messages as Json[] }, decodeContext(from))),
  )

describe('reasoning_details of a vendor of this wire', () => {
  it('are written unchanged, streamed and whole', () => {
    expect(messageOf(detailed(NATIVE), OWN, OWN).reasoning_details).toEqual(NATIVE)
    expect(streamedDetails(detailed(NATIVE), OWN, OWN)).toEqual([NATIVE])
  })

  it('return to the vendor unchanged', () => {
    const message = messageOf(detailed(NATIVE), OWN, OWN)
    const { body, losses } = inputOf([{ role: 'user', content: 'x' }, message], OWN)
    const encoded = runSteps(
      encodeRequest(requestOf(body), targetOf('openai-chat', { reasoningHistory: 'reasoning_details' })),
    )
    expect(losses).toEqual([])
    if (!encoded.ok) return expect.unreachable()
    expect((encoded.body.messages as Loose)[1].reasoning_details).toEqual(NATIVE)
  })

  it.each([
    ['the text differs from the signed text', detailed([SIGNED], 'I looked it up.')],
    ['it has two texts, which were written as one', detailed([SIGNED, { ...SIGNED, text: 'x', index: 2 }])],
    ['its text was not written', detailed([SIGNED], '')],
    ['its indices differ', detailed([{ ...SIGNED, index: 3 }])],
    ['its order differs', detailed([LOCKED, SIGNED])],
  ])('are sealed in an envelope if %s: a signature never stands beside other text', (_, deltas) => {
    const payload = deltas.flatMap((delta) => (delta.kind === 'opaque' ? [delta.payload] : []))[0] as Json
    const { reasoning_details } = messageOf(deltas, OWN, OWN)
    expect(reasoning_details.some((detail: Loose) => 'signature' in detail)).toBe(false)
    expect(reasoning_details.at(-1)).toMatchObject({ type: 'reasoning.encrypted', data: sealReasoning(OWN, payload) })
  })

  it('are dropped for another wire, but their text is kept', () => {
    const { body, losses } = inputOf([{ role: 'assistant', content: 'x', reasoning_details: NATIVE }])
    expect(losses).toEqual([
      { path: 'messages[0].reasoning_details', action: 'dropped', why: 'it was signed by another vendor' },
    ])
    expect(body.input[0]).toEqual({
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'I look it up.' }],
      encrypted_content: null,
    })
  })
})

describe('the envelope of another vendor', () => {
  const envelope = sealReasoning(HOME, 'sig')
  const deltas = [START, reasoning('Hm. '), reasoning('Yes.'), encrypted('sig'), text('Up.'), FINISH]

  it('is written as reasoning.encrypted after the text that it belongs to', () => {
    const { reasoning_details: details } = messageOf(deltas, OWN, HOME)
    const ours = { id: 'rs_1_0', format: 'unknown' }
    expect(details).toEqual([
      { ...ours, type: 'reasoning.text', text: 'Hm. Yes.', index: 0 },
      { ...ours, type: 'reasoning.encrypted', data: envelope, index: 1 },
    ])
  })

  it.each([
    ['all of the message', (message: Loose) => message],
    ['the details alone', ({ reasoning_content, ...rest }: Loose) => rest],
    [
      'the fragments one by one',
      (message: Loose) => {
        const { id, format, ...entry } = message.reasoning_details[0]
        const pieces = [
          { ...entry, text: 'Hm. ' },
          { ...entry, text: 'Yes.' },
          { ...entry, id, format, text: '' },
        ]
        return { ...message, reasoning_details: [...pieces, message.reasoning_details[1]] }
      },
    ],
    [
      'details without ids and indices',
      (message: Loose) => ({
        ...message,
        reasoning_details: message.reasoning_details.map(({ id, index, ...rest }: Loose) => rest),
      }),
    ],
  ])('returns with its text from a client that returns %s', (_, keep) => {
    const { body, losses } = inputOf([keep(messageOf(deltas, OWN, HOME))], OWN)
    expect(losses).toEqual([])
    expect(body.input[0]).toEqual({
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Hm. Yes.' }],
      encrypted_content: envelope,
    })
  })

  it('returns from a client that returns only the last details', () => {
    const [, ...rest] = messageOf(deltas, OWN, HOME).reasoning_details
    const { body } = inputOf([
      { role: 'assistant', content: 'Up.', reasoning_content: 'Yes.', reasoning_details: rest },
    ])
    expect(body.input[0]).toMatchObject({ content: [], encrypted_content: envelope })
  })

  it('stays with its own reasoning item if there are several', () => {
    const items = [
      [reasoning('a', 'r1'), encrypted('s1', 'r1')],
      [summary('b', 'r2')],
      [encrypted('s3', 'r3')],
      [reasoning('d', 'r4', '0'), reasoning('e', 'r4', '1'), encrypted('s4', 'r4')],
    ].flatMap((one, i) => [...one, text(`${i}`, `m${i}`)])
    const { body } = inputOf([messageOf([START, ...items, FINISH], OWN, HOME)])
    const reasoningItems = body.input.filter(({ type }: Loose) => type === 'reasoning')
    const words = (parts: Loose) => parts.map((part: Loose) => part.text)
    expect(reasoningItems.map((it: Loose) => [words(it.content), words(it.summary), it.encrypted_content])).toEqual([
      [['a'], [], sealReasoning(HOME, 's1')],
      [[], ['b'], null],
      [[], [], sealReasoning(HOME, 's3')],
      [['d', 'e'], [], sealReasoning(HOME, 's4')],
    ])
  })

  it('passes through a vendor of this wire in between', () => {
    const whole = client.encodeBody(inOrder(deltas), encodeContext())
    const [opaque] = decodeBody(whole, {}).filter(({ kind }) => kind === 'opaque')
    expect(JSON.stringify(opaque)).toContain(envelope)
  })
})

describe('readable reasoning without an envelope', () => {
  it.each([
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning', { reasoning: 'Hm.' }],
    ['an unsigned entry', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
    ['a part of Mistral', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }],
  ])('is decoded from %s', (_, fields) => {
    const { body, losses } = inputOf([{ role: 'assistant', content: null, ...fields }])
    expect(losses).toEqual([])
    expect(body.input).toEqual([
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }], encrypted_content: null },
    ])
  })

  it('is not created from empty fields', () => {
    const nothing = {
      reasoning_content: '',
      reasoning: null,
      reasoning_details: [{ type: 'reasoning.text', text: '' }],
    }
    expect(inputOf([{ role: 'assistant', content: 'x', ...nothing }]).body.input).toHaveLength(1)
  })
})
