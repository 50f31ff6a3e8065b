import { describe, expect, it } from 'vitest'
import { encodeFrom, protocolOf, routeTo } from './encode-from.ts'
import { encodedFor } from './encoded-call.ts'

/** Places that losses name: those of the client's body, also where entries before them were removed or moved. */

const user = (content: string) => ({ role: 'user', content })
const system = (content: string) => ({ role: 'system', content })
const REASONING = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'r' }] }

const placesOf = (losses: readonly string[]): readonly string[] =>
  losses.map((loss) => loss.replace(/:.*/, '')).toSorted()

const SCHEMA = { type: 'object', properties: {}, required: [], additionalProperties: false }

const MODES = [
  ['passed', true],
  ['translated', false],
] as const

describe.each(MODES)('the body of a Responses client that is %s', (_, passthrough) => {
  const toQwen = (input: readonly object[]) =>
    encodedFor('openai', 'qwen3-8b', { input, store: false }, { passthrough })

  it('has the places of late system messages behind removed reasoning', () => {
    const { body, losses } = toQwen([user('a'), REASONING, user('b'), system('late')])
    expect(body.input.map(({ role }: { role: string }) => role)).toEqual(['user', 'user', 'user'])
    expect(placesOf(losses)).toEqual(['input[1] dropped', 'input[3] mapped'])
  })

  it('has them behind system messages that became instructions, too', () => {
    const { body, losses } = toQwen([system('early'), REASONING, user('a'), REASONING, system('late'), user('b')])
    expect(body.instructions).toBe('early')
    expect(placesOf(losses)).toEqual(['input[1] dropped', 'input[3] dropped', 'input[4] mapped'])
  })
})

const PHASE = { type: 'message', role: 'assistant', phase: 'commentary', content: 'q' }

describe.each(MODES)('a member that the upstream refuses in a body that is %s', (_, passthrough) => {
  const quirks = {
    ...routeTo('openai', 'm').quirks,
    refusesMembers: ['input.*.phase', 'tools.*.strict', 'input.*.content.*.mystery'],
  }
  const refused = (model: string, input: readonly object[], more: object = {}) =>
    encodedFor('openai', model, { input, store: false, ...more }, { passthrough, quirks })

  it('has its place behind removed reasoning', () => {
    const { body, losses } = refused('gpt-5', [REASONING, user('a'), PHASE, user('b')])
    expect(JSON.stringify(body)).not.toContain('phase')
    expect(placesOf(losses)).toEqual(['input[0] dropped', 'input[2].phase dropped'])
  })

  it('has its place behind a system message that became instructions, also without a list inside', () => {
    const { body, losses } = refused('qwen3-8b', [system('early'), user('a'), { ...PHASE, id: 'msg_1' }, user('b')])
    expect(JSON.stringify(body)).not.toContain('phase')
    expect(placesOf(losses)).toEqual(['input[2].phase dropped'])
  })

  it('has the place of an entry with members that the hub does not read', () => {
    const part = { type: 'input_text', text: 'a', mystery: 1 }
    const input = [REASONING, { role: 'user', content: [part], own: 2 }, { ...PHASE, own: 3 }, user('b')]
    const { body, losses } = refused('gpt-5', input)
    expect(JSON.stringify(body)).not.toMatch(/phase|mystery/)
    expect(placesOf(losses)).toEqual([
      'input[0] dropped',
      'input[1].content[0].mystery dropped',
      'input[2].phase dropped',
    ])
  })

  it('has the name and the place of a tool', () => {
    const tools = ['f', 'g'].map((name) => ({
      type: 'function',
      name,
      strict: name === 'g' ? true : undefined,
      parameters: SCHEMA,
    }))
    const { losses } = refused('gpt-5', [user('a')], { tools })
    expect(placesOf(losses)).toContain('tools[1].strict dropped')
  })
})

describe('a member that an upstream of another protocol refuses', () => {
  const CALL = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const OUTPUT = { type: 'function_call_output', call_id: 'c', output: 'x' }
  const TOOLS = [{ type: 'function', name: 'f', strict: true, parameters: SCHEMA }]
  const refusing = (vendor: string, refusesMembers: readonly string[], body: object) =>
    encodedFor(vendor, 'm', body, { quirks: { ...routeTo(vendor, 'm').quirks, refusesMembers } })
  const input = [system('s'), user('a'), CALL, OUTPUT]

  it.each([
    ['mistral', 'messages.*.tool_call_id', 'input[3].call_id'],
    ['mistral', 'messages.*.tool_calls.*.function.arguments', 'input[2].arguments'],
    ['mistral', 'tools.*.function.strict', 'tools[0].strict'],
    ['anthropic', 'messages.*.content.*.tool_use_id', 'input[3].call_id'],
    ['anthropic', 'tools.*.input_schema.required', 'tools[0].parameters.required'],
  ])('has the place in the body of a Responses client of %s: %s', (vendor, path, place) => {
    const { losses } = refusing(vendor, [path], { input, tools: TOOLS })
    expect(placesOf(losses)).toEqual([`${place} dropped`])
  })

  it.each([
    ['system.*.cache_control', 'system[0].cache_control'],
    ['messages.*.own', 'messages[0].own'],
  ])('has the place in the body of a client of its own protocol, also without a record: %s', (path, place) => {
    const route = routeTo('anthropic', 'm', { quirks: { refusesMembers: [path] }, passthrough: false })
    const cache_control = { type: 'ephemeral' }
    const body = {
      model: 'acme/m',
      max_tokens: 9,
      system: [{ type: 'text', text: 's', cache_control }],
      messages: [{ ...user('a'), own: 1 }],
    }
    const encoded = encodeFrom(body, protocolOf('anthropic-messages', route), route)
    if (!encoded.ok) return expect.unreachable(encoded.error.message)
    expect(encoded.value.losses.map((loss) => loss.path)).toContain(place)
  })

  it.each([
    ['anthropic', 'messages.*.content.*.cache_control', 'input[0].content[0].prompt_cache_breakpoint'],
    ['google', 'generationConfig.thinkingConfig', 'reasoning.effort'],
  ])('has the name and the place that %s has them under for a Responses client: %s', (vendor, path, place) => {
    const part = { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }
    const { losses } = refusing(vendor, [path], {
      input: [{ role: 'user', content: [part] }],
      reasoning: { effort: 'low' },
    })
    expect(placesOf(losses)).toContain(`${place} dropped`)
  })

  it('has its name alone, once, if the client has not sent it', () => {
    const { losses } = refusing('anthropic', ['messages.*.content.*.cache_control', 'system.*.cache_control'], {
      input,
    })
    expect(losses).toEqual(['cache_control dropped: this model refuses it'])
  })

  it('has the place in the body of a Chat Completions client', () => {
    const route = routeTo('anthropic', 'm', { quirks: { refusesMembers: ['messages.*.content.*.tool_use_id'] } })
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      system('s'),
      user('a'),
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ]
    const encoded = encodeFrom({ model: 'acme/m', messages }, protocolOf('openai-chat', route), route)
    if (!encoded.ok) return expect.unreachable(encoded.error.message)
    expect(encoded.value.losses.map(({ path }) => path)).toContain('messages[3].tool_call_id')
  })
})
