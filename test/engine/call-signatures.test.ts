import { describe, expect, it } from 'vitest'
import { createTranslator } from '../../src/index.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import { sealReasoning } from '../../src/responses/encrypted-content.ts'
import { isObject } from '../../src/text/json.ts'

/** Signatures of calls, which programs for Chat Completions keep with the call and send back. */

// biome-ignore lint/suspicious/noExplicitAny: reads fields of bodies of every wire
type Loose = any

const SIGNATURE = 'QVk4OWExc2lnbmF0dXJl'
const USER = { role: 'user', content: 'Hi' }
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]

const sse = (...events: readonly object[]): string =>
  events
    .map((event) => `${'event_type' in event ? `event: ${event.event_type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('')

const GEMINI = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { functionCall: { id: 'c1', name: 'f', args: { a: 1 } }, thoughtSignature: SIGNATURE },
          { functionCall: { id: 'c2', name: 'f', args: { a: 2 } } },
        ],
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
}

const STEPS = [
  { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 }, signature: SIGNATURE },
  { type: 'function_call', id: 'c2', name: 'f', arguments: { a: 2 } },
]
const INTERACTION = { id: 'i1', status: 'requires_action', model: 'gemini-3.8-flash', steps: STEPS }

const chatCall = (index: number, more: object) => ({
  index,
  id: `c${index + 1}`,
  type: 'function',
  function: { name: 'f', arguments: `{"a":${index + 1}}` },
  ...more,
})
const SIGNED = { extra_content: { google: { thought_signature: SIGNATURE } } }
const chatOf = (name: string, calls: readonly object[]) => ({
  id: 'x',
  model: 'm',
  choices: [{ index: 0, [name]: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' }],
})

interface Signer {
  readonly vendor: string
  readonly body: object
  readonly stream: string
  /** The signatures of the two calls in the next request. */
  readonly sent: (body: Loose) => readonly unknown[]
  /** The vendor speaks this wire itself: its clients keep the bare signature. */
  readonly isOwn?: true
}

const ofGemini = (body: Loose) =>
  body.contents[1].parts.filter((part: Loose) => part.functionCall).map((part: Loose) => part.thoughtSignature)

const SIGNERS: readonly Signer[] = [
  { vendor: 'google', body: GEMINI, stream: sse(GEMINI), sent: ofGemini },
  { vendor: 'vertex', body: GEMINI, stream: sse(GEMINI), sent: ofGemini },
  {
    vendor: 'google-interactions',
    body: INTERACTION,
    stream: sse(
      {
        event_type: 'interaction.created',
        interaction: { id: 'i1', status: 'in_progress', model: 'gemini-3.8-flash' },
      },
      ...STEPS.flatMap(({ arguments: args, signature, ...step }, index) => [
        { event_type: 'step.start', index, step: { ...step, ...(signature === undefined ? {} : { signature }) } },
        { event_type: 'step.delta', index, delta: { type: 'arguments_delta', arguments: JSON.stringify(args) } },
        { event_type: 'step.stop', index },
      ]),
      {
        event_type: 'interaction.completed',
        interaction: { id: 'i1', status: 'requires_action', model: 'gemini-3.8-flash' },
      },
    ),
    sent: ({ input }) =>
      input.filter(({ type }: Loose) => type === 'function_call').map(({ signature }: Loose) => signature),
  },
  {
    vendor: 'google-compat',
    body: chatOf('message', [chatCall(0, SIGNED), chatCall(1, {})]),
    stream: `${sse(chatOf('delta', [chatCall(0, SIGNED), chatCall(1, {})]))}data: [DONE]\n\n`,
    sent: ({ messages }) =>
      messages[1].tool_calls.map(({ extra_content }: Loose) => extra_content?.google?.thought_signature),
    isOwn: true,
  },
]

const translatorTo = (vendor: string) =>
  createTranslator({
    client: 'openai-chat',
    upstream: {
      vendor,
      model: 'gemini-3.8-flash',
      apiKey: 'k',
      baseUrl: 'https://upstream.test',
      passthrough: false,
    } as Loose,
  })

const bodyOf = (vendor: string, messages: readonly object[], stream = false) => {
  const call = translatorTo(vendor).encodeRequest({ model: 'm', messages, tools: TOOLS, stream })
  return call.ok ? call : expect.unreachable(call.error.message)
}

/** The calls of an answer, as a client that joins chunks by their index keeps them: each member as it came first. */
async function callsOf({ vendor, body, stream }: Signer, streams: boolean): Promise<readonly Loose[]> {
  const translator = translatorTo(vendor)
  const call = bodyOf(vendor, [USER], streams)
  const type = streams ? 'text/event-stream' : 'application/json'
  const answer = new Response(streams ? stream : JSON.stringify(body), { headers: { 'content-type': type } })
  const text = await (await translator.toResponse(answer, call)).text()
  if (!streams) return JSON.parse(text).choices[0].message.tool_calls
  const calls: Loose[] = []
  for (const line of text.split('\n').filter((one) => one.startsWith('data: {')))
    for (const { index, ...piece } of JSON.parse(line.slice(6)).choices[0]?.delta.tool_calls ?? []) {
      calls[index] ??= { ...piece, function: { ...piece.function, arguments: '' } }
      calls[index].function.arguments += piece.function?.arguments ?? ''
    }
  return calls
}

/** Programs by the one member of a call that they send back. */
const PROGRAMS = ['extra_content', 'provider_specific_fields'] as const

const historyOf = (calls: readonly Loose[], kept: string): readonly object[] => [
  USER,
  {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(({ id, type, function: called, [kept]: members }) => ({
      id,
      type,
      function: called,
      ...(members === undefined ? {} : { [kept]: members }),
    })),
  },
  ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
]

describe.each([true, false])('a chat client, streamed: %s', (streams) => {
  it.each(SIGNERS)('receives the signature of a call of $vendor in the first chunk of the call', async (signer) => {
    const [first, second] = await callsOf(signer, streams)
    const { google } = first.extra_content
    expect(google.thought_signature === SIGNATURE).toBe(signer.isOwn === true)
    expect(second.extra_content ?? second.provider_specific_fields).toBeUndefined()
    expect(first.function.arguments).toBe('{"a":1}')
  })

  it.each(SIGNERS.flatMap((signer) => PROGRAMS.map((kept) => ({ ...signer, kept }))))(
    'sends it back to $vendor from $kept alone',
    async ({ kept, ...signer }) => {
      const calls = await callsOf(signer, streams)
      if (signer.isOwn === true && kept !== 'extra_content') return
      const { body, losses } = readBody(bodyOf(signer.vendor, historyOf(calls, kept)))
      expect(signer.sent(body)).toEqual([SIGNATURE, undefined])
      expect(losses).toEqual([])
    },
  )

  it.each(SIGNERS)('sends no signature of $vendor to another vendor', async (signer) => {
    const calls = await callsOf(signer, streams)
    for (const vendor of ['anthropic', 'openai', 'groq', 'bedrock', ...SIGNERS.map((one) => one.vendor)]) {
      if (vendor === signer.vendor || signer.isOwn === true) continue
      const { text, losses } = readBody(bodyOf(vendor, historyOf(calls, 'extra_content')))
      expect(text, vendor).not.toContain(SIGNATURE)
      expect(text, vendor).not.toContain('mr1.')
      expect(losses.join(), vendor).toContain('messages[1].tool_calls[0].extra_content')
    }
  })

  it.each(SIGNERS)('sends it to $vendor once if it keeps the details of the reasoning as well', async (signer) => {
    const calls = await callsOf(signer, streams)
    const [user, assistant, ...results] = historyOf(calls, 'extra_content')
    const data = calls[0].extra_content.google.thought_signature
    if (signer.isOwn === true) return
    const details = [{ type: 'reasoning.encrypted', data, index: 0, format: 'unknown', id: 'rs_1' }]
    const messages = [user as object, { ...assistant, reasoning_details: details }, ...results]
    const { body, losses } = readBody(bodyOf(signer.vendor, messages))
    expect(signer.sent(body)).toEqual([SIGNATURE, undefined])
    expect(losses).toEqual([])
  })
})

const readBody = ({ init, losses }: ReturnType<typeof bodyOf>) => ({
  text: init.body,
  body: JSON.parse(init.body) as Loose,
  losses: losses.map(formatLoss),
})

describe('an envelope with a signature that its client has changed', () => {
  const origin = { wire: 'openai-chat', vendor: 'google-compat', model: 'gemini-3.8-flash' }

  it.each([
    ['google', true],
    ['vertex', true],
    ['elsewhere', false],
    ['', false],
    [7, false],
  ])('reaches its vendor in the place %j: %s', (place, isSent) => {
    const data = sealReasoning(origin, { on: 'message', place, signature: SIGNATURE })
    const details = [{ type: 'reasoning.encrypted', data, index: 0, format: 'unknown', id: 'rs_1' }]
    const { text } = readBody(
      bodyOf('google-compat', [USER, { role: 'assistant', content: 'A', reasoning_details: details }, USER]),
    )
    expect(text.includes(SIGNATURE)).toBe(isSent)
  })
})

describe('a bare signature of Google in the history of a chat client', () => {
  const PLACES = {
    google: { extra_content: { google: { thought_signature: SIGNATURE } } },
    vertex: { extra_content: { vertex: { thought_signature: SIGNATURE } } },
    litellm: { provider_specific_fields: { thought_signature: SIGNATURE } },
    'function of litellm': {
      function: { name: 'f', arguments: '{}', provider_specific_fields: { thought_signature: SIGNATURE } },
    },
  }
  const history = (members: object) => [
    USER,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' }, ...members }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'ok' },
  ]

  it.each(Object.entries(PLACES))('goes to the vendors that sign calls so (%s)', (_, members) => {
    for (const { vendor, sent } of SIGNERS) {
      if (vendor === 'google-compat') continue
      const { body, losses } = readBody(bodyOf(vendor, history(members)))
      expect(sent(body), vendor).toEqual([SIGNATURE])
      expect(losses, vendor).toEqual([])
    }
  })

  it.each(Object.entries(PLACES))('is a loss at all others (%s)', (place, members) => {
    const of = { litellm: 'provider_specific_fields', 'function of litellm': 'function.provider_specific_fields' }
    const at = Object.hasOwn(of, place) ? of[place as keyof typeof of] : 'extra_content'
    for (const vendor of ['anthropic', 'openai', 'bedrock', 'cohere', 'ollama']) {
      const { text, losses } = readBody(bodyOf(vendor, history(members)))
      expect(text).not.toContain(SIGNATURE)
      expect(losses).toContainEqual(expect.stringContaining(`messages[1].tool_calls[0].${at}`))
    }
  })

  it('is read from the id of a call, where LiteLLM puts it, which stays as it is', () => {
    const id = `c1__thought__${SIGNATURE}`
    const messages = JSON.parse(JSON.stringify(history({})).replaceAll('"c1"', JSON.stringify(id))) as object[]
    const { body, losses } = readBody(bodyOf('google', messages))
    expect(body.contents[1].parts[0]).toMatchObject({ functionCall: { id }, thoughtSignature: SIGNATURE })
    expect(losses).toEqual([])
    expect(readBody(bodyOf('openai', messages)).losses).toEqual([])
  })

  it.each([PLACES.litellm, PLACES['function of litellm']])(
    'reaches Google’s compatible API where that reads it: %j',
    (members) => {
      const { body, losses } = readBody(bodyOf('google-compat', history(members)))
      expect(body.messages[1].tool_calls[0].extra_content).toEqual({ google: { thought_signature: SIGNATURE } })
      expect(losses).toEqual([])
    },
  )

  it('is no error where the member has another form', () => {
    for (const extra_content of ['x', [], { google: 'x' }, { google: { thought_signature: 7 } }, { other: { a: 1 } }]) {
      const { body } = readBody(bodyOf('google', history({ extra_content })))
      expect(isObject(body.contents[1].parts[0])).toBe(true)
    }
  })
})

describe('signatures of calls without ids, for a client that sends the whole message back', () => {
  type Part = readonly [text: string] | readonly [x: number, signature: string | undefined]
  const partOf = ([first, signature]: Part): object =>
    typeof first === 'string'
      ? { text: first, thought: true }
      : {
          functionCall: { name: 'f', args: { x: first } },
          ...(signature === undefined ? {} : { thoughtSignature: signature }),
        }
  const answerOf = (parts: readonly Part[]) => ({
    candidates: [{ content: { parts: parts.map(partOf) }, finishReason: 'STOP' }],
  })

  async function sentAfter(parts: readonly Part[], streams: boolean): Promise<readonly unknown[]> {
    const translator = translatorTo('google')
    const body = answerOf(parts)
    const type = streams ? 'text/event-stream' : 'application/json'
    const answer = new Response(streams ? sse(body) : JSON.stringify(body), { headers: { 'content-type': type } })
    const text = await (await translator.toResponse(answer, bodyOf('google', [USER], streams))).text()
    const message: Loose = streams
      ? { role: 'assistant', content: null, reasoning_details: [], tool_calls: [] }
      : JSON.parse(text).choices[0].message
    for (const line of streams ? text.split('\n').filter((one) => one.startsWith('data: {')) : []) {
      const { reasoning_details = [], tool_calls = [] } = JSON.parse(line.slice(6)).choices[0]?.delta ?? {}
      message.reasoning_details.push(...reasoning_details)
      for (const { index, ...piece } of tool_calls) {
        message.tool_calls[index] ??= { ...piece, function: { ...piece.function, arguments: '' } }
        message.tool_calls[index].function.arguments += piece.function?.arguments ?? ''
      }
    }
    const results = message.tool_calls.map(({ id }: Loose) => ({ role: 'tool', tool_call_id: id, content: 'ok' }))
    const { body: next, losses } = readBody(bodyOf('google', [USER, message, ...results]))
    expect(losses).toEqual([])
    return ofGemini(next)
  }

  const [ONE, TWO] = ['U0lHMg==', 'U0lHMw==']

  it.each<[string, readonly Part[], readonly unknown[]]>([
    [
      'both',
      [
        [1, ONE],
        [3, TWO],
      ],
      [ONE, TWO],
    ],
    [
      'the first',
      [
        [1, ONE],
        [3, undefined],
      ],
      [ONE, undefined],
    ],
    [
      'the second',
      [
        [1, undefined],
        [3, TWO],
      ],
      ['skip_thought_signature_validator', TWO],
    ],
    [
      'both alike',
      [
        [1, ONE],
        [3, ONE],
      ],
      [ONE, ONE],
    ],
    ['both after reasoning', [['Hm.'], [1, ONE], [3, TWO]], [ONE, TWO]],
    ['both around reasoning', [[1, ONE], ['Hm.'], [3, TWO]], [ONE, TWO]],
    ['the second after reasoning', [[1, undefined], ['Hm.'], [3, TWO]], ['skip_thought_signature_validator', TWO]],
  ])('stay with their own calls if signed are: %s', async (_, parts, sent) => {
    expect(await sentAfter(parts, false)).toEqual(sent)
    expect(await sentAfter(parts, true)).toEqual(sent)
  })
})
