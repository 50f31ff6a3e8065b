import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { toClientCalls } from '../../../src/engine/passes/client-calls.ts'
import { routeRequest } from '../../../src/engine/upstream-call.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { encodedFor, type Loose, readRequest, routedTo } from '../../engine/encoded-call.ts'
import { collected, eventsOf, optionsOf, toBytes, translated } from '../../engine/run-engine.ts'
import { check } from '../../property.ts'
import { called, FINISH } from '../deltas.ts'
import * as chat from '../openai-chat/answers.ts'

const TOOLS = [
  { type: 'shell', environment: { type: 'local' } },
  { type: 'local_shell' },
  { type: 'apply_patch' },
  { type: 'tool_search', execution: 'client', description: 'Finds tools.' },
]
const NAMES = TOOLS.map(({ type }) => type)

const LS = { commands: ['ls', 'pwd'], timeout_ms: 100 }
const EXEC = { command: ['ls', '-l'], working_directory: '/tmp' }
const PATCH = { type: 'update_file', path: 'a.txt', diff: '@@\n-a\n+b' }
const MAIL = { query: 'mail' }

/** Calls as an upstream makes them, and the items that its client receives. */
// biome-ignore format: a row a case
const CALLS: readonly (readonly [name: string, args: JsonObject, item: JsonObject])[] = [
  ['shell', LS, { type: 'shell_call', action: { ...LS, max_output_length: null }, environment: { type: 'local' } }],
  ['local_shell', EXEC, { type: 'local_shell_call', action: { type: 'exec', ...EXEC, env: {} } }],
  ['apply_patch', PATCH, { type: 'apply_patch_call', operation: PATCH }],
  ['tool_search', MAIL, { type: 'tool_search_call', arguments: MAIL, execution: 'client' }],
]

const optionsFor = (tools: readonly object[], dialect: keyof typeof DIALECTS = 'openai') => {
  const read = readRequest({ tools }, DIALECTS[dialect])
  if (!read.ok) return expect.unreachable(read.error.message)
  const { route, answers } = routeRequest(read.value, routedTo('groq', 'm', {}).route)
  return optionsOf(DIALECTS[dialect], route.quirks, 'x', answers)
}

const cutUp = (text: string): readonly string[] => text.match(/.{1,7}/gs) ?? []

const streamOf = (calls: readonly (readonly [name: string, args: string])[]) => {
  const chunks = [
    chat.content('I look. '),
    ...calls.flatMap(([name, args], index) => [
      chat.call({ index, id: `call_${index}`, type: 'function' }, name, ''),
      ...cutUp(args).map((piece) => chat.piece({ index }, { arguments: piece })),
    ]),
    chat.stop('tool_calls'),
  ]
  return toBytes(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') + chat.DONE)
}

describe('tools that the client runs', () => {
  it.each(['groq', 'anthropic', 'google', 'bedrock', 'cohere', 'ollama'])('are functions for %s', (vendor) => {
    const { body, losses } = encodedFor(vendor, 'claude-sonnet-4-5', { tools: TOOLS })
    const text = JSON.stringify(body)
    for (const name of NAMES) expect(text).toContain(`"name":"${name}"`)
    expect(losses.filter((loss) => loss.startsWith('tools'))).toEqual(
      TOOLS.map((_, at) => `tools[${at}] mapped: sent as a function with the fields of its calls`),
    )
  })

  it('reach an upstream of the Responses API as they are', () => {
    expect(encodedFor('openai', 'gpt-5.5', { tools: TOOLS }).body.tools).toEqual(TOOLS)
  })

  it('are dropped if the upstream runs them, or a function has their name', () => {
    const tools = [
      { type: 'shell', environment: { type: 'container_auto' } },
      { type: 'tool_search' },
      { type: 'apply_patch' },
      { type: 'function', name: 'apply_patch', parameters: { type: 'object', properties: {} } },
    ]
    const { body, losses } = encodedFor('groq', 'm', { tools })
    expect(body.tools.map((tool: Loose) => tool.function.name)).toEqual(['apply_patch'])
    expect(losses.map((loss) => loss.split(':')[0])).toEqual([
      'tools[1] mapped',
      'tools[0] dropped',
      'tools[2] dropped',
    ])
  })

  it('may be forced', () => {
    const { body } = encodedFor('groq', 'm', { tools: TOOLS, tool_choice: { type: 'apply_patch' } })
    expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'apply_patch' } })
  })

  it('are no functions in the dialect beta, which has no items for their calls', () => {
    const read = readRequest({ tools: TOOLS }, DIALECTS.beta)
    const { answers } = read.ok ? routeRequest(read.value, routedTo('groq', 'm', {}).route) : expect.unreachable()
    expect(answers).toBe(WIRES['openai-chat'])
  })
})

describe('calls of tools that the client runs', () => {
  it.each(CALLS)('of %s are items with their fields, streamed and collected', (name, args, item) => {
    const options = optionsFor(TOOLS)
    const bytes = streamOf([[name, JSON.stringify(args)]])
    const { output } = collected(options, [bytes])
    expect(output).toMatchObject([{ type: 'message' }, { ...item, call_id: 'call_0', status: 'completed' }])
    const events = eventsOf(translated(options, [bytes]))
    const done = events.filter(({ type }) => type === 'response.output_item.done').map((event) => event.item)
    expect(done).toEqual(output)
  })

  it('are in the order of the answer, beside calls of functions', () => {
    const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }
    const calls = [
      ['shell', '{"commands":["ls"]}'],
      ['look', '{}'],
      ['apply_patch', '{"type":"delete_file","path":"a"}'],
    ] as const
    const { output } = collected(optionsFor([...TOOLS, look]), [streamOf(calls)])
    const types = (output as readonly JsonObject[]).map(({ type }) => type)
    expect(types).toEqual(['message', 'shell_call', 'function_call', 'apply_patch_call'])
  })

  it.each([
    ['shell', '{"commands":"ls"}', 'shell_call'],
    ['shell', '{"commands":7}', 'function_call'],
    ['shell', '{"commands":["l', 'function_call'],
    ['local_shell', '{"command":"ls"}', 'local_shell_call'],
    ['apply_patch', '{"type":"update_file","path":"a"}', 'function_call'],
    ['apply_patch', '{"type":"rename","path":"a"}', 'function_call'],
    ['apply_patch', '{"type":"rename","path":"a","diff":"+b"}', 'function_call'],
    ['apply_patch', '{"path":"a","diff":"+b"}', 'function_call'],
    ['apply_patch', '{"type":"update_file","diff":"+b"}', 'function_call'],
    ['apply_patch', '{"type":"update_file","path":"","diff":"+b"}', 'function_call'],
    ['apply_patch', '{"type":"delete_file"}', 'function_call'],
    ['apply_patch', '{"type":"create_file","path":"a","diff":"+b"}', 'apply_patch_call'],
  ])('of %s with %s are items of type %s', (name, args, type) => {
    const { output } = collected(optionsFor(TOOLS), [streamOf([[name, args]])])
    expect((output as readonly JsonObject[])[1]).toMatchObject({ type })
  })

  it('without an id get one', () => {
    const call = called('apply_patch', '{"type":"delete_file","path":"a"}')
    const deltas = [{ ...call, callId: null } as Delta, FINISH]
    expect(run(toClientCalls(new Set(['apply_patch'])), deltas)).toMatchObject([
      { kind: 'hosted', item: { fields: { call_id: '' } } },
      { kind: 'finish' },
    ])
  })

  it('go back as function calls with the same arguments, for any of them', () => {
    const call = fc.constantFrom(...CALLS)
    check(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), (calls) => {
        const bytes = streamOf(calls.map(([name, args]) => [name, JSON.stringify(args)]))
        const { output } = collected(optionsFor(TOOLS), [bytes])
        const input = [{ role: 'user', content: 'Go.' }, ...(output as readonly JsonObject[])]
        const { body } = encodedFor('groq', 'm', { tools: TOOLS, input })
        const sent = body.messages.flatMap(({ tool_calls = [] }: Loose) => tool_calls)
        expect(sent.map((one: Loose) => [one.id, one.function.name, JSON.parse(one.function.arguments)])).toEqual(
          calls.map(([name, args], at) => [`call_${at}`, name, name === 'local_shell' ? { ...args, env: {} } : args]),
        )
      }),
      60,
    )
  })
})

describe('outputs of tools that the client runs', () => {
  const shown = [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }]
  const ran = (name: string, call: object, output: object, text: string) =>
    [name, { type: `${name}_call`, call_id: 'c', ...call }, { call_id: 'c', ...output }, text] as const
  // biome-ignore format: a row a case
  const cases = [
    ran('shell', { action: { commands: ['ls'] } }, { type: 'shell_call_output', output: shown }, JSON.stringify(shown)),
    ran('local_shell', { id: 'lsh_1', action: { type: 'exec', command: ['ls'], env: {} } },
      { type: 'local_shell_call_output', call_id: undefined, id: 'lsh_1', output: '{"stdout":"a"}' }, '{"stdout":"a"}'),
    ran('apply_patch', { operation: { type: 'delete_file', path: 'a' }, status: 'completed' },
      { type: 'apply_patch_call_output', status: 'failed', output: 'no such file' }, '{"status":"failed","output":"no such file"}'),
    ran('tool_search', { execution: 'client', arguments: { query: 'x' } }, { type: 'tool_search_output', execution: 'client', tools: [] }, '[]'),
  ]

  it.each(cases)('of %s are outputs of functions elsewhere, as a recorded mapping', (name, call, output, text) => {
    const input = [{ role: 'user', content: 'Go.' }, call, output]
    const { body, losses } = encodedFor('groq', 'm', { tools: TOOLS, input })
    expect(body.messages[1].tool_calls).toMatchObject([{ id: 'c', function: { name } }])
    expect(body.messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'c', content: text })
    expect(losses.filter((loss) => loss.startsWith('input'))).toEqual(
      [1, 2].map((at) => `input[${at}] mapped: sent as the call of a function, or as its output`),
    )
  })
})
