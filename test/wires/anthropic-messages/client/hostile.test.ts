import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { messagesClient } from '../../../../src/wires/anthropic-messages/client/index.ts'
import { fieldsOr, jsonOf } from '../../../arbitraries/json.ts'
import { anyString, hostile } from '../../../arbitraries/strings.ts'
import { check, runsOf } from '../../../property.ts'
import { FOREIGN_ENVELOPE, HOME, sealForeign } from '../client-bodies.ts'

// biome-ignore format: one line, as they are read
const FIELDS = [
  'model', 'messages', 'role', 'content', 'type', 'text', 'source', 'media_type', 'data', 'url', 'file_id', 'title',
  'context', 'citations', 'enabled', 'cache_control', 'tool_use_id', 'is_error', 'id', 'name', 'input', 'thinking',
  'signature', 'server_name', 'system', 'tools', 'input_schema', 'tool_choice', 'budget_tokens', 'output_config',
  'effort', 'format', 'schema', 'metadata', 'user_id', 'stop_sequences', 'max_tokens', 'temperature', 'stream',
] as const
const WORDS = [
  'user',
  'assistant',
  'text',
  'image',
  'base64',
  'tool_use',
  'tool_result',
  'enabled',
  'web_search_20250305',
]

const anyJson = jsonOf(FIELDS, WORDS)
const anyFields = fieldsOr(anyJson)

/** Valid objects in which a field is wrong now and then, so that some requests are accepted. */
const fields: typeof anyFields = (model) =>
  fc.oneof(
    { weight: 40, arbitrary: fc.record(model, { noNullPrototype: true }) },
    { weight: 1, arbitrary: anyFields(model) },
  )

const id = fc.constantFrom('toolu_1', 'srvtoolu_1', 'srvtoolu_mr_ws_1')
const source = fields({
  type: fc.constantFrom('base64', 'url', 'url'),
  media_type: fc.constantFrom('image/png', 'application/pdf'),
  data: anyString,
  url: fc.constant('https://a.example/1'),
  file_id: fc.constant('file_1'),
  content: fc.array(fields({ type: fc.constant('text'), text: hostile }), { maxLength: 2 }),
})
const block = fields({
  type: fc.constantFrom(
    'text',
    'text',
    'image',
    'document',
    'search_result',
    'tool_use',
    'tool_result',
    'thinking',
    'redacted_thinking',
    'server_tool_use',
    'mcp_tool_use',
    'web_search_tool_result',
    'compaction',
  ),
  text: hostile,
  source,
  title: hostile,
  content: fc.oneof(hostile, fc.array(fields({ type: fc.constant('text'), text: hostile }), { maxLength: 2 })),
  id,
  tool_use_id: id,
  name: fc.constantFrom('f', 'web_search', 'code_execution', 'toString'),
  input: fc.dictionary(fc.constantFrom('query', '__proto__'), hostile, { maxKeys: 2, noNullPrototype: true }),
  thinking: hostile,
  signature: fc.constantFrom('', 'c2ln', 'unsigned', sealForeign(1)),
  data: fc.constantFrom('x', sealForeign(1)),
  is_error: fc.boolean(),
})
const message = fields({
  role: fc.constantFrom('user', 'assistant', 'assistant', 'system'),
  content: fc.oneof(hostile, fc.array(block, { maxLength: 4 })),
})
const tool = fields({
  type: fc.constantFrom('custom', 'custom', 'web_search_20250305', 'code_execution_20250825', 'bash_20250124'),
  name: fc.constantFrom('f', 'g', 'web_search', 'bash'),
  description: hostile,
  input_schema: fc.constant({ type: 'object' }),
  strict: fc.boolean(),
})
const request = fields({
  model: fc.constant('acme/claude-x'),
  messages: fc.array(message, { minLength: 1, maxLength: 4 }),
  system: fc.oneof(hostile, fc.array(fields({ type: fc.constant('text'), text: hostile }), { maxLength: 2 })),
  max_tokens: fc.constantFrom(1, 4096),
  temperature: fc.constantFrom(0, 1),
  top_p: fc.constantFrom(0, 1),
  thinking: fields({ type: fc.constantFrom('enabled', 'adaptive', 'disabled'), budget_tokens: fc.constant(1024) }),
  output_config: fields({
    effort: fc.constantFrom('low', 'max'),
    format: fields({ type: fc.constant('json_schema'), schema: fc.constant({}) }),
  }),
  tools: fc.array(tool, { maxLength: 2 }),
  tool_choice: fields({
    type: fc.constantFrom('auto', 'any', 'none', 'none', 'auto', 'tool'),
    name: fc.constantFrom('f', 'bash'),
  }),
  stop_sequences: fc.array(anyString, { maxLength: 2 }),
  metadata: fields({ user_id: hostile }),
  stream: fc.boolean(),
})

/** A copy as it arrives over a wire: values without a form in JSON are gone, and odd keys are keys. */
const asSent = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

describe('a hostile request of an Anthropic client', () => {
  it('never throws and is either rejected with status 400 or decoded to a valid request', () => {
    let taken = 0
    check(
      fc.property(request, fc.boolean(), (body, home) => {
        const result = runSteps(messagesClient.decodeRequest(asSent(body), home ? HOME : FOREIGN_ENVELOPE))
        if (!result.ok) {
          expect(result.error).toMatchObject({ party: 'client', status: 400 })
          return
        }
        taken += 1
        const validated = validateRequest(result.body)
        // Two tools of one name, and fields of a server tool, are checked by the validation of all requests.
        if (!validated.ok) expect(validated.error.param).toMatch(/^tool/)
      }),
      2000,
    )
    expect(taken).toBeGreaterThan(runsOf(2000) / 20)
  })

  it('never throws if it is any JSON value', () => {
    check(
      fc.property(anyJson, (body) => {
        runSteps(messagesClient.decodeRequest(asSent({ value: body }), HOME))
        const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : { messages: body }
        runSteps(messagesClient.decodeRequest(asSent(fields), FOREIGN_ENVELOPE))
      }),
      2000,
    )
  })

  it('never throws if it is nested 20,000 levels deep', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)
    for (const content of [
      [{ type: 'tool_use', id: 'a', name: 'f', input: deep }],
      [{ type: 'server_tool_use', id: 'a', name: 'web_search', input: deep }],
    ]) {
      const body = { model: 'a/b', messages: [{ role: 'assistant', content }] } as JsonObject
      expect(() => runSteps(messagesClient.decodeRequest(body, HOME))).not.toThrow()
    }
  })
})
