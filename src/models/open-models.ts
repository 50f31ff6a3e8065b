import type { ModelFacts } from './facts.ts'
import type { ModelFamily } from './row.ts'

/**
 * Models whose weights are open, or that several hosts serve. What only their vendors have, such as steps of effort, is
 * in `platforms.ts`.
 */

const LOW_HIGH_MAX = ['low', 'high', 'max'] as const

export const DEEPSEEK: ModelFamily = {
  name: 'DeepSeek',
  rows: [
    {
      title: 'DeepSeek R1',
      names: /deepseek[-.](?:r1|reasoner)/,
      facts: { family: 'other', reasons: 'always' },
      source: 'models.dev',
      date: '2026-07',
    },
    {
      title: 'DeepSeek V3 and later',
      names: /deepseek/,
      facts: { family: 'other', context: 1_000_000 },
      source: 'models.dev',
      date: '2026-07',
    },
  ],
}

const K3: ModelFacts = {
  family: 'other',
  reasons: 'always',
  reasoningBy: 'effort',
  efforts: LOW_HIGH_MAX,
  defaultEffort: 'max',
  forcedTools: 'required',
  sampling: 'none',
  jsonSchema: true,
  context: 1_000_000,
  mostOutput: 128_000,
}

const SWITCHED: ModelFacts = {
  family: 'other',
  reasons: 'optional',
  reasoningBy: 'switch',
  sampling: 'none',
  context: 262_144,
}

export const KIMI: ModelFamily = {
  name: 'Kimi',
  rows: [
    {
      title: 'Kimi K3 and later',
      names: /kimi-k[3-9]|kimi-latest/,
      facts: K3,
      source: 'platform.kimi.ai, tool choice; @ai-sdk/moonshotai 3.0.60',
      date: '2026-09',
    },
    {
      title: 'Kimi K2.7 Code',
      names: /kimi-k2\.7/,
      facts: { ...SWITCHED, reasons: 'always', reasoningBy: 'name', forcedTools: 'none' },
      source: 'platform.kimi.ai, tool choice; @ai-sdk/moonshotai 3.0.60',
      date: '2026-09',
    },
    {
      title: 'Kimi K2 thinking',
      names: /kimi-(?:k2-)?thinking/,
      facts: { ...SWITCHED, reasons: 'always', reasoningBy: 'name' },
      source: 'catalogue of can1357/oh-my-pi',
      date: '2026-11',
    },
    {
      title: 'Kimi K2.6',
      names: /kimi-k2\.6/,
      facts: { ...SWITCHED, forcedTools: 'named', forcedWhileReasoning: 'none' },
      source: 'platform.kimi.ai, tool choice; @ai-sdk/moonshotai 3.0.60',
      date: '2026-09',
    },
    {
      title: 'Kimi K2.5 and earlier',
      names: /kimi-k[12](?!\d)/,
      facts: { ...SWITCHED, forcedWhileReasoning: 'required' },
      source: 'platform.kimi.ai, tool choice; @ai-sdk/moonshotai 3.0.60',
      date: '2026-09',
    },
    {
      title: 'Moonshot v1',
      names: /moonshot-v1/,
      facts: { family: 'other', reasons: 'never', sampling: 'all', context: 131_072 },
      source: '@ai-sdk/moonshotai 3.0.60',
      date: '2026-09',
    },
    { title: 'other names', names: /kimi/, facts: K3, source: 'the first row', date: '2026-11' },
  ],
}

const GLM_5_3: ModelFacts = {
  family: 'other',
  reasons: 'always',
  reasoningBy: 'effort',
  efforts: LOW_HIGH_MAX,
  defaultEffort: 'max',
  context: 1_048_576,
  mostOutput: 131_072,
}

const GLM_SWITCHED: ModelFacts = {
  family: 'other',
  reasons: 'optional',
  reasoningBy: 'switch',
  context: 200_000,
  mostOutput: 131_072,
}

export const GLM: ModelFamily = {
  name: 'GLM',
  rows: [
    {
      title: 'GLM-5.3 and later',
      names: /glm-(?:5[.p-][3-9]|[6-9]|[1-9]\d)(?!\d)/,
      facts: GLM_5_3,
      source: 'docs.together.ai, GLM-5.3; modelparams.dev',
      date: '2026-08',
    },
    {
      title: 'GLM-5.2',
      names: /glm-5[.p-]2/,
      facts: { ...GLM_5_3, reasons: 'optional', efforts: ['high', 'max'], context: 1_000_000 },
      source: 'modelparams.dev; catalogue of can1357/oh-my-pi',
      date: '2026-08',
    },
    {
      title: 'GLM-4.5 to 5.1',
      names: /glm-(?:[1-5](?!\d)|z1)/,
      facts: GLM_SWITCHED,
      source: 'modelparams.dev; models.dev',
      date: '2026-08',
    },
    { title: 'other names', names: /glm/, facts: GLM_5_3, source: 'the first row', date: '2026-11' },
  ],
}

export const QWEN: ModelFamily = {
  name: 'Qwen',
  rows: [
    {
      title: 'Qwen 3 thinking',
      names: /qwen[a-z0-9.-]{0,40}thinking|qwq/,
      facts: { family: 'other', reasons: 'always', oneSystem: true },
      source: 'catalogue of can1357/oh-my-pi',
      date: '2026-11',
    },
    {
      title: 'Qwen 3.8',
      names: /qwen3[.p]8/,
      facts: {
        family: 'other',
        reasons: 'always',
        reasoningBy: 'effort',
        efforts: ['low', 'medium', 'xhigh'],
        defaultEffort: 'xhigh',
        oneSystem: true,
      },
      source: 'catalogue of can1357/oh-my-pi',
      date: '2026-11',
    },
    {
      title: 'other names',
      names: /qwen/,
      facts: { family: 'other', reasons: 'optional', oneSystem: true },
      source: 'modelparams.dev; litellm#39282, litellm#39852',
      date: '2026-08',
    },
  ],
}

export const MISTRAL: ModelFamily = {
  name: 'Mistral',
  rows: [
    {
      title: 'Mistral models',
      names: /mistral|ministral|magistral|codestral|voxtral|pixtral|devstral|leanstral/,
      facts: { family: 'other' },
      source: '@ai-sdk/mistral 4.0.87',
      date: '2026-11',
    },
  ],
}

export const OTHERS: ModelFamily = {
  name: 'Others',
  rows: [
    {
      title: 'MiniMax M3.1',
      names: /minimax-m3\.1/,
      facts: {
        family: 'other',
        reasons: 'always',
        reasoningBy: 'effort',
        efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
        defaultEffort: 'max',
      },
      source: 'catalogue of can1357/oh-my-pi',
      date: '2026-11',
    },
    {
      title: 'MiniMax M2',
      names: /minimax-m2/,
      facts: {
        family: 'other',
        reasons: 'always',
        reasoningBy: 'effort',
        efforts: ['low', 'medium', 'high'],
        context: 204_800,
      },
      source: 'catalogue of can1357/oh-my-pi',
      date: '2026-11',
    },
    {
      title: 'MiniMax M3',
      names: /minimax-m3/,
      facts: { family: 'other', context: 1_000_000 },
      source: 'models.dev',
      date: '2026-07',
    },
    {
      title: 'Cohere Command A Reasoning',
      names: /command-a-reasoning/,
      facts: { family: 'command', reasons: 'optional', reasoningBy: 'budget', context: 256_000 },
      source: 'modelparams.dev; models.dev',
      date: '2026-08',
    },
    {
      title: 'Cohere Command R, A and earlier',
      names: /c4ai|command-(?:r(?![a-z])|light|nightly|a-03-2025|a-vision|a-translate)/,
      facts: { family: 'command', reasons: 'never' },
      source: 'docs.cohere.com, Models; cohere-ai 8.1.0',
      date: '2026-09',
    },
    {
      title: 'Cohere Command, other names',
      names: /command/,
      facts: { family: 'command', reasons: 'optional', reasoningBy: 'budget' },
      source: 'modelparams.dev; cohere-ai 8.1.0',
      date: '2026-09',
    },
    {
      title: 'Amazon Nova 1',
      names: /nova-(?:1(?!\d)|[a-z]+-v1(?!\d))/,
      facts: {
        mostOutput: 8192,
        family: 'nova',
        reasons: 'never',
        jsonSchema: false,
        strictTools: false,
        caches: 'prompts',
      },
      source: 'models.dev; docs of Amazon Bedrock',
      date: '2026-07',
    },
    {
      title: 'Amazon Nova 2 and later',
      names: /nova/,
      facts: {
        family: 'nova',
        reasons: 'optional',
        reasoningBy: 'effort',
        efforts: ['low', 'medium', 'high'],
        jsonSchema: false,
        strictTools: false,
        caches: 'prompts',
      },
      source: '@ai-sdk/amazon-bedrock 5.0.101',
      date: '2026-09',
    },
    {
      title: 'Perplexity Sonar deep research',
      names: /sonar-deep-research/,
      facts: {
        family: 'other',
        reasons: 'always',
        reasoningBy: 'effort',
        efforts: ['minimal', 'low', 'medium', 'high'],
      },
      source: 'modelparams.dev',
      date: '2026-08',
    },
    {
      title: 'Llama, Titan, Jamba, Jurassic',
      names: /titan|llama|jamba|j2-/,
      facts: { family: 'other', jsonSchema: false, strictTools: false },
      source: 'docs of Amazon Bedrock, structured outputs',
      date: '2026-09',
    },
    {
      title: 'Muse Spark',
      names: /muse-spark/,
      facts: { family: 'other', reasons: 'always' },
      source: 'docs.fireworks.ai, reasoning',
      date: '2026-11',
    },
  ],
}
