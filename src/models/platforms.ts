import type { Platform, PlatformRow } from './row.ts'

const LOW_HIGH_MAX = ['low', 'high', 'max'] as const

/** Every name of the platform, also one that no family has. */
const EVERY = /^/

/** The facts in which a platform differs from the models themselves. */
export const PLATFORM_ROWS: readonly PlatformRow[] = [
  // Amazon Bedrock.
  {
    platform: 'bedrock',
    title: 'Claude',
    names: /claude/,
    // An allow-list, not a generation: `output_config.format: Extra inputs are not permitted`.
    facts: { strictTools: false, jsonSchema: false, lateSystem: false },
    source: '@ai-sdk/amazon-bedrock 5.0.101; vercel/ai#17919, vercel/ai#18199',
    date: '2026-11',
  },
  {
    platform: 'bedrock',
    title: 'Claude 4.5 and 4.6',
    names: /claude-(?:opus|sonnet|haiku)-4[-.][56](?!\d)/,
    facts: { strictTools: true, jsonSchema: true },
    source: '@ai-sdk/amazon-bedrock 5.0.101',
    date: '2026-09',
  },
  {
    platform: 'bedrock',
    title: 'GPT',
    names: /gpt-(?!oss)/,
    facts: { sampling: 'none', mostStops: 0 },
    source: '@ai-sdk/amazon-bedrock 5.0.101',
    date: '2026-09',
  },
  {
    platform: 'bedrock',
    title: 'Llama',
    names: /llama/,
    facts: { forcedTools: 'named' },
    source: '@ai-sdk/amazon-bedrock 5.0.101',
    date: '2026-09',
  },
  {
    platform: 'bedrock',
    title: 'Command, DeepSeek R1',
    names: /command|deepseek\.r1/,
    facts: { jsonSchema: false, strictTools: false },
    source: 'docs of Amazon Bedrock, structured outputs',
    date: '2026-09',
  },

  // Google.
  {
    platform: 'vertex',
    title: 'Claude',
    names: /claude/,
    facts: { lateSystem: false },
    source: 'anthropics/skills, claude-api',
    date: '2026-07',
  },
  {
    platform: 'google',
    title: 'Gemini 2.5',
    names: /gemini-2\.5/,
    facts: { penalties: false },
    source: '@ai-sdk/google 4.0.121',
    date: '2026-11',
  },
  {
    platform: 'google',
    title: 'Gemini',
    names: EVERY,
    facts: { mostStops: 5 },
    source: 'ai.google.dev, GenerationConfig',
    date: '2026-08',
  },
  {
    platform: 'vertex',
    title: 'Gemini',
    names: /gem(?:ini|ma)/,
    facts: { mostStops: 5 },
    source: 'docs of Google Cloud, GenerationConfig',
    date: '2026-08',
  },

  // Vendors of one family.
  {
    platform: 'openai',
    title: 'all models',
    names: EVERY,
    facts: { leastOutput: 16 },
    source: 'litellm#31536, cc-switch#7287',
    date: '2026-10',
  },
  {
    platform: 'deepseek',
    title: 'all models',
    names: EVERY,
    facts: {
      reasons: 'optional',
      reasoningBy: 'effort',
      efforts: LOW_HIGH_MAX,
      defaultEffort: 'high',
      needsReasoning: true,
      forcedWhileReasoning: 'none',
      mostOutput: 384_000,
    },
    source: 'api-docs.deepseek.com, Thinking mode; @ai-sdk/deepseek 3.0.56',
    date: '2026-09',
  },
  {
    platform: 'moonshot',
    title: 'all models',
    names: EVERY,
    facts: { needsReasoning: true, mostStops: 5 },
    source: 'modelparams.dev; reports of ten projects',
    date: '2026-10',
  },
  {
    platform: 'zai',
    title: 'all models',
    names: EVERY,
    facts: { needsReasoning: true, jsonSchema: false },
    source: 'docs.z.ai, Thinking mode; modelparams.dev',
    date: '2026-08',
  },
  {
    platform: 'cohere',
    title: 'all models',
    names: EVERY,
    facts: { jsonWithTools: 'none', mostStops: 5 },
    source: 'cohere-ai 8.1.0',
    date: '2026-09',
  },
  {
    platform: 'alibaba',
    title: 'Qwen',
    names: EVERY,
    facts: { reasons: 'optional', reasoningBy: 'budget' },
    source: 'modelparams.dev',
    date: '2026-08',
  },
  {
    platform: 'mistral',
    title: 'other models',
    names: EVERY,
    facts: { reasoningBy: 'name', lastRole: 'prefix' },
    source: '@ai-sdk/mistral 4.0.87; mistralai/platform-docs-public',
    date: '2026-11',
  },
  {
    platform: 'mistral',
    title: 'Large 4 and later',
    names: /mistral-large-(?:[4-9]|[1-9]\d)(?!\d)/,
    facts: { reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'medium', 'high'], context: 1_000_000 },
    source: '@ai-sdk/mistral 4.0.87',
    date: '2026-11',
  },
  {
    platform: 'mistral',
    title: 'Medium, Small, Magistral, vibe-cli, Leanstral, GLM-5.2',
    names: /mistral-(?:medium|small-(?:2603|latest)|vibe-cli)|magistral|leanstral|glm-5[.p-]2/,
    facts: { reasons: 'optional', reasoningBy: 'effort', efforts: ['high'], context: 262_144 },
    source: '@ai-sdk/mistral 4.0.87; mistralai/platform-docs-public',
    date: '2026-11',
  },
  {
    platform: 'mistral',
    title: 'GLM-5.3',
    names: /glm-5[.p-]3/,
    facts: { reasons: 'always', reasoningBy: 'effort', efforts: LOW_HIGH_MAX },
    source: '@ai-sdk/mistral 4.0.87',
    date: '2026-11',
  },
  {
    platform: 'mistral',
    title: 'Codestral, Ministral, Devstral, Large 3, Voxtral',
    names: /codestral|ministral|devstral|voxtral|mistral-(?:code|large-(?:latest|2512))/,
    facts: { reasons: 'never' },
    source: '@ai-sdk/mistral 4.0.87',
    date: '2026-11',
  },
  {
    platform: 'perplexity',
    title: 'all models',
    names: EVERY,
    facts: { lastRole: 'user' },
    source: 'modelparams.dev; reports of three projects',
    date: '2026-08',
  },

  // Hosts of models of others.
  {
    platform: 'groq',
    title: 'all models',
    names: EVERY,
    facts: { reasoningBy: 'name', jsonWithTools: 'none', mostStops: 4, penalties: false },
    source: 'groq-sdk 1.6.0; @ai-sdk/groq 4.0.84',
    date: '2026-11',
  },
  {
    platform: 'groq',
    title: 'gpt-oss',
    names: /gpt-oss/,
    facts: { reasoningBy: 'effort' },
    source: 'groq-sdk 1.6.0; @ai-sdk/groq 4.0.84',
    date: '2026-11',
  },
  {
    platform: 'groq',
    title: 'Qwen',
    names: /qwen|qwq/,
    facts: { reasons: 'optional', reasoningBy: 'switch' },
    source: 'groq-sdk 1.6.0; @ai-sdk/groq 4.0.84',
    date: '2026-11',
  },
  {
    platform: 'groq',
    title: 'Qwen 3.8',
    names: /qwen3[.p]8/,
    facts: { reasoningBy: 'effort', efforts: ['low', 'medium', 'high'], defaultEffort: 'medium' },
    source: 'groq-sdk 1.6.0',
    date: '2026-08',
  },
  {
    platform: 'ollama',
    title: 'all models',
    names: EVERY,
    facts: { reasons: 'optional', reasoningBy: 'switch' },
    source: 'ollama, docs/api.md',
    date: '2026-11',
  },
  {
    platform: 'ollama',
    title: 'gpt-oss',
    names: /gpt-oss/,
    facts: { reasons: 'always', reasoningBy: 'effort' },
    source: 'ollama, docs/api.md',
    date: '2026-11',
  },
  {
    // Routers fit a request to the model themselves, but refuse to turn reasoning off where it is mandatory.
    platform: 'router',
    title: 'all models',
    names: EVERY,
    facts: {
      reasoningBy: 'effort',
      efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      sampling: 'all',
      chatTools: 'all',
    },
    source: 'openrouter.ai, Reasoning tokens',
    date: '2026-11',
  },
]

/** The models that names of a platform are like if no family has them. */
export const LIKE_ON: Readonly<Partial<Record<Platform, string>>> = {
  anthropic: 'claude',
  cohere: 'command',
  google: 'gemini-latest',
  vertex: 'gemini-latest',
  moonshot: 'kimi',
  zai: 'glm',
}
