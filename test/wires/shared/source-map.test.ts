import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { valueAt } from '../../../src/text/json-path.ts'
import { runSteps } from '../../../src/text/steps.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { createPathMap } from '../../../src/wires/shared/client/source-map.ts'
import { CLIENT_WIRES } from '../../cross-translate.ts'

/** Messages that each contain their own number, so that the items made of them can be recognised. */
const CHAT = [
  { role: 'system', content: 'no 0' },
  { role: 'user', content: 'no 1' },
  { role: 'assistant', content: 'no 2', tool_calls: [{ id: 'c', function: { name: 'f', arguments: { n: 'no 2' } } }] },
  { role: 'tool', tool_call_id: 'c', content: 'no 3' },
  { role: 'assistant', content: 'no 4' },
]

// biome-ignore format: a row a case
const TALKS: Partial<Record<WireName, JsonObject>> = {
  'openai-chat': { messages: CHAT },
  'ollama-chat': { messages: CHAT },
  'anthropic-messages': { max_tokens: 5,
    messages: [{ role: 'user', content: 'no 0' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'no 1', signature: 'x' }, { type: 'text', text: 'no 1' },
          { type: 'tool_use', id: 'c', name: 'f', input: { n: 'no 1' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'no 2' }, { type: 'text', text: 'no 2' }] },
      { role: 'assistant', content: 'no 3' }] },
  'gemini-interactions': { input: [{ type: 'text', text: 'no 0' },
      { type: 'thought', summary: [{ type: 'text', text: 'no 1' }] },
      { type: 'function_call', id: 'c', name: 'f', arguments: { n: 'no 2' } },
      { type: 'function_result', call_id: 'c', result: 'no 3' },
      { type: 'model_output', content: [{ type: 'text', text: 'no 4' }] },
      { type: 'user_input', content: [{ type: 'text', text: 'no 5' }] }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'no 0' }] },
      { role: 'model', parts: [{ text: 'no 1', thought: true }, { functionCall: { name: 'f', args: { n: 'no 1' } } },
          { text: 'no 1' }] }, { role: 'user',
        parts: [{ functionResponse: { name: 'f', response: { n: 'no 2' } } }, { text: 'no 2' }] },
      { role: 'model', parts: [{ text: 'no 3' }] }, { role: 'user', parts: [{ text: 'no 4' }] },
      { role: 'model', parts: [{ text: 'no 5' }] }] },
}

describe.each(CLIENT_WIRES)('the source map of a $name request', ({ name, client }) => {
  it('has for each item the path of the message from which it was made', () => {
    const body = { model: 'acme/x', ...TALKS[name] }
    const decoded = runSteps(client.decodeRequest(body, { model: 'acme/x', stream: null, seal: null }))
    if (!decoded.ok) return expect.unreachable(decoded.error.message)
    const items = decoded.body.input as readonly JsonObject[]
    const itemPaths = items.map((_, at) => decoded.toClientPath(`input[${at}]`) ?? '')
    expect(items.length).toBeGreaterThan(4)
    expect(itemPaths.every((place) => valueAt(body, place) !== undefined)).toBe(true)
    const messages = itemPaths.map((place) => /^\w+\[(\d)\]/.exec(place)?.[1])
    expect(items.map((item) => /no (\d)/.exec(JSON.stringify(item))?.[1])).toEqual(messages)
  })
})

/** A message with several parts. Clients of Ollama have one text; places of Interactions are those of its steps. */
const PARTS: Partial<Record<WireName, JsonObject>> = {
  'openai-chat': { messages: [{ role: 'user', content: [0, 1, 2].map((n) => ({ type: 'text', text: `no ${n}` })) }] },
  'anthropic-messages': {
    max_tokens: 9,
    messages: [{ role: 'user', content: [0, 1, 2].map((n) => ({ type: 'text', text: `no ${n}` })) }],
  },
  'gemini-generate': { contents: [{ role: 'user', parts: [0, 1, 2].map((n) => ({ text: `no ${n}` })) }] },
}

it.each(Object.entries(PARTS))('the parts of a %s request have paths of their own', (name, given) => {
  const { client } = CLIENT_WIRES.find((wire) => wire.name === name) ?? expect.unreachable(name)
  const body = { model: 'acme/x', ...given }
  const decoded = runSteps(client.decodeRequest(body, { model: 'acme/x', stream: null, seal: null }))
  if (!decoded.ok) return expect.unreachable(decoded.error.message)
  const paths = [0, 1, 2].map((at) => decoded.toClientPath(`input[0].content[${at}].text`) ?? '')
  expect(paths.map((place) => JSON.stringify(valueAt(body, place)))).toEqual(
    [0, 1, 2].map((n) => expect.stringContaining(`"no ${n}"`)),
  )
  expect(new Set(paths).size).toBe(3)
})

describe('a map of paths', () => {
  const toClientPath = createPathMap(
    { input: 'messages', 'text.format': 'format', 'tools[].parameters': 'tools[].schema' },
    {
      itemPaths: ['there[0]', 'there[2]', 'there[2].thought'],
      partPaths: [[], ['there[2].parts[1]']],
      toolPaths: ['tools[1]', 'elsewhere[7]'],
      fieldPaths: { user: 'account', 'user.name': 'account.called', 'tools[0].a': 'somewhere', absent: null },
    },
  )
  it.each([
    ['input', 'messages'],
    ['input[1]', 'there[2]'],
    ['input[1].content[0]', 'there[2].parts[1]'],
    ['input[1].output[0].text', 'there[2].parts[1]'],
    ['input[1].content[1]', 'there[2]'],
    ['input[1].content', 'there[2]'],
    ['input[2].call_id', 'there[2].thought'],
    ['input[9].content', 'messages'],
    ['user', 'account'],
    ['user.id', 'account.id'],
    ['user.name.first', 'account.called.first'],
    ['absent.all', null],
    ['text.format.name', 'format.name'],
    ['text.formatter', 'text.formatter'],
    ['model', 'model'],
    ['tools', 'tools'],
    ['tools[0]', 'tools[1]'],
    ['tools[0].a.b', 'somewhere.b'],
    ['tools[1].parameters.type', 'elsewhere[7].schema.type'],
    ['tools[9].name', 'tools[9].name'],
  ])("translates %s to the client's path %s", (path, found) => {
    expect(toClientPath(path)).toBe(found)
  })
})

const SCHEMA = { type: 'object' }
const declared = (name: string): JsonObject => ({ type: 'function', function: { name, parameters: SCHEMA } })

/** Tools, and for each the path at which its client finds it. */
// biome-ignore format: a row a case
const OFFERS: Partial<Record<WireName, readonly [tools: JsonObject, places: readonly string[]]>> = {
  'openai-chat': [{ functions: [{ name: 'old', parameters: SCHEMA }],
      tools: [{ type: 'file_search' }, declared('f'), { type: 'custom', custom: { name: 'c' } }], web_search_options: {} },
    ['tools[0]', 'tools[1].function', 'tools[2].custom', 'functions[0]', 'web_search_options']],
  'ollama-chat': [{ tools: [declared('f'), declared('g')] }, ['tools[0].function', 'tools[1].function']],
  'anthropic-messages': [{ tools: [{ type: 'mcp_toolset', mcp_server_name: 'gone' }, { name: 'f', input_schema: SCHEMA },
        { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['example.com'] }] }, ['tools[1]', 'tools[2]']],
  'gemini-interactions': [{ tools: [{ type: 'google_maps' }, { type: 'function', name: 'f' }, { type: 'google_search' }] },
    ['tools[1]', 'tools[2]']],
  'gemini-generate': [{ tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }], codeExecution: {}, googleMaps: {} },
        { google_search: {} }] }, ['tools[0].codeExecution', 'tools[0].functionDeclarations[0]',
      'tools[0].functionDeclarations[1]', 'tools[1].google_search']],
}

describe.each(CLIENT_WIRES)('the source map of the tools of a $name request', ({ name, client }) => {
  const [tools, places] = OFFERS[name] ?? [{}, []]

  it('has for each tool the path at which the client declared it', () => {
    const body = { model: 'acme/x', ...TALKS[name], ...tools }
    const decoded = runSteps(client.decodeRequest(body, { model: 'acme/x', stream: null, seal: null }))
    if (!decoded.ok) return expect.unreachable(decoded.error.message)
    const offered = decoded.body.tools as readonly JsonObject[]
    expect(offered.length).toBeGreaterThan(0)
    expect(offered.map((_, at) => decoded.toClientPath(`tools[${at}]`))).toEqual(places)
  })
})
