import type { JsonObject } from '../../protocol/json.ts'
import type { SourceMap } from '../../protocol/source-map.ts'
import { valueAt } from '../../text/json-path.ts'
import type { WireName } from '../../wires/contract.ts'
import type { OriginPair } from '../origins.ts'

/** The settings of a request of the Responses API that bodies have as well. */
const SETTINGS = [
  'model',
  'instructions',
  'max_output_tokens',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'stop',
  'user',
  'safety_identifier',
  'metadata',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning.effort',
  'reasoning.summary',
  'text.format',
  'text.format.name',
  'text.format.schema',
  'text.verbosity',
  'top_logprobs',
  'include',
  'service_tier',
  'stream',
] as const

type SettingPaths = Readonly<Partial<Record<(typeof SETTINGS)[number], string | readonly string[]>>>

/** The paths of settings in the bodies of a wire, as far as they have others than in the Responses API: the first that exists. */
const PATHS: Readonly<Record<WireName, SettingPaths>> = {
  'openai-responses': {},
  'openai-chat': {
    instructions: 'messages[0].content',
    max_output_tokens: ['max_completion_tokens', 'max_tokens'],
    'reasoning.effort': ['reasoning_effort', 'reasoning.effort', 'thinking'],
    'text.format': 'response_format',
    'text.format.name': 'response_format.json_schema.name',
    'text.format.schema': 'response_format.json_schema.schema',
    'text.verbosity': 'verbosity',
    include: 'logprobs',
  },
  'anthropic-messages': {
    instructions: 'system[0].text',
    max_output_tokens: 'max_tokens',
    stop: 'stop_sequences',
    user: 'metadata.user_id',
    safety_identifier: 'metadata.user_id',
    parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
    'reasoning.effort': ['output_config.effort', 'thinking.budget_tokens', 'thinking'],
    'text.format': 'output_config.format',
    'text.format.schema': 'output_config.format.schema',
  },
  'gemini-generate': {
    instructions: 'systemInstruction.parts[0].text',
    max_output_tokens: 'generationConfig.maxOutputTokens',
    temperature: 'generationConfig.temperature',
    top_p: 'generationConfig.topP',
    presence_penalty: 'generationConfig.presencePenalty',
    frequency_penalty: 'generationConfig.frequencyPenalty',
    stop: 'generationConfig.stopSequences',
    tool_choice: 'toolConfig.functionCallingConfig',
    'reasoning.effort': [
      'generationConfig.thinkingConfig.thinkingLevel',
      'generationConfig.thinkingConfig.thinkingBudget',
      'generationConfig.thinkingConfig',
    ],
    'text.format.schema': 'generationConfig.responseJsonSchema',
    top_logprobs: 'generationConfig.logprobs',
    include: 'generationConfig.responseLogprobs',
    service_tier: 'serviceTier',
  },
  'gemini-interactions': {
    instructions: 'system_instruction',
    max_output_tokens: 'generation_config.max_output_tokens',
    temperature: 'generation_config.temperature',
    top_p: 'generation_config.top_p',
    stop: 'generation_config.stop_sequences',
    tool_choice: 'generation_config.tool_choice',
    'reasoning.effort': 'generation_config.thinking_level',
    'reasoning.summary': 'generation_config.thinking_summaries',
    'text.format': 'response_format',
    'text.format.schema': 'response_format.schema',
  },
  'bedrock-converse': {
    instructions: 'system[0].text',
    max_output_tokens: 'inferenceConfig.maxTokens',
    temperature: 'inferenceConfig.temperature',
    top_p: 'inferenceConfig.topP',
    stop: 'inferenceConfig.stopSequences',
    metadata: 'requestMetadata',
    tool_choice: 'toolConfig.toolChoice',
    'text.format.schema': 'outputConfig.textFormat.structure.jsonSchema.schema',
    service_tier: 'serviceTier.type',
  },
  'cohere-chat': {
    instructions: 'messages[0].content',
    max_output_tokens: 'max_tokens',
    top_p: 'p',
    stop: 'stop_sequences',
    'reasoning.effort': ['thinking.token_budget', 'thinking'],
    'text.format': 'response_format',
    'text.format.schema': 'response_format.json_schema',
  },
  'ollama-chat': {
    instructions: 'messages[0].content',
    max_output_tokens: 'options.num_predict',
    temperature: 'options.temperature',
    top_p: 'options.top_p',
    presence_penalty: 'options.presence_penalty',
    frequency_penalty: 'options.frequency_penalty',
    stop: 'options.stop',
    'reasoning.effort': 'think',
    'text.format': 'format',
    include: 'logprobs',
  },
}

/** The pairs of settings that both bodies have. */
export function settingPairs(
  wire: WireName,
  body: JsonObject,
  sent: JsonObject,
  { toClientPath }: Pick<SourceMap, 'toClientPath'>,
): readonly OriginPair[] {
  const pairs = SETTINGS.flatMap((name): readonly OriginPair[] => {
    const paths = [PATHS[wire][name] ?? name].flat()
    const found = paths.find((path) => valueAt(body, path) !== undefined)
    const own = toClientPath(name)
    const isSetting = own !== null && own !== toClientPath('input') && valueAt(sent, own) !== undefined
    return found === undefined || !isSetting ? [] : [[found, own]]
  })
  // A schema alone is the format of some clients.
  return [...new Map(pairs.map((pair) => [pair[1], pair])).values()]
}
