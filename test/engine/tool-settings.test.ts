import { describe, expect, it } from 'vitest'
import { encodedFor } from './encoded-call.ts'

const SCHEMA = { type: 'object', properties: {} }
const SETTINGS = { defer_loading: true, async: true, allowed_callers: ['direct', 'programmatic'] }
const find = { type: 'function', name: 'find', parameters: SCHEMA, ...SETTINGS, output_schema: SCHEMA }
const note = { type: 'custom', name: 'note', ...SETTINGS }
const crm = { type: 'namespace', name: 'crm', description: 'Customers', tools: [find, note] }
const search = { type: 'tool_search' }

describe('the settings of a tool', () => {
  it('reach an upstream of the Responses API, also in namespaces, with its search of tools', () => {
    const tools = [find, note, crm, search]
    const { body, losses } = encodedFor('openai', 'gpt-5.5', { tools })
    expect(body.tools).toEqual(tools)
    expect(losses).toEqual([])
  })

  it.each(['anthropic', 'google', 'bedrock', 'cohere', 'ollama', 'groq'])(
    'are losses for %s, which receives deferred tools at once',
    (vendor) => {
      const { body, losses } = encodedFor(vendor, 'claude-sonnet-4-5', { tools: [find, crm] })
      expect(JSON.stringify(body)).toContain('"find"')
      expect(JSON.stringify(body)).not.toMatch(/defer_loading|allowed_callers|output_schema|async/)
      const words = losses.map((loss) => loss.split(':')[0])
      for (const path of ['tools[0]', 'tools[1].tools[0]']) {
        expect(words).toContain(`${path}.defer_loading mapped`)
        for (const name of ['async', 'allowed_callers', 'output_schema'])
          expect(words).toContain(`${path}.${name} dropped`)
      }
    },
  )

  it('stay with a custom tool that an upstream of the Responses API receives as a function, and with its calls', () => {
    const call = { type: 'custom_tool_call', call_id: 'c1', name: 'note', input: 'x', async: true }
    const input = [call, { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' }]
    const { body } = encodedFor('xai', 'grok-5', { tools: [{ ...note, defer_loading: false }], input })
    const { defer_loading: _, ...kept } = SETTINGS
    expect(body.tools).toMatchObject([{ type: 'function', name: 'note', ...kept }])
    expect(body.input).toMatchObject([{ type: 'function_call', name: 'note', async: true }, {}])
  })

  it('with their defaults request nothing', () => {
    const plain = { ...find, defer_loading: false, async: false, allowed_callers: ['direct'], output_schema: null }
    expect(encodedFor('groq', 'm', { tools: [plain] }).losses).toEqual([])
  })
})
