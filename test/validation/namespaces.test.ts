import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toEcho } from '../../src/responses/echo.ts'
import { flatName, toParameterName, toToolName } from '../../src/validation/namespaces.ts'
import { validateRequest } from '../../src/validation/request.ts'
import { check } from '../property.ts'
import { requestOf } from '../request-bodies.ts'

const find = { type: 'function', name: 'find', description: 'Finds', parameters: { type: 'object' }, strict: false }
const note = { type: 'custom', name: 'note', description: null, format: null }
const crm = { type: 'namespace', name: 'crm', description: 'Customers', tools: [find, note] }
const shop = { type: 'namespace', name: 'mcp__shop__', tools: [find, { ...find, name: 'sell', description: null }] }
const plain = { type: 'function', name: 'find_all' }

describe('tools in namespaces', () => {
  it('are sent under one flat name each, with the description of their namespace', () => {
    const { tools, names } = requestOf({ tools: [plain, crm, shop] })
    expect(tools.map(({ name }) => name)).toEqual([
      'find_all',
      'crm__find',
      'crm__note',
      'mcp__shop__find',
      'mcp__shop__sell',
    ])
    expect(tools[1]).toEqual({ ...find, name: 'crm__find', description: 'Customers\n\nFinds' })
    expect(tools[4]).toMatchObject({ description: null })
    expect(names).toEqual({
      crm__find: { namespace: 'crm', name: 'find' },
      crm__note: { namespace: 'crm', name: 'note' },
      mcp__shop__find: { namespace: 'mcp__shop__', name: 'find' },
      mcp__shop__sell: { namespace: 'mcp__shop__', name: 'sell' },
    })
  })

  it('are echoed as the request contains them', () => {
    const { tools, tool_choice } = toEcho(
      requestOf({ tools: [crm], tool_choice: { type: 'function', name: 'find', namespace: 'crm' } }),
    )
    expect(tools).toEqual([{ ...crm, tools: [find, { type: 'custom', name: 'note' }] }])
    expect(tool_choice).toEqual({ type: 'function', name: 'find', namespace: 'crm' })
  })

  it('have the same flat name in the history, even if they are no longer offered', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'find', namespace: 'crm', arguments: '{}' }
    const custom = { type: 'custom_tool_call', call_id: 'd', name: 'note', namespace: 'crm', input: 'x' }
    const { input } = requestOf({ input: [call, custom, { ...call, namespace: null }] })
    expect(input).toMatchObject([{ name: 'crm__find' }, { name: 'crm__note' }, { name: 'find' }])
  })

  const choose = (name: string, more = {}) => ({
    tools: [plain, crm, shop],
    tool_choice: { type: 'function', name, ...more },
  })

  it('are chosen by namespace and name, by flat name, or by a unique name', () => {
    expect(requestOf(choose('find', { namespace: 'crm' })).tool_choice).toMatchObject({ name: 'crm__find' })
    expect(requestOf(choose('crm__find')).tool_choice).toMatchObject({ name: 'crm__find' })
    expect(requestOf(choose('sell')).tool_choice).toMatchObject({ name: 'mcp__shop__sell' })
    expect(requestOf(choose('find_all')).tool_choice).toMatchObject({ name: 'find_all' })
    for (const bad of [choose('find'), choose('sell', { namespace: 'crm' })]) {
      expect(validateRequest({ model: 'm', input: 'a', ...bad })).toMatchObject({
        error: { param: 'tool_choice.name' },
      })
    }
  })

  it('are allowed one by one or as a whole namespace', () => {
    const allowed = (...tools: object[]) =>
      requestOf({ tools: [plain, crm, shop], tool_choice: { type: 'allowed_tools', tools } }).tools.map(
        ({ name }) => name,
      )
    expect(allowed({ type: 'namespace', name: 'crm' })).toEqual(['crm__find', 'crm__note'])
    expect(allowed({ type: 'function', name: 'sell' })).toEqual(['mcp__shop__sell'])
    expect(allowed({ type: 'function', name: 'crm__find' }, { type: 'function', name: 'find_all' })).toEqual([
      'find_all',
      'crm__find',
    ])
  })

  it('are rejected if two flat names are equal', () => {
    const clash = [crm, { type: 'function', name: 'crm__find' }]
    expect(validateRequest({ model: 'm', input: 'a', tools: clash })).toMatchObject({
      error: {
        param: 'tools[0].tools[0].name',
        message: 'tools[0].tools[0].name: expected a unique name, got "crm__find" a second time',
      },
    })
    expect(validateRequest({ model: 'm', input: 'a', tools: [crm, crm] }).ok).toBe(false)
  })

  it.each([
    [{ type: 'namespace', name: 'x' }, 'tools[0].tools'],
    [{ type: 'namespace', tools: [] }, 'tools[0].name'],
    [{ type: 'namespace', name: 'x', tools: [{ type: 'web_search' }] }, 'tools[0].tools[0].type'],
    [{ type: 'namespace', name: 'x', tools: [{ type: 'function' }] }, 'tools[0].tools[0].name'],
  ])('are rejected with a path if the namespace is invalid: %j', (tool, place) => {
    expect(validateRequest({ model: 'm', input: 'a', tools: [tool] })).toMatchObject({ error: { param: place } })
  })
})

describe('the flat name of a tool', () => {
  it('is a valid, stable name, and different for different tools', () => {
    const name = fc.oneof(fc.string({ minLength: 1, maxLength: 80 }), fc.stringMatching(/^[a-z_]{1,70}$/))
    check(
      fc.property(name, name, name, (namespace, first, second) => {
        const word = flatName(namespace, first)
        expect(word).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(flatName(namespace, first)).toBe(word)
        if (first !== second) expect(flatName(namespace, second)).not.toBe(word)
      }),
      3000,
    )
  })

  it('keeps the readable parts of namespace and name', () => {
    expect(flatName('crm', 'find')).toBe('crm__find')
    expect(flatName('mcp__shop__', 'sell')).toBe('mcp__shop__sell')
    expect(flatName('a.b', 'c')).toMatch(/^a_b__c_[0-9a-f]{8}$/)
    expect(flatName('x'.repeat(70), 'c')).toHaveLength(64)
  })
})

it('a name that is too long keeps its beginning, and ends in a digest', () => {
  const name = `first_${'x'.repeat(150)}`
  const short = /^first_x{49}_[0-9a-f]{8}$/
  expect(toParameterName(name)).toMatch(short)
  expect(toToolName(name, 'short')).toMatch(short)
  expect(toToolName(name, 'long')).toMatch(/^first_x{113}_[0-9a-f]{8}$/)
  expect(flatName('first', name)).toMatch(/^first__first_x{42}_[0-9a-f]{8}$/)
  for (const changed of [toParameterName, (text: string) => toToolName(text, 'short')])
    expect(changed(`${name}y`)).not.toBe(changed(name))
})
