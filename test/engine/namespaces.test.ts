import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { flatName } from '../../src/validation/namespaces.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { check } from '../property.ts'
import { callOf, encodedFor, routedTo } from './encoded-call.ts'
import { collected, optionsOf, toBytes } from './run-engine.ts'

const SCHEMA = { type: 'object', properties: { q: { type: 'string' } } }
const find = { type: 'function', name: 'find', description: 'Finds.', parameters: SCHEMA, strict: false }
const note = { type: 'custom', name: 'note', description: 'Notes.' }
const crm = { type: 'namespace', name: 'crm', description: 'Customers', tools: [find, note] }
const shop = {
  type: 'namespace',
  name: 'shop',
  description: 'Orders',
  tools: [{ ...find, description: 'Finds orders.' }],
}
const look = { type: 'function', name: 'look', parameters: SCHEMA }

const HISTORY = [
  { type: 'function_call', call_id: 'c1', name: 'find', namespace: 'crm', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c1', output: 'Ann' },
  { type: 'custom_tool_call', call_id: 'c2', name: 'note', namespace: 'crm', input: 'x' },
  { type: 'custom_tool_call_output', call_id: 'c2', output: 'ok' },
]

describe('tools in namespaces', () => {
  it('reach a vendor with the quirk namespaces as the client sent them', () => {
    const { body, losses } = encodedFor('openai', 'gpt-5.5', { tools: [crm, look, shop], input: HISTORY })
    expect(body.tools).toEqual([crm, look, shop])
    expect(body.input).toEqual(HISTORY)
    expect(losses).toEqual([])
  })

  it('are passed through to such a vendor', () => {
    const input = [{ role: 'user', content: 'Hi' }, ...HISTORY]
    const { edits, body } = callOf('openai', 'gpt-5.5', { tools: [crm], input }, { passthrough: true })
    expect(edits).not.toBeNull()
    expect(body.tools).toEqual([crm])
    const azure = callOf('azure', 'gpt-5.5', { input, include: [] }, { passthrough: true })
    expect(azure.edits).toBeNull()
  })

  it('have joined names at every other vendor', () => {
    for (const vendor of ['azure', 'xai', 'groq']) {
      const { body } = encodedFor(vendor, 'm', { tools: [crm], input: HISTORY.slice(0, 2) })
      expect(JSON.stringify(body)).toContain('"crm__find"')
      expect(JSON.stringify(body)).not.toContain('"namespace"')
    }
  })

  it.each([
    [
      { type: 'function', name: 'find', namespace: 'shop' },
      { type: 'function', name: 'find', namespace: 'shop' },
    ],
    [
      { type: 'custom', name: 'note' },
      { type: 'custom', name: 'note' },
    ],
    [
      { type: 'function', name: 'look' },
      { type: 'function', name: 'look' },
    ],
  ])('may be forced: %j', (tool_choice, sent) => {
    expect(encodedFor('openai', 'gpt-5.5', { tools: [crm, look, shop], tool_choice }).body.tool_choice).toEqual(sent)
  })

  it('may be narrowed to some of a namespace', () => {
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'note' }] }
    const { body } = encodedFor('openai', 'gpt-5.5', { tools: [crm, look], tool_choice })
    expect(body.tools).toEqual([{ ...crm, tools: [note] }])
    expect(body.tool_choice).toBe('required')
  })

  it('have calls with both names, from an upstream with namespaces and from one without', () => {
    const { client } = routedTo('openai', 'gpt-5.5', { tools: [crm, shop] })
    const names = client.request.names
    const answer = (item: object) => {
      const events = [{ type: 'response.completed', response: { status: 'completed', output: [item] } }]
      const bytes = toBytes(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
      const options = optionsOf(DIALECTS.openai, {}, 'x', WIRES['openai-responses'])
      return collected({ ...options, head: { ...options.head, names } }, [bytes]).output
    }
    const call = { type: 'function_call', call_id: 'c', arguments: '{}' }
    const expected = [{ ...call, name: 'find', namespace: 'shop' }]
    expect(answer({ ...call, name: 'find', namespace: 'shop' })).toMatchObject(expected)
    expect(answer({ ...call, name: 'shop__find' })).toMatchObject(expected)
  })

  it('are not what OpenAI names as the namespace of a tool that has none', () => {
    const input = [
      { type: 'function_call', call_id: 'c1', name: 'look', namespace: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
      { type: 'function_call', call_id: 'c2', name: 'find', namespace: 'find', arguments: '{}' },
      { type: 'function_call_output', name: 'find', namespace: 'find', output: 'ok' },
    ]
    const tools = [look, { ...crm, name: 'find', tools: [find] }]
    expect(encodedFor('openai', 'gpt-5.5', { tools, input }).body.input.slice(0, 3)).toEqual(input.slice(0, 3))
    for (const vendor of ['azure', 'groq', 'anthropic']) {
      const { body } = encodedFor(vendor, 'm', { tools, input })
      const text = JSON.stringify(body.input ?? body.messages)
      expect(text).toContain('"name":"look"')
      expect(text).toContain('"name":"find__find"')
      expect(text).not.toContain('look__look')
    }
  })

  it('of any names reach such a vendor unchanged, and others under the names of their calls', () => {
    const name = fc.stringMatching(/^[a-z]{1,3}$/)
    const given = fc.uniqueArray(fc.tuple(name, name), { maxLength: 6, selector: ([a, b]) => flatName(a, b) })
    check(
      fc.property(given, (pairs) => {
        const spaces = [...new Set(pairs.map(([space]) => space))]
        const tools = spaces.map((space) => ({
          type: 'namespace',
          name: space,
          description: `About ${space}.`,
          tools: pairs.filter(([one]) => one === space).map(([, own]) => ({ ...find, name: own })),
        }))
        const input = pairs.flatMap(([namespace, own], at) => [
          { ...HISTORY[0], call_id: `c${at}`, name: own, namespace },
          { type: 'function_call_output', call_id: `c${at}`, output: 'ok' },
        ])
        const own = encodedFor('openai', 'gpt-5.5', { tools, input }).body
        expect([own.tools ?? [], own.input]).toEqual([tools, input])
        const joined = encodedFor('azure', 'gpt-5.5', { tools, input }).body
        const offered = new Set((joined.tools ?? []).map((tool: { name: string }) => tool.name))
        for (const item of joined.input) expect(item.type !== 'function_call' || offered.has(item.name)).toBe(true)
      }),
    )
  })
})
