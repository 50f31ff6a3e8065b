import type { Quirks } from '../wires/quirks.ts'
import { OPENROUTER_RESPONSES } from './other-wires.ts'
import type { VendorRow } from './vendor.ts'

const chat = (baseUrl: string | null, keyVariable: string | null, quirks: Quirks = {}): VendorRow => ({
  wire: 'openai-chat',
  baseUrl,
  keyVariable,
  quirks,
})

/** "object schema missing properties", "array schema missing items". */
const OPENAI_SCHEMAS: Quirks = {
  refusesInSchemas: ['rootUnion', 'rootType', 'noProperties', 'noItems'],
  strictSchemas: 'complete',
  mostTools: 128,
}

/** They refuse a request with such a tool: "input_schema does not support oneOf, allOf, or anyOf …", "must be … type: 'object'". */
const OBJECT_SCHEMAS: Quirks = { refusesInSchemas: ['rootUnion', 'rootType'] }

/** "functionDeclarations parameters schema should be of type OBJECT". */
const OBJECT_ROOTS: Quirks = { refusesInSchemas: ['rootType'] }

/** Routers to vendors that require the same, and parameters: "tools.0.custom.input_schema: Field required". */
const ROUTED_SCHEMAS: Quirks = { refusesInSchemas: ['rootType', 'noParameters'] }
/** "no other properties, except for than those starting as a `$`, may be set" beside `$ref` (ai.google.dev). */
const GOOGLE_SCHEMAS: Quirks = { refusesInSchemas: ['rootType', 'beside$ref'] }

/** Settings of other servers, which programs send to any: "Unrecognized request argument supplied". */
const OF_OTHER_SERVERS = [
  ...['top_k', 'min_p', 'top_a', 'repetition_penalty', 'repeat_penalty', 'num_ctx', 'keep_alive', 'options'],
  ...['chat_template_kwargs', 'enable_thinking', 'thinking', 'thinking_budget', 'think', 'cache_control'],
  ...['provider', 'route', 'transforms', 'include_reasoning', 'usage', 'safe_prompt', 'random_seed'],
] as const

/** Options of programs' libraries that raw requests repeat. */
const OF_LIBRARIES = [
  'extra_headers',
  'extra_query',
  'timeout',
  'num_retries',
  'drop_params',
  'caching',
  'custom_llm_provider',
  'base_url',
  'api_base',
  'api_version',
  'max_retries',
] as const

const OPENAI_CHAT: Quirks = {
  ...OPENAI_SCHEMAS,
  openaiModels: true,
  openaiFields: true,
  developerRole: true,
  customTools: true,
  callIds: 'short',
  audioFormats: ['mp3', 'wav'],
  refusesInMessages: ['signatures', 'oddNames'],
  refusesMembers: [...OF_OTHER_SERVERS, ...OF_LIBRARIES],
}

/** Hosts of open models. Some of their models write reasoning into the text, and none of the hosts accepts files. */
const OPEN_MODELS: Quirks = { thinkTags: true, files: 'none' }

/** Servers on the operator's own machine, which have open weights. Their chat template controls reasoning. */
const LOCAL: Quirks = { ...OPEN_MODELS, effort: 'template', lateSystem: 'first', toolNames: 'any' }

/**
 * Servers of llama.cpp make a grammar of each schema: "Pattern must start with '^' and end with '$'", "failed to parse
 * grammar" (ggml-org/llama.cpp#26930). Its decoder of images has no WebP (can1357/oh-my-pi#2922).
 */
const LLAMA_CPP: Quirks = {
  ...LOCAL,
  refusesInSchemas: ['grammar'],
  imageTypes: ['image/png', 'image/jpeg', 'image/gif'],
}

/** "not a valid moonshot flavored json schema". */
const MOONSHOT_SCHEMAS = [
  'rootUnion',
  'rootType',
  'besideAnyOf',
  'beside$ref',
  'enumType',
  'noType',
  'noValue',
  'unnamedRequired',
] as const

const LM_STUDIO_SCHEMAS = ['grammar', 'noProperties', 'noParameters'] as const

/** Ollama's compatible API takes `tool_choice` and calls tools all the same (ollama/ollama#17921). */
const OLLAMA: Quirks = {
  ...OPEN_MODELS,
  toolNames: 'any',
  effort: 'ollama',
  reasoningHistory: 'reasoning',
  noToolChoice: true,
}

const COPILOT_HEADERS: Quirks = { imageHeader: 'copilot-vision-request', initiatorHeader: 'x-initiator' }
const COPILOT: Quirks = {
  ...COPILOT_HEADERS,
  ...OPENAI_SCHEMAS,
  platform: 'copilot',
  openaiModels: true,
  callIds: 'short',
  splitsAnswers: true,
}

/** Vendors of the wire `openai-chat`, and servers that are compatible with it. */
export const CHAT_VENDORS = {
  // Companies that make models.
  'openai-chat': chat('https://api.openai.com/v1', 'OPENAI_API_KEY', OPENAI_CHAT),
  'azure-chat': chat(null, 'AZURE_OPENAI_API_KEY', {
    ...OPENAI_CHAT,
    // Models have the names of deployments there, which do not show the model.
    ownModelNames: true,
    maxTokensField: 'max_completion_tokens',
    keyHeader: 'api-key',
  }),
  deepseek: chat('https://api.deepseek.com', 'DEEPSEEK_API_KEY', {
    ...OBJECT_SCHEMAS,
    mostTools: 128,
    effort: 'deepseek',
    reasoningHistory: 'reasoning_content',
    noJsonSchema: true,
    files: 'none',
  }),
  'xai-chat': chat('https://api.x.ai/v1', 'XAI_API_KEY', {
    conversationHeader: 'x-grok-conv-id',
    imageTypes: ['image/png', 'image/jpeg'],
    unmarkedSources: true,
    effort: 'xai',
    refuses: ['presence_penalty', 'frequency_penalty'],
    files: 'none',
  }),
  mistral: chat('https://api.mistral.ai/v1', 'MISTRAL_API_KEY', {
    noStreamOptions: true,
    maxTemperature: 1.5,
    fullTopP: true,
    effort: 'mistral',
    reasoningHistory: 'thinking',
    requiredWord: 'any',
    refusalAsText: true,
    files: 'document_url',
    bareAudio: true,
    callIds: 'nine',
    noUserAfterTool: true,
    refuses: ['top_logprobs', 'user'],
    // "Extra inputs are not permitted"; it accepts the names of results.
    refusesMembers: [
      ...OF_OTHER_SERVERS.filter((name) => name !== 'random_seed' && name !== 'safe_prompt'),
      'seed',
      'logit_bias',
      'store',
    ],
    refusesInMessages: ['signatures', 'name', 'answers', 'breakpoints'],
  }),
  perplexity: chat('https://api.perplexity.ai', 'PERPLEXITY_API_KEY', {
    platform: 'perplexity',
    noStreamOptions: true,
    refuses: ['tools', 'parallel_tool_calls', 'top_logprobs', 'user'],
    refusalAsText: true,
    strictTurns: true,
    files: 'none',
    alwaysSearches: true,
    nativeSearch: 'either',
    noJsonObject: true,
    maxTemperature: 1.99,
  }),
  moonshot: chat('https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY', {
    // "not a valid moonshot flavored json schema", "type is not defined".
    refusesInSchemas: MOONSHOT_SCHEMAS,
    maxTokensField: 'max_completion_tokens',
    maxTemperature: 1,
    effort: 'moonshot',
    videoParts: true,
    toolImages: true,
    toolNames: 'letter',
    reasoningHistory: 'reasoning_content',
    files: 'none',
  }),
  alibaba: chat('https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY', {
    videoParts: true,
    maxTemperature: 1.99,
    // "The input messages do not contain elements with the role of user".
    needsUser: true,
    effort: 'alibaba',
    files: 'none',
    cacheControl: true,
  }),
  zai: chat('https://api.z.ai/api/paas/v4', 'ZAI_API_KEY', {
    ...OBJECT_SCHEMAS,
    maxTemperature: 1,
    needsUser: true,
    effort: 'zai',
    videoParts: true,
    reasoningHistory: 'reasoning_content',
    noJsonSchema: true,
    files: 'none',
  }),
  minimax: chat('https://api.minimax.io/v1', 'MINIMAX_API_KEY', {
    ...OPEN_MODELS,
    effort: 'minimax',
    // "invalid chat setting", "chat content has invalid message role: system", "function parameters is empty".
    lateSystem: 'first',
    refusesInSchemas: ['noParameters'],
    reasoningHistory: 'reasoning_content',
    leastTemperature: 0.01,
    maxTemperature: 1,
    refusesMembers: ['n'],
  }),
  xiaomi: chat('https://api.xiaomimimo.com/v1', 'MIMO_API_KEY', { files: 'none' }),
  // OpenAI-compatible APIs of vendors that also have a wire of their own.
  'anthropic-compat': chat('https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY', { files: 'none', refusalAsText: true }),
  'google-compat': chat('https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY', {
    ...OBJECT_ROOTS,
    platform: 'google',
    signsCalls: true,
    files: 'none',
    refusalAsText: true,
  }),

  // Companies that host models of others, or route to them.
  openrouter: chat('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', {
    ...ROUTED_SCHEMAS,
    videoParts: true,
    toolImages: true,
    effort: 'nested',
    reasoningHistory: 'reasoning_details',
    files: 'file-url',
    nativeSearch: 'both',
    cacheControl: true,
  }),
  'vercel-gateway': chat('https://ai-gateway.vercel.sh/v1', 'AI_GATEWAY_API_KEY', {
    ...ROUTED_SCHEMAS,
    toolImages: true,
    effort: 'nested',
    cacheControl: true,
  }),
  groq: chat('https://api.groq.com/openai/v1', 'GROQ_API_KEY', {
    strictSchemas: 'complete',
    // "'required' present but 'properties' is missing".
    refusesInSchemas: ['noProperties'],
    effort: 'groq',
    refuses: ['top_logprobs'],
    // "will result in a 400 error" (console.groq.com/docs/openai).
    refusesMembers: [...OF_OTHER_SERVERS, 'logit_bias', 'n'],
    refusesInMessages: ['signatures', 'name', 'answers', 'breakpoints'],
    files: 'none',
  }),
  together: chat('https://api.together.xyz/v1', 'TOGETHER_API_KEY', OPEN_MODELS),
  cerebras: chat('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY', {
    strictSchemas: 'closed',
    // "Object fields require at least one of: 'properties' or 'anyOf' with a list of possible properties".
    refusesInSchemas: ['noProperties'],
    // "Tools with mixed values for 'strict' are not allowed", "tools is incompatible with response_format".
    oneStrictness: true,
    modelFacts: { '*': { jsonWithTools: 'none' } },
    maxTokensField: 'max_completion_tokens',
    refuses: ['presence_penalty', 'frequency_penalty'],
    refusesMembers: ['n', 'logit_bias', 'store'],
    refusesInMessages: ['signatures', 'answers', 'breakpoints'],
    files: 'none',
  }),
  fireworks: chat('https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY', {
    ...OPEN_MODELS,
    platform: 'fireworks',
    // "JSON Schema not supported: could not understand the instance" (docker/mcp-gateway#234).
    refusesInSchemas: ['rootType', 'noType'],
    // "Extra inputs are not permitted, field: 'messages[2].tool_calls[0].index'".
    refusesInMessages: ['answers'],
  }),
  deepinfra: chat('https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY', {
    ...OPEN_MODELS,
    platform: 'deepinfra',
  }),
  huggingface: chat('https://router.huggingface.co/v1', 'HF_TOKEN', OPEN_MODELS),
  novita: chat('https://api.novita.ai/v3/openai', 'NOVITA_API_KEY', OPEN_MODELS),
  venice: chat('https://api.venice.ai/api/v1', 'VENICE_API_KEY', OPEN_MODELS),
  avian: chat('https://api.avian.io/v1', 'AVIAN_API_KEY', {
    ...OPEN_MODELS,
    reasoningHistory: 'reasoning_content',
  }),
  doubleword: chat('https://api.doubleword.ai/v1', 'DOUBLEWORD_API_KEY', OPEN_MODELS),
  crusoe: chat(null, 'CRUSOE_API_KEY', { ...OPEN_MODELS, reasoningHistory: 'reasoning' }),
  'ollama-cloud': chat('https://ollama.com/v1', 'OLLAMA_API_KEY', { ...OLLAMA, plainContent: true }),
  heroku: chat('https://us.inference.heroku.com/v1', 'INFERENCE_KEY', { files: 'none' }),
  copilot: chat('https://api.githubcopilot.com', 'GITHUB_COPILOT_TOKEN', COPILOT),
  databricks: chat(null, 'DATABRICKS_TOKEN', { files: 'none', ownModelNames: true }),
  snowflake: chat(null, 'SNOWFLAKE_TOKEN', { effort: 'nested', reasoningHistory: 'reasoning_details', files: 'none' }),
  // "Type mismatch of '/messages/0/content', 'array' not in 'string'" (opencode#30381, cloudflare-os#54).
  cloudflare: chat(null, 'CLOUDFLARE_API_TOKEN', { ...OPEN_MODELS, plainContent: true }),
  'bedrock-mantle': {
    ...chat('https://bedrock-mantle.{region}.api.aws/v1', 'AWS_BEARER_TOKEN_BEDROCK', { files: 'none' }),
    awsService: 'bedrock-mantle',
  },
  // https://RESOURCE.services.ai.azure.com/openai/v1
  foundry: chat(null, 'AZURE_AI_API_KEY', {
    platform: 'foundry',
    files: 'none',
    keyHeader: 'api-key',
    ownModelNames: true,
  }),
  portkey: chat('https://api.portkey.ai/v1', 'PORTKEY_API_KEY', {
    keyHeader: 'x-portkey-api-key',
    cacheControl: true,
  }),
  'pydantic-gateway': chat(null, 'PYDANTIC_AI_GATEWAY_API_KEY'),
  'mirascope-router': chat(null, 'MIRASCOPE_API_KEY'),

  // Servers on the operator's own machine.
  vllm: chat('http://127.0.0.1:8000/v1', null, {
    ...LOCAL,
    videoParts: true,
    toolImages: true,
    // "tool_calls[0].index: Extra inputs are not permitted", with the tokenizers of Mistral.
    refusesInMessages: ['answers'],
  }),
  llamacpp: chat('http://127.0.0.1:8080/v1', null, LLAMA_CPP),
  // "Invalid tool_choice type: 'object'", "'response_format.type' must be 'json_schema' or 'text'".
  // "'url' field must be a base64 encoded image", also for WebP (lmstudio-bug-tracker#1120, #1752).
  lmstudio: chat('http://127.0.0.1:1234/v1', null, {
    ...LLAMA_CPP,
    // `"path": [0, "function", "parameters", "properties"], "message": "Required"` (lmstudio-bug-tracker#2203).
    refusesInSchemas: LM_STUDIO_SCHEMAS,
    noNamedChoice: true,
    noJsonObject: true,
    modelFacts: { '*': { imageUrls: false } },
    imageTypes: ['image/png', 'image/jpeg'],
  }),
  mistralrs: chat('http://127.0.0.1:1234/v1', null, LOCAL),
  'ollama-compat': chat('http://127.0.0.1:11434/v1', null, OLLAMA),
  tgi: chat('http://127.0.0.1:3000/v1', null, LOCAL),
  gpustack: chat(null, 'GPUSTACK_API_KEY', LOCAL),
  'litellm-proxy': chat('http://127.0.0.1:4000', 'LITELLM_API_KEY', {
    ...OPEN_MODELS,
    cacheControl: true,
    toolImages: true,
  }),
} satisfies Readonly<Record<string, VendorRow>>

const responses = (baseUrl: string | null, keyVariable: string | null, quirks: Quirks = {}): VendorRow => ({
  wire: 'openai-responses',
  baseUrl,
  keyVariable,
  quirks,
})

/** Codex asks every upstream for this tool: "unknown variant". */
const NO_IMAGES_MADE = ['image_generation'] as const

/** "Unsupported parameter: client_metadata" (decolua/9router#1887). */
const OF_CODEX = ['client_metadata'] as const

/** Members of Chat Completions that programs leave in a request: "Unknown parameter: 'stop'". */
const OF_CHAT = ['n', 'stop', 'seed', 'logit_bias', 'logprobs', 'stream_options.include_usage'] as const

const OPENAI_RESPONSES: Quirks = {
  ...OPENAI_SCHEMAS,
  refusesMembers: OF_CHAT,
  audioFormats: ['mp3', 'wav'],
  openaiModels: true,
  developerRole: true,
  customTools: true,
  hostedHistory: true,
  changesInInput: ['tool_search'],
  callIds: 'long',
}

/** The servers of OpenAI itself. */
const OPENAI_ITSELF: Quirks = {
  ...OPENAI_RESPONSES,
  namespaces: true,
  compaction: true,
  changesInInput: ['additional_tools', 'configuration_update', 'tool_search'],
}

/** Vendors of the wire `openai-responses`. A vendor with the suffix `-responses` also has a row for its chat API. */
export const RESPONSES_VENDORS = {
  openai: responses('https://api.openai.com/v1', 'OPENAI_API_KEY', { ...OPENAI_ITSELF, countsTokens: true }),
  azure: responses(null, 'AZURE_OPENAI_API_KEY', {
    ...OPENAI_RESPONSES,
    compaction: true,
    keyHeader: 'api-key',
    ownModelNames: true,
    webSearch: 'preview',
    nativeSearch: 'plain',
  }),
  xai: responses('https://api.x.ai/v1', 'XAI_API_KEY', {
    // xAI's chat API lists sources without markers. Recordings of it are decoded with this row as well.
    unmarkedSources: true,
    runsCustomCalls: true,
    effort: 'xai',
    refusesTools: NO_IMAGES_MADE,
    // "Argument not supported: metadata" (router-for-me/CLIProxyAPI#5648, anomalyco/opencode#47496).
    refusesMembers: ['metadata', ...OF_CODEX],
    webSearch: 'xai',
    nativeSearch: 'either',
    refuses: ['presence_penalty', 'frequency_penalty'],
  }),
  chatgpt: responses('https://chatgpt.com/backend-api/codex', 'CHATGPT_ACCESS_TOKEN', {
    ...OPENAI_ITSELF,
    platform: 'chatgpt',
    streamsOnly: true,
    // "Unsupported parameter".
    refusesMembers: [...OF_CHAT, 'prompt_cache_retention', 'context_management', 'stream_options'],
    needsInstructions: true,
    noSystemRole: true,
    refuses: [
      'max_output_tokens',
      'max_tool_calls',
      'temperature',
      'top_p',
      'top_logprobs',
      'presence_penalty',
      'frequency_penalty',
      'metadata',
      'user',
      'safety_identifier',
      'truncation',
    ],
  }),
  // Its chat API has JSON output without schemas; this one binds the answer to them.
  'deepseek-responses': responses('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY', {
    ...OBJECT_SCHEMAS,
    platform: 'deepseek',
    refusesTools: NO_IMAGES_MADE,
    refusesMembers: OF_CODEX,
    reasoningHistory: 'reasoning_content',
    nativeSearch: 'none',
    // "No tool output found for tool call" (deepseek-ai/awesome-deepseek-integration#740).
    outputsFollowCalls: true,
  }),
  'openrouter-responses': responses('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', OPENROUTER_RESPONSES),
  'copilot-responses': responses('https://api.githubcopilot.com', 'GITHUB_COPILOT_TOKEN', {
    ...OPENAI_RESPONSES,
    ...COPILOT_HEADERS,
    changesIds: true,
    platform: 'copilot',
    refusesTools: NO_IMAGES_MADE,
  }),
  'bedrock-mantle-responses': {
    ...responses('https://bedrock-mantle.{region}.api.aws/v1', 'AWS_BEARER_TOKEN_BEDROCK', {
      ...OBJECT_SCHEMAS,
      refusesTools: NO_IMAGES_MADE,
      nativeSearch: 'none',
    }),
    awsService: 'bedrock-mantle',
  },
  'lmstudio-responses': responses('http://127.0.0.1:1234/v1', null, {
    platform: 'local',
    refusesInSchemas: LM_STUDIO_SCHEMAS,
    refusesTools: NO_IMAGES_MADE,
    refusesMembers: OF_CODEX,
    modelFacts: { '*': { imageUrls: false } },
    imageTypes: ['image/png', 'image/jpeg'],
    reasoningHistory: 'reasoning',
    nativeSearch: 'none',
  }),
} satisfies Readonly<Record<string, VendorRow>>

/** Members of the SDK, of Bedrock's API and of Chat Completions: "betas: Extra inputs are not permitted". */
const ONLY_ELSEWHERE = [
  'betas',
  'anthropic_beta',
  'n',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'user',
  'seed',
  'logit_bias',
  'response_format',
  'stream_options',
  'max_completion_tokens',
  'parallel_tool_calls',
  'reasoning_effort',
  'logprobs',
  'top_logprobs',
] as const

/** Every model of these vendors is a Claude, under any name. */
const CLAUDE: Quirks = {
  ...OBJECT_SCHEMAS,
  opaqueUser: true,
  likeModels: { '*': 'claude-latest' },
  refusesMembers: ONLY_ELSEWHERE,
}

/** Claude with its own protocol on platforms of others. */
const HOSTED_CLAUDE: Quirks = { ...CLAUDE, billingLine: 'dropped', nativeSearch: 'none', countsTokens: false }

/**
 * Entries of `anthropic-beta` on the platforms of others, which refuse the rest by name: those of Claude Code differ
 * from release to release (the table of LiteLLM, 2026-10).
 */
const EVERYWHERE = [
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dangerous-tool-use-2026-09-03',
  'interleaved-thinking-2025-05-14',
  'per-turn-control-2026-07-01',
  'thinking-display-updates-2026-08-18',
  'web-search-2025-03-05',
] as const

/** Members of the betas that a platform refuses: "cache_control.ephemeral.scope: Extra inputs are not permitted". */
const ONLY_ANTHROPIC = [
  ...ONLY_ELSEWHERE,
  'system.*.cache_control.scope',
  'messages.*.content.*.cache_control.scope',
  'tools.*.cache_control.scope',
  'speed',
  'inference_geo',
] as const

const VERTEX_BETAS = [
  ...EVERYWHERE,
  'compact-2026-01-12',
  'compact-2026-09-04',
  'thinking-binding-controls-2026-08-01',
  'tool-search-tool-2025-10-19',
] as const

const MANTLE_BETAS = [
  ...EVERYWHERE,
  'claude-code-20250219',
  'compact-2026-01-12',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'output-128k-2025-02-19',
  'structured-outputs-2025-11-13',
  'thinking-binding-controls-2026-08-01',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
] as const

const FOUNDRY_BETAS = [
  ...EVERYWHERE,
  'advanced-tool-use-2025-11-20',
  'code-execution-2025-08-25',
  'effort-2025-11-24',
  'files-api-2025-04-14',
  'mcp-client-2025-04-04',
  'mcp-client-2025-11-20',
  'prompt-caching-scope-2026-01-05',
  'skills-2025-10-02',
  'structured-outputs-2025-11-13',
  'web-fetch-2025-09-10',
] as const

/** Vendors of the wire `anthropic-messages`. */
export const MESSAGES_VENDORS = {
  anthropic: {
    wire: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    keyVariable: 'ANTHROPIC_API_KEY',
    quirks: CLAUDE,
  },
  // https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION/publishers/anthropic/models
  'vertex-anthropic': {
    wire: 'anthropic-messages',
    baseUrl: null,
    keyVariable: null,
    // Requests have the model's version after `@`, answers after `-`. The version of the API is in the body.
    quirks: {
      ...CLAUDE,
      billingLine: 'dropped',
      cacheMarks: 'blocks',
      rawPredict: true,
      refusesMembers: ONLY_ANTHROPIC,
      clientHeaders: ['anthropic-beta'],
      betas: VERTEX_BETAS,
      ownModelNames: true,
    },
  },
  'bedrock-mantle-anthropic': {
    wire: 'anthropic-messages',
    baseUrl: 'https://bedrock-mantle.{region}.api.aws/anthropic',
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    awsService: 'bedrock-mantle',
    quirks: {
      ...HOSTED_CLAUDE,
      cacheMarks: 'blocks',
      platform: 'bedrock',
      betas: MANTLE_BETAS,
      refusesMembers: ONLY_ANTHROPIC,
    },
  },
  // https://RESOURCE.services.ai.azure.com/anthropic
  'foundry-anthropic': {
    wire: 'anthropic-messages',
    baseUrl: null,
    keyVariable: 'ANTHROPIC_FOUNDRY_API_KEY',
    // Models have the names of deployments.
    quirks: { ...HOSTED_CLAUDE, platform: 'foundry', betas: FOUNDRY_BETAS, ownModelNames: true },
  },
} satisfies Readonly<Record<string, VendorRow>>

/** Members of Vertex: "Unknown name". */
const ONLY_VERTEX = [
  'labels',
  'modelArmorConfig',
  'safetySettings.*.method',
  'generationConfig.routingConfig',
  'generationConfig.audioTimestamp',
] as const

/** The Gemini API, which serves two protocols of Google. */
const GEMINI_API = 'https://generativelanguage.googleapis.com/v1beta'

/** Vendors of the wire `gemini-generate`. */
export const GEMINI_VENDORS = {
  google: {
    wire: 'gemini-generate',
    baseUrl: GEMINI_API,
    keyVariable: 'GEMINI_API_KEY',
    quirks: {
      ...GOOGLE_SCHEMAS,
      keyHeader: 'x-goog-api-key',
      refusesMembers: ONLY_VERTEX,
    },
  },
  // …/v1/projects/PROJECT/locations/LOCATION/publishers/google, with an access token of Google Cloud.
  vertex: {
    wire: 'gemini-generate',
    baseUrl: null,
    keyVariable: 'VERTEX_ACCESS_TOKEN',
    quirks: { ...GOOGLE_SCHEMAS, platform: 'vertex', countsTokens: 'plain', toolNames: 'letter' },
  },
} satisfies Readonly<Record<string, VendorRow>>

/** Vendors of the wire `gemini-interactions`. */
export const INTERACTIONS_VENDORS = {
  'google-interactions': {
    wire: 'gemini-interactions',
    baseUrl: GEMINI_API,
    keyVariable: 'GEMINI_API_KEY',
    quirks: { ...GOOGLE_SCHEMAS, keyHeader: 'x-goog-api-key' },
  },
} satisfies Readonly<Record<string, VendorRow>>

/** Vendors with a protocol of their own. */
export const OWN_VENDORS = {
  bedrock: {
    wire: 'bedrock-converse',
    baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    awsService: 'bedrock',
    quirks: { ...OBJECT_SCHEMAS, toolNames: 'short' },
  },
  cohere: {
    wire: 'cohere-chat',
    baseUrl: 'https://api.cohere.com',
    keyVariable: 'COHERE_API_KEY',
    quirks: OBJECT_ROOTS,
  },
  // Its OpenAI-compatible APIs are `ollama-compat` and `ollama-cloud`, of the wire `openai-chat`.
  ollama: {
    wire: 'ollama-chat',
    baseUrl: 'http://127.0.0.1:11434',
    keyVariable: null,
    // For servers and models that are older than the field `thinking`.
    quirks: { thinkTags: true },
  },
  // The vendors of new wires are added here.
} satisfies Readonly<Record<string, VendorRow>>
