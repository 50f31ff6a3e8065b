import { EVERY, type PlatformRow } from './row.ts'

const EVERY_STEP = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** How platforms differ that serve the models of others, or route to them. */
export const HOSTS: readonly PlatformRow[] = [
  /** Claude; source: @ai-sdk/amazon-bedrock 5.0.101; vercel/ai#17919, vercel/ai#18199 (2026-11). */
  {
    platform: 'bedrock',
    names: /claude/,
    // An allow-list, not a generation: `output_config.format: Extra inputs are not permitted`.
    facts: { strictTools: false, jsonSchema: false, lateSystem: false },
  },
  /** Claude 4.5 and 4.6; source: @ai-sdk/amazon-bedrock 5.0.101 (2026-09). */
  {
    platform: 'bedrock',
    names: /claude-(?:opus|sonnet|haiku)-4[-.][56](?!\d)/,
    facts: { strictTools: true, jsonSchema: true },
  },
  /** Claude Opus 4.5; source: docs of Amazon Bedrock, Claude Opus 4.5 (2026-11). */
  {
    // There, its effort is a beta feature, which a request must name.
    platform: 'bedrock',
    names: /claude-opus-4[-.]5(?!\d)/,
    facts: { efforts: [] },
  },
  /** GPT; source: @ai-sdk/amazon-bedrock 5.0.101 (2026-09). */
  {
    platform: 'bedrock',
    names: /gpt-(?!oss)/,
    facts: { sampling: 'none', mostStops: 0 },
  },
  /** Llama; source: @ai-sdk/amazon-bedrock 5.0.101 (2026-09). */
  {
    platform: 'bedrock',
    names: /llama/,
    facts: { forcedTools: 'named' },
  },
  /** Kimi K3; source: catalogue of can1357/oh-my-pi (2026-11). */
  {
    platform: 'bedrock',
    names: /kimi-k3/,
    facts: { mostOutput: 128_000 },
  },
  /** Qwen 3 Next, Qwen 3 VL; source: catalogue of can1357/oh-my-pi (2026-11). */
  {
    platform: 'bedrock',
    names: /qwen3-(?:next|vl)/,
    facts: { mostOutput: 8000 },
  },
  /** Qwen 3 Coder Next; source: catalogue of can1357/oh-my-pi (2026-11). */
  {
    platform: 'bedrock',
    names: /qwen3-coder-next/,
    facts: { mostOutput: 16_000 },
  },
  /** DeepSeek R1, Titan, Llama 3, Mistral 7B; source: docs of Amazon Bedrock, Supported models and features (2026-11). */
  {
    // "This model doesn't support tool use."
    platform: 'bedrock',
    names: /deepseek\.r1|titan-text|llama3-(?:8b|70b)|mi[sx]tral-(?:7b|8x7b)/,
    facts: { tools: false },
  },
  /** Llama, Jamba, Command, DeepSeek R1; source: docs of Amazon Bedrock, structured outputs (2026-09). */
  {
    platform: 'bedrock',
    names: /llama|jamba|command|deepseek\.r1/,
    facts: { jsonSchema: false, strictTools: false },
  },
  /** Claude; source: anthropics/skills, claude-api (2026-07). */
  {
    platform: 'vertex',
    names: /claude/,
    facts: { lateSystem: false },
  },
  /** Claude; source: anthropics/skills, claude-api (2026-07). */
  {
    platform: 'foundry',
    names: /claude/,
    facts: { lateSystem: false },
  },
  /** all models; source: groq-sdk 1.6.0; @ai-sdk/groq 4.0.84 (2026-11). */
  {
    platform: 'groq',
    names: EVERY,
    facts: { reasoningBy: 'name', jsonWithTools: 'none', mostStops: 4, penalties: false, jsonWord: true },
  },
  /** gpt-oss; source: groq-sdk 1.6.0; @ai-sdk/groq 4.0.84 (2026-11). */
  {
    platform: 'groq',
    names: /gpt-oss/,
    facts: { reasoningBy: 'effort' },
  },
  /** Llama 3, Qwen 3, Gemma, R1; source: console.groq.com, Structured outputs (2026-11). */
  {
    // "This model does not support response format `json_schema`".
    platform: 'groq',
    names: /llama-?3|qwen-?3-|gemma|deepseek-r1/,
    facts: { jsonSchema: false },
  },
  /** Qwen; source: groq-sdk 1.6.0; @ai-sdk/groq 4.0.84 (2026-11). */
  {
    platform: 'groq',
    names: /qwen|qwq/,
    facts: { reasons: 'optional', reasoningBy: 'switch' },
  },
  /** Qwen 3.8; source: groq-sdk 1.6.0 (2026-08). */
  {
    platform: 'groq',
    names: /qwen3[.p]8/,
    facts: { reasoningBy: 'effort', efforts: ['low', 'medium', 'high'], defaultEffort: 'medium' },
  },
  /** all models; source: ollama/ollama, API reference (2026-11). */
  {
    // While a format binds the answer, the model calls nothing (ollama/ollama#11037).
    platform: 'ollama',
    names: EVERY,
    facts: { reasons: 'optional', reasoningBy: 'switch', jsonWithTools: 'none' },
  },
  /** models without reasoning; source: ollama.com, Models (2026-11). */
  {
    // "does not support thinking".
    platform: 'ollama',
    names:
      /^(?:gemma-?[23]|gemma(?!-?\d)|llama|codellama|qwen-?(?:2|3-?coder)|mi[sx]tral(?!-(?:small-?[4-9]|medium|large))|codestral|devstral|phi-?[34](?!.{0,20}reason))/,
    facts: { reasons: 'never' },
  },
  /** models without functions; source: ollama.com, Models (2026-11). */
  {
    // "does not support tools".
    platform: 'ollama',
    names: /^(?!.{0,40}tool)(?:gemma-?[23]|gemma(?!-?\d)|codellama|llama-?2|llava|phi-?3)/,
    facts: { tools: false },
  },
  /** gpt-oss; source: ollama/ollama, API reference (2026-11). */
  {
    platform: 'ollama',
    names: /gpt-oss/,
    facts: { reasons: 'always', reasoningBy: 'effort' },
  },
  /** Kimi K3 and later, other names; source: docs.vllm.ai, Sampling parameters (2026-11). */
  {
    platform: 'local',
    names: /kimi(?!-(?:k[12](?!\d)|thinking))/,
    facts: { sampling: 'all' },
  },
  /** all models; source: hermes-agent#111875, each model called (2026-09). */
  {
    // The field turns reasoning off for each of its models that can do so.
    platform: 'deepinfra',
    names: EVERY,
    facts: { reasons: 'optional' },
  },
  /** gpt-oss; source: the row of the model (2026-11). */
  {
    platform: 'deepinfra',
    names: /gpt-oss/,
    facts: { reasons: 'always' },
  },
  /** Nemotron; source: docs.fireworks.ai, reasoning (2026-11). */
  {
    platform: 'fireworks',
    names: /nemotron/,
    facts: { reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] },
  },
  /** all models; source: openrouter.ai, Reasoning tokens (2026-11). */
  {
    // Routers fit a request to the model themselves, but refuse to turn reasoning off where it is mandatory.
    platform: 'router',
    names: EVERY,
    facts: {
      reasoningBy: 'effort',
      efforts: EVERY_STEP,
      chatEfforts: EVERY_STEP,
      sampling: 'all',
      samplingWhileReasoning: 'all',
      mostTemperature: 2,
      chatTools: 'all',
      parallelCalls: true,
      schemas: 'any',
    },
  },
  /** GPT; source: the row of OpenAI (2026-11). */
  {
    // Routers hand the prompt on as it is.
    platform: 'router',
    names: /gpt-(?!oss)|^o\d/,
    facts: { jsonWord: true },
  },
]
