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

const VLLM = 'docs.vllm.ai, Reasoning outputs'

export const GPT_OSS: ModelFamily = {
  name: 'gpt-oss',
  weights: 'open',
  rows: [
    {
      title: 'gpt-oss',
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
      source: '@ai-sdk/groq 4.0.84; models.dev',
      date: '2026-11',
    },
  ],
}

export const GEMMA: ModelFamily = {
  name: 'Gemma',
  weights: 'open',
  rows: [
    {
      title: 'Gemma 4',
      names: /gemma-?4/,
      facts: { ...SWITCHED, templateSwitches: ['enable_thinking'], defaultEffort: 'none', context: 262_144 },
      source: `${VLLM}; vllm#43401, llama.cpp#27221; models.dev`,
      date: '2026-08',
    },
    {
      title: 'other names',
      names: /gemma/,
      facts: { ...OTHER, reasons: 'never', context: 131_072 },
      source: '@ai-sdk/google 4.0.121',
      date: '2026-11',
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

const V4_SOURCE = 'sglang#23623, vllm-ascend#8907; Hmbown/Codewhale, LOCAL_MODEL_REASONING'

export const DEEPSEEK: ModelFamily = {
  name: 'DeepSeek',
  weights: 'open',
  rows: [
    {
      title: 'DeepSeek R1',
      names: /deepseek[-.](?:r1|reasoner)/,
      facts: { ...BY_NAME, images: false },
      source: 'models.dev',
      date: '2026-07',
    },
    { title: 'DeepSeek V3.1', names: /deepseek-(?:chat-)?v3\.1/, facts: V3_1, source: VLLM, date: '2026-11' },
    {
      title: 'DeepSeek V3.2',
      names: /deepseek-v3\.[2-9]/,
      facts: { ...SWITCHED, templateSwitches: BOTH_WORDS, images: false, context: 163_840 },
      source: `${VLLM}; vercel.com, AI Gateway`,
      date: '2026-11',
    },
    {
      // "unknown variant `image_url`, expected `text`".
      title: 'DeepSeek V4 Pro',
      names: /deepseek-v4-pro/,
      facts: { ...V4, images: false },
      source: `${V4_SOURCE}; nesquena/hermes-webui#2297, can1357/oh-my-pi#9169`,
      date: '2026-09',
    },
    {
      title: 'other names from DeepSeek V4 on',
      names: /deepseek-(?:v[4-9]|flash|pro)/,
      facts: V4,
      source: V4_SOURCE,
      date: '2026-09',
    },
    {
      title: 'other names',
      names: /deepseek/,
      facts: { ...OTHER, templateSwitches: BOTH_WORDS, context: 1_000_000 },
      source: 'models.dev; the rows above',
      date: '2026-11',
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

const K2: ModelFacts = { ...SWITCHED, templateSwitches: ['thinking'], context: 262_144 }

export const KIMI: ModelFamily = {
  name: 'Kimi',
  weights: 'open',
  rows: [
    {
      title: 'Kimi K3 and later',
      names: /kimi-k[3-9]|kimi-latest/,
      facts: K3,
      source: 'unslothai/unsloth#7619, models.dev#3331, models.dev#4090; dev.to, aihubmix on Kimi K3.1 Pro',
      date: '2026-08',
    },
    {
      title: 'Kimi K2.7 Code',
      names: /kimi-k2\.7/,
      facts: { ...BY_NAME, context: 262_144 },
      source: 'platform.kimi.ai, Thinking; for the weights no report says otherwise',
      date: '2026-09',
    },
    {
      title: 'Kimi K2 thinking',
      names: /kimi-(?:k2-)?thinking/,
      facts: { ...BY_NAME, images: false, context: 262_144 },
      source: 'catalogue of can1357/oh-my-pi',
      date: '2026-11',
    },
    {
      title: 'Kimi K2.5, K2.6',
      names: /kimi-k2\.\d/,
      facts: K2,
      source: 'edgelesssys/privatemode-public#7, nashsu/llm_wiki#163; docs of SGLang, Kimi-K2.5',
      date: '2026-07',
    },
    {
      title: 'Kimi K2 and earlier',
      names: /kimi-k[12](?!\d)/,
      facts: { ...OTHER, templateSwitches: ['thinking'], images: false, context: 262_144 },
      source: 'models.dev',
      date: '2026-07',
    },
    {
      title: 'Moonshot v1',
      names: /moonshot-v1/,
      facts: { ...OTHER, reasons: 'never', context: 131_072 },
      source: '@ai-sdk/moonshotai 3.0.60',
      date: '2026-09',
    },
    { title: 'other names', names: /kimi/, facts: K3, source: 'the first row', date: '2026-11' },
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

const GLM_4_5: ModelFacts = { ...SWITCHED, templateSwitches: ['enable_thinking'], context: 200_000 }

export const GLM: ModelFamily = {
  name: 'GLM',
  weights: 'open',
  rows: [
    {
      title: 'GLM-5.3 and later',
      names: /glm-(?:5[.p-][3-9]|[6-9]|[1-9]\d)(?!\d)/,
      facts: GLM_5_3,
      source: 'ollama.com, frob/glm-5.3; huggingface.co, baerquant/GLM-5.3-Flash-CYBERSECURITY-W4A16; docs.together.ai',
      date: '2026-09',
    },
    {
      title: 'GLM-5.2',
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
      source: 'sglang#28454; modelparams.dev; opencode#34113',
      date: '2026-08',
    },
    {
      title: 'GLM-4.5V and other models with images',
      names: /glm-[45](?:\.\d)?v/,
      facts: GLM_4_5,
      source: 'modelparams.dev; models.dev; zai-org/GLM-V#226',
      date: '2026-08',
    },
    {
      title: 'GLM-4.5 to 5.1',
      names: /glm-(?:[1-5](?!\d)|z1)/,
      facts: { ...GLM_4_5, images: false },
      source: 'modelparams.dev; models.dev; dyad-sh/dyad#1353, CherryHQ/cherry-studio#14974',
      date: '2026-08',
    },
    { title: 'other names', names: /glm/, facts: GLM_5_3, source: 'the first row', date: '2026-11' },
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
    {
      title: 'Qwen 3 thinking',
      names: /qwen[a-z0-9.-]{0,40}thinking|qwq/,
      facts: { ...BY_NAME, oneSystem: true },
      source: 'catalogue of can1357/oh-my-pi',
      date: '2026-11',
    },
    {
      title: 'Qwen 3.8',
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
      source: 'syv-ai/qwen38-27b-rtx3090#70, MiaAI-Lab/Qwen3.8-27B-SGLang-DGX-Spark#15, noonghunna/club-3090#1029',
      date: '2026-09',
    },
    {
      title: 'Qwen 3 Coder',
      names: /qwen3-coder/,
      facts: { ...QWEN_OTHER, images: false },
      source: 'as the other names; models.dev',
      date: '2026-08',
    },
    {
      title: 'other names',
      names: /qwen/,
      facts: QWEN_OTHER,
      source: `modelparams.dev; litellm#39282, litellm#39852; ${VLLM}`,
      date: '2026-08',
    },
  ],
}

export const MISTRAL: ModelFamily = {
  name: 'Mistral',
  weights: 'open',
  rows: [
    {
      // Its tokenizer refuses words that it does not know.
      title: 'Mistral Small 4, Medium 3.5',
      names: /mistral-(?:small-(?:4|2603|latest)|medium-(?:3[.-]5|latest))/,
      facts: {
        ...OTHER,
        reasons: 'optional',
        reasoningBy: 'effort',
        efforts: ['high'],
        defaultEffort: 'none',
        templateSwitches: ['reasoning_effort'],
      },
      source: 'docs of SGLang, Mistral-Small-4; vllm#38560',
      date: '2026-11',
    },
    {
      title: 'other names',
      names: /mistral|ministral|magistral|codestral|voxtral|pixtral|devstral|leanstral/,
      facts: { ...OTHER, reasoningBy: 'name' },
      source: '@ai-sdk/mistral 4.0.87; vllm#38560',
      date: '2026-11',
    },
  ],
}

export const MINIMAX: ModelFamily = {
  name: 'MiniMax',
  weights: 'open',
  rows: [
    {
      title: 'MiniMax M3.1',
      names: /minimax-m3\.1/,
      facts: { ...OTHER, templateSwitches: ['thinking_mode'] },
      source: 'as M3',
      date: '2026-11',
    },
    {
      title: 'MiniMax M3',
      names: /minimax-m3/,
      facts: { ...SWITCHED, templateSwitches: ['thinking_mode'], context: 1_000_000 },
      source: 'sglang#32634, FlashML-org/FreeToken#2; models.dev',
      date: '2026-08',
    },
    {
      title: 'MiniMax M2 and earlier',
      names: /minimax-m[12]/,
      facts: { ...BY_NAME, images: false, context: 204_800 },
      source: 'MiniMax-AI/MiniMax-M2#68, MiniMax-AI/MiniMax-M1#27; models.dev',
      date: '2026-02',
    },
  ],
}

export const GRANITE: ModelFamily = {
  name: 'Granite',
  weights: 'open',
  rows: [
    {
      title: 'Granite 3.2, 3.3',
      names: /granite-?3\.[23]/,
      facts: { ...SWITCHED, templateSwitches: ['thinking'], defaultEffort: 'none', context: 131_072 },
      source: VLLM,
      date: '2026-11',
    },
    {
      title: 'Granite 4.2 and later',
      names: /granite-?(?:4\.[2-9]|[5-9])/,
      facts: { ...SWITCHED, templateSwitches: ['enable_thinking'], context: 131_072 },
      source: 'docs.vllm.ai, parser granite_thinking; www.ibm.com, Granite 4.2',
      date: '2026-11',
    },
    {
      title: 'other names',
      names: /granite/,
      facts: { ...OTHER, templateSwitches: BOTH_WORDS },
      source: 'the rows above',
      date: '2026-11',
    },
  ],
}

export const COMMAND: ModelFamily = {
  name: 'Command',
  weights: 'open',
  rows: [
    {
      title: 'Command A Reasoning',
      names: /command-a-reasoning/,
      facts: { family: 'command', reasons: 'optional', context: 256_000 },
      source: 'docs.cohere.com, Command A Reasoning',
      date: '2026-08',
    },
    {
      title: 'Command R, A and earlier',
      names: /c4ai|command-(?:r(?![a-z])|light|nightly|a-03-2025|a-vision|a-translate)/,
      facts: { family: 'command', reasons: 'never', context: 256_000 },
      source: 'docs.cohere.com, Models; cohere-ai 8.1.0',
      date: '2026-09',
    },
    {
      title: 'other names',
      names: /command/,
      facts: { family: 'command', reasons: 'optional' },
      source: 'modelparams.dev; cohere-ai 8.1.0',
      date: '2026-09',
    },
  ],
}

export const OTHER_WEIGHTS: ModelFamily = {
  name: 'Other open weights',
  weights: 'open',
  rows: [
    {
      title: 'Nemotron 3',
      names: /nemotron-?3/,
      facts: { ...SWITCHED, templateSwitches: ['enable_thinking'], context: 1_000_000 },
      source: 'lmstudio.ai, nvidia/nemotron-3-super; docs.vllm.ai, parser nemotron_v3',
      date: '2026-11',
    },
    {
      title: 'Holo 2',
      names: /holo-?2/,
      facts: { ...SWITCHED, templateSwitches: ['thinking'] },
      source: VLLM,
      date: '2026-11',
    },
    {
      title: 'Llama 3.1, 3.3',
      names: /llama-?v?3[.p-]?[13](?!\d)/,
      facts: { ...OTHER, images: false },
      source: 'models.dev',
      date: '2026-07',
    },
    { title: 'Llama', names: /llama/, facts: OTHER, source: 'models.dev', date: '2026-07' },
  ],
}
