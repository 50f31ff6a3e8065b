import { describe, expect, it } from 'vitest'
import { readRefusal } from '../../../src/engine/rules/read-refusal.ts'
import type { Taught } from '../../../src/engine/rules/refusal.ts'
import type { EffortStep } from '../../../src/models/facts.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { readError } from '../../../src/wires/shared/upstream/answers/read-error.ts'
import { INVENTED, type VendorRefusal } from './vendor-refusals.ts'

const FUNCTION = {
  name: 'f',
  strict: true,
  parameters: { type: 'object', properties: { name: {}, strict: {}, status: {} } },
}

const BODY: JsonObject = {
  messages: [
    {
      role: 'assistant',
      name: 'ann',
      content: [{ type: 'tool_use', name: 'f', input: { status: 1 }, cache_control: {} }],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
  ],
  input: [{ type: 'function_call', name: 'f', status: 'completed', phase: 'final_answer' }],
  tools: [{ name: 'f', strict: true, input_schema: { properties: { strict: {} } }, function: FUNCTION }],
  tool_choice: { type: 'function', name: 'f', strict: true },
  tool_config: { mode: 'any' },
  system_instruction: { parts: [] },
  cachedContent: 'c',
  cached_content: 'c',
  documents: [],
  guardrailConfig: {},
  safetySettings: [],
  safety_settings: [],
  previousResponseId: 'r',
  previous_response_id: 'r',
  conversation: 'c',
  generationConfig: { topK: 1, maxOutputTokens: 9, responseMimeType: 'application/json' },
  text: { verbosity: 'low', format: { type: 'json_object' } },
  temperature: 99,
  user: 'u',
  metadata: { secret_key: 'v', user_id: 'u' },
  prompt_cache_key: 'k',
}

const read = (text: string, body = BODY) => readRefusal({ text, param: null, body })
const model = (taught: Taught) => [{ scope: 'model', ...taught }]
const once = (...members: readonly string[]) => [{ scope: 'request', quirks: { refusesMembers: members } }]
const extra = (path: string) => read(`${path}: Extra inputs are not permitted`)

describe('a refusal', () => {
  it.each([
    'tools.0.function.name',
    'tools.0.name',
    'input.0.name',
    'messages.0.tool_calls.0.function.name',
    'messages.0.content.0.name',
    'messages.0.content.0.input.status',
    'tool_choice.name',
    'tool_choice.strict',
    'tools.0.function.parameters.properties.name',
    'tools.0.function.parameters.properties.strict',
    'tools.0.input_schema.properties.strict',
  ])('of `%s` removes nothing', (path) => {
    expect(extra(path)).toEqual([])
    expect(read(`Unknown parameter: '${path}'.`)).toEqual([])
  })

  it.each([
    ['messages.0.name', 'messages.*.name'],
    ['messages.0.content.0.cache_control', 'messages.*.content.*.cache_control'],
    ['tools.0.function.strict', 'tools.*.function.strict'],
    ['input.0.phase', 'input.*.phase'],
    ['text.verbosity', 'text.verbosity'],
    ['generationConfig.topK', 'generationConfig.topK'],
    ['metadata.user_id', 'metadata.user_id'],
    ['temperature', 'temperature'],
  ])('of `%s` removes it', (path, removed) => {
    expect(read(`Unknown parameter: '${path}'.`)).toEqual(model({ quirks: { refusesMembers: [removed] } }))
  })

  it.each([
    ...['system_instruction', 'tool_config', 'cachedContent', 'cached_content', 'documents', 'guardrailConfig'],
    ...['safetySettings', 'safety_settings', 'previousResponseId', 'previous_response_id', 'conversation'],
    ...['generationConfig', 'generationConfig.maxOutputTokens', 'generation_config.max_output_tokens', 'text'],
    ...['text.format', 'generationConfig.responseMimeType'],
  ])('of `%s`, without which the request is another one, removes nothing', (path) => {
    expect(read(`Unknown parameter: '${path}'.`)).toEqual([])
  })

  it.each([
    ['response_format', { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } }],
    ['text.format', { text: { format: { type: 'json_schema', name: 'a', schema: {} } } }],
    ['output_config', { output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } } }],
    ['format', { format: { type: 'object' } }],
  ])('of the schema in `%s` makes it an instruction', (path, body) => {
    expect(read(`Unsupported parameter: '${path}'.`, body)).toEqual(model({ facts: { jsonSchema: false } }))
  })

  it('of `strict` beside a schema removes it, never below the schema', () => {
    const schema = { properties: { strict: {} } }
    const body = { response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } } }
    const path = 'response_format.json_schema.strict'
    expect(read(`Unknown parameter: '${path}'.`, body)).toEqual(model({ quirks: { refusesMembers: [path] } }))
    expect(read("Unknown parameter: 'response_format.json_schema.schema.properties.strict'.", body)).toEqual(
      model({ facts: { jsonSchema: false } }),
    )
  })

  it('of another format teaches nothing, and of an effort alone removes it', () => {
    const body = { response_format: { type: 'json_object' }, output_config: { effort: 'low' } }
    expect(read("Unsupported parameter: 'response_format'.", body)).toEqual([])
    expect(read("Unsupported parameter: 'output_config'.", body)).toEqual(
      model({ quirks: { refusesMembers: ['output_config'] } }),
    )
  })

  it.each([
    ["Invalid 'user': string too long.", once('user')],
    [
      "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 99 instead.",
      [...model({ facts: { longestUser: 64 } }), ...once('user')],
    ],
    [
      "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 0, but got one.",
      once('prompt_cache_key'),
    ],
    ["Invalid 'metadata.secret_key': string too long.", once('metadata')],
    ["Unknown parameter: 'metadata.secret_key'.", once('metadata')],
    [
      "Unsupported value: 'temperature' does not support 99 with this model. Supported values are: 0 to 2.",
      once('temperature'),
    ],
    [
      "Unsupported value: 'temperature' does not support 99 with this model. Only the default (1) value is supported.",
      model({ quirks: { refusesMembers: ['temperature'] } }),
    ],
    ['invalid temperature: only 1 is allowed for this model', model({ quirks: { refusesMembers: ['temperature'] } })],
    ['thinking level foo is not supported', []],
  ])('of a value is for one request: %s', (text, lesson) => {
    expect(read(text)).toEqual(lesson)
  })

  it.each([
    ['max_tokens is too large: 99999. This model supports at most 4096', model({ facts: { mostOutput: 4096 } })],
    ['max_tokens is too large: 99999. This model supports at most 1', []],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 5]', []],
    ["Invalid 'max_output_tokens': integer below minimum value. Expected >= 16", model({ facts: { leastOutput: 16 } })],
    ["Invalid 'max_output_tokens': integer below minimum value. Expected >= 90000", []],
  ])('with a number is read if the number is plausible: %s', (text, lesson) => {
    expect(read(text, { ...BODY, max_tokens: 99999 })).toEqual(lesson)
  })
})

describe('a level that a message quotes without the name of its member', () => {
  const only = (...efforts: readonly EffortStep[]) =>
    model({ facts: { reasons: 'always', reasoningBy: 'effort', efforts } })

  it.each([
    ['medium, low, high', { generation_config: { thinking_level: 'minimal' } }, only('medium', 'low', 'high')],
    ['low, high', { generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } }, only('low', 'high')],
    ['low, high', { generation_config: { thinking_level: 'medium' } }, []],
  ])('teaches the values that it allows: %s', (list, body, lessons) => {
    const text = `'minimal' is not a supported thinking level for this model. Allowed values are: ${list}.`
    expect(read(text, body)).toEqual(lessons)
  })
})

it('of names of parameters teaches which fit', () => {
  const text = "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
  expect(read(text)).toEqual(model({ facts: { parameterNames: 'plain' } }))
})

const readVendor = ({ error, sent }: VendorRefusal) => {
  const { text, param } = readError(error)
  return readRefusal({ text: text ?? '', param, body: sent })
}

describe('twenty sentences without a row of their own', () => {
  it.each(INVENTED)('are read: $vendor', (refusal) => {
    expect(readVendor(refusal)).toEqual([refusal.teaches])
  })
})
