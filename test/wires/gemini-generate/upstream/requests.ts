import { geminiGenerate } from '../../../../src/wires/gemini-generate/index.ts'
import * as hub from '../../hub-requests.ts'
import { type Fields, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { MODEL, SECOND } from '../histories.ts'

const { CUSTOM, effort, fn, ONE_CALL, user, WEB } = hub
const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false }
const closed = { type: 'object', additionalProperties: false }
const PAIR = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] }
const OPEN_PAIR = { type: 'array', items: { anyOf: PAIR.items } }
const declared = (...functionDeclarations: readonly object[]) => ({ functionDeclarations })
const FN = fn('f', { description: 'd', parameters: schema })

/** A request that only changes `generationConfig`. */
const configured = (request: Fields, generationConfig: Fields, more: Fields = {}) => ({
  request,
  sent: { generationConfig },
  ...more,
})
const addressed = (model: string, stream: boolean, path: string) => ({
  name: `${model}, streamed: ${stream}`,
  model,
  request: { stream },
  path,
})
const level = (thinkingLevel: string) => ({ thinkingLevel, includeThoughts: true })
const budget = (thinkingBudget: number) => ({ thinkingBudget, includeThoughts: true })
const thinks = (model: string, word: string, thinkingConfig: Fields, losses = '') => ({
  name: `${model} with the effort ${word}`,
  ...configured(effort(word), { thinkingConfig }, { model, losses }),
})
const MAPPED = 'reasoning.effort mapped'
const chosen = (tool_choice: unknown, functionCallingConfig?: Fields) => ({
  name: JSON.stringify(tool_choice),
  request: { tools: [fn('f'), fn('g')], tool_choice },
  sent: {
    tools: [declared({ name: 'f' }, { name: 'g' })],
    toolConfig: functionCallingConfig && { functionCallingConfig },
  },
})
const hosted = (type: string, tool: Fields) => [
  `include the hosted tool for ${type} unless the choice is none`,
  [
    { request: { tools: [{ type }] }, sent: { tools: [tool] } },
    { request: { tools: [{ type }], tool_choice: 'none' }, sent: {} },
  ],
]
const HOSTED = [WEB, { type: 'web_search_preview' }, fn()]

// biome-ignore format: a row a case
const groups = [
upstreamCases('the path and the key of a gemini-generate request', 'have the right URL for the model ', [
  addressed('gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'),
  addressed('gemini-2.5-flash', true, '/models/gemini-2.5-flash:streamGenerateContent?alt=sse'),
  addressed('models/gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'),
  addressed('tunedModels/mine-1', true, '/tunedModels/mine-1:streamGenerateContent?alt=sse'),
  addressed('a b/c?d#e', false, '/models/a%20b/c%3Fd%23e:generateContent'),
  addressed('gemini-1.5-pro@002', false, '/models/gemini-1.5-pro%40002:generateContent'),
]),
upstreamCases('generationConfig of a gemini-generate request', 'is encoded without a loss: ', {
  'no fields': { sent: {} },
  'fields with default values': { request: { stream: true, truncation: 'disabled', service_tier: 'auto', ...hub.TEXT },
    sent: {} },
  sampling: configured({ max_output_tokens: 99, temperature: 2, top_p: 0.5 },
    { maxOutputTokens: 99, temperature: 2, topP: 0.5 }),
  zero: configured({ temperature: 0 }, { temperature: 0 }),
  JSON: configured(hub.JSON_OBJECT, { responseMimeType: 'application/json' }),
  'a schema': configured(hub.schemaOf({ schema: closed }),
    { responseMimeType: 'application/json', responseJsonSchema: closed }),
  'a schema that Google’s parser accepts': { losses: 'text.format.schema mapped',
    ...configured(hub.schemaOf({ schema: { ...closed, properties: { pair: PAIR }, required: [] } }),
      { responseMimeType: 'application/json', responseJsonSchema: { ...closed, properties: { pair: OPEN_PAIR } } }) },
  'log probabilities': configured({ top_logprobs: 3 }, { responseLogprobs: true, logprobs: 3 }),
  'log probabilities by include': configured(hub.WITH_LOGPROBS, { responseLogprobs: true }),
}),
upstreamCases('generationConfig of a gemini-generate request', '', {
  'has the tier flex beside it': { request: { service_tier: 'flex' }, sent: { serviceTier: 'flex' } },
  'has the tier priority beside it': { request: { service_tier: 'priority' }, sent: { serviceTier: 'priority' } },
  'limits a penalty of 2 with a loss': [
    configured({ presence_penalty: 2, frequency_penalty: 2 }, { presencePenalty: 1.99, frequencyPenalty: 1.99 },
      { model: 'gemini-2.0-flash', losses: 'presence_penalty mapped, frequency_penalty mapped' }),
    { request: { presence_penalty: 2, frequency_penalty: -2 }, model: 'gemini-2.0-flash',
      losses: 'presence_penalty mapped' },
  ],
  'has no penalties from Gemini 2.5 on, which refuses them': ['gemini-2.5-flash', 'gemini-3.8-flash', 'gemini-7'].map(
    (model) => ({ request: { presence_penalty: 1, frequency_penalty: 1 }, model, sent: {},
      losses: 'presence_penalty, frequency_penalty' })),
  'includes thoughts if the client requests a summary': configured(hub.SUMMARY,
    { thinkingConfig: { includeThoughts: true } }),
}),
upstreamCases('generationConfig of a gemini-generate request', 'has thinking for the model ', [
  thinks('gemini-3-flash-preview', 'minimal', level('minimal')),
  thinks('gemini-3-flash-preview', 'medium', level('medium')),
  thinks('gemini-3-flash-preview', 'none', { thinkingLevel: 'minimal' }, MAPPED),
  thinks('gemini-3-flash-preview', 'max', level('high'), MAPPED),
  thinks('gemini-3-pro-preview', 'low', level('low')),
  thinks('gemini-3-pro-preview', 'minimal', level('low'), MAPPED),
  thinks('gemini-3-pro-preview', 'medium', level('high'), MAPPED),
  thinks('gemini-3.1-pro-preview', 'medium', level('medium')),
  thinks('models/gemini-3.5-flash', 'high', level('high')),
  thinks('gemini-2.5-flash', 'none', { thinkingBudget: 0 }),
  thinks('gemini-2.5-flash', 'low', budget(4096)),
  thinks('gemini-2.5-flash', 'max', budget(24_576), MAPPED),
  thinks('gemini-2.5-pro', 'none', { thinkingBudget: 128 }, MAPPED),
  thinks('gemini-2.5-pro', 'max', budget(32_768)),
  thinks('gemini-flash-latest', 'minimal', level('low'), MAPPED),
  thinks('gemini-3.6-flash', 'minimal', level('minimal')),
  thinks('gemini-3.6-flash', 'none', { thinkingBudget: 0 }),
  thinks('gemini-3.8-flash', 'none', { thinkingLevel: 'low' }, MAPPED),
  thinks('gemini-3.5-flash-lite', 'none', { thinkingLevel: 'minimal' }, MAPPED),
  thinks('gemma-4-31b-it', 'none', { thinkingLevel: 'minimal' }, MAPPED),
  thinks('gemini-4-hydrogen', 'xhigh', level('xhigh')),
  thinks('gemini-4-argon', 'xhigh', level('high'), MAPPED),
  thinks('gemini-pro-latest', 'medium', level('medium')),
  thinks('gemini-pro-latest', 'minimal', level('low'), MAPPED),
  thinks('tunedModels/mine-1', 'high', level('high')),
]),
upstreamCases('generationConfig of a gemini-generate request', 'has no thinking for ',
  ['gemini-2.0-flash', 'gemini-1.5-pro', 'gemma-3-27b-it'].map((model) => ({ model, request: effort('high'), sent: {},
    name: `${model}, which is a recorded loss`, losses: 'reasoning.effort' }))),
upstreamCases('tools of a gemini-generate request', 'are encoded with the choice ', [
  chosen(null), chosen('auto', { mode: 'AUTO' }), chosen('none', { mode: 'NONE' }), chosen('required', { mode: 'ANY' }),
  chosen(fn('g'), { mode: 'ANY', allowedFunctionNames: ['g'] }),
]),
upstreamCases('tools of a gemini-generate request', '', {
  'have schemas that Google’s parser accepts': { losses: 'tools[0].parameters mapped',
    request: { tools: [fn('f', { parameters: { type: 'object', properties: { pair: PAIR }, required: [] } })] },
    sent: { tools: [declared({ name: 'f', parametersJsonSchema: { type: 'object', properties: { pair: OPEN_PAIR } } })] } },
  'have the schemas of functions unchanged': { request: { tools: [FN, fn('g')] },
    sent: { tools: [declared({ name: 'f', description: 'd', parametersJsonSchema: schema }, { name: 'g' })] } },
  ...Object.fromEntries([hosted('web_search', { googleSearch: {} }), hosted('web_search_preview', { googleSearch: {} }),
    hosted('code_interpreter', { codeExecution: {} })]),
  'need Gemini 3 for hosted tools beside functions': [
    { request: { tools: HOSTED }, model: MODEL, sent: { tools: [{ googleSearch: {} }, declared({ name: 'f' })],
      toolConfig: { includeServerSideToolInvocations: true } } },
    { request: { tools: HOSTED }, sent: { tools: [declared({ name: 'f' })] }, losses: 'tools[0], tools[1]' },
  ],
  'leave no options in the body if there are none': { request: { tool_choice: 'auto', ...ONE_CALL }, sent: {} },
}),
upstreamCases('tools of a gemini-generate request', 'are rejected if the choice cannot be forced: ', [
  { tool_choice: 'required' },
  { tools: [WEB], tool_choice: 'required' },
  { tools: [WEB, fn()], tool_choice: WEB },
  { tools: [fn(), CUSTOM], tool_choice: CUSTOM },
].map((request) => ({ request, error: 'tool_choice', model: MODEL }))),
upstreamCases('losses of a gemini-generate request', 'are recorded for this content: ', {
  fields: { sent: {}, request: { ...hub.UNSUPPORTED, ...hub.LOW_VERBOSITY, service_tier: 'scale', truncation: 'auto' },
    losses: 'service_tier, max_tool_calls, metadata, user, safety_identifier, prompt_cache_key, truncation, \
text.verbosity, plugins' },
  tools: { request: { tools: [CUSTOM, { type: 'file_search' }, { type: 'constructor' }] }, sent: {},
    losses: 'tools[0], tools[1], tools[2]' },
  strictness: { request: { tools: [fn('f', { strict: true })] }, losses: 'tools[0].strict' },
  'a filter': { losses: 'tools[0].filters.allowed_domains, tools[0].search_context_size',
    request: { tools: [{ ...WEB, filters: { allowed_domains: ['a'] }, search_context_size: 'low' }] } },
  'calls one at a time': { request: { tools: [fn()], ...ONE_CALL }, losses: 'parallel_tool_calls' },
  items: { request: { input: [user('A'), { type: 'web_search_call', id: 'w' }] }, losses: 'input[1]' },
}),
]

export const REQUESTS: UpstreamRequests = {
  wire: geminiGenerate,
  model: SECOND,
  base: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
  groups,
}
