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
import { clientAnswersOf } from '../../client-answer-cases.ts'
import type { Loose } from '../../client-stream.ts'
import * as deltas from '../../deltas.ts'
import { type ClientCase, clientCases, testClientRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

const {
  called,
  decodeContext,
  encodeContext,
  encrypted,
  FINISH,
  HOME,
  inOrder,
  reasoning,
  START,
  sealOf,
  summary,
  text,
} = deltas

/** A vendor of this wire, under the names that `targetOf` gives it. */
const OWN: Origin = { wire: 'openai-chat', vendor: 'acme', model: 'some-model' }

const opaque = (found: readonly Delta[]) => found.flatMap((one) => (one.kind === 'opaque' ? [one.payload] : []))
const detailsOf = ({ choices: [{ message }] }: Loose): readonly JsonObject[] => message.reasoning_details
const answers = clientAnswersOf({
  client,
  context: encodeContext({}, OWN),
  seal: sealOf(OWN),
  views: {
    details: ({ body }) => detailsOf(body),
    last: ({ body }) => detailsOf(body).at(-1),
    signed: ({ body }) => detailsOf(body).filter((detail) => 'signature' in detail),
    /** The details of the stream, assembled as the clients of OpenRouter assemble them: by index and type. */
    streamed: ({ frames }) =>
      opaque(
        run(
          decodeStream({}),
          frames.map((one) => ({ event: '', data: typeof one === 'string' ? one : JSON.stringify(one) })),
        ),
      ),
  },
})

const SIGNED = {
  ...{ type: 'reasoning.text', text: 'I look it up.', signature: 'c2ln' },
  format: 'anthropic-claude-v1',
  index: 0,
}
const LOCKED = {
  ...{ type: 'reasoning.encrypted', data: 'bG9jaw==' },
  id: 'call_1',
  format: 'google-gemini-v1',
  index: 1,
}
const NATIVE = [SIGNED, LOCKED] as const

/** The deltas of an upstream that sends these details. */
const detailed = (details: readonly JsonObject[], words = 'I look it up.'): readonly Delta[] => [
  ...[START, reasoning(words.slice(0, 7)), reasoning(words.slice(7)), encrypted(details), called('f', '{}'), FINISH],
]
const sealedIn = (details: readonly JsonObject[], words?: string) => ({
  answer: detailed(details, words),
  signed: [],
  last: expect.objectContaining({ type: 'reasoning.encrypted', data: sealReasoning(OWN, details as Json) }),
})
const ENVELOPE = sealReasoning(HOME, 'sig')
const OURS = { id: 'rs_1_0', format: 'unknown' }
const READABLE = { ...OURS, type: 'reasoning.text', text: 'Hm. Yes.', index: 0 }
const ENCRYPTED = { ...OURS, type: 'reasoning.encrypted', data: ENVELOPE, index: 1 }
const FOREIGN = [START, reasoning('Hm. '), reasoning('Yes.'), encrypted('sig'), text('Up.'), FINISH]

// biome-ignore format: a row a case
answers('reasoning_details for chat clients', '', {
  'are written unchanged, streamed and whole, if a vendor of this wire sent them': {
    answer: detailed(NATIVE), details: NATIVE, streamed: [NATIVE] },
  'are the envelope of another vendor after the text that it belongs to': {
    answer: FOREIGN, seal: sealOf(HOME), details: [READABLE, ENCRYPTED] },
})
answers('reasoning_details for chat clients', 'are sealed, as a signature never stands beside other text, if ', {
  'the text differs from the signed text': sealedIn([SIGNED], 'I looked it up.'),
  'there are two texts, which were written as one': sealedIn([SIGNED, { ...SIGNED, text: 'x', index: 2 }]),
  'the text was not written': sealedIn([SIGNED], ''),
  'the indices differ': sealedIn([{ ...SIGNED, index: 3 }]),
  'the order differs': sealedIn([LOCKED, SIGNED]),
})

const item = (words: string, encrypted_content: string | null = null, kept: object = {}) => ({
  ...{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: words }], encrypted_content },
  ...kept,
})
/** A message of the assistant with these members, and the item that precedes its text. */
const read = (members: object, first: object | null, more: ClientCase = {}): ClientCase => ({
  ...more,
  body: { messages: [{ role: 'assistant', content: 'Up.', ...members }] },
  request: {
    input: [
      ...(first === null ? [] : [first]),
      {
        ...{ type: 'message', role: 'assistant', id: `msg_0`, status: 'completed' },
        content: [{ type: 'output_text', text: 'Up.', annotations: [] }],
      },
    ],
  },
})
const part = (words: string) => ({ type: 'text', text: words })
const RETURNED = { reasoning_content: 'Hm. Yes.', reasoning_details: [READABLE, ENCRYPTED] }
const returned = (members: object) => read(members, item('Hm. Yes.', ENVELOPE), { context: decodeContext(OWN) })
const pieces = ['Hm. ', 'Yes.'].map((words) => ({ type: 'reasoning.text', index: 0, text: words }))
const bare = [READABLE, ENCRYPTED].map(({ id: _, index: __, ...rest }) => rest)
const unsigned = (words: string) => ({ reasoning_details: [{ type: 'reasoning.text', text: words }] })

// biome-ignore format: a row a case
const groups = [
clientCases('the envelope of another vendor', 'returns with its text from a client that returns ', {
  'all of the message': returned(RETURNED),
  'the details alone': returned({ reasoning_details: RETURNED.reasoning_details }),
  'the fragments one by one': returned({ ...RETURNED, reasoning_details: [...pieces, { ...READABLE, text: '' }, ENCRYPTED] }),
  'details without ids and indices': returned({ ...RETURNED, reasoning_details: bare }),
}),
clientCases('the envelope of another vendor', '', {
  'returns from a client that returns only the last details': read(
    { reasoning_content: 'Yes.', reasoning_details: [ENCRYPTED] }, item('', ENVELOPE, { content: [] })),
}),
clientCases('reasoning_details of a vendor of this wire', '', {
  'are dropped for another wire, but their text is kept': read({ reasoning_details: NATIVE }, item('I look it up.'),
    { losses: ['messages[0].reasoning_details dropped: only the vendor that issued it can read it, and this request goes elsewhere'] }),
}),
clientCases('readable reasoning without an envelope', 'is decoded from ', {
  reasoning_content: read({ reasoning_content: 'Hm.' }, item('Hm.')),
  reasoning: read({ reasoning: 'Hm.' }, item('Hm.')),
  'an unsigned entry': read(unsigned('Hm.'), item('Hm.')),
  'a part of Mistral': read({ content: [{ type: 'thinking', thinking: [part('Hm.')] }, part('Up.')] }, item('Hm.')),
  'no empty fields': read({ reasoning_content: '', reasoning: null, ...unsigned('') }, null),
}),
]

testClientRequests({ ...REQUESTS, groups })

describe('reasoning in a chat answer that is sent back', () => {
  const messageOf = (given: readonly Delta[], origin: Origin): Loose =>
    (client.encodeBody(inOrder(given, sealOf(origin)), encodeContext({}, OWN)) as Loose).choices[0].message
  const inputOf = (message: unknown, from: Origin | null = null): Loose =>
    deltas.requestWith(
      runSteps(client.decodeRequest({ model: 'acme/some-model', messages: [message as Json] }, decodeContext(from))),
    )

  it('returns to its vendor unchanged', () => {
    const { body, losses } = inputOf(messageOf(detailed(NATIVE), OWN), OWN)
    const target = targetOf('openai-chat', { reasoningHistory: 'reasoning_details' })
    const encoded = runSteps(encodeRequest(requestOf(body), target))
    expect(losses).toEqual([])
    expect(encoded.ok && encoded.body.messages).toMatchObject([{ reasoning_details: NATIVE }])
  })

  it('has each envelope in its own reasoning item if there are several', () => {
    const items = [
      [reasoning('a', 'r1'), encrypted('s1', 'r1')],
      [summary('b', 'r2')],
      [encrypted('s3', 'r3')],
      [reasoning('d', 'r4', '0'), reasoning('e', 'r4', '1'), encrypted('s4', 'r4')],
    ].flatMap((one, i) => [...one, text(`${i}`, `m${i}`)])
    const { body } = inputOf(messageOf([START, ...items, FINISH], HOME))
    const found = body.input.filter(({ type }: Loose) => type === 'reasoning')
    const words = (parts: Loose) => parts.map((part: Loose) => part.text)
    expect(found.map((it: Loose) => [words(it.content), words(it.summary), it.encrypted_content])).toEqual([
      [['a'], [], sealReasoning(HOME, 's1')],
      [[], ['b'], null],
      [[], [], sealReasoning(HOME, 's3')],
      [['d', 'e'], [], sealReasoning(HOME, 's4')],
    ])
  })

  it('passes through a vendor of this wire in between', () => {
    const whole = client.encodeBody(inOrder(FOREIGN), encodeContext())
    expect(JSON.stringify(opaque(decodeBody(whole, {})))).toContain(ENVELOPE)
  })
})
