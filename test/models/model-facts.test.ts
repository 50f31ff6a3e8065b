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
    ['accounts/fireworks/models/qwen3p8', {}, { reasons: 'optional', oneSystem: true }],
    ['gemma-4-31b-it', on('google'), { reasons: 'always', efforts: ['minimal', 'high'], systemInstruction: false }],
    ['gemma-4-31b-it', on('local'), { reasons: 'optional', defaultEffort: 'none' }],
    ['kimi-k3', on('moonshot'), { reasons: 'always', sampling: 'none', forcedTools: 'required' }],
    ['kimi', on('moonshot'), { reasons: 'always', efforts: ['low', 'high', 'max'] }],
    ['kimi-k3', on('local'), { reasons: 'optional', sampling: 'all' }],
    ['moonshotai/Kimi-K3', {}, { reasons: 'optional', sampling: 'none' }],
    ['kimi-k2.6', on('moonshot'), { reasons: 'optional', sampling: 'none', forcedTools: 'named' }],
    ['kimi-k2-thinking', on('moonshot'), { reasons: 'always', reasoningBy: 'name', sampling: 'none' }],
    ['kimi-k2-0905-preview', on('moonshot'), { reasons: 'optional', forcedWhileReasoning: 'required' }],
    ['glm-4.5v', on('zai'), { mostOutput: 32_768, reasons: 'optional' }],
    ['meta.llama3-3-70b-instruct-v1:0', on('bedrock'), { jsonSchema: false, forcedTools: 'named' }],
    ['gpt-4o-2024-11-20', {}, { verbosities: ['medium'], mostOutput: 16_384 }],
    ['gpt-5.2-codex', {}, { verbosities: ['medium'] }],
    ['grok-4.7', on('xai'), { mostStops: 0 }],
    ['claude-haiku-4-5', on('bedrock'), { blankStops: false }],
    ['gemini-3.8-flash', on('vertex'), { penalties: false, logprobs: false }],
    ['our-alias', on('google'), { family: 'gemini', reasoningBy: 'effort' }],
  ])('of %s at %j', (model, host, facts) => {
    expect(modelFacts(model, host)).toMatchObject(facts)
  })

  it.each<[string, ModelHost, ...(keyof ModelFacts)[]]>([
    ['gpt-5', on('local'), 'family', 'reasons', 'sampling', 'mostStops'],
    ['claude-opus-5-5', on('local'), 'reasons', 'forcedTools', 'mostOutput'],
    ['kimi-k3', on('local'), 'forcedTools', 'mostOutput'],
    ['kimi-k2.6', {}, 'sampling', 'forcedTools', 'forcedWhileReasoning'],
    ['zai-org/GLM-5.2', on('local'), 'mostOutput'],
    ['meta-llama/Llama-3.3-70B', on('local'), 'jsonSchema', 'strictTools'],
    ['gemma-3-27b-it', on('local'), 'jsonWithTools', 'systemInstruction'],
    ['gemini-2.0-flash', on('vertex'), 'penalties', 'logprobs'],
    ['grok-4-1-fast-non-reasoning', on('xai'), 'mostStops'],
    ['gpt-5.2', {}, 'verbosities'],
  ])('of %s at %j have none that only others have', (model, host, ...names) => {
    const facts = modelFacts(model, host)
    expect(names.filter((name) => facts[name] !== undefined)).toEqual([])
  })

  it('are those of a closed model at a server of its own only if the operator says so', () => {
    expect(modelFacts('prod', { ...on('local'), likeModels: { prod: 'gpt-5' } })).toMatchObject({ reasons: 'always' })
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
