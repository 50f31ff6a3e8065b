import { expect } from 'vitest'
import { bedrockConverse } from '../../../../src/wires/bedrock-converse/index.ts'
import { sealed } from '../../../engine/target.ts'
import * as hub from '../../hub-requests.ts'
import { type Fields, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { CLAUDE, toolResult, toolUse } from '../converses.ts'

const { call, effort, fn, ONE_CALL, output, user, WEB } = hub
const OLD = 'anthropic.claude-3-haiku-20240307-v1:0'
const NEW = 'global.anthropic.claude-opus-4-7'
const FOUR_SIX = 'us.anthropic.claude-sonnet-4-6-v1:0'
const SEVEN = 'us.anthropic.claude-3-7-sonnet-20250219-v1:0'
const NOVA = 'amazon.nova-lite-v1:0'
const NOVA_2 = 'us.amazon.nova-2-lite-v1:0'
const OSS = 'openai.gpt-oss-120b-1:0'
const LLAMA = 'meta.llama3-8b-instruct-v1:0'
const CLAUDE_PATH = '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse'
const PROFILE = 'arn:aws:bedrock:us-east-1:1:inference-profile/x'
const PROFILE_PATH = '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse'

const addressed = (model: string, stream: boolean, path: string) => ({
  name: `${model}, streamed: ${stream}`,
  model,
  request: { stream },
  path,
})
const schema = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false }
const FORMAT = hub.schemaOf({ description: 'd', schema })
const structure = { jsonSchema: { schema: JSON.stringify(schema), name: 'n', description: 'd' } }
const own = (additionalModelRequestFields: Fields, more: Fields = {}) => ({ additionalModelRequestFields, ...more })
const thinking = (budget_tokens: number, maxTokens: number) =>
  own({ thinking: { type: 'enabled', budget_tokens } }, { inferenceConfig: { maxTokens } })
const adaptive = (word: string) =>
  own({ thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: word } })
const nova = (maxReasoningEffort: string) => own({ reasoningConfig: { type: 'enabled', maxReasoningEffort } })
const labels = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, 'v']))

const empty = { json: { type: 'object', properties: {} } }
const spec = (name = 'f', more: Fields = {}) => ({ toolSpec: { name, inputSchema: empty, ...more } })
const tools = (specs: readonly Fields[], more: Fields = {}) => ({ toolConfig: { tools: specs, ...more } })
const PAST = [user('A'), call('c1', '{}', 'old'), output('c1'), call('c2', '{}', 'old')]
const parameters = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}
const single = (tool_choice: unknown, choice: Fields) => ({
  name: JSON.stringify(tool_choice),
  request: { tools: [fn()], tool_choice, ...ONE_CALL },
  sent: { ...tools([spec()]), ...own({ tool_choice: { ...choice, disable_parallel_tool_use: true } }) },
})
const signed = {
  type: 'reasoning',
  summary: [],
  encrypted_content: sealed('bedrock-converse', { text: 'Hm.', signature: 's', redacted: [] }, CLAUDE),
}
const loop = (...before: readonly unknown[]) => ({
  ...effort('low'),
  tools: [fn()],
  input: [user('A'), ...before, call('c1'), output('c1')],
})
const forced = { ...loop(signed), tool_choice: 'required' }
const sentLoop = (...before: readonly Fields[]) => ({
  messages: [
    { role: 'user', content: [{ text: 'A' }] },
    { role: 'assistant', content: [...before, toolUse('c1')] },
    { role: 'user', content: [toolResult('c1')] },
  ],
})
const THOUGHT = { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } }

// biome-ignore format: a row a case
const groups = [
upstreamCases('the path and the key of a bedrock-converse request', 'have the URL of the model ', [
  addressed(CLAUDE, true, `${CLAUDE_PATH}-stream`), addressed(CLAUDE, false, CLAUDE_PATH),
  addressed(PROFILE, false, PROFILE_PATH),
]),
upstreamCases('fields of a bedrock-converse request', 'are encoded for the model: ', {
  'no fields': { sent: {} },
  'fields without effect': { sent: {}, request: { service_tier: 'auto', truncation: 'disabled', tool_choice: 'none',
    ...ONE_CALL, ...hub.TEXT } },
  sampling: { request: { max_output_tokens: 9, temperature: 0, top_p: 0.5 }, model: OLD,
    sent: { inferenceConfig: { maxTokens: 9, temperature: 0, topP: 0.5 } } },
  'a temperature too high': { request: { temperature: 1.5 }, model: NOVA,
    sent: { inferenceConfig: { temperature: 1 } }, losses: 'temperature mapped' },
  'one knob at a time': { request: { temperature: 0.5, top_p: 0.5 }, sent: { inferenceConfig: { temperature: 0.5 } },
    losses: 'top_p' },
  'no knobs at all': { request: { temperature: 0.5, top_p: 0.5 }, model: NEW, sent: {}, losses: 'temperature, top_p' },
  'fields that Converse does not have': { request: { presence_penalty: 1, frequency_penalty: 1, top_logprobs: 2,
    truncation: 'auto', max_tool_calls: 2, prompt_cache_key: 'k', safety_identifier: 's', plugins: [{ id: 'web' }],
    ...hub.LOW_VERBOSITY }, sent: {}, losses: 'max_tool_calls, presence_penalty, frequency_penalty, \
safety_identifier, prompt_cache_key, truncation, plugins, text.verbosity, top_logprobs' },
  'a tier': { request: { service_tier: 'flex' }, sent: { serviceTier: { type: 'flex' } } },
  'a reserved tier': { request: { service_tier: 'reserved' }, sent: { serviceTier: { type: 'reserved' } } },
  'a tier of others': { request: { service_tier: 'scale' }, sent: {}, losses: 'service_tier' },
  labels: { request: { metadata: { team: 'mill', odd: 'Mühle', 'a b': 'x/y' }, user: 'u-1' },
    sent: { requestMetadata: { team: 'mill', 'a b': 'x/y', user: 'u-1' } }, losses: 'metadata.odd' },
  'no effort': { request: effort('none'), sent: {} },
  'low effort': { request: effort('minimal'), sent: thinking(1024, 32_000) },
  reasoning: { request: effort('medium'), sent: thinking(9600, 32_000) },
  'high effort': { request: effort('high'), model: SEVEN, sent: thinking(19_200, 32_000) },
  'reasoning within a limit': { request: { ...effort('high'), max_output_tokens: 2000 }, sent: thinking(1200, 2000) },
  'reasoning that does not fit into the limit': { request: { ...effort('low'), max_output_tokens: 1024 },
    sent: thinking(1024, 2048), losses: 'max_output_tokens mapped' },
  'reasoning that cannot be configured': { sent: thinking(2000, 20_000), losses: 'temperature, top_p',
    request: { ...effort('low'), temperature: 0.5, top_p: 0.5, max_output_tokens: 20_000 } },
  'reasoning of an older model': { request: effort('high'), model: OLD, sent: {}, losses: 'reasoning.effort' },
  'adaptive reasoning': { request: { reasoning: { effort: 'high', summary: 'auto' } }, model: FOUR_SIX,
    sent: adaptive('high') },
  'the nearest step': { request: effort('minimal'), model: FOUR_SIX, sent: adaptive('low'),
    losses: 'reasoning.effort mapped' },
  'a step that is not there yet': { request: effort('xhigh'), model: FOUR_SIX, sent: adaptive('high'),
    losses: 'reasoning.effort mapped' },
  'a step that is': { request: effort('xhigh'), model: NEW, sent: adaptive('xhigh') },
  'no reasoning of Nova': { request: effort('none'), model: NOVA_2,
    sent: own({ reasoningConfig: { type: 'disabled' } }) },
  'reasoning of Nova': { request: { ...effort('low'), max_output_tokens: 9 }, model: NOVA_2,
    sent: { ...nova('low'), inferenceConfig: { maxTokens: 9 } } },
  'high effort of Nova': { model: NOVA_2, sent: nova('high'),
    request: { ...effort('max'), max_output_tokens: 9, temperature: 0.1, top_p: 0.1 },
    losses: 'reasoning.effort mapped, max_output_tokens, temperature, top_p' },
  'reasoning of the first Nova': { request: effort('low'), model: NOVA, sent: {}, losses: 'reasoning.effort' },
  'reasoning of gpt-oss': { request: effort('medium'), model: OSS, sent: own({ reasoning_effort: 'medium' }) },
  'the nearest step of gpt-oss': { request: effort('none'), model: OSS, sent: own({ reasoning_effort: 'low' }),
    losses: 'reasoning.effort mapped' },
  'reasoning of other models': { request: { reasoning: { effort: 'low', summary: 'auto' } }, model: LLAMA, sent: {},
    losses: 'reasoning.effort, reasoning.summary' },
  'a schema': { request: FORMAT, sent: { outputConfig: { textFormat: { type: 'json_schema', structure } } } },
}),
upstreamCases('fields of a bedrock-converse request', '', {
  'become instructions for a format that the model does not support': [
    { request: { instructions: 'Be short.', ...FORMAT }, model: LLAMA, losses: 'text.format.schema mapped',
      sent: { system: [{ text: `Be short.\n\nAnswer with JSON that matches this schema and nothing else:\n${JSON.stringify(schema)}\nThe JSON is: d` }] } },
    { request: hub.JSON_OBJECT, sent: { system: [{ text: expect.stringContaining('JSON') }] },
      losses: 'text.format mapped' },
  ],
  'have at most sixteen labels': { request: { metadata: labels, user: 'u' }, sent: { requestMetadata: labels },
    losses: 'user' },
}),
upstreamCases('reasoning in a tool loop over bedrock-converse', '', {
  'continues only if the loop has reasoning from its start': [
    { request: loop(signed), sent: { ...sentLoop(THOUGHT), ...thinking(3200, 32_000), ...tools([spec()]) } },
    { request: loop(), sent: { ...sentLoop(), ...tools([spec()]) }, losses: 'reasoning.effort' },
    { request: loop(), model: FOUR_SIX, sent: { ...sentLoop(), ...adaptive('low'), ...tools([spec()]) } },
  ],
  'is off if a call is forced': [
    { request: forced, losses: 'reasoning.effort',
      sent: { ...sentLoop(THOUGHT), ...tools([spec()], { toolChoice: { any: {} } }) } },
    { request: forced, model: FOUR_SIX, losses: 'reasoning.effort',
      sent: { ...sentLoop(THOUGHT), ...tools([spec()], { toolChoice: { any: {} } }) } },
  ],
}),
upstreamCases('tools of a bedrock-converse request', 'are encoded with their choice: ', {
  'a function': { request: { tools: [fn('f', { description: 'd', parameters, strict: true })] },
    sent: tools([spec('f', { description: 'd', inputSchema: { json: parameters }, strict: true })]) },
  'a function without a description': { request: { tools: [fn('f', { description: ' ' })], tool_choice: 'auto' },
    sent: tools([spec()]) },
  'a schema whose root has no type': { request: { tools: [fn('f', { parameters: { properties: {} } })] },
    sent: tools([spec()]) },
  'a schema of something else': { request: { tools: [fn('f', { parameters: { type: 'string', properties: {} } })] },
    sent: tools([spec()]), losses: 'tools[0].parameters.type mapped' },
  'a strictness that is not there': { request: { tools: [fn('f', { strict: true })] }, model: OLD,
    sent: tools([spec()]), losses: 'tools[0].strict' },
  'a call that must be': { request: { tools: [fn()], tool_choice: 'required' }, model: NOVA,
    sent: tools([spec()], { toolChoice: { any: {} } }) },
  'a call of this function': { request: { tools: [fn(), fn('g')], tool_choice: fn('g') },
    sent: tools([spec(), spec('g')], { toolChoice: { tool: { name: 'g' } } }) },
  'no call': { request: { tools: [fn()], tool_choice: 'none' }, sent: {} },
  'no call after calls': { request: { input: PAST, tools: [fn()], tool_choice: 'none' }, losses: 'tool_choice' },
  'calls of the past': { request: { input: PAST }, losses: 'tools mapped' },
  'calls in a row': { request: { tools: [fn()], ...ONE_CALL }, model: NOVA, sent: tools([spec()]),
    losses: 'parallel_tool_calls' },
  'a search of Nova': { model: NOVA_2, losses: 'tools[0].search_context_size',
    request: { tools: [{ ...WEB, search_context_size: 'low' }, { type: 'code_interpreter' }, fn()] },
    sent: tools([{ systemTool: { name: 'nova_grounding' } },
      { systemTool: { name: 'nova_code_interpreter' } }, spec()]) },
  'a search of others': { request: { tools: [WEB, fn()] }, sent: tools([spec()]), losses: 'tools[0]' },
}),
upstreamCases('tools of a bedrock-converse request',
  'are limited to one call at a time by fields of Claude with the choice ', [
  single(null, { type: 'auto' }), single('auto', { type: 'auto' }), single('required', { type: 'any' }),
  single(fn(), { type: 'tool', name: 'f' }),
]),
upstreamCases('tools of a bedrock-converse request', 'are rejected if the choice cannot be forced: ', [
  { request: { tool_choice: 'required' }, error: 'tool_choice' }, ...hub.UNFORCED,
]),
]

export const REQUESTS: UpstreamRequests = {
  wire: bedrockConverse,
  model: CLAUDE,
  base: () => ({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }),
  groups,
}
