import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { isObject } from '../../../../src/text/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { openaiChatClient as client } from '../../../../src/wires/openai-chat/client/index.ts'
import { corruptedValues } from '../../../arbitraries/corrupt-values.ts'
import { jsonOf } from '../../../arbitraries/json.ts'
import { check, runsOf } from '../../../property.ts'
import { decodeContext, HOME } from '../../deltas.ts'

// biome-ignore format: one line, as they are read
const FIELDS = [
  'role', 'content', 'type', 'text', 'url', 'data', 'format', 'id', 'function', 'name', 'arguments', 'custom', 'input', 'index',
  'image_url', 'file', 'tool_calls', 'reasoning_details', 'effort', 'mode', 'tools', 'json_schema', 'schema', 'toString',
] as const
const WORDS = ['user', 'assistant', 'text', 'custom', 'json_schema', 'web', 'web_search', 'mr1.x']
const anyJson = jsonOf(FIELDS, WORDS)

const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, required: (keyof T)[]) =>
  fc.record(model, { requiredKeys: required, noNullPrototype: true })

const PARAMETERS = { type: 'object', properties: { a: { type: 'string' } } }
const FUNCTION = { name: 'f', description: 'It looks.', parameters: PARAMETERS, strict: true }

const detail = some(
  {
    type: fc.constantFrom('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
    index: fc.nat({ max: 2 }),
    id: fc.constantFrom('rs_1', 'rs_2', null),
    text: fc.constantFrom('hm', ''),
    summary: fc.constantFrom('so', ''),
    signature: fc.constantFrom('s', '', null),
    data: fc.constantFrom('d', 'mr1.x', null),
  },
  ['type'],
)

const part = fc.constantFrom(
  { type: 'text', text: 'a' },
  { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
  { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
  { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
)

const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content: fc.array(part, { maxLength: 2 }) }),
  some(
    {
      role: fc.constant('assistant'),
      content: fc.constantFrom('Yes.', null, [
        { type: 'text', text: 'a' },
        { type: 'refusal', refusal: 'no' },
      ]),
      refusal: fc.constant('No.'),
      reasoning_details: fc.array(detail, { maxLength: 4 }),
      reasoning_content: fc.constant('hm'),
      tool_calls: fc.constant([
        { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'c2', type: 'custom', custom: { name: 'g', input: 'x' } },
      ]),
      function_call: fc.constant({ name: 'f', arguments: '{}' }),
    },
    ['role'],
  ),
  fc.record({ role: fc.constant('tool'), tool_call_id: fc.constantFrom('c1', 'c2'), content: fc.constant('7') }),
)

const request = some(
  {
    model: fc.constant('acme/m-1'),
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    tools: fc.constant([
      { type: 'function', function: FUNCTION },
      {
        type: 'custom',
        custom: { name: 'g', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
      },
      { type: 'web_search' },
    ]),
    tool_choice: fc.constantFrom('auto', 'any', null),
    functions: fc.constant([FUNCTION]),
    function_call: fc.constantFrom('auto', { name: 'f' }),
    max_tokens: fc.constantFrom(1, 100),
    stop: fc.constantFrom('a', ['a', 'b']),
    response_format: fc.constantFrom(
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
    ),
    reasoning: fc.constantFrom({ effort: 'low' }, { max_tokens: 5000 }, { enabled: true, summary: 'auto' }),
    reasoning_effort: fc.constant('high'),
    thinking: fc.constant({ type: 'enabled' }),
    verbosity: fc.constant('low'),
    plugins: fc.constant([{ id: 'web', max_results: 3 }]),
    web_search_options: fc.constant({ user_location: { type: 'approximate', approximate: { city: 'Bern' } } }),
    stream_options: fc.constant({ include_usage: true }),
    logprobs: fc.boolean(),
  },
  ['model', 'messages'],
)

/** Paths of the Responses API that a chat request names otherwise; chat clients would not recognise them. */
const FOREIGN =
  /^(?:input|text|max_output_tokens|include|reasoning\.|tools\[\d+\]\.(?:name|parameters|description|strict)|tool_choice\.name)/

it('decodes any chat request without throwing, to a valid request or an error with a path of the chat API', () => {
  const count = { taken: 0, right: 0 }
  check(
    fc.property(fc.oneof(corruptedValues(request, anyJson), anyJson.filter(isObject)), fc.boolean(), (given, home) => {
      const decoded = runSteps(client.decodeRequest(given as JsonObject, decodeContext(home ? HOME : null)))
      if (decoded.ok) {
        count.taken += 1
        const validated = validateRequest(decoded.body)
        if (validated.ok) count.right += 1
        else expect(validated.error.param).not.toMatch(FOREIGN)
      } else {
        expect(decoded.error).toMatchObject({ party: 'client', status: 400 })
        expect(decoded.error.message).toContain(`${decoded.error.param}: `)
      }
    }),
    3000,
  )
  expect(count.taken).toBeGreaterThan(runsOf(3000) / 6)
  expect(count.right).toBeGreaterThan(count.taken * 0.9)
})
