import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import { encodeUpstreamCall, routeRequest } from '../../src/engine/upstream-call.ts'
import { createTranslator, type TranslatorOptions } from '../../src/index.ts'
import { REQUEST_LIMITS } from '../../src/protocol/limits.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import { runSteps } from '../../src/text/steps.ts'
import { flatName } from '../../src/validation/namespaces.ts'
import { checkSize } from '../../src/validation/size.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { check, runsOf } from '../property.ts'
import { routeTo } from './encode-from.ts'
import { callOf, encodedFor, type Loose, readRequest } from './encoded-call.ts'
import { offeredNames } from './offered-names.ts'

const SCHEMA = { type: 'object', properties: { q: { type: 'string' } } }
const fn = (name: string, description = 'Runs.') => ({ type: 'function', name, description, parameters: SCHEMA })
const space = (name: string, ...tools: readonly object[]) => ({ type: 'namespace', name, description: 'Some.', tools })
const added = (...tools: readonly object[]) => ({ type: 'additional_tools', role: 'developer', tools })
const HELLO = { role: 'user', content: 'Hi' }

/** The tools of Codex 0.169 in the form in which it sends them. */
const EXEC = { type: 'custom', name: 'exec', description: 'Runs code.', format: { type: 'text' } }
const CODEX = added(
  space('functions', EXEC, fn('wait')),
  space('clock', fn('sleep')),
  space('collaboration', fn('list_agents')),
)

type Upstream = TranslatorOptions['upstream']

function open(upstream: Upstream, body: object) {
  const translator = createTranslator({ upstream })
  const call = translator.encodeRequest({ model: 'm', ...body })
  if (!call.ok) return expect.unreachable(call.error.message)
  const answer = async (bytes: Uint8Array, type: string): Promise<Loose> => {
    const response = new Response(bytes as BodyInit, { headers: { 'content-type': type } })
    return (await translator.toResponse(response, call)).json()
  }
  return { sent: JSON.parse(call.init.body) as Loose, losses: call.losses.map(formatLoss), answer }
}

const NATIVE = {
  customTools: true,
  namespaces: true,
  hostedHistory: true,
  changesInInput: ['additional_tools', 'configuration_update', 'tool_search'],
} as const

const UPSTREAMS = [
  ...Object.values(WIRE_UPSTREAMS).map((mock) => ({ ...mock, title: `of ${mock.wire}` })),
  { ...WIRE_UPSTREAMS['openai-responses'], quirks: NATIVE, title: 'that has such items' },
]

describe.each(UPSTREAMS)('additional tools and an upstream $title', (mock) => {
  const { wire, model, quirks, contentType } = mock
  const upstream: Upstream = { vendor: 'acme', wire, model, quirks, baseUrl: 'https://upstream.invalid/v1' }

  it('can be called as those of the request, with the names that the client gave', async () => {
    const name = fc.stringMatching(/^[a-z]{1,3}$/)
    const seed = fc
      .record({ name, space: fc.option(fc.oneof(name, fc.constant('')), { freq: 2 }), list: fc.nat({ max: 2 }) })
      .map((it) => ({ ...it, space: it.space === '' ? it.name : it.space }))
    // OpenAI names `a` and `a` in the namespace `a` alike.
    const seeds = fc.uniqueArray(seed, {
      minLength: 1,
      maxLength: 6,
      selector: (it) => (it.space === null || it.space === it.name ? it.name : flatName(it.space, it.name)),
    })
    const toolsOf = (list: readonly { readonly name: string; readonly space: string | null }[]) =>
      list.map((it) => (it.space === null ? fn(it.name) : space(it.space, fn(it.name))))
    await fc.assert(
      fc.asyncProperty(seeds, async (all) => {
        const [first, second, third] = [0, 1, 2].map((at) => toolsOf(all.filter(({ list }) => list === at)))
        const forms = [
          { tools: toolsOf(all), input: [HELLO] },
          { input: [added(...toolsOf(all)), HELLO] },
          { tools: first, input: [added(...(second ?? [])), HELLO, added(...(third ?? []))] },
        ]
        const opened = forms.map((form) => open(upstream, form))
        const flat = all.map((it) => (it.space === null ? it.name : flatName(it.space, it.name)))
        for (const { sent } of opened) expect([...offeredNames(sent)].sort()).toEqual([...flat].sort())
        const hasSpaces = 'namespaces' in quirks && quirks.namespaces === true
        for (const [at, { answer }] of opened.entries()) {
          const called = all[at % all.length] as (typeof all)[number]
          // OpenAI gives a tool without a namespace its own name as the namespace.
          const own = { namespace: called.space ?? called.name }
          const theirs = hasSpaces ? called.name : (flat[at % all.length] as string)
          const turn = mock.encodeTurn({ text: [], calls: [{ id: 'call_1', args: { q: 'x' }, name: theirs }] })
          const both = JSON.stringify({ name: theirs, ...(hasSpaces ? own : {}) }).slice(1, -1)
          const stream = new TextDecoder().decode(turn).replaceAll(`"name":"${theirs}"`, () => both)
          const bytes = contentType.startsWith('text') ? new TextEncoder().encode(stream) : turn
          const { output } = await answer(bytes, contentType)
          const item = output.find(({ type }: Loose) => type === 'function_call')
          expect([item.name, item.namespace]).toEqual([called.name, called.space ?? undefined])
        }
      }),
      { numRuns: runsOf(60), seed: 1 },
    )
  })

  it('of Codex are all offered, and its calls and their history keep both names', async () => {
    const history = [
      CODEX,
      HELLO,
      { type: 'custom_tool_call', call_id: 'c1', name: 'exec', namespace: 'functions', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'a.txt' },
    ]
    const { sent, losses, answer } = open(upstream, { input: history })
    const names = ['functions__exec', 'functions__wait', 'clock__sleep', 'collaboration__list_agents']
    expect(offeredNames(sent)).toEqual(names)
    const isNative = 'changesInInput' in quirks
    expect(losses.filter((loss) => loss.startsWith('input[0] '))).toEqual(
      isNative ? [] : ['input[0] mapped: its tools are sent with the request’s'],
    )
    expect(losses.filter((loss) => loss.includes('dropped'))).toEqual([])
    if (isNative) return expect(sent.input).toEqual([history[0], { type: 'message', ...HELLO }, ...history.slice(2)])
    const args = { input: 'cat a.txt' }
    const turn = mock.encodeTurn({ text: [], calls: [{ id: 'call_1', name: 'functions__exec', args }] })
    const { output, tools } = await answer(turn, contentType)
    expect(output.at(-1)).toMatchObject({
      type: 'custom_tool_call',
      name: 'exec',
      namespace: 'functions',
      input: args.input,
    })
    // The echo repeats the field of the request, which has none of them.
    expect(tools).toEqual([])
  })
})

const names = (body: object): readonly string[] => offeredNames(encodedFor('groq', 'm', body).body)

describe('the tools of several items', () => {
  it('follow those of the request in the order of the input, so that later turns have the same beginning', () => {
    const turn = { tools: [fn('a')], input: [added(fn('b')), HELLO] }
    const later = { ...turn, input: [...turn.input, added(fn('c'), space('s', fn('d'))), HELLO] }
    expect(names(turn)).toEqual(['a', 'b'])
    expect(names(later)).toEqual(['a', 'b', 'c', 's__d'])
  })

  it('are sent once, where they occur first, with their last definition', () => {
    const input = [added(fn('b'), space('s', fn('x'))), added(fn('a'), fn('b', 'New.'), space('s', fn('x'), fn('y')))]
    const { body, losses } = encodedFor('groq', 'm', { tools: [fn('a')], input: [...input, HELLO] })
    expect(offeredNames(body)).toEqual(['a', 'b', 's__x', 's__y'])
    expect(body.tools[1].function.description).toBe('New.')
    expect(losses.filter((loss) => loss.includes('.tools'))).toEqual([
      'input[0].tools[0] mapped: a later tool of the same name takes its place',
    ])
  })

  it('may be hosted tools, each of which is sent once', () => {
    const search = { type: 'web_search' }
    const { body } = encodedFor('anthropic', 'claude-sonnet-4-5', {
      tools: [search],
      input: [added(search, fn('b')), HELLO],
    })
    expect(body.tools).toHaveLength(2)
  })

  it.each([
    [{ tools: [fn('s__x')] }, [added(space('s', fn('x')))], 'input[0].tools[0].tools[0].name'],
    [{}, [added(space('s', fn('x'))), added(space('s__', fn('x')))], 'input[1].tools[0].tools[0].name'],
    [{}, [added({ type: 'function' })], 'input[0].tools[0].name'],
    [{}, [{ type: 'additional_tools', role: 'developer' }], 'input[0].tools'],
    [{ tool_choice: { type: 'function', name: 'z' } }, [added(fn('a'))], 'tool_choice.name'],
  ])('are refused with the path of the mistake: %j %j', (fields, items, param) => {
    const read = readRequest({ ...fields, input: [...items, HELLO] })
    expect(read.ok ? null : read.error.param).toBe(param)
  })

  it('may be forced, and be the only ones that are allowed', () => {
    const input = [added(space('s', fn('x')), fn('b')), HELLO]
    const forced = encodedFor('groq', 'm', { input, tool_choice: { type: 'function', name: 'x' } }).body
    expect(forced.tool_choice).toEqual({ type: 'function', function: { name: 's__x' } })
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'x' }] }
    expect(names({ tools: [fn('a')], input, tool_choice })).toEqual(['s__x'])
  })

  it('have losses with their own paths', () => {
    const tool = { ...fn('x'), output_schema: SCHEMA, unheard: 1 }
    const { losses } = encodedFor('groq', 'm', { tools: [fn('a')], input: [HELLO, added(fn('b'), space('s', tool))] })
    const paths = losses.map((loss) => loss.split(':')[0])
    expect(paths).toContain('input[1].tools[1].tools[0].output_schema dropped')
    expect(paths).toContain('input[1].tools[1].tools[0].unheard dropped')
  })

  it('count as tools of the request', () => {
    const { tools: most } = REQUEST_LIMITS
    const many = Array.from({ length: most }, (_, at) => fn(`f${at}`))
    expect(checkSize({ input: [added(...many)] }, REQUEST_LIMITS)).toBeNull()
    const error = { param: 'input', message: `input: expected at most ${most} tools in total, got ${most + 1}` }
    expect(checkSize({ tools: [fn('a')], input: [added(...many)] }, REQUEST_LIMITS)).toMatchObject(error)
    const spaces = [added(space('s', ...many)), { type: 'tool_search_output', tools: [fn('a')] }]
    expect(checkSize({ input: spaces }, REQUEST_LIMITS)).toMatchObject(error)
    const parts = Array.from({ length: REQUEST_LIMITS.parts + 1 }, () => ({}))
    expect(checkSize({ messages: [{ ...added(fn('a')), content: parts }] }, REQUEST_LIMITS)).not.toBeNull()
  })

  it('may be sent by clients of the dialect beta', () => {
    const update = { type: 'configuration_update', reasoning: { effort: 'low' } }
    const read = readRequest({ input: [added(fn('a'), EXEC), update, HELLO] }, beta)
    const { tools } = read.ok ? read.value.request : expect.unreachable(read.error.message)
    expect(tools.map(({ type, name }) => [type, name])).toEqual([
      ['function', 'a'],
      ['function', 'exec'],
    ])
  })
})

describe('additional tools and OpenAI', () => {
  it('of a client of the dialect beta arrive with their unknown members, which are no losses', () => {
    const input = [{ ...added({ ...fn('a'), extra: 1 }), more: 2 }, HELLO]
    const read = readRequest({ input, other: 3 }, beta)
    if (!read.ok) return expect.unreachable(read.error.message)
    const lossesAt = (vendor: string) => {
      const call = runSteps(encodeUpstreamCall(routeRequest(read.value, routeTo(vendor, 'm'))))
      return call.ok ? call.value.losses.map(({ path }) => path) : expect.unreachable(call.error.message)
    }
    expect(lossesAt('openai')).toEqual(['other'])
    expect(lossesAt('azure')).toEqual(['input[0].tools[0].extra', 'input[0].more', 'other', 'input[0]'])
  })

  const input = [CODEX, HELLO, added(fn('later'))]

  it('pass through as they are', () => {
    const { body, edits, losses } = callOf('openai', 'gpt-6-sol', { input }, { passthrough: true })
    expect([body.input, edits === null, losses]).toEqual([input, false, []])
  })

  it('stay in their places where the hub encodes the request, with their unknown members', () => {
    const odd = added({ ...fn('a'), unheard: { b: 1 } })
    const { body, losses } = encodedFor('openai', 'gpt-6-sol', { input: [odd, HELLO], tool_choice: 'required' })
    expect(body.input[0]).toEqual(odd)
    expect(body).toMatchObject({ tool_choice: 'required' })
    expect(body).not.toHaveProperty('tools')
    expect(losses).toEqual([])
  })

  it('are only those that are allowed', () => {
    const tool_choice = {
      type: 'allowed_tools',
      mode: 'auto',
      tools: [
        { type: 'custom', name: 'exec' },
        { type: 'function', name: 'later' },
      ],
    }
    const { body } = encodedFor('openai', 'gpt-6-sol', { input, tool_choice })
    expect(offeredNames(body)).toEqual(['functions__exec', 'later'])
    expect(body.input[0].tools).toEqual([space('functions', EXEC)])
  })

  it('may be forced', () => {
    const tool_choice = { type: 'function', name: 'sleep', namespace: 'clock' }
    expect(encodedFor('openai', 'gpt-6-sol', { input, tool_choice }).body.tool_choice).toEqual(tool_choice)
    const custom = { type: 'custom', name: 'exec' }
    expect(encodedFor('openai', 'gpt-6-sol', { input, tool_choice: custom }).body.tool_choice).toEqual(custom)
  })

  it('stay in their places where their schemas need a change', () => {
    const bare = { ...fn('bare'), parameters: { properties: {} } }
    const items = [added(fn('a'), bare, space('clock', bare)), HELLO]
    const { body, losses } = encodedFor('openai', 'gpt-6-sol', { input: items })
    const mended = { ...bare, parameters: { properties: {}, type: 'object' } }
    expect([body.input[0], body.tools, losses]).toEqual([added(fn('a'), mended, space('clock', mended)), undefined, []])
  })

  it('stay in their places at OpenRouter, unless they need another form there', () => {
    const at = (item: object) => encodedFor('openrouter-responses', 'm', { input: [item, HELLO] }).body
    expect(at(added(fn('a'))).input[0]).toEqual(added(fn('a')))
    expect(at(CODEX).input).toHaveLength(1)
    expect(offeredNames(at(CODEX))).toHaveLength(4)
  })

  it('are translated where a vendor has no such items, however the client and the vendor agree otherwise', () => {
    const { body, edits } = callOf('azure', 'gpt-6-sol', { input: [added(fn('a')), HELLO] }, { passthrough: true })
    expect([edits, offeredNames(body), (body.input as readonly object[]).length]).toEqual([null, ['a'], 1])
  })
})

it('tools of any items are offered to the same upstream as those of the request, and in the same form', () => {
  const seed = fc.subarray([fn('a'), fn('b'), EXEC, space('s', fn('x'), EXEC)], { minLength: 1 })
  check(
    fc.property(
      seed,
      fc.constantFrom('groq', 'anthropic', 'google', 'bedrock', 'cohere', 'ollama', 'xai'),
      (tools, to) => {
        const own = encodedFor(to, 'm', { tools, input: [HELLO] }).body
        const moved = encodedFor(to, 'm', { input: [added(...tools), HELLO] }).body
        expect(moved).toEqual(own)
      },
    ),
    100,
  )
})
