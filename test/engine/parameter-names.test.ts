import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNamedTranslator as createTranslator, type TranslatorOptions } from '../../src/api/named-translator.ts'
import { toOwnParameters } from '../../src/engine/passes/parameter-names.ts'
import { run } from '../../src/machine/run.ts'
import type { CallDelta, Delta } from '../../src/protocol/delta.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import { checkAsync } from '../property.ts'
import type { Loose } from './encoded-call.ts'

const PLAIN = /^[a-zA-Z0-9_.-]{1,64}$/
const LONG = 'x'.repeat(65)
/** A literal member of this name would look like a promise. */
const THEN = 'then'

type Client = NonNullable<TranslatorOptions['client']>

const CLAUDE = { vendor: 'anthropic', model: 'claude-sonnet-4-6', apiKey: 'k' }

/** A conversation of a client in which a tool was called before. */
const BODIES: Readonly<Record<string, (parameters: object, args: object, stream: boolean) => object>> = {
  'openai-chat': (parameters, args, stream) => ({
    stream,
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'list', arguments: JSON.stringify(args) } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ],
    tools: [{ type: 'function', function: { name: 'list', parameters } }],
  }),
  'openai-responses': (parameters, args, stream) => ({
    stream,
    input: [
      { role: 'user', content: 'Hi' },
      { type: 'function_call', call_id: 'c1', name: 'list', arguments: JSON.stringify(args) },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    ],
    tools: [{ type: 'function', name: 'list', parameters, strict: false }],
  }),
  'anthropic-messages': (parameters, args, stream) => ({
    stream,
    max_tokens: 99,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'list', input: args }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
    ],
    tools: [{ name: 'list', input_schema: parameters }],
  }),
}

function sentTo(client: string, parameters: object, args: object, stream = false, upstream: object = CLAUDE) {
  const translator = createTranslator({ client: client as Client, upstream: upstream as typeof CLAUDE })
  const call = translator.encodeRequest({ model: 'm', ...BODIES[client]?.(parameters, args, stream) })
  if (!call.ok) return expect.unreachable(call.error.message)
  return { translator, call, body: JSON.parse(String(call.init.body)) as Loose, losses: call.losses.map(formatLoss) }
}

const USAGE = { input_tokens: 1, output_tokens: 1 }

const wholeAnswer = (input: object): Response =>
  Response.json({
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [{ type: 'tool_use', id: 't1', name: 'list', input }],
    stop_reason: 'tool_use',
    usage: USAGE,
  })

const event = (data: Loose): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const streamedAnswer = (pieces: readonly string[]): Response =>
  new Response(
    [
      {
        type: 'message_start',
        message: { id: 'm1', type: 'message', role: 'assistant', model: 'claude', usage: USAGE },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't1', name: 'list', input: {} } },
      ...pieces.map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: USAGE },
      { type: 'message_stop' },
    ]
      .map(event)
      .join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  )

const dataOf = (text: string): Loose[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))

/** The arguments of the call in an answer, by the client. */
const RECEIVED: Readonly<Record<string, { whole: (body: Loose) => unknown; streamed: (events: Loose[]) => unknown }>> =
  {
    'openai-chat': {
      whole: (body) => JSON.parse(body.choices[0].message.tool_calls[0].function.arguments),
      streamed: (chunks) =>
        JSON.parse(
          chunks
            .flatMap((chunk) => chunk.choices.flatMap((choice: Loose) => choice.delta.tool_calls ?? []))
            .map((piece: Loose) => piece.function?.arguments ?? '')
            .join(''),
        ),
    },
    'openai-responses': {
      whole: (body) => JSON.parse(body.output.find((item: Loose) => item.type === 'function_call').arguments),
      streamed: (events) =>
        JSON.parse(
          events
            .filter(({ type }) => type === 'response.function_call_arguments.delta')
            .map(({ delta }) => delta)
            .join(''),
        ),
    },
    'anthropic-messages': {
      whole: (body) => body.content.find((block: Loose) => block.type === 'tool_use').input,
      streamed: (events) => JSON.parse(events.flatMap(({ delta }) => delta?.partial_json ?? []).join('')),
    },
  }

function cutText(text: string, places: readonly number[]): readonly string[] {
  const cuts = [0, ...places.map((at) => at % (text.length + 1)), text.length].sort((a, b) => a - b)
  return cuts.slice(1).map((cut, at) => text.slice(cuts[at], cut))
}

// ---------------------------------------------------------------- cases

const PARAMETERS = {
  type: 'object',
  properties: {
    $top: { type: 'integer' },
    'filter[id]': { type: 'string' },
    folder: { type: 'string' },
    top: { type: 'string' },
    [LONG]: { type: 'string' },
    query: { type: 'object', properties: { $top: { type: 'integer' } }, required: ['$top'] },
  },
  required: ['$top', 'folder'],
}
const ARGUMENTS = {
  $top: 1,
  'filter[id]': 'a',
  folder: 'top',
  top: 'x',
  [LONG]: 'y',
  query: { $top: 2, 'filter[id]': 3 },
}

const schemaOf = (body: Loose): Loose =>
  body.tools?.[0].input_schema ?? body.toolConfig?.tools[0].toolSpec.inputSchema.json

describe('parameters whose names Claude refuses', () => {
  it('have names that fit, in the schema and in old calls, each as a loss', () => {
    const { body, losses } = sentTo('openai-chat', PARAMETERS, ARGUMENTS)
    const { properties, required } = schemaOf(body)
    const names = Object.keys(properties)
    for (const name of names) expect(name).toMatch(PLAIN)
    expect(new Set(names).size).toBe(6)
    expect(names.slice(0, 4)).toEqual(['top_2', 'filter_id', 'folder', 'top'])
    expect(required).toEqual(['top_2', 'folder'])
    expect(properties.query.properties).toEqual({ $top: { type: 'integer' } })
    const { input } = body.messages[1].content[0]
    expect(input).toEqual({
      top_2: 1,
      filter_id: 'a',
      folder: 'top',
      top: 'x',
      [names[4] ?? '']: 'y',
      query: { $top: 2, 'filter[id]': 3 },
    })
    expect(losses).toEqual([
      'tools[0].function.parameters.properties.$top mapped: sent as "top_2": this model refuses such a name',
      'tools[0].function.parameters.properties.filter[id] mapped: sent as "filter_id": this model refuses such a name',
      `tools[0].function.parameters.properties.${LONG} mapped: sent as "${names[4]}": this model refuses such a name`,
    ])
  })

  it.each([
    [{ vendor: 'bedrock', model: 'us.anthropic.claude-opus-4-8' }],
    [{ vendor: 'vertex-anthropic', model: 'claude-sonnet-4-6' }],
    [{ vendor: 'foundry', model: 'claude-sonnet-4-6' }],
    [{ vendor: 'openrouter', model: 'anthropic/claude-sonnet-4.6' }],
    [{ vendor: 'copilot', model: 'claude-sonnet-4.6' }],
  ])('fit at $vendor', (row) => {
    const { body } = sentTo('openai-responses', PARAMETERS, ARGUMENTS, false, {
      apiKey: 'k',
      baseUrl: 'https://upstream.test/v1',
      ...row,
    })
    const text = JSON.stringify(body)
    expect(text).toContain('top_2')
    expect(text).not.toMatch(/"filter\[id\]":\{/)
  })

  it('stay at other models, and so does a request in which all names fit', () => {
    const other = sentTo('openai-chat', PARAMETERS, ARGUMENTS, false, {
      vendor: 'mistral',
      model: 'mistral-large',
      apiKey: 'k',
    })
    expect(other.body.tools[0].function.parameters).toEqual(PARAMETERS)
    const nested = { type: 'object', properties: { query: PARAMETERS } }
    const own = sentTo('anthropic-messages', nested, { query: ARGUMENTS })
    expect(schemaOf(own.body)).toEqual(nested)
  })

  it('fit for a client of Messages, whose other members and examples go along', () => {
    const translator = createTranslator({ client: 'anthropic-messages', upstream: CLAUDE })
    const tool = {
      name: 'list',
      input_schema: PARAMETERS,
      input_examples: [ARGUMENTS],
      cache_control: { type: 'ephemeral' },
    }
    const call = translator.encodeRequest({
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [tool],
      container: 'c',
    })
    if (!call.ok) return expect.unreachable(call.error.message)
    const body = JSON.parse(String(call.init.body)) as Loose
    expect(body.container).toBe('c')
    expect(body.tools[0].cache_control).toEqual({ type: 'ephemeral' })
    expect(Object.keys(body.tools[0].input_examples[0])).toEqual(Object.keys(body.tools[0].input_schema.properties))
  })

  it.each([
    ['a union', { anyOf: [{ properties: { $a: {} }, required: ['$a'] }, { properties: { b: {} } }] }],
    [
      'a definition',
      { $ref: '#/$defs/Args', $defs: { Args: { type: 'object', properties: { $a: {} }, required: ['$a'] } } },
    ],
    [
      'a union of definitions',
      { oneOf: [{ $ref: '#/$defs/A' }], $defs: { A: { type: 'object', properties: { $a: {} } } } },
    ],
    ['a dependency', { properties: { $a: {}, b: {} }, dependentRequired: { $a: ['b'], b: ['$a'] } }],
    ['a dependent schema', { properties: { b: {} }, dependentSchemas: { b: { properties: { $a: {} } } } }],
    ['a condition', { if: { properties: { $a: { const: 1 } } }, [THEN]: { required: ['$a'] } }],
    ['a default', { properties: { $a: {} }, default: { $a: 1 }, examples: [{ $a: 2 }] }],
  ])('fit in %s', (_, schema) => {
    const { body } = sentTo('openai-chat', { type: 'object', ...schema }, { $a: 1 })
    const { $defs: _1, ...sent } = schemaOf(body)
    expect(JSON.stringify(sent)).not.toContain('$a')
    expect(JSON.stringify(sent)).toContain('"a"')
    expect(body.messages[1].content[0].input).toEqual({ a: 1 })
  })

  it('keep their names in nested objects of a recursive schema', () => {
    const tree = {
      type: 'object',
      properties: { $id: {}, children: { type: 'array', items: { $ref: '#' } }, same: { $ref: '#/properties/$id' } },
    }
    const { body } = sentTo('openai-chat', tree, { $id: 1, children: [{ $id: 2 }] })
    const { properties, $defs } = schemaOf(body)
    expect(Object.keys(properties)).toEqual(['id', 'children', 'same'])
    expect(properties.children.items).toEqual({ $ref: '#/$defs/arguments' })
    expect(properties.same).toEqual({ $ref: '#/$defs/arguments/properties/$id' })
    expect(Object.keys($defs.arguments.properties)).toEqual(['$id', 'children', 'same'])
    expect(body.messages[1].content[0].input).toEqual({ id: 1, children: [{ $id: 2 }] })
  })

  it('fit in strict schemas, with the places of other losses', () => {
    const translator = createTranslator({ client: 'openai-responses', upstream: CLAUDE })
    const parameters = {
      type: 'object',
      properties: { $top: { type: 'integer', minimum: 1 } },
      required: ['$top'],
      additionalProperties: false,
    }
    const call = translator.encodeRequest({
      model: 'm',
      input: 'Hi',
      tools: [{ type: 'function', name: 'list', parameters, strict: true }],
    })
    if (!call.ok) return expect.unreachable(call.error.message)
    const body = JSON.parse(String(call.init.body)) as Loose
    expect(body.tools[0]).toMatchObject({
      strict: true,
      input_schema: { required: ['top'], additionalProperties: false },
    })
    expect(call.losses.map(({ path }) => path)).toEqual([
      'tools[0].parameters.properties.$top',
      'tools[0].parameters.properties.$top.minimum',
    ])
  })
})

// ---------------------------------------------------------------- properties

const odd = fc.constantFrom(
  '$top',
  'top',
  'filter[id]',
  'filter_id',
  '@odata.type',
  'größe',
  '名前',
  '',
  ' ',
  LONG,
  `${LONG}y`,
  '"\\',
  '\ud800',
  '__proto__',
  'folder',
)
const anyName = fc.oneof({ weight: 4, arbitrary: odd }, { weight: 1, arbitrary: fc.string({ maxLength: 5 }) })

const schemas = fc
  .record({
    own: fc.uniqueArray(anyName, { minLength: 1, maxLength: 6 }),
    branch: fc.uniqueArray(anyName, { maxLength: 3 }),
    shared: fc.uniqueArray(anyName, { maxLength: 3 }),
    form: fc.constantFrom('anyOf', 'oneOf', 'allOf', 'none'),
  })
  .map(({ own, branch, shared, form }) => {
    const object = (names: readonly string[]): object => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { description: name }])),
      required: names.slice(0, 1),
    })
    const unions = form === 'none' ? {} : { [form]: [object(branch), { $ref: '#/$defs/Shared' }] }
    const names = form === 'none' ? own : [...own, ...branch, ...shared]
    return { names, schema: { ...object(own), ...unions, $defs: { Shared: object(shared) } } }
  })

const calls = schemas.chain(({ names, schema }) =>
  fc.record({
    schema: fc.constant(schema),
    args: fc
      .dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 }), {
        minKeys: 1,
        maxKeys: 5,
        noNullPrototype: true,
      })
      .map((it) => JSON.parse(JSON.stringify(it)) as object),
    places: fc.array(fc.nat({ max: 5000 }), { maxLength: 8 }),
  }),
)

describe.each(Object.keys(BODIES))('arguments of any function, for a client of %s', (client) => {
  it('arrive with their own names, whole, and in a stream in any cuts', () =>
    checkAsync(
      fc.asyncProperty(calls, async ({ schema, args, places }) => {
        const whole = sentTo(client, schema, args)
        for (const name of Object.keys(schemaOf(whole.body).properties ?? {})) expect(name).toMatch(PLAIN)
        const { input } = whole.body.messages[1].content[0]
        const answer = await whole.translator.toResponse(wholeAnswer(input), whole.call)
        expect(RECEIVED[client]?.whole(await answer.json())).toEqual(args)
        const { translator, call } = sentTo(client, schema, args, true)
        const stream = await translator.toResponse(streamedAnswer(cutText(JSON.stringify(input), places)), call)
        expect(RECEIVED[client]?.streamed(dataOf(await stream.text()))).toEqual(args)
      }),
      300,
    ))
})

const callDelta = (more: Partial<CallDelta>): CallDelta => ({
  kind: 'call',
  key: '0',
  type: 'function_call',
  callId: null,
  name: null,
  arguments: '',
  ...more,
})

const argumentsOf = (deltas: readonly Delta[]): string =>
  deltas.flatMap((delta) => (delta.kind === 'call' ? delta.arguments : [])).join('')

describe('the arguments of an answer', () => {
  const machine = toOwnParameters(new Map(['list', 'find'].map((name) => [name, new Map([['top', '$top']])])))
  const renamed = (...deltas: readonly Delta[]): string => argumentsOf(run(machine, deltas))

  it('have their names where the name of the call comes late, or in pieces', () => {
    expect(
      renamed(
        callDelta({ callId: 'c', arguments: '{"to' }),
        callDelta({ name: 'list' }),
        callDelta({ arguments: 'p":1}' }),
      ),
    ).toBe('{"$top":1}')
    expect(
      renamed(callDelta({ callId: 'c', name: 'li' }), callDelta({ name: 'st' }), callDelta({ arguments: '{"top":1}' })),
    ).toBe('{"$top":1}')
  })

  it('stay where the call has another function', () => {
    expect(renamed(callDelta({ callId: 'c', name: 'lists', arguments: '{"top":1}' }))).toBe('{"top":1}')
  })

  it('have their names in each of two calls of one key, and in one whose id changes', () => {
    const first = callDelta({ callId: 'c', name: 'list', arguments: '{"top":1}' })
    expect(renamed(first, { ...first, callId: 'd' })).toBe('{"$top":1}{"$top":1}')
    const ids = ['a', 'b'].map((callId, at) =>
      callDelta({ callId, name: 'list', arguments: ['{"x":{', '"top":1}}'][at] ?? '' }),
    )
    expect(renamed(...ids)).toBe('{"x":{"top":1}}')
    const members = ['a', 'b'].map((callId, at) =>
      callDelta({ callId, name: 'list', arguments: ['{"x":1,', '"top":2}'][at] ?? '' }),
    )
    expect(renamed(...members)).toBe('{"x":1,"$top":2}')
  })

  it.each([
    ['names another function', ['{"x":{', '', '{"top":1}'], ['list', 'find', null], '{"x":{{"$top":1}'],
    ['begins where the last one ended', ['{"top":1}', '', '{"top":2}'], ['list', 'list', null], '{"$top":1}{"$top":2}'],
    ['begins an object', ['{"top":1,"x":{', ' {"top":2}'], ['list', 'list'], '{"$top":1,"x":{ {"$top":2}'],
  ] as const)('are those of another call where a piece with another id %s', (_, pieces, names, expected) => {
    const ids = ['a', 'b', null]
    const calls = pieces.map((piece, at) =>
      callDelta({ callId: ids[at] ?? null, name: names[at] ?? null, arguments: piece }),
    )
    expect(renamed(...calls)).toBe(expected)
  })

  it.each(['stop', 'finish', 'error', 'cut', 'end'])('that end inside a key lose nothing: %s', (kind) => {
    const end = { kind, key: '0', reason: 'stop', error: null } as unknown as Delta
    expect(
      renamed(callDelta({ callId: 'c', name: 'list', arguments: '{"top":1,"to' }), ...(kind === 'end' ? [] : [end])),
    ).toBe('{"$top":1,"to')
  })

  it('have their names in a whole call that repeats them', () => {
    const pieces = callDelta({ callId: 'c', name: 'list', arguments: '{"to' })
    const deltas = run(machine, [
      pieces,
      { kind: 'final', whole: callDelta({ callId: 'c', name: 'list', arguments: '{"top":1}' }) },
    ])
    expect(argumentsOf(deltas)).toBe('{')
    expect(deltas.at(-1)).toMatchObject({ kind: 'final', whole: { arguments: '{"$top":1}' } })
  })
})
