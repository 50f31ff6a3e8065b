import { describe, expect, it } from 'vitest'
import { findVendor } from '../../../../src/vendors/registry.ts'
import { authorizeGoogle } from '../../../../src/wires/shared/google/authorize.ts'
import { encode, type Fields, MODEL, refused, SECOND } from '../histories.ts'

const fn = { type: 'function', name: 'f' }
const bodyOf = (fields: Fields, model = SECOND) => encode(fields, model).body
const configOf = (fields: Fields, model = SECOND) => bodyOf(fields, model).generationConfig

describe('the path and the key of a gemini-generate request', () => {
  it.each([
    ['gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'],
    ['gemini-2.5-flash', true, '/models/gemini-2.5-flash:streamGenerateContent?alt=sse'],
    ['models/gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'],
    ['tunedModels/mine-1', true, '/tunedModels/mine-1:streamGenerateContent?alt=sse'],
    ['a b/c?d#e', false, '/models/a%20b/c%3Fd%23e:generateContent'],
    ['gemini-1.5-pro@002', false, '/models/gemini-1.5-pro%40002:generateContent'],
  ])('have the right URL for the model %s, streamed: %j', (model, stream, path) => {
    expect(encode({ stream }, model).path).toBe(path)
  })

  it.each([
    ['google', { 'x-goog-api-key': 'k' }],
    ['vertex', { authorization: 'Bearer k' }],
  ])('have the key in the header of %s', (vendor, headers) => {
    expect(authorizeGoogle('k', findVendor(vendor)?.quirks ?? {})).toEqual(headers)
  })
})

describe('generationConfig of a gemini-generate request', () => {
  const cases: [string, Fields, object | undefined][] = [
    ['no fields', {}, undefined],
    [
      'fields with default values',
      { stream: true, truncation: 'disabled', service_tier: 'auto', text: { format: { type: 'text' } } },
      undefined,
    ],
    [
      'sampling',
      { max_output_tokens: 99, temperature: 2, top_p: 0.5 },
      { maxOutputTokens: 99, temperature: 2, topP: 0.5 },
    ],
    ['zero', { temperature: 0 }, { temperature: 0 }],
    ['JSON', { text: { format: { type: 'json_object' } } }, { responseMimeType: 'application/json' }],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object', additionalProperties: false } } } },
      { responseMimeType: 'application/json', responseJsonSchema: { type: 'object', additionalProperties: false } },
    ],
    ['log probabilities', { top_logprobs: 3 }, { responseLogprobs: true, logprobs: 3 }],
    ['log probabilities by include', { include: ['message.output_text.logprobs'] }, { responseLogprobs: true }],
  ]
  it.each(cases)('is encoded without a loss: %s', (_, fields, config) => {
    expect(configOf(fields)).toEqual(config)
    expect(encode(fields, SECOND).losses).toEqual([])
  })

  it.each(['flex', 'priority'])('has the tier %s beside it', (service_tier) => {
    const { body, losses } = encode({ service_tier }, SECOND)
    expect(body).toMatchObject({ serviceTier: service_tier })
    expect(losses).toEqual([])
  })

  it('limits a penalty of 2 with a loss', () => {
    expect(configOf({ presence_penalty: 2, frequency_penalty: 2 }, MODEL)).toEqual({
      presencePenalty: 1.99,
      frequencyPenalty: 1.99,
    })
    const { losses } = encode({ presence_penalty: 2, frequency_penalty: -2 }, MODEL)
    expect(losses.map(({ path, action }) => [path, action])).toEqual([['presence_penalty', 'mapped']])
  })

  it('has no penalties for Gemini 2.5, which refuses them', () => {
    const { body, losses } = encode({ presence_penalty: 1, frequency_penalty: 1 }, SECOND)
    expect(body.generationConfig).toBeUndefined()
    expect(losses.map(({ path, action }) => [path, action])).toEqual([
      ['presence_penalty', 'dropped'],
      ['frequency_penalty', 'dropped'],
    ])
  })

  const level = (thinkingLevel: string) => ({ thinkingLevel, includeThoughts: true })
  const budget = (thinkingBudget: number) => ({ thinkingBudget, includeThoughts: true })
  it.each([
    ['gemini-3-flash-preview', 'minimal', level('minimal'), true],
    ['gemini-3-flash-preview', 'medium', level('medium'), true],
    ['gemini-3-flash-preview', 'none', { thinkingLevel: 'minimal' }, false],
    ['gemini-3-flash-preview', 'max', level('high'), false],
    ['gemini-3-pro-preview', 'low', level('low'), true],
    ['gemini-3-pro-preview', 'minimal', level('low'), false],
    ['gemini-3-pro-preview', 'medium', level('high'), false],
    ['gemini-3.1-pro-preview', 'medium', level('medium'), true],
    ['models/gemini-3.5-flash', 'high', level('high'), true],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }, true],
    ['gemini-2.5-flash', 'low', budget(4096), true],
    ['gemini-2.5-flash', 'max', budget(24_576), false],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }, false],
    ['gemini-2.5-pro', 'max', budget(32_768), true],
    ['gemini-flash-latest', 'minimal', level('low'), false],
    ['gemini-3.6-flash', 'minimal', level('minimal'), true],
    ['gemini-4-hydrogen', 'xhigh', level('xhigh'), true],
    ['gemini-4-argon', 'xhigh', level('high'), false],
    ['gemini-pro-latest', 'medium', level('medium'), true],
    ['gemini-pro-latest', 'minimal', level('low'), false],
    ['tunedModels/mine-1', 'high', level('high'), true],
  ] as const)('has thinking for the model %s with the effort %s', (model, effort, thinkingConfig, exact) => {
    const { body, losses } = encode({ reasoning: { effort } }, model)
    expect(body.generationConfig).toEqual({ thinkingConfig })
    expect(losses.map(({ path, action }) => [path, action])).toEqual(exact ? [] : [['reasoning.effort', 'mapped']])
  })

  it('includes thoughts if the client requests a summary', () => {
    expect(configOf({ reasoning: { summary: 'auto' } })).toEqual({ thinkingConfig: { includeThoughts: true } })
  })

  it.each(['gemini-2.0-flash', 'gemini-1.5-pro', 'gemma-3-27b-it'])(
    'has no thinking for %s, which is a recorded loss',
    (model) => {
      const { body, losses } = encode({ reasoning: { effort: 'high' } }, model)
      expect(body.generationConfig).toBeUndefined()
      expect(losses.map(({ path }) => path)).toEqual(['reasoning.effort'])
    },
  )
})

describe('tools of a gemini-generate request', () => {
  const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false }

  it('have the schemas of functions unchanged', () => {
    expect(
      bodyOf({
        tools: [
          { ...fn, description: 'd', parameters: schema },
          { ...fn, name: 'g' },
        ],
      }).tools,
    ).toEqual([
      { functionDeclarations: [{ name: 'f', description: 'd', parametersJsonSchema: schema }, { name: 'g' }] },
    ])
  })

  it.each([
    [null, undefined],
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', name: 'g' },
      { mode: 'ANY', allowedFunctionNames: ['g'] },
    ],
  ])('are encoded with the choice %j', (tool_choice, functionCallingConfig) => {
    const { tools, toolConfig } = bodyOf({ tools: [fn, { ...fn, name: 'g' }], tool_choice })
    expect(tools[0].functionDeclarations).toHaveLength(2)
    expect(toolConfig).toEqual(functionCallingConfig === undefined ? undefined : { functionCallingConfig })
  })

  it.each([
    ['web_search', { googleSearch: {} }],
    ['web_search_preview', { googleSearch: {} }],
    ['code_interpreter', { codeExecution: {} }],
  ])('include the hosted tool for %s unless the choice is none', (type, tool) => {
    expect(bodyOf({ tools: [{ type }] })).toMatchObject({ tools: [tool] })
    expect(bodyOf({ tools: [{ type }], tool_choice: 'none' }).tools).toBeUndefined()
  })

  it('need Gemini 3 for hosted tools beside functions', () => {
    const tools = [{ type: 'web_search' }, { type: 'web_search_preview' }, fn]
    const third = encode({ tools }, MODEL)
    expect(third.body.tools).toEqual([{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }])
    expect(third.body.toolConfig).toEqual({ includeServerSideToolInvocations: true })
    const second = encode({ tools }, SECOND)
    expect(second.body.tools).toEqual([{ functionDeclarations: [{ name: 'f' }] }])
    expect(second.losses.map(({ path }) => path)).toEqual(['tools[0]', 'tools[1]'])
  })

  it('leave no options in the body if there are none', () => {
    expect(Object.keys(bodyOf({ tool_choice: 'auto', parallel_tool_calls: false }))).toEqual(['contents'])
  })

  it.each([
    [{ tool_choice: 'required' }],
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }],
    [{ tools: [{ type: 'web_search' }, fn], tool_choice: { type: 'web_search' } }],
    [{ tools: [fn, { type: 'custom', name: 'c' }], tool_choice: { type: 'custom', name: 'c' } }],
  ])('are rejected if the choice cannot be forced: %j', (fields) => {
    expect(refused(fields)).toMatchObject({ party: 'client', status: 400, param: 'tool_choice' })
  })
})

describe('losses of a gemini-generate request', () => {
  const cases: [string, Fields, string[]][] = [
    [
      'fields',
      {
        metadata: { a: 'b' },
        user: 'u',
        safety_identifier: 's',
        prompt_cache_key: 'k',
        max_tool_calls: 1,
        service_tier: 'scale',
        truncation: 'auto',
        text: { verbosity: 'low' },
        plugins: [{ id: 'web' }],
      },
      [
        'service_tier',
        'max_tool_calls',
        'metadata',
        'user',
        'safety_identifier',
        'prompt_cache_key',
        'truncation',
        'text.verbosity',
        'plugins',
      ],
    ],
    [
      'tools',
      { tools: [{ type: 'custom', name: 'c' }, { type: 'file_search' }, { type: 'constructor' }] },
      ['tools[0]', 'tools[1]', 'tools[2]'],
    ],
    ['strictness', { tools: [{ ...fn, strict: true }] }, ['tools[0].strict']],
    [
      'a filter',
      { tools: [{ type: 'web_search', filters: { allowed_domains: ['a'] }, search_context_size: 'low' }] },
      ['tools[0].filters.allowed_domains', 'tools[0].search_context_size'],
    ],
    ['calls one at a time', { tools: [fn], parallel_tool_calls: false }, ['parallel_tool_calls']],
    [
      'items',
      {
        input: [
          { role: 'user', content: 'A' },
          { type: 'web_search_call', id: 'w' },
        ],
      },
      ['input[1]'],
    ],
  ]
  it.each(cases)('are recorded for this content: %s', (_, fields, places) => {
    expect(encode(fields, SECOND).losses.map(({ path }) => path)).toEqual(places)
  })
})
