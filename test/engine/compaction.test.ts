import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import { readClientRequest } from '../../src/engine/client-request.ts'
import { toCompactRequest } from '../../src/engine/compaction/compacted-target.ts'
import { encodeUpstreamCall, routeRequest } from '../../src/engine/upstream-call.ts'
import { createTranslator, type TranslatorCall, type TranslatorOptions, translateRequest } from '../../src/index.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import { runSteps } from '../../src/text/steps.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { routeTo } from './encode-from.ts'
import type { Loose } from './encoded-call.ts'
import { eventsOf } from './run-engine.ts'

const LIST = { type: 'function', name: 'list', parameters: { type: 'object', properties: {} } }
const CONVERSATION = [
  { role: 'user', content: 'I am Ann.' },
  { type: 'function_call', call_id: 'call_1', name: 'list', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'none' },
]
const TRIGGER = { type: 'compaction_trigger' }
const REQUEST = { model: 'm', input: [...CONVERSATION, TRIGGER], tools: [LIST], text: { verbosity: 'low' } }

type Upstream = TranslatorOptions['upstream']
const GROQ: Upstream = { vendor: 'groq', model: 'm' }

function open(upstream: Upstream, body: object): { call: TranslatorCall; sent: Loose; answer: Answer } {
  const translator = createTranslator({ upstream })
  const call = translator.encodeRequest(body)
  if (!call.ok) return expect.unreachable(call.error.message)
  const answer: Answer = (bytes, type) =>
    translator.toResponse(new Response(bytes as BodyInit, { headers: { 'content-type': type } }), call)
  return { call, sent: JSON.parse(call.init.body), answer }
}

type Answer = (bytes: Uint8Array | string, type: string) => Promise<Response>

const opened = ({ encrypted_content: sealed }: Loose): string =>
  Buffer.from(sealed.slice('mrc1.'.length), 'base64url').toString()

const SPENT = { input_tokens: expect.any(Number), output_tokens: 7, total_tokens: expect.any(Number) }

describe.each(Object.values(WIRE_UPSTREAMS))('a compaction by an upstream of $wire', (mock) => {
  const { wire, model, quirks, contentType } = mock
  const upstream: Upstream = { vendor: 'acme', wire, model, quirks, baseUrl: 'https://upstream.invalid/v1' }
  const turn = mock.encodeTurn({
    reasoning: { text: 'Hm.', seal: 'c2VhbA==' },
    text: ['Ann has ', 'no files. 👋'],
    calls: [],
  })

  it('is requested as a summary by the same model', () => {
    const { call, sent } = open(upstream, REQUEST)
    const text = JSON.stringify(sent)
    expect(text).toContain('Summarise the conversation above')
    expect(text).toContain('I am Ann.')
    expect(text).not.toContain('compaction_trigger')
    expect(call.losses.map(formatLoss)).toContain(
      'input[3] mapped: this upstream has no compaction, so that its model is requested to summarise the conversation',
    )
  })

  it('is exactly one item of a stream, and of a body', async () => {
    const stream = await (await open(upstream, { ...REQUEST, stream: true }).answer(turn, contentType)).text()
    expect(checkStream(stream, openai)).toEqual([])
    const events = eventsOf(stream) as Loose[]
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.compaction.compacting',
      'response.output_item.done',
      'response.completed',
    ])
    const item = { type: 'compaction', id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) }
    expect(events[4]).toMatchObject({ output_index: 0, item })
    expect(Object.keys(events[4].item)).toEqual(['type', 'id', 'encrypted_content'])
    expect(opened(events[4].item)).toBe('Ann has no files. 👋')
    expect(events[5].response).toMatchObject({ status: 'completed', output: [events[4].item], usage: SPENT })
    const body = (await (await open(upstream, REQUEST).answer(turn, contentType)).json()) as Loose
    expect(body).toMatchObject({ object: 'response', status: 'completed', output: [item], usage: SPENT })
    expect(opened(body.output[0])).toBe('Ann has no files. 👋')
  })

  it('replaces the conversation in the next request', async () => {
    const body = (await (await open(upstream, REQUEST).answer(turn, contentType)).json()) as Loose
    const input = [...body.output, { role: 'user', content: 'Who am I?' }]
    const next = translateRequest({ model, input }, { to: wire, quirks })
    if (!next.ok) return expect.unreachable(next.error.message)
    expect(JSON.stringify(next.body)).toContain(
      'This is a summary of the conversation so far:\\n\\nAnn has no files. 👋',
    )
    expect(next.losses).toEqual([])
  })

  it('has the text of an answer that stops for a call, which is a loss', async () => {
    const calls = [{ id: 'call_2', name: 'list', args: {} }]
    const called = mock.encodeTurn({ text: ['Ann has no files.'], calls })
    const stream = await (await open(upstream, { ...REQUEST, stream: true }).answer(called, contentType)).text()
    expect(checkStream(stream, openai)).toEqual([])
    const { type, response } = eventsOf(stream).at(-1) as Loose
    expect(type).toBe('response.completed')
    expect(opened(response.output[0])).toBe('Ann has no files.')
    const body = (await (await open(upstream, REQUEST).answer(called, contentType)).json()) as Loose
    expect(opened(body.output[0])).toBe('Ann has no files.')
  })

  it('is a failure if the upstream writes no summary', async () => {
    const calls = [{ id: 'call_2', name: 'list', args: {} }]
    for (const empty of [mock.encodeTurn({ text: [], calls }), turn.slice(0, turn.length / 2)]) {
      const stream = await (await open(upstream, { ...REQUEST, stream: true }).answer(empty, contentType)).text()
      expect(checkStream(stream, openai)).toEqual([])
      const { type, response } = eventsOf(stream).at(-1) as Loose
      expect(type).toBe('response.failed')
      expect(response.output).toEqual([])
      expect(response.error.code).toBe('upstream_truncated')
      expect((await open(upstream, REQUEST).answer(empty, contentType)).status).toBe(502)
    }
  })
})

const chunk = (choice: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`
const SUMMARY = chunk({ delta: { content: 'All.' } })
const STOP = chunk({ delta: {}, finish_reason: 'stop' })
const REFUSED = 'data: {"error":{"message":"Too long","code":"context_length_exceeded"}}\n\n'

describe('a compaction', () => {
  it.each([
    ['that its limit cuts', SUMMARY + chunk({ delta: {}, finish_reason: 'length' }), 'upstream_truncated'],
    ['without an end', SUMMARY, 'upstream_truncated'],
    ['that the upstream refuses', SUMMARY + REFUSED + STOP, 'context_length_exceeded'],
    ['that is a refusal', chunk({ delta: { refusal: 'No.' } }) + STOP, 'upstream_truncated'],
    ['of white space', chunk({ delta: { content: ' \n' } }) + STOP, 'upstream_truncated'],
    ['of nothing', STOP, 'upstream_truncated'],
  ])('%s is a failure without an item', async (_, bytes, code) => {
    const { answer } = open(GROQ, { ...REQUEST, stream: true })
    const events = eventsOf(await (await answer(bytes, 'text/event-stream')).text()) as Loose[]
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { error: { code }, output: [] } })
    expect(JSON.stringify(events)).not.toContain('compaction')
  })

  it('has the text beside calls, which are losses', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'list', arguments: '{}' } }
    const losses: (readonly string[])[] = []
    const translator = createTranslator({ upstream: GROQ, onOutcome: (outcome) => void losses.push(outcome.losses) })
    const request = translator.encodeRequest(REQUEST)
    if (!request.ok) return expect.unreachable(request.error.message)
    const bytes = SUMMARY + chunk({ delta: { tool_calls: [call] } }) + STOP
    const response = await translator.toResponse(new Response(bytes), request)
    const { output } = (await response.json()) as Loose
    expect(output).toHaveLength(1)
    expect(opened(output[0])).toBe('All.')
    expect(losses).toEqual([['function_call']])
  })

  it('is requested without calls, in the place of its trigger', () => {
    const { sent } = open(GROQ, { ...REQUEST, text: { format: { type: 'json_object' } } })
    expect(sent.messages.map(({ role }: Loose) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(sent).toMatchObject({ tool_choice: 'none', tools: [{ function: { name: 'list' } }] })
    expect(sent).not.toHaveProperty('response_format')
  })

  it.each([true, false])('goes to an upstream that has it as it is, passed through: %s', async (passthrough) => {
    const { call, sent, answer } = open({ vendor: 'openai', model: 'gpt-6', passthrough }, { ...REQUEST, stream: true })
    expect(sent.input.at(-1)).toEqual(TRIGGER)
    expect(call.losses).toEqual([])
    const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' }
    const response = { id: 'resp_1', object: 'response', status: 'completed', output: [item] }
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.compaction.compacting', output_index: 0, item_id: 'cmp_1' },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ]
    const bytes = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    const received = eventsOf(await (await answer(bytes, 'text/event-stream')).text()) as Loose[]
    expect(received.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['response.compaction.compacting', 'response.completed']),
    )
    expect(received.at(-1).response.output).toMatchObject([{ type: 'compaction', encrypted_content: 'gAAAA' }])
  })

  it.each([[[TRIGGER, ...CONVERSATION]], [[...CONVERSATION, TRIGGER, TRIGGER]]])(
    'before the end of the conversation is refused: %j',
    (input) => {
      const call = createTranslator({ upstream: GROQ }).encodeRequest({ model: 'm', input })
      const at = `input[${input.indexOf(TRIGGER)}]`
      expect(call).toMatchObject({ ok: false, error: { status: 400, code: 'invalid_prompt', param: at } })
    },
  )

  it('is no JSON, whichever item of the input requests that', () => {
    const update = {
      type: 'configuration_update',
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_object' } },
    }
    const body = { model: 'm', input: [update, ...CONVERSATION] }
    const read = runSteps(readClientRequest(body, { dialect: openai }))
    if (!read.ok) return expect.unreachable(read.error.message)
    for (const vendor of ['openai', 'groq']) {
      const routed = routeRequest(toCompactRequest(read.value), routeTo(vendor, 'gpt-6'))
      const call = runSteps(encodeUpstreamCall(routed))
      if (!call.ok) return expect.unreachable(call.error.message)
      expect(JSON.stringify(call.value.body)).not.toContain('json_object')
      if (vendor === 'openai')
        expect(call.value.body.input).toMatchObject([{ reasoning: { effort: 'low' } }, {}, {}, {}, {}])
    }
  })

  it('searches nothing before', () => {
    const { call } = open(GROQ, { ...REQUEST, plugins: [{ id: 'web' }] })
    expect(call.losses.map(formatLoss)).toContain('plugins[0] dropped: a compaction searches nothing')
  })
})
