import { describe, expect, it } from 'vitest'
import { authorize } from '../../../../src/wires/bedrock-converse/upstream/request.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { encodeFitted } from '../../../engine/encode-request.ts'
import { sealed, targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { CLAUDE, call, encode, type Fields, output } from '../converses.ts'

const OLD = 'anthropic.claude-3-haiku-20240307-v1:0'
const NEW = 'global.anthropic.claude-opus-4-7'
const FOUR_SIX = 'us.anthropic.claude-sonnet-4-6-v1:0'
const NOVA = 'amazon.nova-lite-v1:0'
const NOVA_2 = 'us.amazon.nova-2-lite-v1:0'
const OSS = 'openai.gpt-oss-120b-1:0'
const LLAMA = 'meta.llama3-8b-instruct-v1:0'

describe('the path and the key of a bedrock-converse request', () => {
  it.each([
    [CLAUDE, true, '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream'],
    [CLAUDE, false, '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse'],
    [
      'arn:aws:bedrock:us-east-1:1:inference-profile/x',
      false,
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse',
    ],
  ])('have the URL of the model %s, streamed: %s', (model, stream, path) => {
    expect(encode({ stream }, model).path).toBe(path)
  })

  it('have the key as a bearer token or in a configured header', () => {
    expect(authorize('k', {})).toEqual({ authorization: 'Bearer k' })
    expect(authorize('k', { keyHeader: 'x-key' })).toEqual({ 'x-key': 'k' })
  })
})

describe('fields of a bedrock-converse request', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false }
  const format = { type: 'json_schema', name: 'n', description: 'd', schema }
  const thinking = (budget_tokens: number, maxTokens: number) => ({
    inferenceConfig: { maxTokens },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens } },
  })
  const adaptive = (effort: string) => ({
    additionalModelRequestFields: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort } },
  })
  const nova = (maxReasoningEffort: string) => ({
    additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort } },
  })
  const effort = (word: string) => ({ reasoning: { effort: word } })

  const cases: [string, Fields, string, object, string[]][] = [
    ['no fields', {}, CLAUDE, {}, []],
    [
      'fields without effect',
      {
        service_tier: 'auto',
        truncation: 'disabled',
        tool_choice: 'none',
        parallel_tool_calls: false,
        text: { format: { type: 'text' } },
      },
      CLAUDE,
      {},
      [],
    ],
    [
      'sampling',
      { max_output_tokens: 9, temperature: 0, top_p: 0.5 },
      OLD,
      { inferenceConfig: { maxTokens: 9, temperature: 0, topP: 0.5 } },
      [],
    ],
    ['a temperature too high', { temperature: 1.5 }, NOVA, { inferenceConfig: { temperature: 1 } }, ['temperature']],
    [
      'one knob at a time',
      { temperature: 0.5, top_p: 0.5 },
      CLAUDE,
      { inferenceConfig: { temperature: 0.5 } },
      ['top_p'],
    ],
    ['no knobs at all', { temperature: 0.5, top_p: 0.5 }, NEW, {}, ['temperature', 'top_p']],
    [
      'fields that Converse does not have',
      {
        presence_penalty: 1,
        frequency_penalty: 1,
        top_logprobs: 2,
        truncation: 'auto',
        max_tool_calls: 2,
        prompt_cache_key: 'k',
        safety_identifier: 's',
        plugins: [{ id: 'web' }],
        text: { verbosity: 'low' },
      },
      CLAUDE,
      {},
      // biome-ignore format: one line, as they are read
      ['max_tool_calls', 'presence_penalty', 'frequency_penalty', 'safety_identifier', 'prompt_cache_key', 'truncation', 'plugins', 'text.verbosity', 'top_logprobs'],
    ],
    ['a tier', { service_tier: 'flex' }, CLAUDE, { serviceTier: { type: 'flex' } }, []],
    ['a reserved tier', { service_tier: 'reserved' }, CLAUDE, { serviceTier: { type: 'reserved' } }, []],
    ['a tier of others', { service_tier: 'scale' }, CLAUDE, {}, ['service_tier']],
    [
      'labels',
      { metadata: { team: 'mill', odd: 'Mühle', 'a b': 'x/y' }, user: 'u-1' },
      CLAUDE,
      { requestMetadata: { team: 'mill', 'a b': 'x/y', user: 'u-1' } },
      ['metadata.odd'],
    ],
    ['no effort', effort('none'), CLAUDE, {}, []],
    ['low effort', effort('minimal'), CLAUDE, thinking(1024, 32_000), []],
    ['reasoning', effort('medium'), CLAUDE, thinking(9600, 32_000), []],
    ['high effort', effort('high'), 'us.anthropic.claude-3-7-sonnet-20250219-v1:0', thinking(19_200, 32_000), []],
    ['reasoning within a limit', { ...effort('high'), max_output_tokens: 2000 }, CLAUDE, thinking(1200, 2000), []],
    [
      'reasoning that does not fit into the limit',
      { ...effort('low'), max_output_tokens: 1024 },
      CLAUDE,
      { inferenceConfig: { maxTokens: 1024 } },
      ['reasoning.effort'],
    ],
    [
      'reasoning that cannot be configured',
      { ...effort('low'), temperature: 0.5, top_p: 0.5, max_output_tokens: 20_000 },
      CLAUDE,
      thinking(2000, 20_000),
      ['temperature', 'top_p'],
    ],
    ['reasoning of an older model', effort('high'), OLD, {}, ['reasoning.effort']],
    ['adaptive reasoning', { reasoning: { effort: 'high', summary: 'auto' } }, FOUR_SIX, adaptive('high'), []],
    ['the nearest step', effort('minimal'), FOUR_SIX, adaptive('low'), ['reasoning.effort']],
    ['a step that is not there yet', effort('xhigh'), FOUR_SIX, adaptive('high'), ['reasoning.effort']],
    ['a step that is', effort('xhigh'), NEW, adaptive('xhigh'), []],
    [
      'no reasoning of Nova',
      effort('none'),
      NOVA_2,
      { additionalModelRequestFields: { reasoningConfig: { type: 'disabled' } } },
      [],
    ],
    [
      'reasoning of Nova',
      { ...effort('low'), max_output_tokens: 9 },
      NOVA_2,
      { ...nova('low'), inferenceConfig: { maxTokens: 9 } },
      [],
    ],
    [
      'high effort of Nova',
      { ...effort('max'), max_output_tokens: 9, temperature: 0.1, top_p: 0.1 },
      NOVA_2,
      nova('high'),
      ['max_output_tokens', 'temperature', 'top_p', 'reasoning.effort'],
    ],
    ['reasoning of the first Nova', effort('low'), NOVA, {}, ['reasoning.effort']],
    [
      'reasoning of gpt-oss',
      effort('medium'),
      OSS,
      { additionalModelRequestFields: { reasoning_effort: 'medium' } },
      [],
    ],
    [
      'the nearest step of gpt-oss',
      effort('none'),
      OSS,
      { additionalModelRequestFields: { reasoning_effort: 'low' } },
      ['reasoning.effort'],
    ],
    [
      'reasoning of other models',
      { reasoning: { effort: 'low', summary: 'auto' } },
      LLAMA,
      {},
      ['reasoning.effort', 'reasoning.summary'],
    ],
    [
      'a schema',
      { text: { format } },
      CLAUDE,
      {
        outputConfig: {
          textFormat: {
            type: 'json_schema',
            structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'n', description: 'd' } },
          },
        },
      },
      [],
    ],
  ]
  it.each(cases)('are encoded for the model: %s', (_, fields, model, expected, places) => {
    const { body, lost } = encode(fields, model)
    const { messages, ...rest } = body
    expect(messages).toEqual([{ role: 'user', content: [{ text: 'Hi' }] }])
    expect(rest).toEqual(expected)
    expect([...lost].sort()).toEqual([...places].sort())
  })

  it('become instructions for a format that the model does not support', () => {
    const schemed = encode({ instructions: 'Be short.', text: { format } }, LLAMA)
    expect(schemed.body.outputConfig).toBeUndefined()
    expect(schemed.body.system).toEqual([
      { text: 'Be short.' },
      { text: expect.stringContaining(JSON.stringify(schema)) },
    ])
    const loose = encode({ text: { format: { type: 'json_object' } } })
    expect(loose.body.system).toEqual([{ text: expect.stringContaining('JSON') }])
    expect([schemed.losses, loose.losses]).toMatchObject([1, 2].map(() => [{ path: 'text.format', action: 'mapped' }]))
  })

  it('have at most sixteen labels', () => {
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, 'v']))
    const { body, lost } = encode({ metadata, user: 'u' })
    expect(Object.keys(body.requestMetadata)).toHaveLength(16)
    expect(lost).toEqual(['user'])
  })
})

describe('reasoning in a tool loop over bedrock-converse', () => {
  const fields = (...before: unknown[]) => ({
    reasoning: { effort: 'low' },
    tools: [{ type: 'function', name: 'f' }],
    input: [{ role: 'user', content: 'A' }, ...before, call('c1'), output('c1')],
  })
  const payload = { text: 'Hm.', signature: 's', redacted: [] }
  const signed = { type: 'reasoning', summary: [], encrypted_content: sealed('bedrock-converse', payload, CLAUDE) }

  it('continues only if the loop has reasoning from its start', () => {
    expect(encode(fields(signed)).body.additionalModelRequestFields.thinking.type).toBe('enabled')
    const bare = encode(fields())
    expect(bare.body.additionalModelRequestFields).toBeUndefined()
    expect(bare.lost).toEqual(['reasoning.effort'])
    expect(encode(fields(), FOUR_SIX).body.additionalModelRequestFields.thinking.type).toBe('adaptive')
  })

  it('is off if a call is forced', () => {
    const forced = { ...fields(signed), tool_choice: 'required' }
    for (const model of [CLAUDE, FOUR_SIX]) {
      const { body, lost } = encode(forced, model)
      expect(body.additionalModelRequestFields).toBeUndefined()
      expect(body.toolConfig.toolChoice).toEqual({ any: {} })
      expect(lost).toContain('reasoning.effort')
    }
  })
})

describe('tools of a bedrock-converse request', () => {
  const fn = { type: 'function', name: 'f' }
  const empty = { json: { type: 'object', properties: {} } }
  const spec = (name: string, more: object = {}) => ({ toolSpec: { name, inputSchema: empty, ...more } })
  const past = {
    input: [{ role: 'user', content: 'A' }, call('c1', '{}', 'old'), output('c1'), call('c2', '{}', 'old')],
  }
  const parameters = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  }
  const one = (choice: object) => ({ tool_choice: { ...choice, disable_parallel_tool_use: true } })

  const cases: [string, Fields, string, unknown, string[]][] = [
    [
      'a function',
      { tools: [{ ...fn, description: 'd', parameters, strict: true }] },
      CLAUDE,
      { tools: [spec('f', { description: 'd', inputSchema: { json: parameters }, strict: true })] },
      [],
    ],
    [
      'a function without a description',
      { tools: [{ ...fn, description: ' ' }], tool_choice: 'auto' },
      CLAUDE,
      { tools: [spec('f')] },
      [],
    ],
    [
      'a schema whose root has no type',
      { tools: [{ ...fn, parameters: { properties: {} } }] },
      CLAUDE,
      { tools: [spec('f')] },
      [],
    ],
    [
      'a schema of something else',
      { tools: [{ ...fn, parameters: { type: 'string', properties: {} } }] },
      CLAUDE,
      { tools: [spec('f')] },
      ['tools[0].parameters.type'],
    ],
    [
      'a strictness that is not there',
      { tools: [{ ...fn, strict: true }] },
      OLD,
      { tools: [spec('f')] },
      ['tools[0].strict'],
    ],
    [
      'a call that must be',
      { tools: [fn], tool_choice: 'required' },
      NOVA,
      { tools: [spec('f')], toolChoice: { any: {} } },
      [],
    ],
    [
      'a call of this function',
      { tools: [fn, { ...fn, name: 'g' }], tool_choice: { type: 'function', name: 'g' } },
      CLAUDE,
      { tools: [spec('f'), spec('g')], toolChoice: { tool: { name: 'g' } } },
      [],
    ],
    ['no call', { tools: [fn], tool_choice: 'none' }, CLAUDE, undefined, []],
    [
      'no call after calls',
      { ...past, tools: [fn], tool_choice: 'none' },
      CLAUDE,
      { tools: [spec('f')] },
      ['tool_choice'],
    ],
    ['calls of the past', past, CLAUDE, { tools: [spec('old')] }, ['tools']],
    [
      'calls in a row',
      { tools: [fn], parallel_tool_calls: false },
      NOVA,
      { tools: [spec('f')] },
      ['parallel_tool_calls'],
    ],
    [
      'a search of Nova',
      { tools: [{ type: 'web_search', search_context_size: 'low' }, { type: 'code_interpreter' }, fn] },
      NOVA_2,
      {
        tools: [
          { systemTool: { name: 'nova_grounding' } },
          { systemTool: { name: 'nova_code_interpreter' } },
          spec('f'),
        ],
      },
      ['tools[0].search_context_size'],
    ],
    ['a search of others', { tools: [{ type: 'web_search' }, fn] }, CLAUDE, { tools: [spec('f')] }, ['tools[0]']],
  ]
  it.each(cases)('are encoded with their choice: %s', (_, fields, model, toolConfig, places) => {
    const { body, lost } = encode(fields, model)
    expect(body.toolConfig).toEqual(toolConfig)
    expect(lost).toEqual(places)
  })

  it.each([
    [null, one({ type: 'auto' })],
    ['auto', one({ type: 'auto' })],
    ['required', one({ type: 'any' })],
    [{ type: 'function', name: 'f' }, one({ type: 'tool', name: 'f' })],
  ])('are limited to one call at a time by fields of Claude with the choice %j', (tool_choice, fields) => {
    const { body, lost } = encode({ tools: [fn], tool_choice, parallel_tool_calls: false })
    expect(body.additionalModelRequestFields).toEqual(fields)
    expect(body.toolConfig).toEqual({ tools: [spec('f')] })
    expect(lost).toEqual([])
  })

  it.each([
    { tool_choice: 'required' },
    { tools: [{ type: 'web_search' }], tool_choice: 'required' },
    { tools: [fn, { type: 'web_search' }], tool_choice: { type: 'web_search' } },
    { tools: [fn, { type: 'custom', name: 'c' }], tool_choice: { type: 'custom', name: 'c' } },
  ])('are rejected if the choice cannot be forced: %j', (fields) => {
    const result = encodeFitted(WIRES['bedrock-converse'], requestOf(fields), targetOf('bedrock-converse', {}, CLAUDE))
    expect(result).toMatchObject({ ok: false, error: { party: 'client', status: 400, param: 'tool_choice' } })
  })
})
