import { LOW_HIGH_MAX, type ModelFacts } from './facts.ts'
import { EVERY, type PlatformRow } from './row.ts'

const GEMMA_AT_GOOGLE: ModelFacts = {
  systemInstruction: false,
  jsonSchema: true,
  jsonWithTools: 'none',
  mixesTools: false,
  richCalls: false,
}

const GEMMA_4_AT_GOOGLE: ModelFacts = {
  reasons: 'always',
  reasoningBy: 'effort',
  efforts: ['minimal', 'high'],
  mostOutput: 32_768,
}

/** Kimi's own API refuses other values than its own for `temperature` and such. */
const FIXED: ModelFacts = { sampling: 'none' }

/** The facts that the APIs of vendors add to their own models. */
export const MAKERS: readonly PlatformRow[] = [
  /** all models; source: ai.google.dev, GenerationConfig (2026-08). */
  {
    platform: 'google',
    names: EVERY,
    facts: { mostStops: 5 },
  },
  /** Gemini, Gemma; source: docs of Google Cloud, GenerationConfig (2026-08). */
  {
    platform: 'vertex',
    names: /gem(?:ini|ma)/,
    facts: { mostStops: 5, tiers: [] },
  },
  /** Gemma; source: @ai-sdk/google 4.0.121 (2026-11). */
  {
    platform: 'google',
    names: /gemma/,
    facts: GEMMA_AT_GOOGLE,
  },
  /** Gemma 4; source: openwhispr#897; models.dev (2026-07). */
  {
    platform: 'google',
    names: /gemma-?4/,
    facts: GEMMA_4_AT_GOOGLE,
  },
  /** Gemma; source: @ai-sdk/google 4.0.121 (2026-11). */
  {
    platform: 'vertex',
    names: /gemma/,
    facts: GEMMA_AT_GOOGLE,
  },
  /** Gemma 4; source: openwhispr#897; models.dev (2026-07). */
  {
    platform: 'vertex',
    names: /gemma-?4/,
    facts: GEMMA_4_AT_GOOGLE,
  },

  /** all models; source: openai 7.57.0; reports of string_above_max_length (2026-11). */
  {
    platform: 'openai',
    names: EVERY,
    facts: { longestUser: 64, longestSafetyId: 128, longestCacheKey: 64, jsonWord: true },
  },
  /** all models; source: openai/codex#15099, codex-lb#163 (2026-11). */
  {
    platform: 'chatgpt',
    names: EVERY,
    facts: { tiers: ['priority', 'fast', 'ultrafast'], usualTiers: false, longestCacheKey: 64, jsonWord: true },
  },
  /** all models; source: @ai-sdk/xai 5.0.12 (2026-11). */
  {
    platform: 'xai',
    names: EVERY,
    facts: { tiers: ['priority'] },
  },
  /** all models; source: catalogue of can1357/oh-my-pi (2026-11). */
  {
    platform: 'copilot',
    names: EVERY,
    facts: { tiers: [], jsonWord: true },
  },
  /** all models; source: api-docs.deepseek.com, Thinking mode; @ai-sdk/deepseek 3.0.56 (2026-09). */
  {
    platform: 'deepseek',
    names: EVERY,
    facts: {
      jsonWord: true,
      reasons: 'optional',
      reasoningBy: 'effort',
      efforts: LOW_HIGH_MAX,
      defaultEffort: 'high',
      needsReasoning: true,
      forcedWhileReasoning: 'none',
      mostOutput: 384_000,
    },
  },
  /** deepseek-reasoner; source: api-docs.deepseek.com, Reasoning model (2026-11). */
  {
    platform: 'deepseek',
    names: /deepseek-reasoner/,
    facts: { logprobs: false },
  },
  /** all models; source: modelparams.dev; reports of ten projects; platform.kimi.ai, Use the Kimi Vision Model; puter#2931 (2026-10). */
  {
    platform: 'moonshot',
    names: EVERY,
    facts: { needsReasoning: true, mostStops: 5, imageUrls: false },
  },
  /** Kimi K3 and later, other names; source: platform.kimi.ai, tool choice; @ai-sdk/moonshotai 3.0.60; dev.to, aihubmix on Kimi K3 (2026-09). */
  {
    platform: 'moonshot',
    names: /kimi(?!-(?:k[12](?!\d)|thinking))/,
    facts: {
      ...FIXED,
      reasons: 'always',
      reasoningBy: 'effort',
      efforts: LOW_HIGH_MAX,
      defaultEffort: 'max',
      forcedTools: 'required',
      jsonSchema: true,
      mostOutput: 1_048_576,
    },
  },
  /** Kimi K2.7 Code; source: platform.kimi.ai, tool choice; @ai-sdk/moonshotai 3.0.60 (2026-09). */
  {
    platform: 'moonshot',
    names: /kimi-k2\.7/,
    facts: { ...FIXED, reasons: 'always', reasoningBy: 'name', forcedTools: 'none' },
  },
  /** Kimi K2 thinking; source: catalogue of can1357/oh-my-pi (2026-11). */
  {
    platform: 'moonshot',
    names: /kimi-(?:k2-)?thinking/,
    facts: FIXED,
  },
  /** Kimi K2.6; source: platform.kimi.ai, tool choice; @ai-sdk/moonshotai 3.0.60 (2026-09). */
  {
    platform: 'moonshot',
    names: /kimi-k2\.6/,
    facts: { ...FIXED, forcedTools: 'named', forcedWhileReasoning: 'none' },
  },
  /** Kimi K2.5 and K2.6; source: platform.kimi.ai, Thinking; continuedev/continue#11600, models.dev#2294 (2026-06). */
  {
    platform: 'moonshot',
    names: /kimi-k2\.[56]/,
    facts: { defaultEffort: 'high' },
  },
  /** Kimi K2.5 and earlier; source: platform.kimi.ai, tool choice; @ai-sdk/moonshotai 3.0.60 (2026-09). */
  {
    platform: 'moonshot',
    names: /kimi-k(?:2\.5|[12](?![.\d]|-thinking))/,
    facts: { ...FIXED, reasons: 'optional', reasoningBy: 'switch', forcedWhileReasoning: 'required' },
  },
  /** all models; source: docs.z.ai, Thinking mode; modelparams.dev; dev.to, aihubmix on GLM-5.3 (2026-08). */
  {
    platform: 'zai',
    names: EVERY,
    facts: { needsReasoning: true, jsonSchema: false, mostOutput: 131_072, mostStops: 1 },
  },
  /** GLM-4.5; source: models.dev (2026-07). */
  {
    platform: 'zai',
    names: /glm-4\.5/,
    facts: { mostOutput: 98_304, context: 131_072 },
  },
  /** GLM-4.5 and 4.6 vision; source: models.dev (2026-07). */
  {
    platform: 'zai',
    names: /glm-4\.[56]v/,
    facts: { mostOutput: 32_768, context: 128_000 },
  },
  /** MiniMax M3; source: platform.minimax.io, text-openai-api; esengine/DeepSeek-Reasonix#9642, opencode#38149 (2026-09). */
  {
    // An effort turns it on, and no more: "accepted, but does not modulate reasoning depth".
    platform: 'minimax',
    names: /minimax-m3(?!\.)/,
    facts: { reasons: 'optional', reasoningBy: 'switch', mostOutput: 128_000 },
  },
  /** MiniMax M3.1; source: catalogue of can1357/oh-my-pi (2026-11). */
  {
    platform: 'minimax',
    names: /minimax-m3\.1/,
    facts: {
      reasons: 'always',
      reasoningBy: 'effort',
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      defaultEffort: 'max',
    },
  },
  /** MiniMax M2; source: catalogue of can1357/oh-my-pi; models.dev (2026-11). */
  {
    platform: 'minimax',
    names: /minimax-m2/,
    facts: { reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'medium', 'high'], mostOutput: 131_072 },
  },
  /** all models; source: cohere-ai 8.1.0 (2026-09). */
  {
    platform: 'cohere',
    names: EVERY,
    facts: { jsonWithTools: 'none', mostStops: 5 },
  },
  /** Command with reasoning; source: modelparams.dev; cohere-ai 8.1.0 (2026-09). */
  {
    platform: 'cohere',
    names: /command(?!-(?:r(?![a-z])|light|nightly|a-03-2025|a-vision|a-translate))/,
    facts: { reasons: 'optional', reasoningBy: 'budget' },
  },
  /** all models; source: modelparams.dev; cloudwego/eino#994, QwenLM/qwen-code#7659, can1357/oh-my-pi#886 (2026-08). */
  {
    platform: 'alibaba',
    names: EVERY,
    facts: {
      reasons: 'optional',
      reasoningBy: 'budget',
      forcedWhileReasoning: 'none',
      jsonWord: true,
    },
  },
  /** Qwen 3 thinking; source: catalogue of can1357/oh-my-pi; presenton/presenton#184 (2026-11). */
  {
    platform: 'alibaba',
    names: /qwen[a-z0-9.-]{0,40}thinking|qwq/,
    facts: {
      reasons: 'always',
      reasoningBy: 'name',
      defaultEffort: 'high',
      jsonWhileReasoning: false,
      streamsOnly: true,
    },
  },
  /** Qwen 3, open weights; source: yigit353/langchain-qwq#23, presenton/presenton#184 (2025-10). */
  {
    // Those of 3.8 accept it (QwenLM/Qwen#2329).
    platform: 'alibaba',
    names: /qwen3-\d/,
    facts: { jsonWhileReasoning: false, streamsOnly: true },
  },
  /** Qwen 3.5 to 3.7 Plus, Flash and Max; source: models.dev (2026-07). */
  {
    platform: 'alibaba',
    names: /qwen3\.[5-7]-(?:plus|flash|max)/,
    facts: { context: 1_000_000, mostOutput: 65_536 },
  },
  /** Qwen 3.8 Max and Flash; source: QwenLM/qwen-code#8472, #8488, #8525, models.dev#5732, theopenco/llmgateway#3392; www.alibabacloud.com (2026-09). */
  {
    // It takes the steps of all vendors, and refuses them beside a budget.
    platform: 'alibaba',
    names: /qwen3\.8-(?:max|flash)/,
    facts: {
      reasoningBy: 'effort',
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      defaultEffort: 'xhigh',
      forcedWhileReasoning: 'none',
      context: 1_000_000,
      mostOutput: 131_072,
    },
  },
  /** other models; source: @ai-sdk/mistral 4.0.87; mistralai/platform-docs-public (2026-11). */
  {
    platform: 'mistral',
    names: EVERY,
    facts: { reasoningBy: 'name', lastRole: 'prefix' },
  },
  /** Large 4 and later; source: @ai-sdk/mistral 4.0.87 (2026-11). */
  {
    platform: 'mistral',
    names: /mistral-large-(?:[4-9]|[1-9]\d)(?!\d)/,
    facts: { reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'medium', 'high'], context: 1_000_000 },
  },
  /** Medium, Small, Magistral, vibe-cli, Leanstral, GLM-5.2; source: @ai-sdk/mistral 4.0.87; mistralai/platform-docs-public (2026-11). */
  {
    platform: 'mistral',
    names: /mistral-(?:medium|small-(?:2603|latest)|vibe-cli)|magistral|leanstral|glm-5[.p-]2/,
    facts: { reasons: 'optional', reasoningBy: 'effort', efforts: ['high'], context: 262_144 },
  },
  /** GLM-5.3; source: @ai-sdk/mistral 4.0.87 (2026-11). */
  {
    platform: 'mistral',
    names: /glm-5[.p-]3/,
    facts: { reasons: 'always', reasoningBy: 'effort', efforts: LOW_HIGH_MAX },
  },
  /** Codestral, Ministral, Devstral, Large 3, Voxtral; source: @ai-sdk/mistral 4.0.87; models.dev (2026-11). */
  {
    platform: 'mistral',
    names: /codestral|ministral|devstral|voxtral|mistral-(?:code|large-(?:latest|2512))/,
    facts: { reasons: 'never', context: 262_144 },
  },
  /** all models; source: modelparams.dev; reports of three projects (2026-08). */
  {
    platform: 'perplexity',
    names: EVERY,
    facts: { lastRole: 'user', mostOutput: 128_000 },
  },
]
