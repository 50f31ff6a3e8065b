import { describe, expect, it } from 'vitest'
import { findVendor } from '../../../src/vendors/registry.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { factsOf } from '../../../src/wires/shared/upstream/model-facts.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { targetOf } from '../../engine/target.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'
import { requestOf } from '../../request-bodies.ts'

/** Fields that depend on the model's name: current names, vendors' aliases of them, and names that reveal nothing. */

function bodyOf(wire: WireName, model: string, quirks: Quirks, fields: object): Loose {
  const encoded = encodeFor(WIRES[wire], requestOf({ ...fields }), targetOf(wire, quirks, model))
  if (!encoded.ok) throw new Error(encoded.error.message)
  return { ...encoded.body, losses: encoded.losses.map(({ path, action }) => `${path} ${action}`) }
}

const quirksOf = (vendor: string): Quirks => findVendor(vendor)?.quirks ?? {}

const SCHEMA = { type: 'object', properties: {}, additionalProperties: false }
const FORMAT = { text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } } }
const OUTPUT = { format: { type: 'json_schema', schema: SCHEMA } }

describe('a request to a Claude model', () => {
  it.each([
    ['claude-sonnet-4-5', 'anthropic', true],
    ['claude-3-5-haiku-latest', 'anthropic', false],
    ['claude-opus-latest', 'anthropic', true],
    ['claude-haiku-latest', 'anthropic', true],
    ['claude', 'anthropic', true],
    ['our-alias', 'anthropic', true],
    ['our-alias', 'vertex-anthropic', true],
    ['claude-sonnet-latest', 'elsewhere', true],
    ['their-own-model', 'elsewhere', false],
  ])('sends a schema in output_config for the model %s of %s: %j', (model, vendor, held) => {
    const { output_config, losses } = bodyOf('anthropic-messages', model, quirksOf(vendor), FORMAT)
    expect([output_config, losses]).toEqual(held ? [OUTPUT, []] : [undefined, ['text.format.schema mapped']])
  })

  it.each([
    ['claude-opus-latest', { type: 'adaptive', display: 'summarized' }],
    ['claude-haiku-latest', { type: 'adaptive', display: 'summarized' }],
    ['claude-haiku-4-5', { type: 'enabled', budget_tokens: 19_200 }],
    ['their-own-model', { type: 'enabled', budget_tokens: 1228 }],
  ])('configures reasoning as the model %s expects it', (model, thinking) => {
    expect(bodyOf('anthropic-messages', model, {}, { reasoning: { effort: 'medium' } }).thinking).toEqual(thinking)
  })

  it.each([
    ['anthropic.claude-sonnet-latest', 'system'],
    ['anthropic.claude-sonnet-4-6', 'outputConfig'],
    ['arn:aws:bedrock:eu-west-1:1:application-inference-profile/x', 'outputConfig'],
    ['anthropic.claude-3-haiku-20240307-v1:0', 'system'],
    ['anthropic.claude-v2:1', 'system'],
  ])('sends a schema to the Bedrock model %s in %s', (model, field) => {
    expect(Object.keys(bodyOf('bedrock-converse', model, {}, FORMAT))).toContain(field)
  })
})

describe('a request to an OpenAI model', () => {
  const asked = { temperature: 0.5, max_output_tokens: 99 }

  it.each([
    ['gpt-5.1', { max_completion_tokens: 99, temperature: 0.5 }, []],
    ['gpt-5.6-sol', { max_completion_tokens: 99 }, ['temperature dropped']],
    ['gpt-5.2-chat-latest', { max_completion_tokens: 99 }, ['temperature dropped']],
    ['o3', { max_completion_tokens: 99 }, ['temperature dropped']],
    ['codex-mini-latest', { max_completion_tokens: 99 }, ['temperature dropped']],
    ['gpt-latest', { max_completion_tokens: 99 }, ['temperature dropped']],
    ['gpt-4o', { max_tokens: 99, temperature: 0.5 }, []],
    ['chatgpt-4o-latest', { max_tokens: 99, temperature: 0.5 }, []],
    ['gpt-5-chat-latest', { max_tokens: 99, temperature: 0.5 }, []],
    ['our-deployment', { max_completion_tokens: 99, temperature: 0.5 }, []],
    ['claude-sonnet-4.5', { max_tokens: 99, temperature: 0.5 }, []],
  ])('sends the token limit and the temperature that %s accepts over openai-chat', (model, fields, losses) => {
    const { messages: _, model: __, ...body } = bodyOf('openai-chat', model, { openaiModels: true }, asked)
    expect(body).toEqual({ ...fields, losses })
  })

  it.each([
    ['codex-mini-latest', ['temperature dropped'], true],
    ['gpt-4o', [], false],
    ['our-deployment', [], true],
  ])('adapts temperature and include to the model %s over openai-responses', (model, losses, sealed) => {
    const body = bodyOf('openai-responses', model, quirksOf('openai'), asked)
    expect([body.losses, body.include?.includes('reasoning.encrypted_content') ?? false]).toEqual([losses, sealed])
  })
})

describe('a request with the reasoning effort max', () => {
  const effort = { reasoning: { effort: 'max' } }

  it.each<[WireName, string, string, object]>([
    ['openai-chat', 'moonshot', 'kimi-k2.6', { thinking: { type: 'enabled' } }],
    ['openai-chat', 'moonshot', 'kimi-latest', { reasoning_effort: 'max' }],
    ['openai-chat', 'zai', 'glm-4.6', { thinking: { type: 'enabled' } }],
    ['openai-chat', 'zai', 'glm-5.1', { thinking: { type: 'enabled' } }],
    ['openai-chat', 'zai', 'glm-10', { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
    ['openai-chat', 'mistral', 'magistral-medium-latest', { reasoning_effort: 'high' }],
    ['openai-chat', 'mistral', 'mistral-medium-latest', { reasoning_effort: 'high' }],
    ['openai-chat', 'groq', 'openai/gpt-oss-120b', { reasoning_effort: 'high' }],
    ['cohere-chat', 'cohere', 'command-a-latest', { thinking: { type: 'enabled' } }],
    ['ollama-chat', 'ollama', 'gpt-oss:20b', { think: 'high' }],
    ['ollama-chat', 'ollama', 'our-alias', { think: true }],
    [
      'bedrock-converse',
      'bedrock',
      'amazon.nova-latest',
      {
        additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
      },
    ],
    ['bedrock-converse', 'bedrock', 'amazon.nova-pro-v1:0', {}],
  ])('sends the effort over %s to %s in the form of the model %s', (wire, vendor, model, fields) => {
    expect(bodyOf(wire, model, quirksOf(vendor), effort)).toMatchObject(fields)
    if (Object.keys(fields).length === 0) {
      expect(bodyOf(wire, model, quirksOf(vendor), effort).losses).toEqual(['reasoning.effort dropped'])
    }
  })
})

// biome-ignore format: a row a case
const LIKE: readonly [string, WireName, Quirks, string, object, object][] = [
  ['by a name', 'anthropic-messages', { likeModels: { prod: 'claude-sonnet-4-5' } }, 'prod', FORMAT, { output_config: OUTPUT }],
  ['whose names mislead', 'openai-chat', { openaiModels: true, likeModels: { 'gpt-4o': 'gpt-5' } }, 'gpt-4o',
    { max_output_tokens: 99 }, { max_completion_tokens: 99 }],
  ['for all other names', 'openai-chat', { openaiModels: true, likeModels: { '*': 'gpt-4o' } }, 'prod',
    { max_output_tokens: 99 }, { max_tokens: 99 }],
  ['by names of no object', 'openai-chat', { openaiModels: true, likeModels: {} }, 'constructor', { max_output_tokens: 99 },
    { max_completion_tokens: 99 }],
  ['at Gemini', 'gemini-generate', { likeModels: { '*': 'gemini-2.5-pro' } }, 'tunedModels/x',
    { reasoning: { effort: 'none' } }, { generationConfig: { thinkingConfig: { thinkingBudget: 128 } } }],
  ['at Bedrock', 'bedrock-converse', { likeModels: { 'arn:x/y': 'claude-sonnet-4-6' } }, 'arn:x/y',
    { reasoning: { effort: 'high' } }, { additionalModelRequestFields: { output_config: { effort: 'high' } } }],
  ['at Cohere', 'cohere-chat', { likeModels: { prod: 'command-r' } }, 'prod', { reasoning: { effort: 'high' } },
    { losses: ['reasoning.effort dropped'] }],
  ['at Ollama', 'ollama-chat', { likeModels: { prod: 'gpt-oss' } }, 'prod', { reasoning: { effort: 'low' } }, { think: 'low' }],
  ['at Groq', 'openai-chat', { effort: 'groq', likeModels: { prod: 'gpt-oss' } }, 'prod', { reasoning: { effort: 'low' } },
    { reasoning_effort: 'low' }],
  ['of Responses', 'openai-responses', { openaiModels: true, likeModels: { prod: 'o3' } }, 'prod',
    { reasoning: { effort: 'max' } }, { reasoning: { effort: 'high' } }],
]

describe("likeModels in a vendor's row", () => {
  it.each(LIKE)(
    'selects the fields of the model that a name stands for: %s',
    (_, wire, quirks, model, fields, expected) => {
      expect(bodyOf(wire, model, quirks, fields)).toMatchObject({
        ...expected,
        ...(wire === 'bedrock-converse' || wire === 'gemini-generate' ? {} : { model }),
      })
    },
  )

  it('does not override a name that the table of models has', () => {
    const quirks: Quirks = { openaiModels: true, likeModels: { '*': 'gpt-4o' } }
    expect(bodyOf('openai-chat', 'gpt-5', quirks, { max_output_tokens: 99 })).toMatchObject({
      max_completion_tokens: 99,
    })
  })
})

describe('the facts of a model', () => {
  it('are searched once for the quirks of a vendor', () => {
    const target = { model: 'claude-sonnet-4-5', quirks: { rawPredict: true } }
    expect(factsOf({ ...target }, 'anthropic-messages')).toBe(factsOf({ ...target }, 'anthropic-messages'))
  })

  it('are those of the wire and of the quirks, also after another search for the same name', () => {
    const quirks = {}
    const model = 'gpt-4.1'
    const later = { modelFacts: { [model]: { mostStops: 1 } } }
    const own = factsOf({ model, quirks }, 'openai-chat')
    expect(own.mostStops).not.toBe(0)
    expect(factsOf({ model, quirks }, 'bedrock-converse').mostStops).toBe(0)
    expect(factsOf({ model, quirks }, 'openai-chat')).toEqual(own)
    expect(factsOf({ model, quirks: later }, 'openai-chat').mostStops).toBe(1)
  })

  it('stay right for more names than are remembered', () => {
    const quirks = {}
    const found = (): unknown => factsOf({ model: 'gpt-5.5', quirks }, 'openai-chat')
    const before = found()
    for (let n = 0; n < 1000; n += 1) factsOf({ model: `model-${n}`, quirks }, 'openai-chat')
    expect(found()).toEqual(before)
  })
})

describe('the platform of an upstream', () => {
  it.each([
    ['anthropic-messages', 'claude-sonnet-4-5'],
    ['gemini-generate', 'gemini-3-pro'],
    ['gemini-interactions', 'gemini-3-pro'],
    ['bedrock-converse', 'anthropic.claude-sonnet-4-6'],
    ['cohere-chat', 'command-a-reasoning-08-2025'],
    ['ollama-chat', 'qwen3'],
  ] as const)('is that of the wire, and no style of efforts names another, for %s', (wire, model) => {
    const ofWire = factsOf({ model, quirks: {} }, wire)
    expect(factsOf({ model, quirks: { effort: 'deepseek' } }, wire)).toEqual(ofWire)
    expect(factsOf({ model, quirks: { effort: 'mistral' } }, wire)).toEqual(ofWire)
    expect(factsOf({ model, quirks: { openaiModels: true } }, wire)).toEqual(ofWire)
  })

  it('is named by its style of efforts where many vendors have the protocol', () => {
    const model = 'deepseek-v3.2'
    expect(factsOf({ model, quirks: { effort: 'deepseek' } }, 'openai-chat')).toEqual(
      factsOf({ model, quirks: { platform: 'deepseek' } }, 'openai-chat'),
    )
  })
})
