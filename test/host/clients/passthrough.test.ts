import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import type { Behaviour, ReceivedRequest } from '../../mock-upstreams/server.ts'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { json, KEY, lineOf, post, startGateway, whenDone } from '../test-server.ts'

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

/** A request in the form of Claude Code: three cache marks, edits of the context, deferred tools. */
const CLAUDE_CODE = {
  model: 'acme/claude-sonnet-5-5',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>Today</system-reminder>' },
        { type: 'text', text: 'Read the file.', cache_control: { type: 'ephemeral' } },
      ],
    },
  ],
  system: [
    { type: 'text', text: 'x-billing-header: cc_version=2.1.330' },
    { type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
  ],
  tools: [
    { name: 'Read', description: 'Reads a file.', input_schema: SCHEMA },
    { name: 'Cron', description: 'Plans.', input_schema: SCHEMA, defer_loading: true },
  ],
  metadata: { user_id: 'user_1' },
  max_tokens: 32_000,
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high', task_budget: { type: 'tokens', total: 100_000 } },
  stream: true,
}

/** A request in the form of Codex. */
const CODEX = {
  model: 'acme/gpt-6-sol',
  instructions: 'You are Codex.',
  input: [
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'namespace', name: 'clock', tools: [] }] },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Read the file.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I read.' }], phase: 'commentary' },
    { type: 'function_call', name: 'list', namespace: 'collaboration', arguments: '{}', call_id: 'call_1' },
    { type: 'function_call_output', call_id: 'call_1', output: 'none' },
  ],
  tools: [{ type: 'function', name: 'shell', description: 'Runs.', strict: false, parameters: SCHEMA }],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', context: 'all_turns' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199',
  text: { verbosity: 'low' },
  client_metadata: { 'x-codex-installation-id': '1' },
}

async function ask(
  wire: WireName,
  request: object,
  path: string,
  { headers = {}, entry = {} }: { readonly headers?: Readonly<Record<string, string>>; readonly entry?: object } = {},
) {
  const mock = WIRE_UPSTREAMS[wire]
  const behave: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': mock.contentType })
    response.end(mock.encodeTurn({ text: ['Hello'], calls: [] }))
  }
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const vendor = wire === 'openai-responses' ? 'openai' : 'anthropic'
  const acme = { vendor, base_url: upstream.url, key: 'upstream-key', ...entry }
  const { url, lines } = await startGateway({ vendors: { acme } })
  const answer = await post(url, request, { path, headers })
  expect(answer.status).toBe(200)
  const text = await answer.text()
  const received: ReceivedRequest = upstream.received[0] ?? expect.unreachable()
  return { answer, text, received, line: await lineOf(lines) }
}

const withModel = (request: object, model: string): string => JSON.stringify({ ...request, model })

describe('passthrough', () => {
  it('sends the request of Claude Code to Anthropic with another model and another key', async () => {
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'context-management-2025-06-27' }
    const { answer, text, received, line } = await ask('anthropic-messages', CLAUDE_CODE, '/api/v1/messages', {
      headers,
    })
    expect(text).toContain('Hello')
    expect(JSON.stringify(received.body)).toBe(withModel(CLAUDE_CODE, 'claude-sonnet-5-5'))
    expect(received.headers).toMatchObject({ 'x-api-key': 'upstream-key', ...headers })
    expect(JSON.stringify(received.headers)).not.toContain(KEY)
    expect(answer.headers.get('x-responses-losses')).toBeNull()
    expect(line).toMatchObject({ edits: ['model'] })
    expect(line).not.toHaveProperty('losses')
  })

  it('sends the request of Codex to OpenAI with another model and another key', async () => {
    const { answer, text, received, line } = await ask('openai-responses', CODEX, '/openai/v1/responses')
    expect(text).toContain('Hello')
    expect(JSON.stringify(received.body)).toBe(withModel(CODEX, 'gpt-6-sol'))
    expect(received.headers.authorization).toBe('Bearer upstream-key')
    expect(answer.headers.get('x-responses-losses')).toBeNull()
    expect(line).toMatchObject({ edits: ['model'] })
  })

  it('sends back what Codex received, with the reasoning of OpenAI', async () => {
    const mock = WIRE_UPSTREAMS['openai-responses']
    const upstream = await startMockUpstream((response) => {
      response.writeHead(200, { 'content-type': mock.contentType })
      response.end(mock.encodeTurn({ reasoning: { text: 'Hm', seal: 'raw-seal' }, text: ['Hello'], calls: [] }))
    })
    whenDone(upstream.close)
    const acme = { vendor: 'openai', base_url: upstream.url, key: 'upstream-key' }
    const { url } = await startGateway({ vendors: { acme } })
    const first = await json(await post(url, { ...CODEX, stream: false }, { path: '/openai/v1/responses' }))
    const input = [...CODEX.input, ...first.output, { role: 'user', content: 'Go on.' }]
    await (await post(url, { ...CODEX, input }, { path: '/openai/v1/responses' })).text()
    const items = upstream.received[1]?.body.input as readonly Readonly<Record<string, unknown>>[]
    expect(items).toHaveLength(input.length)
    expect(items.find(({ type }) => type === 'reasoning')).toMatchObject({ encrypted_content: 'raw-seal' })
  })

  it('leaves a request for a summary to the hub', async () => {
    const request = { model: CODEX.model, input: CODEX.input }
    const { received, line } = await ask('openai-responses', request, '/openai/v1/responses/compact')
    expect(received.body.input).toHaveLength(CODEX.input.length + 1)
    expect(line).not.toHaveProperty('edits')
  })

  it('is off if the configuration turns it off for a vendor', async () => {
    const entry = { passthrough: false }
    const { received, line } = await ask('anthropic-messages', CLAUDE_CODE, '/api/v1/messages', { entry })
    expect(line).not.toHaveProperty('edits')
    // The hub writes a text as a block, and keeps the members that it does not model.
    expect(JSON.stringify(received.body)).not.toBe(JSON.stringify({ ...CLAUDE_CODE, model: received.body.model }))
    expect(received.body.context_management).toEqual(CLAUDE_CODE.context_management)
  })
})
