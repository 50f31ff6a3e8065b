import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { ModelFacts } from '../../src/models/facts.ts'
import { MODEL_FAMILIES } from '../../src/models/model-facts.ts'
import { isObject } from '../../src/text/json.ts'
import { OTHER_WIRES } from '../../src/vendors/other-wires.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { ClientWireName } from '../../src/wires/names.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { factsOf } from '../../src/wires/shared/upstream/model-facts.ts'
import { encodeFor } from '../engine/encode-request.ts'
import { targetOf } from '../engine/target.ts'
import { someOf } from '../property.ts'
import { requestOf } from '../request-bodies.ts'

/**
 * A request for no reasoning turns none on: for each model at each vendor, on each of its wires. What a member of a body
 * does is written here once more, independent of the encoders.
 */

/** Names of models: at least one for each row of the table, as vendors and servers have them. */
const MODELS = `
claude-fable-5-2 claude-fable-5 claude-opus-5-5 claude-opus-5 claude-sonnet-5-5 claude-sonnet-5 claude-haiku-5-5
claude-opus-4-8 claude-opus-4-7 claude-sonnet-4-6 claude-opus-4-5 claude-haiku-4-5 claude-opus-4-1 claude-opus-4-0 claude-sonnet-4-0
claude-3-7-sonnet-latest claude-3-5-haiku-latest claude-3-5-sonnet-latest claude-3-haiku-20240307 claude-opus-9
gpt-6-astra gpt-6-sol gpt-7 daybreak-blue-latest gpt-5.6-sol gpt-5.5-pro gpt-5.5 gpt-5.4 gpt-5.3-codex gpt-5.2-codex
gpt-5.2-chat-latest gpt-5.2-pro gpt-5.2 gpt-5.1-codex-max gpt-5.1-codex-mini gpt-5.1-codex gpt-5.1 gpt-5-pro
gpt-5-chat-latest gpt-5-search-api gpt-5-mini o3 o3-mini gpt-audio gpt-realtime gpt-4o-search-preview gpt-4.1 gpt-4o gpt-4-turbo gpt-4-0613 gpt-3.5-turbo
chatgpt-latest gpt-next
gemini-4-hydrogen gemini-4-argon gemini-3.8-flash gemini-3-pro-image gemini-3.1-flash-image gemini-3.6-flash
gemini-3.5-flash gemini-3-pro-preview gemini-2.5-pro gemini-2.5-flash-lite gemini-2.0-flash gemini-2.5-flash
gemini-omni gemini-9
grok-4.7 grok-4.5 grok-4.3 grok-4.20-multi-agent-0309 grok-4.20-non-reasoning grok-4.20 grok-4-1-fast-non-reasoning
grok-4 grok-3-mini grok-3 grok-2 grok-next
deepseek-ai/DeepSeek-R1 deepseek-ai/DeepSeek-V3.1 deepseek-v3.2 deepseek-v4-pro deepseek-v4-flash deepseek-next
moonshotai/Kimi-K3 kimi-k2.7-code kimi-k2-thinking moonshotai/Kimi-K2.6 kimi-k2.5 kimi-k2-0905 kimi-thinking-preview kimi-k1.5 moonshot-v1-128k kimi-next
zai-org/GLM-5.3 glm-5.2 glm-4.6 glm-4.5v glm-next
qwen3-235b-a22b-thinking-2507 Qwen/Qwen3.8-27B qwen3.8-max qwen3-coder-plus Qwen/Qwen3-32B
mistral-small-2603 mistral-large-4 codestral-latest magistral-medium-latest
MiniMax-M3.1-Flash-Preview MiniMaxAI/MiniMax-M3 MiniMax-M2.7
google/gemma-4-31b-it gemma-3-27b-it openai/gpt-oss-120b
granite-3.3-8b-instruct granite-4.2-8b granite-4.0-h-small
command-a-reasoning-08-2025 command-r7b-12-2024 command-a-plus-05-2026
nvidia/nemotron-3-super holo2-30b meta-llama/Llama-3.3-70B-Instruct llama-4-scout
nova-micro-v1 nova-lite-v1 nova-2-lite sonar-deep-research titan-text muse-spark-1.1
some-model
`
  .trim()
  .split(/\s+/)

/** Open weights that a request can turn off. */
const OPEN_MODELS = `
gemma-4-31b-it Qwen3.8-27B Qwen3-32B Kimi-K2.6 DeepSeek-V4-Flash GLM-5.2 MiniMax-M3 granite-3.3-8b-instruct
`
  .trim()
  .split(' ')

/** Google's own API reasons in each answer of Gemma 4, and its newer protocol has levels only. */
const STAYS_ON = [
  'google gemma',
  'vertex gemma',
  'vertex-anthropic gemma',
  'google-compat gemma',
  'google-interactions ',
]

interface Host {
  readonly name: string
  readonly wire: WireName
  readonly quirks: Quirks
}

const HOSTS: readonly Host[] = VENDOR_NAMES.flatMap((name) => {
  const vendor = findVendor(name)
  if (vendor === undefined) return []
  const others = Object.entries(OTHER_WIRES[name] ?? {}) as [WireName, { readonly quirks: Quirks }][]
  return [
    { name, wire: vendor.wire, quirks: vendor.quirks },
    ...others.map(([wire, { quirks }]) => ({ name, wire, quirks })),
  ]
})

/** Cohere's protocol serves Cohere's models. */
const modelsOf = ({ wire }: Host): readonly string[] =>
  wire === 'cohere-chat' ? MODELS.filter((model) => /command|some-model/.test(model)) : MODELS

type Sign = 'on' | 'least' | 'off'

const LEVELS: ReadonlySet<unknown> = new Set(['minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'default'])

/** A step leaves reasoning on: the lowest one is right for a model that nothing turns off. */
const ofLevel = (value: unknown): Sign => (LEVELS.has(value) ? 'least' : 'off')

/** What a member says about reasoning, by its name at any depth. */
const SIGNS: Readonly<Record<string, (value: unknown) => Sign>> = {
  reasoning_effort: ofLevel,
  effort: ofLevel,
  thinkingLevel: ofLevel,
  thinking_level: ofLevel,
  maxReasoningEffort: ofLevel,
  enable_thinking: (value) => (value === true ? 'on' : 'off'),
  think: (value) => (value === true ? 'on' : ofLevel(value)),
  thinking_mode: (value) => (value === 'disabled' ? 'off' : 'on'),
  thinkingBudget: (value) => (value === 0 ? 'off' : 'least'),
  thinking_budget: (value) => (value === 0 ? 'off' : 'on'),
  budget_tokens: () => 'on',
  includeThoughts: (value) => (value === true ? 'on' : 'off'),
  thinking: (value) => (value === true || (isObject(value) && value.type !== 'disabled') ? 'on' : 'off'),
  reasoningConfig: (value) => (isObject(value) && value.type === 'disabled' ? 'off' : 'on'),
}

/** The members of a body that leave reasoning on, or turn it on. */
function signsIn(value: unknown): readonly (readonly [path: string, sign: Sign])[] {
  if (Array.isArray(value)) return value.flatMap(signsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const sign = Object.hasOwn(SIGNS, name) ? SIGNS[name]?.(inner) : undefined
    const here = sign === undefined || sign === 'off' ? [] : [[`${name}=${JSON.stringify(inner)}`, sign] as const]
    return [...here, ...signsIn(inner)]
  })
}

/** Google's newer protocol has levels only. The lowest one is less than a model does without it. */
const hasLevelsOnly = ({ wire }: Host, { defaultEffort }: ModelFacts): boolean =>
  wire === 'gemini-interactions' && defaultEffort !== 'none'

/** z.ai wants both members for a model that always reasons, with the lowest step. */
const pairsStep = (host: Host, signs: readonly (readonly [string, Sign])[]): boolean =>
  host.quirks.effort === 'zai' && signs.some(([, sign]) => sign === 'least')

function wrongOf(host: Host, model: string, facts: ModelFacts): readonly string[] {
  const target = targetOf(host.wire, host.quirks, model)
  const encoded = encodeFor(WIRES[host.wire], requestOf({ reasoning: { effort: 'none' } }), target)
  if (!encoded.ok) return [`${host.name} ${host.wire} ${model}: refused`]
  const { input: _, messages: __, ...settings } = encoded.body as Readonly<Record<string, unknown>>
  const signs = signsIn(settings)
  const always = facts.reasons === 'always' || hasLevelsOnly(host, facts)
  const wrong = signs.filter(([, sign]) => !always || (sign === 'on' && !pairsStep(host, signs)))
  return wrong.map(([path]) => `${host.name} ${host.wire} ${model}: ${path}`)
}

describe('a request without reasoning', () => {
  it('turns none on, and leaves it on only where nothing turns it off', () => {
    const wrong = HOSTS.flatMap((host, at) =>
      someOf(modelsOf(host), 4, at).flatMap((model) =>
        wrongOf(host, model, factsOf({ model, quirks: host.quirks }, host.wire)),
      ),
    )
    expect(wrong).toEqual([])
    expect(HOSTS.length * MODELS.length).toBeGreaterThan(8000)
  })

  // How the clients of each protocol ask for it.
  it.each<[client: ClientWireName | 'openai', body: object]>([
    ['openai', { input: 'Hi', reasoning: { effort: 'none' } }],
    ['openai-chat', { messages: [{ role: 'user', content: 'Hi' }], reasoning_effort: 'none' }],
    [
      'anthropic-messages',
      { max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }], thinking: { type: 'disabled' } },
    ],
    [
      'gemini-generate',
      { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
    ],
    ['ollama-chat', { messages: [{ role: 'user', content: 'Hi' }], think: false }],
  ])('of a client of %s turns none on, passed or translated', (client, body) => {
    const wrong = VENDOR_NAMES.flatMap((vendor, at) =>
      someOf(OPEN_MODELS, 4, at + client.length).flatMap((model) => {
        const got = explainRequest({ model, ...body }, { client, vendor, model })
        if (!got.ok) return [`${vendor} ${model}: ${got.error.message}`]
        const { messages: _, input: __, contents: ___, ...settings } = got.upstream
        return signsIn(settings).map(([path]) => `${vendor} ${model}: ${path}`)
      }),
    )
    expect(wrong.filter((line) => !STAYS_ON.some((known) => line.startsWith(known)))).toEqual([])
  })

  it('is tried with each row of the table of models', () => {
    const bare = MODELS.map((model) => model.slice(model.lastIndexOf('/') + 1).toLowerCase())
    const untried = MODEL_FAMILIES.flatMap(({ name, rows }) =>
      rows
        .filter((row) => {
          const first = bare.filter((model) => rows.find(({ names }) => names.test(model)) === row)
          return first.length === 0
        })
        .map(({ names }) => `${name}: ${names.source}`),
    )
    expect(untried).toEqual([])
  })

  // From the pages and reports that the rows name: what the weights of a model do on any server.
  it.each([
    ['google/gemma-4-31b-it', 'optional'],
    ['Qwen/Qwen3.8-27B', 'optional'],
    ['Qwen/Qwen3-32B', 'optional'],
    ['moonshotai/Kimi-K3', 'optional'],
    ['moonshotai/Kimi-K2.6', 'optional'],
    ['deepseek-ai/DeepSeek-V3.1', 'optional'],
    ['deepseek-ai/DeepSeek-V4-Flash', 'optional'],
    ['zai-org/GLM-5.2', 'optional'],
    ['MiniMaxAI/MiniMax-M3', 'optional'],
    ['ibm-granite/granite-3.3-8b-instruct', 'optional'],
    ['nvidia/nemotron-3-super', 'optional'],
    ['openai/gpt-oss-120b', 'always'],
    ['zai-org/GLM-5.3', 'always'],
    ['MiniMaxAI/MiniMax-M2.5', 'always'],
    ['deepseek-ai/DeepSeek-R1', 'always'],
  ])(
    'is one for %s, whose reasoning is %s, at each server of one’s own and each host without rows',
    (model, reasons) => {
      const hosts = HOSTS.filter(({ name }) =>
        ['vllm', 'llamacpp', 'lmstudio', 'tgi', 'together', 'novita'].includes(name),
      )
      expect(hosts.map(({ quirks, wire }) => factsOf({ model, quirks }, wire).reasons)).toEqual(
        hosts.map(() => reasons),
      )
    },
  )

  it('is judged by members that turn reasoning on', () => {
    expect(signsIn({ chat_template_kwargs: { enable_thinking: true } })).toHaveLength(1)
    expect(signsIn({ thinking: { type: 'enabled', budget_tokens: 1024 } })).toHaveLength(2)
    expect(signsIn({ reasoning_effort: 'minimal', think: 'low' }).map(([, sign]) => sign)).toEqual(['least', 'least'])
    expect(signsIn({ reasoning: { effort: 'none' }, thinking: { type: 'disabled' }, think: false })).toEqual([])
  })
})
