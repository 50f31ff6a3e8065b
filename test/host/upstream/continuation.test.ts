import { describe, expect, it } from 'vitest'
import { checkStream } from '../../../src/dialects/check-stream.ts'
import { openai } from '../../../src/dialects/openai.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import {
  type Behaviour,
  type MockUpstream,
  roleChunk,
  startMockUpstream,
  streamOf,
  textChunk,
} from '../../mock-upstreams/server.ts'
import type { ScriptedTurn } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { someOf } from '../../property.ts'
import { OWN_CLIENTS, type OwnClient } from '../accounts/own-clients.ts'
import { eventsOf, type Loose, lineOf, post, startGateway, whenDone } from '../test-server.ts'
import { dyingAt, inOrder, refusing, whole } from './scripted-behaviours.ts'

/** A text whose upstream dies is continued by the next route, in the same item. */

const NAMES = Object.keys(WIRE_UPSTREAMS) as WireName[]
const BEGUN = 'Hello brave'
const WHOLE = `${BEGUN} new world`

const DYING: ScriptedTurn = { text: ['Hello', ' brave', ' END'], calls: [] }
const REST: ScriptedTurn = { text: [' new', ' world'], calls: [] }
const CALL = { id: 'c1', name: 'pay', args: { to: 'nobody', sum: 12 } }
const TOOL = { type: 'function', name: 'pay', parameters: { type: 'object', properties: {} } }

async function serve(upstreams: readonly (readonly [WireName, Behaviour])[], rule: object = { continue: true }) {
  const mocks: MockUpstream[] = []
  const vendors: Record<string, object> = {}
  const to: string[] = []
  for (const [at, [wire, behave]] of upstreams.entries()) {
    const mock = await startMockUpstream(behave)
    whenDone(mock.close)
    mocks.push(mock)
    const { quirks, model } = WIRE_UPSTREAMS[wire]
    vendors[`vendor${at}`] = { wire, base_url: mock.url, key: 'x', quirks }
    to.push(`vendor${at}/${model}`)
  }
  const server = await startGateway({ vendors, models: [{ match: 'any', to, ...rule }] })
  const ask = async (body: object = {}, path = '/openai/v1/responses'): Promise<string> =>
    (await post(server.url, { model: 'any', input: 'Hi', stream: true, ...body }, { path })).text()
  return { ...server, mocks, to, ask }
}

const outputOf = (text: string): Loose => eventsOf(text).findLast(({ response }) => response !== undefined)?.response
const textIn = (text: string): string =>
  outputOf(text)
    .output.map(({ content }: Loose) => content?.[0].text ?? '')
    .join('')

describe('a text whose upstream dies', () => {
  it.each(NAMES)('at %s is continued by the next route, as one item of a valid stream', async (wire) => {
    const { ask, mocks, lines, to } = await serve([
      [wire, dyingAt(wire, DYING, ' END')],
      ['openai-chat', whole('openai-chat', REST)],
    ])
    const text = await ask()
    expect(checkStream(text, openai)).toEqual([])
    expect(outputOf(text)).toMatchObject({ status: 'completed', output: [{ type: 'message' }] })
    expect(textIn(text)).toBe(WHOLE)
    expect(JSON.stringify(mocks[1]?.received[0]?.body)).toContain(BEGUN)
    const line = await lineOf(lines)
    expect(line).toMatchObject({
      outcome: 'completed',
      continued: [{ from: to[0], to: to[1], characters: BEGUN.length }],
      attempts: [{ vendor: 'vendor0' }, { vendor: 'vendor1' }],
    })
    expect(line.losses).toContainEqual(expect.stringContaining(`broke off after ${BEGUN.length} characters`))
  })

  it.each(NAMES)('is continued by %s', async (wire) => {
    const { ask } = await serve([
      ['openai-chat', dyingAt('openai-chat', DYING, ' END')],
      [wire, whole(wire, { ...REST, reasoning: { text: 'Hm.', seal: 'c2ln' } })],
    ])
    const text = await ask()
    expect(checkStream(text, openai)).toEqual([])
    expect(outputOf(text)).toMatchObject({ status: 'completed', output: [{ type: 'message' }] })
    expect(textIn(text)).toBe(WHOLE)
  })

  it('goes along as the beginning of the answer where the model continues one, else with an instruction', async () => {
    const bodyFor = async (wire: WireName): Promise<Loose> => {
      const { ask, mocks } = await serve([
        ['openai-chat', dyingAt('openai-chat', DYING, ' END')],
        [wire, whole(wire, REST)],
      ])
      await ask()
      return mocks[1]?.received[0]?.body
    }
    const claude = await bodyFor('anthropic-messages')
    expect(claude.messages.at(-1)).toMatchObject({ role: 'assistant' })
    const gpt = await bodyFor('openai-chat')
    expect(gpt.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: BEGUN },
      { role: 'user', content: expect.stringContaining('exactly where it ends') },
    ])
  })

  it('is continued for clients of other families, and of the protocol of the upstream', async () => {
    const { ask } = await serve([
      ['openai-chat', dyingAt('openai-chat', DYING, ' END')],
      ['anthropic-messages', whole('anthropic-messages', REST)],
    ])
    const text = await ask(
      { input: undefined, messages: [{ role: 'user', content: 'Hi' }] },
      '/openai/v1/chat/completions',
    )
    const words = eventsOf(text).flatMap((chunk) => chunk.choices?.map(({ delta }: Loose) => delta.content ?? '') ?? [])
    expect(words.join('')).toBe(WHOLE)
    expect(text).toContain('"finish_reason":"stop"')
  })

  it('is continued again if the next upstream dies or fails, and may end with calls', async () => {
    const { ask, lines, to } = await serve([
      ['openai-chat', dyingAt('openai-chat', { text: ['Hello', ' END'], calls: [] }, ' END')],
      ['anthropic-messages', dyingAt('anthropic-messages', { text: [' brave', ' END'], calls: [] }, ' END')],
      ['openai-chat', (response) => void response.writeHead(503).end()],
      ['ollama-chat', whole('ollama-chat', { ...REST, calls: [CALL] })],
    ])
    const text = await ask({ tools: [TOOL] })
    expect(checkStream(text, openai)).toEqual([])
    expect(outputOf(text).output).toMatchObject([
      { type: 'message', content: [{ text: WHOLE }] },
      { type: 'function_call', name: 'pay' },
    ])
    const line: Loose = await lineOf(lines)
    expect(line.continued).toEqual([
      { from: to[0], to: to[1], characters: 'Hello'.length },
      { from: to[1], to: to[3], characters: BEGUN.length },
    ])
    expect(line.losses.filter((loss: string) => loss.includes('broke off'))).toHaveLength(2)
    expect(line.losses).not.toContainEqual(expect.stringContaining('vendor2'))
    expect(line.attempts.map(({ error }: Loose) => error)).toEqual([
      'upstream_disconnected',
      'upstream_disconnected',
      'server_is_overloaded',
      undefined,
    ])
  })

  it('has the counts of all upstreams that reported them', async () => {
    const { ask } = await serve([
      ['anthropic-messages', dyingAt('anthropic-messages', { ...DYING, usage: { input: 11, output: 7 } }, ' END')],
      ['openai-chat', whole('openai-chat', { ...REST, usage: { input: 20, output: 5 } })],
    ])
    expect(outputOf(await ask()).usage).toMatchObject({ input_tokens: 31, output_tokens: 6 })
  })
})

describe('an answer that is not continued', () => {
  const chat = (turn: ScriptedTurn, mark: string) => dyingAt('openai-chat', turn, mark)
  const cases: readonly (readonly [string, Behaviour, object, object])[] = [
    ['the rule does not permit it', chat(DYING, ' END'), {}, {}],
    [
      'it dies inside a call',
      chat({ text: ['Hello'], calls: [CALL] }, 'nobody'),
      { continue: true },
      { tools: [TOOL] },
    ],
    [
      'it dies after a call',
      chat({ text: [], calls: [CALL] }, '"finish_reason":"tool_calls"'),
      { continue: true },
      { tools: [TOOL] },
    ],
    [
      'it dies in reasoning',
      dyingAt(
        'anthropic-messages',
        { reasoning: { text: 'Hm.', seal: 'c2ln' }, text: ['Hi'], calls: [] },
        'signature_delta',
      ),
      { continue: true },
      {},
    ],
    ['it is JSON', chat(DYING, ' END'), { continue: true }, { text: { format: { type: 'json_object' } } }],
    [
      'the request is at fault',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(
          [
            roleChunk,
            textChunk('Hello'),
            'data: {"error":{"message":"blocked","code":"content_filter","type":"invalid_request_error"}}\n\n',
          ].join(''),
        )
      },
      { continue: true },
      {},
    ],
  ]

  it.each(cases)('ends as before if %s', async (name, behave, rule, body) => {
    const wire = name.includes('reasoning') ? 'anthropic-messages' : 'openai-chat'
    const { ask, mocks } = await serve(
      [
        [wire, behave],
        ['openai-chat', whole('openai-chat', REST)],
      ],
      rule,
    )
    const text = await ask(body)
    expect(checkStream(text, openai)).toEqual([])
    expect(outputOf(text).status).toBe('failed')
    expect(mocks[1]?.received).toHaveLength(0)
  })

  it('ends as before if no route is left, or the last one fails', async () => {
    const { ask } = await serve([
      ['openai-chat', chat(DYING, ' END')],
      ['openai-chat', chat({ text: [' new', ' END'], calls: [] }, ' END')],
    ])
    const text = await ask()
    expect(checkStream(text, openai)).toEqual([])
    expect(outputOf(text)).toMatchObject({ status: 'failed', error: { code: 'upstream_disconnected' } })
    expect(textIn(text)).toBe(`${BEGUN} new`)
  })

  it.each([
    ['openai-chat', 401],
    ['openai-chat', 429],
    ['openai-chat', 400],
    ['anthropic-messages', 404],
    ['gemini-generate', 503],
  ] as const)('ends with the failure that broke it if %s refuses to continue it with %d', async (wire, status) => {
    const { ask, lines, to } = await serve([
      ['openai-chat', chat(DYING, ' END')],
      [wire, refusing(status)],
    ])
    const text = await ask()
    expect(checkStream(text, openai)).toEqual([])
    expect(outputOf(text)).toMatchObject({ status: 'failed', error: { code: 'upstream_disconnected' } })
    expect(textIn(text)).toBe(BEGUN)
    expect(text).not.toContain('Not this one')
    const line = await lineOf(lines)
    expect(line.error).toBe('upstream_disconnected')
    expect(line.continued).toBeUndefined()
    expect(JSON.stringify(line.losses ?? [])).not.toContain(to[1])
    expect(line.attempts).toMatchObject([
      { vendor: 'vendor0', error: 'upstream_disconnected' },
      { vendor: 'vendor1', error: expect.not.stringMatching('upstream_disconnected') },
    ])
  })

  it('ends with the failure before its first text if the next route refuses it', async () => {
    const { ask, lines } = await serve([
      [
        'openai-chat',
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.end([roleChunk, 'data: {"error":{"message":"Too many","code":503}}\n\n'].join(''))
        },
      ],
      ['openai-chat', refusing(401)],
    ])
    expect(outputOf(await ask())).toMatchObject({ status: 'failed', error: { code: 'server_is_overloaded' } })
    expect((await lineOf(lines)).continued).toBeUndefined()
  })

  it('pauses the route that asks for it', async () => {
    const { ask, mocks, lines } = await serve([
      ['openai-chat', chat(DYING, ' END')],
      ['openai-chat', refusing(429, { 'retry-after': '600' })],
    ])
    await ask()
    await ask()
    expect(mocks[1]?.received).toHaveLength(1)
    await expect
      .poll(() => lines.filter(({ event }) => event === 'upstream'))
      .toMatchObject([{ state: 'paused', vendor: 'vendor1', seconds: 600 }])
  })

  it('is the same as without the option if its upstream completes it', async () => {
    const answers = await Promise.all(
      [true, false].map(async (isOn) => {
        const behave: Behaviour = (response) =>
          void response.end(streamOf(...Array.from({ length: 50 }, (_, i) => ` word${i}`)))
        const { ask } = await serve(
          [
            ['openai-chat', behave],
            ['openai-chat', behave],
          ],
          { continue: isOn },
        )
        return (await ask()).replaceAll(/resp_\w+|msg_\w+/g, 'id').replaceAll(/"(created|completed)_at":\d+/g, '')
      }),
    )
    expect(answers[0]).toBe(answers[1])
  })
})

describe('reasoning of an upstream that answers after another one has died before its answer', () => {
  const SEALING = ['openai-responses', 'anthropic-messages', 'gemini-generate', 'gemini-interactions'] as const
  const SEAL = 'c2lnbmVkLWJ5LXRoZS1zZWNvbmQ='
  const THOUGHT: ScriptedTurn = { text: ['Yes.'], calls: [], reasoning: { text: 'Thought.', seal: SEAL } }
  const NEVER: ScriptedTurn = { text: ['NEVER'], calls: [] }
  const pairs = SEALING.flatMap((first) => SEALING.map((second) => [first, second] as const))

  it.each((Object.keys(OWN_CLIENTS) as (keyof typeof OWN_CLIENTS)[]).map((name, at) => [name, at] as const))(
    'goes back to its own upstream, and to no other: a client of %s',
    async (name, at) => {
      const client: OwnClient = OWN_CLIENTS[name]
      for (const [first, second] of someOf(pairs, 4, at)) {
        const server = await serve([
          [first, inOrder(dyingAt(first, NEVER, 'NEVER'), whole(first, NEVER))],
          [second, whole(second, THOUGHT)],
        ])
        const [{ received: byFirst }, { received: bySecond }] = server.mocks as [MockUpstream, MockUpstream]
        const tell = async (model: string, history: readonly Loose[]): Promise<string> =>
          (await post(server.url, client.body(model, history), { path: client.path(model) })).text()
        const asked = [client.question('Is it?')]
        const toNext = (stream: string): readonly Loose[] => [
          ...asked,
          ...client.answered(stream).filter(({ content, parts }) => (content ?? parts)?.length !== 0),
          client.question('And?'),
        ]
        const [, own = ''] = server.to
        const history = toNext(await tell('any', asked))
        const alone = toNext(await tell(own, asked))
        await tell(own, alone)
        await tell(own, history)
        const [withoutDeath, withDeath] = bySecond.slice(-2).map(({ text }) => text.includes(SEAL))
        expect([first, second, withDeath]).toEqual([first, second, withoutDeath])
        expect(byFirst).toHaveLength(1)
        await tell(server.to[0] ?? '', history)
        expect([first, second, byFirst[1]?.text.includes(SEAL)]).toEqual([first, second, false])
      }
    },
  )
})
