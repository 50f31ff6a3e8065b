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

/** Members of the body that the fields add or change, and the loss. */
type Row = [model: string, quirks: string | Quirks, sent: object, losses?: string]

/** Tests what the fields of a request add to the body for each model. */
const testModels = (subject: string, wire: WireName, fields: object, rows: readonly Row[]) =>
  it.each(rows)(`${subject}: the model %s of %j receives %j`, (model, vendor, sent, losses = '') => {
    const quirks = typeof vendor === 'string' ? quirksOf(vendor) : vendor
    const { losses: found, ...body } = bodyOf(wire, model, quirks, fields)
    const { losses: _, ...plain } = bodyOf(wire, model, quirks, {})
    expect(body).toEqual({ ...plain, ...sent })
    expect(found).toEqual(losses === '' ? [] : [losses])
  })

const effort = (word: string) => ({ reasoning: { effort: word } })
const HELD = { output_config: OUTPUT }
const INSTRUCTED = { system: expect.anything() }
const MAPPED = 'text.format.schema mapped'
const LIMITED = { max_output_tokens: 99 }
const ADAPTIVE = { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } }
const budget = (budget_tokens: number, max_tokens?: number) => ({
  thinking: { type: 'enabled', budget_tokens },
  ...(max_tokens === undefined ? {} : { max_tokens }),
})
const COOL = { max_completion_tokens: 99, temperature: 0.5 }
const COLD = { max_completion_tokens: 99 }
const OLD = { max_tokens: 99, temperature: 0.5 }
const DROPPED = 'temperature dropped'
const LESS = 'reasoning.effort mapped'
const NO_EFFORT = 'reasoning.effort dropped'
const THINKS = { thinking: { type: 'enabled' } }
const OPENAI = { openaiModels: true } as const

// biome-ignore format: a row a case
testModels('a schema over anthropic-messages', 'anthropic-messages', FORMAT, [
  ...['claude-sonnet-4-5', 'claude-opus-latest', 'claude-haiku-latest', 'claude', 'our-alias'].map((model): Row => [model, 'anthropic', HELD]),
  ['claude-3-5-haiku-latest', 'anthropic', INSTRUCTED, MAPPED], ['our-alias', 'vertex-anthropic', HELD],
  ['claude-sonnet-latest', 'elsewhere', HELD], ['their-own-model', 'elsewhere', INSTRUCTED, MAPPED],
  ['prod', { likeModels: { prod: 'claude-sonnet-4-5' } }, HELD],
])
// biome-ignore format: a row a case
testModels('reasoning over anthropic-messages', 'anthropic-messages', effort('medium'), [
  ['claude-opus-latest', {}, ADAPTIVE], ['claude-haiku-latest', {}, ADAPTIVE], ['claude-haiku-4-5', {}, budget(19_200)],
  ['their-own-model', {}, budget(1228)],
])
// biome-ignore format: a row a case
testModels('a schema over bedrock-converse', 'bedrock-converse', FORMAT, [
  ['anthropic.claude-sonnet-latest', {}, INSTRUCTED, 'text.format.schema mapped'], ['anthropic.claude-sonnet-4-6', {}, { outputConfig: expect.anything() }],
  ['arn:aws:bedrock:eu-west-1:1:application-inference-profile/x', {}, { outputConfig: expect.anything() }],
  ['anthropic.claude-3-haiku-20240307-v1:0', {}, INSTRUCTED, 'text.format.schema mapped'], ['anthropic.claude-v2:1', {}, INSTRUCTED, 'text.format.schema mapped'],
])
// biome-ignore format: a row a case
testModels('limit and temperature over openai-chat', 'openai-chat', { temperature: 0.5, ...LIMITED }, [
  ['gpt-5.1', OPENAI, COOL], ['our-deployment', OPENAI, COOL], ['gpt-4o', OPENAI, OLD], ['chatgpt-4o-latest', OPENAI, OLD],
  ['gpt-5-chat-latest', OPENAI, OLD], ['claude-sonnet-4.5', OPENAI, OLD],
  ...['gpt-5.6-sol', 'gpt-5.2-chat-latest', 'o3', 'codex-mini-latest', 'gpt-latest'].map((model): Row => [model, OPENAI, COLD, DROPPED]),
])
testModels('a limit over openai-chat', 'openai-chat', LIMITED, [
  ['gpt-4o', { ...OPENAI, likeModels: { 'gpt-4o': 'gpt-5' } }, COLD],
  ['prod', { ...OPENAI, likeModels: { '*': 'gpt-4o' } }, { max_tokens: 99 }],
  ['constructor', { ...OPENAI, likeModels: {} }, COLD],
  // The table of models has this name.
  ['gpt-5', { ...OPENAI, likeModels: { '*': 'gpt-4o' } }, COLD],
])
testModels('temperature over openai-responses', 'openai-responses', { temperature: 0.5 }, [
  ['codex-mini-latest', 'openai', {}, DROPPED],
  ['gpt-4o', 'openai', { temperature: 0.5 }],
  ['our-deployment', 'openai', { temperature: 0.5 }],
])
// biome-ignore format: a row a case
testModels('the effort max over openai-chat', 'openai-chat', effort('max'), [
  ['kimi-k2.6', 'moonshot', THINKS, LESS], ['kimi-latest', 'moonshot', { reasoning_effort: 'max' }],
  ['glm-4.6', 'zai', THINKS, LESS], ['glm-5.1', 'zai', THINKS, LESS], ['glm-10', 'zai', { ...THINKS, reasoning_effort: 'max' }],
  ['magistral-medium-latest', 'mistral', { reasoning_effort: 'high' }, LESS],
  ['mistral-medium-latest', 'mistral', { reasoning_effort: 'high' }, LESS], ['openai/gpt-oss-120b', 'groq', { reasoning_effort: 'high' }, LESS],
])
testModels('the effort low over openai-chat', 'openai-chat', effort('low'), [
  ['prod', { effort: 'groq', likeModels: { prod: 'gpt-oss' } }, { reasoning_effort: 'low' }],
])
testModels('the effort max over cohere-chat', 'cohere-chat', effort('max'), [
  ['command-a-latest', 'cohere', THINKS],
  ['prod', { likeModels: { prod: 'command-r' } }, {}, NO_EFFORT],
])
testModels('the effort max over ollama-chat', 'ollama-chat', effort('max'), [
  ['gpt-oss:20b', 'ollama', { think: 'high' }, LESS],
  ['our-alias', 'ollama', { think: true }, LESS],
])
testModels('the effort low over ollama-chat', 'ollama-chat', effort('low'), [
  ['prod', { likeModels: { prod: 'gpt-oss' } }, { think: 'low' }],
])
// biome-ignore format: a row a case
testModels('the effort max over bedrock-converse', 'bedrock-converse', effort('max'), [
  ['amazon.nova-latest', 'bedrock', { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } } }, LESS],
  ['amazon.nova-pro-v1:0', 'bedrock', {}, NO_EFFORT],
])
testModels('the effort high over bedrock-converse', 'bedrock-converse', effort('high'), [
  [
    'arn:x/y',
    { likeModels: { 'arn:x/y': 'claude-sonnet-4-6' } },
    { additionalModelRequestFields: expect.objectContaining({ output_config: { effort: 'high' } }) },
  ],
])
testModels('the effort none over gemini-generate', 'gemini-generate', effort('none'), [
  [
    'tunedModels/x',
    { likeModels: { '*': 'gemini-2.5-pro' } },
    { generationConfig: { thinkingConfig: { thinkingBudget: 128 } } },
    LESS,
  ],
])
testModels('the effort max over openai-responses', 'openai-responses', effort('max'), [
  ['prod', { ...OPENAI, likeModels: { prod: 'o3' } }, { reasoning: { effort: 'high' } }, LESS],
])

it.each([
  ['codex-mini-latest', true],
  ['gpt-4o', false],
  ['our-deployment', true],
])('a request to OpenAI for the model %s includes encrypted reasoning: %j', (model, sealed) => {
  const { include } = bodyOf('openai-responses', model, quirksOf('openai'), {})
  expect(include?.includes('reasoning.encrypted_content') ?? false).toBe(sealed)
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
