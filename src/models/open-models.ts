import { LOW_HIGH_MAX, type ModelFacts } from './facts.ts'
import type { ModelFamily } from './row.ts'

/**
 * Facts of open weights, which hold on every server: the words of their chat templates, and the length of their context.
 * Those of their makers' APIs are in `makers.ts`, those of other hosts in `hosts.ts`.
 */

const OTHER: ModelFacts = { family: 'other' }

/** It reasons in each answer, and no field changes that. */
const BY_NAME: ModelFacts = { ...OTHER, reasons: 'always', reasoningBy: 'name' }

const SWITCHED: ModelFacts = { ...OTHER, reasons: 'optional', reasoningBy: 'switch' }

/** Templates about which reports disagree receive both words: a template ignores one that it does not have. */
const BOTH_WORDS = ['thinking', 'enable_thinking'] as const

export const GPT_OSS: ModelFamily = {
  name: 'gpt-oss',
  weights: 'open',
  rows: [
    /** gpt-oss; source: @ai-sdk/groq 4.0.84; models.dev (2026-11). */
    {
      names: /gpt-oss/,
      facts: {
        family: 'gpt-oss',
        reasons: 'always',
        reasoningBy: 'effort',
        efforts: ['low', 'medium', 'high'],
        sampling: 'all',
        images: false,
        context: 131_072,
      },
    },
  ],
}

export const GEMMA: ModelFamily = {
  name: 'Gemma',
  weights: 'open',
  rows: [
    /** Gemma 4; source: docs.vllm.ai, Reasoning outputs; vllm#43401, llama.cpp#27221; models.dev (2026-08). */
    {
      names: /gemma-?4/,
      facts: { ...SWITCHED, templateSwitches: ['enable_thinking'], defaultEffort: 'none', context: 262_144 },
    },
    /** other names; source: @ai-sdk/google 4.0.121 (2026-11). */
    {
      names: /gemma/,
      facts: { ...OTHER, reasons: 'never', context: 131_072 },
    },
  ],
}

/** Its template reasons only on request. */
const V3_1: ModelFacts = {
  ...SWITCHED,
  templateSwitches: ['thinking'],
  defaultEffort: 'none',
  images: false,
  context: 131_072,
}

const V4: ModelFacts = {
  ...OTHER,
  reasons: 'optional',
  reasoningBy: 'effort',
  efforts: LOW_HIGH_MAX,
  templateSwitches: BOTH_WORDS,
  context: 1_000_000,
}

export const DEEPSEEK: ModelFamily = {
  name: 'DeepSeek',
  weights: 'open',
  rows: [
    /** DeepSeek R1; source: models.dev (2026-07). */
    {
      names: /deepseek[-.](?:r1|reasoner)/,
      facts: { ...BY_NAME, images: false },
    },
    /** DeepSeek V3.1; source: docs.vllm.ai, Reasoning outputs (2026-11). */
    { names: /deepseek-(?:chat-)?v3\.1/, facts: V3_1 },
    /** DeepSeek V3.2; source: docs.vllm.ai, Reasoning outputs; vercel.com, AI Gateway (2026-11). */
    {
      names: /deepseek-v3\.[2-9]/,
      facts: { ...SWITCHED, templateSwitches: BOTH_WORDS, images: false, context: 163_840 },
    },
    /** DeepSeek V4 Pro; source: sglang#23623, vllm-ascend#8907; Hmbown/Codewhale, LOCAL_MODEL_REASONING; nesquena/hermes-webui#2297, can1357/oh-my-pi#9169 (2026-09). */
    {
      // "unknown variant `image_url`, expected `text`".

      names: /deepseek-v4-pro/,
      facts: { ...V4, images: false },
    },
    /** other names from DeepSeek V4 on; source: sglang#23623, vllm-ascend#8907; Hmbown/Codewhale, LOCAL_MODEL_REASONING (2026-09). */
    {
      names: /deepseek-(?:v[4-9]|flash|pro)/,
      facts: V4,
    },
    /** other names; source: models.dev; the rows above (2026-11). */
    {
      names: /deepseek/,
      facts: { ...OTHER, templateSwitches: BOTH_WORDS, context: 1_000_000 },
    },
  ],
}

/**
 * Its template turns reasoning off for the effort `none`; the vendor's own API refuses that. Other hosts refuse a
 * temperature as that API does, or hand the request on to it.
 */
const K3: ModelFacts = {
  ...OTHER,
  sampling: 'none',
  reasons: 'optional',
  reasoningBy: 'effort',
  efforts: LOW_HIGH_MAX,
  defaultEffort: 'max',
  templateSwitches: ['reasoning_effort', ...BOTH_WORDS],
  context: 1_000_000,
}

const K1: ModelFacts = { ...OTHER, templateSwitches: ['thinking'], context: 262_144 }

const K2: ModelFacts = { ...SWITCHED, templateSwitches: ['thinking'], context: 262_144 }

export const KIMI: ModelFamily = {
  name: 'Kimi',
  weights: 'open',
  rows: [
    /** Kimi K3 and later; source: unslothai/unsloth#7619, models.dev#3331, models.dev#4090; dev.to, aihubmix on Kimi K3.1 Pro (2026-08). */
    {
      names: /kimi-k[3-9]|kimi-latest/,
      facts: K3,
    },
    /** Kimi K2.7 Code; source: platform.kimi.ai, Thinking; for the weights no report says otherwise (2026-09). */
    {
      names: /kimi-k2[.-]7(?!\d)/,
      facts: { ...BY_NAME, context: 262_144 },
    },
    /** Kimi K2 thinking; source: catalogue of can1357/oh-my-pi (2026-11). */
    {
      names: /kimi-k2-thinking/,
      facts: { ...BY_NAME, images: false, context: 262_144 },
    },
    /** Kimi K2.5, K2.6; source: edgelesssys/privatemode-public#7, nashsu/llm_wiki#163; docs of SGLang, Kimi-K2.5 (2026-07). */
    {
      names: /kimi-k2[.-]\d(?!\d)/,
      facts: K2,
    },
    /** Kimi thinking preview; source: qwephp.com, announcement of kimi-thinking-preview (2025-05). */
    {
      names: /kimi-thinking/,
      facts: { ...BY_NAME, context: 262_144 },
    },
    /** Kimi K2; source: models.dev (2026-07). */
    {
      names: /kimi-k2(?!\d)/,
      facts: { ...K1, images: false },
    },
    /** Kimi K1; source: models.dev (2026-07). */
    {
      names: /kimi-k1(?!\d)/,
      facts: K1,
    },
    /** Moonshot v1; source: @ai-sdk/moonshotai 3.0.60 (2026-09). */
    {
      names: /moonshot-v1/,
      facts: { ...OTHER, reasons: 'never', context: 131_072 },
    },
    /** other names; source: the first row (2026-11). */
    { names: /kimi/, facts: K3 },
  ],
}

/** Its template has no word that turns reasoning off. With `enable_thinking`, vLLM puts the reasoning into the answer. */
const GLM_5_3: ModelFacts = {
  ...OTHER,
  reasons: 'always',
  reasoningBy: 'effort',
  efforts: LOW_HIGH_MAX,
  defaultEffort: 'max',
  context: 1_048_576,
}

export const GLM: ModelFamily = {
  name: 'GLM',
  weights: 'open',
  rows: [
    /** GLM-5.3 and later; source: ollama.com, frob/glm-5.3; huggingface.co, baerquant/GLM-5.3-Flash-CYBERSECURITY-W4A16; docs.together.ai (2026-09). */
    {
      names: /glm-(?:5[.p-][3-9]|[6-9]|[1-9]\d)(?!\d)/,
      facts: GLM_5_3,
    },
    /** GLM-5.2; source: sglang#28454; modelparams.dev; opencode#34113 (2026-08). */
    {
      names: /glm-5[.p-]2/,
      facts: {
        ...OTHER,
        reasons: 'optional',
        reasoningBy: 'effort',
        efforts: ['high', 'max'],
        defaultEffort: 'max',
        templateSwitches: ['enable_thinking'],
        images: false,
        context: 1_000_000,
      },
    },
    /** GLM-4.5 to 5.1; source: modelparams.dev; models.dev; zai-org/GLM-V#226, dyad-sh/dyad#1353, CherryHQ/cherry-studio#14974 (2026-08). */
    {
      names: /glm-(?:[1-5](?!\d)|z1)/,
      facts: { ...SWITCHED, templateSwitches: ['enable_thinking'], images: false, context: 200_000 },
    },
    /** other names; source: the first row (2026-11). */
    { names: /glm/, facts: GLM_5_3 },
  ],
}

const QWEN_OTHER: ModelFacts = {
  ...OTHER,
  reasons: 'optional',
  templateSwitches: ['enable_thinking'],
  oneSystem: true,
}

export const QWEN: ModelFamily = {
  name: 'Qwen',
  weights: 'open',
  rows: [
    /** Qwen 3 thinking; source: catalogue of can1357/oh-my-pi (2026-11). */
    {
      names: /qwen[a-z0-9.-]{0,40}thinking|qwq/,
      facts: { ...BY_NAME, oneSystem: true },
    },
    /** Qwen 3.8; source: syv-ai/qwen38-27b-rtx3090#70, MiaAI-Lab/Qwen3.8-27B-SGLang-DGX-Spark#15, noonghunna/club-3090#1029 (2026-09). */
    {
      names: /qwen3[.p]8/,
      facts: {
        ...OTHER,
        reasons: 'optional',
        reasoningBy: 'effort',
        efforts: ['low', 'medium', 'xhigh'],
        defaultEffort: 'xhigh',
        templateSwitches: ['enable_thinking'],
        oneSystem: true,
      },
    },
    /** Qwen 3 Coder; source: as the other names; models.dev (2026-08). */
    {
      names: /qwen3-coder/,
      facts: { ...QWEN_OTHER, images: false },
    },
    /** other names; source: modelparams.dev; litellm#39282, litellm#39852; docs.vllm.ai, Reasoning outputs (2026-08). */
    {
      names: /qwen/,
      facts: QWEN_OTHER,
    },
  ],
}

export const MISTRAL: ModelFamily = {
  name: 'Mistral',
  weights: 'open',
  rows: [
    /** Mistral Small 4, Medium 3.5; source: docs of SGLang, Mistral-Small-4; vllm#38560 (2026-11). */
    {
      // Its tokenizer refuses words that it does not know.

      names: /mistral-(?:small-(?:4|2603|latest)|medium-(?:3[.-]5|latest))/,
      facts: {
        ...OTHER,
        reasons: 'optional',
        reasoningBy: 'effort',
        efforts: ['high'],
        defaultEffort: 'none',
        templateSwitches: ['reasoning_effort'],
      },
    },
    /** other names; source: @ai-sdk/mistral 4.0.87; vllm#38560 (2026-11). */
    {
      names: /mistral|ministral|magistral|codestral|voxtral|pixtral|devstral|leanstral/,
      facts: { ...OTHER, reasoningBy: 'name' },
    },
  ],
}

export const MINIMAX: ModelFamily = {
  name: 'MiniMax',
  weights: 'open',
  rows: [
    /** MiniMax M3.1; source: as M3 (2026-11). */
    {
      names: /minimax-m3\.1/,
      facts: { ...OTHER, templateSwitches: ['thinking_mode'] },
    },
    /** MiniMax M3; source: sglang#32634, FlashML-org/FreeToken#2; models.dev (2026-08). */
    {
      names: /minimax-m3/,
      facts: { ...SWITCHED, templateSwitches: ['thinking_mode'], context: 1_000_000 },
    },
    /** MiniMax M2 and earlier; source: MiniMax-AI/MiniMax-M2#68, MiniMax-AI/MiniMax-M1#27; models.dev (2026-02). */
    {
      names: /minimax-m[12]/,
      facts: { ...BY_NAME, images: false, context: 204_800 },
    },
  ],
}

export const GRANITE: ModelFamily = {
  name: 'Granite',
  weights: 'open',
  rows: [
    /** Granite 3.2, 3.3; source: docs.vllm.ai, Reasoning outputs (2026-11). */
    {
      names: /granite-?3\.[23]/,
      facts: { ...SWITCHED, templateSwitches: ['thinking'], defaultEffort: 'none', context: 131_072 },
    },
    /** Granite 4.2 and later; source: docs.vllm.ai, parser granite_thinking; www.ibm.com, Granite 4.2 (2026-11). */
    {
      names: /granite-?(?:4\.[2-9]|[5-9])/,
      facts: { ...SWITCHED, templateSwitches: ['enable_thinking'], context: 131_072 },
    },
    /** other names; source: the rows above (2026-11). */
    {
      names: /granite/,
      facts: { ...OTHER, templateSwitches: BOTH_WORDS },
    },
  ],
}

export const COMMAND: ModelFamily = {
  name: 'Command',
  weights: 'open',
  rows: [
    /** Command A Reasoning; source: docs.cohere.com, Command A Reasoning (2026-08). */
    {
      names: /command-a-reasoning/,
      facts: { family: 'command', reasons: 'optional', images: false, context: 256_000 },
    },
    /** Command R, A and earlier; source: docs.cohere.com, Models; cohere-ai 8.1.0 (2026-09). */
    {
      names: /c4ai|command-(?:r(?![a-z])|light|nightly|a-03-2025|a-vision|a-translate)/,
      facts: { family: 'command', reasons: 'never', images: false, context: 256_000 },
    },
    /** other names; source: modelparams.dev; cohere-ai 8.1.0 (2026-09). */
    {
      names: /command/,
      facts: { family: 'command', reasons: 'optional' },
    },
  ],
}

export const OTHER_WEIGHTS: ModelFamily = {
  name: 'Other open weights',
  weights: 'open',
  rows: [
    /** Nemotron 3; source: lmstudio.ai, nvidia/nemotron-3-super; docs.vllm.ai, parser nemotron_v3 (2026-11). */
    {
      names: /nemotron-?3/,
      facts: { ...SWITCHED, templateSwitches: ['enable_thinking'], context: 1_000_000 },
    },
    /** Holo 2; source: docs.vllm.ai, Reasoning outputs (2026-11). */
    {
      names: /holo-?2/,
      facts: { ...SWITCHED, templateSwitches: ['thinking'] },
    },
    /** Llama 3.1, 3.3; source: models.dev (2026-07). */
    {
      names: /llama-?v?3[.p-]?[13](?!\d)/,
      facts: { ...OTHER, images: false },
    },
    /** Llama; source: models.dev (2026-07). */
    { names: /llama/, facts: OTHER },
  ],
}
