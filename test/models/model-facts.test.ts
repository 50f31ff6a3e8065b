import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../../src/models/facts.ts'
import { type ModelHost, modelFacts, upstreamModel } from '../../src/models/model-facts.ts'
import type { Platform } from '../../src/models/row.ts'

const on = (platform: Platform): ModelHost => ({ platform })

describe('the facts of a model', () => {
  it.each<[string, ModelHost, ModelFacts]>([
    ['claude-opus-5-5', {}, { reasons: 'always', forcedTools: 'none', bindsReasoning: true }],
    ['us.anthropic.claude-opus-5-20260901-v1:0', {}, { reasons: 'optional', forcedWhileReasoning: 'all' }],
    ['anthropic/claude-opus-5.5[1m]', {}, { reasons: 'always' }],
    ['claude-sonnet-4@20250514', {}, { reasoningBy: 'budget', jsonSchema: false, mostOutput: 64_000 }],
    ['claude-4.5-sonnet', {}, { reasoningBy: 'budget', jsonSchema: true }],
    ['claude-opus-7', {}, { reasons: 'always', forcedTools: 'none', lastRole: 'user' }],
    ['global.anthropic.claude-sonnet-5', on('bedrock'), { jsonSchema: false, strictTools: false, lateSystem: false }],
    ['global.anthropic.claude-sonnet-4-6', on('bedrock'), { jsonSchema: true, strictTools: true, lateSystem: false }],
    ['gpt-5.1', {}, { efforts: ['low', 'medium', 'high'], reasons: 'optional', defaultEffort: 'none' }],
    ['gpt-35-turbo', {}, { reasons: 'never' }],
    ['us.openai.gpt-5.6-sol', on('bedrock'), { family: 'gpt', sampling: 'none', mostStops: 0 }],
    ['openai/o3-mini', {}, { reasons: 'always', efforts: ['low', 'medium', 'high'] }],
    ['openai/gpt-oss-120b', on('groq'), { family: 'gpt-oss', reasoningBy: 'effort' }],
    ['grok-4-0709', on('xai'), { reasoningBy: 'name' }],
    ['grok-4.6', on('xai'), { efforts: ['low', 'medium', 'high', 'xhigh'] }],
    ['codestral-latest', on('mistral'), { reasons: 'never' }],
    ['qwen/qwen3.8-27b', on('groq'), { reasons: 'optional', efforts: ['low', 'medium', 'high'] }],
    ['accounts/fireworks/models/qwen3p8', {}, { reasons: 'always', oneSystem: true }],
    ['our-alias', on('google'), { family: 'gemini', reasoningBy: 'effort' }],
  ])('of %s at %j', (model, host, facts) => {
    expect(modelFacts(model, host)).toMatchObject(facts)
  })

  it('are unknown for a name that no row has', () => {
    expect(modelFacts('some-model', {})).toEqual({})
    expect(modelFacts('constructor', { likeModels: {}, modelFacts: {} })).toEqual({})
  })

  it('are those of the model that the host equates the name with, and then what its operator sets', () => {
    const host: ModelHost = {
      likeModels: { prod: 'gpt-5.6-sol', '*': 'gpt-4o' },
      modelFacts: { '*': { leastOutput: 32 }, prod: { efforts: ['high'] } },
    }
    expect(modelFacts('prod', host)).toMatchObject({ reasons: 'optional', efforts: ['high'], leastOutput: 32 })
    expect(modelFacts('other', host)).toMatchObject({ reasons: 'never', leastOutput: 32 })
    expect(modelFacts('gpt-5', host)).toMatchObject({ reasons: 'always' })
  })
})

describe("the upstream's name of a model", () => {
  it('has no note in brackets at its end', () => {
    expect(upstreamModel('claude-opus-5-5[1m]')).toBe('claude-opus-5-5')
    expect(upstreamModel('a[b]c')).toBe('a[b]c')
  })
})
