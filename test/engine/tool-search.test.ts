import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import { createTranslator, type TranslatorOptions } from '../../src/index.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { callOf, encodedFor, type Loose } from './encoded-call.ts'
import { offeredNames } from './offered-names.ts'
import { eventsOf } from './run-engine.ts'

const SCHEMA = { type: 'object', properties: { goal: { type: 'string' } }, required: ['goal'] }
const HELLO = { role: 'user', content: 'Hi' }
const near = { type: 'function', name: 'near', parameters: SCHEMA }
const later = (name: string) => ({ type: 'function', name, parameters: SCHEMA, defer_loading: true })
const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: SCHEMA }
const mail = { type: 'namespace', name: 'mail', description: 'Mail.', tools: [later('read')] }
const TOOLS = [near, search, later('far'), mail]

const call = (call_id: string | null, execution = 'client') => ({
  type: 'tool_search_call',
  call_id,
  execution,
  arguments: { goal: 'mail' },
  status: 'completed',
})
const found = (call_id: string | null, tools: readonly object[], execution = 'client') => ({
  type: 'tool_search_output',
  call_id,
  execution,
  tools,
  status: 'completed',
})

type Upstream = TranslatorOptions['upstream']

describe.each(Object.values(WIRE_UPSTREAMS))('a search of tools by the client, for an upstream of $wire', (mock) => {
  const { wire, model, quirks, contentType } = mock
  const upstream: Upstream = { vendor: 'acme', wire, model, quirks, baseUrl: 'https://upstream.invalid/v1' }
  const translator = createTranslator({ upstream })
  const open = (input: readonly object[]) => {
    const encoded = translator.encodeRequest({ model: 'm', tools: TOOLS, input, stream: true })
    if (!encoded.ok) return expect.unreachable(encoded.error.message)
    const losses = encoded.losses.map(formatLoss)
    return { encoded, losses, sent: JSON.parse(encoded.init.body) as Loose }
  }

  it('is a function, and the tools that it finds follow those that the upstream has', () => {
    const first = open([HELLO])
    expect(offeredNames(first.sent)).toEqual(['near', 'tool_search'])
    expect(JSON.stringify(first.sent)).toContain('Finds tools.')
    expect(first.losses).toEqual(['tools[1] mapped: sent as a function with the fields of its calls'])
    const second = open([HELLO, call('c1'), found('c1', [mail])])
    expect(offeredNames(second.sent)).toEqual(['near', 'tool_search', 'mail__read'])
    expect(JSON.stringify(second.sent)).toMatch(/mail__read.*mail__read/)
    expect(second.losses.filter((loss) => loss.includes('dropped'))).toEqual([])
    expect(second.losses.filter((loss) => loss.startsWith('input'))).toEqual(
      [1, 2].map((at) => `input[${at}] mapped: sent as the call of a function, or as its output`),
    )
    const third = open([HELLO, call('c1'), found('c1', [mail]), call('c2'), found('c2', [later('far')])])
    expect(offeredNames(third.sent)).toEqual(['near', 'tool_search', 'mail__read', 'far'])
  })

  it('is called as an item with its arguments, and calls of what it found have both names', async () => {
    const { encoded } = open([HELLO, call('c1'), found('c1', [mail])])
    const calls = [
      { id: 'call_1', name: 'tool_search', args: { goal: 'calendar' } },
      { id: 'call_2', name: 'mail__read', args: { goal: 'x' } },
    ]
    const bytes = mock.encodeTurn({ text: [], calls })
    const response = new Response(bytes as BodyInit, { headers: { 'content-type': contentType } })
    const stream = await (await translator.toResponse(response, encoded)).text()
    expect(checkStream(stream, openai)).toEqual([])
    const events = eventsOf(stream) as Loose[]
    const item = { type: 'tool_search_call', call_id: expect.any(String), execution: 'client' }
    const own = events.filter(({ output_index }) => output_index === 0)
    expect(own.map(({ type }) => type)).toEqual(['response.output_item.added', 'response.output_item.done'])
    expect(own[0].item).toMatchObject({ ...item, status: 'in_progress' })
    expect(own[1].item).toMatchObject({ ...item, arguments: { goal: 'calendar' }, status: 'completed' })
    expect(events.at(-1).response.output).toMatchObject([
      { type: 'tool_search_call' },
      { type: 'function_call', name: 'read', namespace: 'mail' },
    ])
    // The items go back with the next request.
    const back = open([HELLO, ...events.at(-1).response.output])
    expect(back.losses.filter((loss) => loss.includes('dropped'))).toEqual([])
  })
})

const namesFor = (vendor: string, body: object): readonly string[] => offeredNames(encodedFor(vendor, 'm', body).body)

describe('deferred tools', () => {
  it.each(['groq', 'anthropic', 'xai'])('are sent at once to %s if it would have to search itself', (vendor) => {
    for (const tool of [{ type: 'tool_search' }, { type: 'tool_search', execution: 'server' }]) {
      const { body, losses } = encodedFor(vendor, 'claude-sonnet-4-5', { tools: [near, tool, later('far'), mail] })
      expect(offeredNames(body)).toEqual(['near', 'far', 'mail__read'])
      expect(JSON.stringify(body)).not.toContain('defer_loading')
      expect(losses).toEqual([
        'tools[1] mapped: this upstream has no search of tools, so that deferred tools are sent at once',
        'tools[2].defer_loading mapped: this upstream has no search of tools, so that the tool is sent at once',
        'tools[3].tools[0].defer_loading mapped: this upstream has no search of tools, so that the tool is sent at once',
      ])
    }
  })

  it('are sent at once if a function has the name of the search', () => {
    const tools = [search, { ...near, name: 'tool_search' }, later('far')]
    expect(namesFor('groq', { tools })).toEqual(['tool_search', 'far'])
  })

  it('are sent once they are forced', () => {
    const tool_choice = { type: 'function', name: 'far' }
    expect(namesFor('groq', { tools: TOOLS, tool_choice })).toEqual(['near', 'tool_search', 'far'])
  })

  it('may be in an item of the input, and are found there', () => {
    const added = { type: 'additional_tools', role: 'developer', tools: [search, later('far')] }
    expect(namesFor('groq', { input: [added, HELLO] })).toEqual(['tool_search'])
    expect(namesFor('groq', { input: [added, HELLO, call('c1'), found('c1', [later('far')])] })).toEqual([
      'tool_search',
      'far',
    ])
  })
})

describe('searches of tools in the history', () => {
  const own = [HELLO, call(null, 'server'), found(null, [mail], 'server')]

  it('that an upstream made are left out, and their tools are sent', () => {
    const { body, losses } = encodedFor('groq', 'm', { input: own })
    expect(offeredNames(body)).toEqual(['mail__read'])
    expect(body.messages).toHaveLength(1)
    expect(losses).toEqual(
      [1, 2].map((at) => `input[${at}] mapped: the tools that the search found are sent with the request’s`),
    )
  })

  it('keep their places for an upstream that has them, beside the tools of the request', () => {
    for (const vendor of ['openai', 'azure']) {
      const { body, losses } = encodedFor(vendor, 'gpt-6-sol', { tools: TOOLS, input: [...own, call('c1')] })
      expect([body.tools.length, losses]).toEqual([TOOLS.length, []])
      expect(body.input.slice(1)).toEqual([...own.slice(1), call('c1')])
    }
  })

  it('are passed through to OpenAI, and translated for a vendor without them', () => {
    const at = (vendor: string) => callOf(vendor, 'm', { tools: TOOLS, input: own }, { passthrough: true })
    expect(at('openai').body.input).toEqual(own)
    expect(at('xai').edits).toBeNull()
    expect(at('openrouter-responses').edits).toBeNull()
  })

  it('of OpenRouter go to OpenRouter as they are', () => {
    const tools = [near, { type: 'openrouter:tool_search' }, later('far')]
    const { body, losses } = encodedFor('openrouter-responses', 'm', { tools })
    expect([body.tools.at(-1).defer_loading, body.tools.length, losses]).toEqual([true, 3, []])
    expect(namesFor('groq', { tools })).toEqual(['near', 'far'])
  })
})
