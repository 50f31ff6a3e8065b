import type { ModelFacts } from './facts.ts'
import type { ModelFamily } from './row.ts'

/** Models before GPT-5, and some for Codex: "'verbosity' does not support 'low' with this model". */
const MEDIUM = ['medium'] as const

/** Models without reasoning. */
const PLAIN: ModelFacts = {
  family: 'gpt',
  reasons: 'never',
  sampling: 'all',
  chatTools: 'all',
  mostStops: 4,
  verbosities: MEDIUM,
}

/** Reasoning models. OpenAI’s hosts refuse sampling parameters and stop sequences while a model reasons. */
const REASONING: ModelFacts = {
  family: 'gpt',
  reasons: 'always',
  reasoningBy: 'effort',
  defaultEffort: 'medium',
  sampling: 'none',
  mostStops: 0,
  leastOutput: 16,
  chatTools: 'all',
  context: 400_000,
  mostOutput: 128_000,
}

const LOW_TO_HIGH = ['low', 'medium', 'high'] as const
const LOW_TO_XHIGH = ['low', 'medium', 'high', 'xhigh'] as const
const LOW_TO_MAX = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** Accepts the effort `none`, and sampling parameters with it. */
const OPTIONAL: ModelFacts = { ...REASONING, reasons: 'optional', sampling: 'without-reasoning' }

const LARGE: ModelFacts = { caches: 'all', context: 1_050_000 }

const AI_SDK = '@ai-sdk/openai 4.0.118'
const VERBOSITY = 'openai/codex#9035, #19188, enricoros/big-AGI#947'

const O_SERIES: ModelFacts = {
  ...REASONING,
  efforts: LOW_TO_HIGH,
  parallelCalls: false,
  verbosities: MEDIUM,
  context: 200_000,
  mostOutput: 100_000,
}

const O_SOURCE = `${AI_SDK}; Microsoft Learn, ReasoningEffort; ${VERBOSITY}; langchain#29704, evalstate/fast-agent#279`

export const GPT: ModelFamily = {
  name: 'GPT',
  weights: 'closed',
  rows: [
    {
      title: 'GPT-6 Astra, GPT-6.1 Sol',
      names: /gpt-6(?:-astra|\.1-sol)/,
      facts: { ...REASONING, ...LARGE, efforts: LOW_TO_MAX, chatTools: 'none' },
      source: `${AI_SDK}; onyx#15008, genkit#6303`,
      date: '2026-11',
    },
    {
      title: 'GPT-6.1 Terra, GPT-6 Sol, GPT-6 Luna',
      names: /gpt-6(?:\.1-terra|-sol|-luna)/,
      facts: { ...OPTIONAL, ...LARGE, efforts: LOW_TO_MAX, chatTools: 'with-none' },
      source: AI_SDK,
      date: '2026-11',
    },
    {
      title: 'GPT-6 and later, other names',
      names: /gpt-(?:[6-9]|[1-2]\d)(?!\d)/,
      facts: { ...REASONING, ...LARGE, efforts: LOW_TO_MAX, chatTools: 'without-effort' },
      source: 'the rows above',
      date: '2026-11',
    },
    {
      title: 'Daybreak, cyber',
      names: /daybreak-|gpt-5\.\d-cyber/,
      facts: { ...REASONING, ...LARGE, efforts: LOW_TO_XHIGH, chatTools: 'with-none' },
      source: 'openai 7.57.0; catalogue of can1357/oh-my-pi',
      date: '2026-11',
    },
    {
      title: 'GPT-5.6 and later',
      names: /gpt-5\.(?:[6-9]|\d\d)(?!\d)/,
      facts: { ...OPTIONAL, ...LARGE, efforts: LOW_TO_MAX, chatEfforts: LOW_TO_XHIGH, chatTools: 'with-none' },
      source: AI_SDK,
      date: '2026-11',
    },
    {
      title: 'GPT-5.5 pro, GPT-5.4 pro',
      names: /gpt-5\.[45]-pro/,
      facts: { ...REASONING, efforts: ['medium', 'high', 'xhigh'], chatTools: 'without-effort', context: 1_050_000 },
      source: 'modelparams.dev; pydantic-ai, profiles/openai.py',
      date: '2026-08',
    },
    {
      title: 'GPT-5.5',
      names: /gpt-5\.5/,
      facts: { ...OPTIONAL, efforts: LOW_TO_XHIGH, chatTools: 'without-effort', context: 1_050_000 },
      source: AI_SDK,
      date: '2026-11',
    },
    {
      title: 'GPT-5.4',
      names: /gpt-5\.4/,
      facts: { ...OPTIONAL, efforts: LOW_TO_XHIGH, chatTools: 'without-effort', defaultEffort: 'none' },
      source: `${AI_SDK}; pydantic-ai, profiles/openai.py`,
      date: '2026-11',
    },
    {
      title: 'GPT-5.3 codex',
      names: /gpt-5\.3-codex/,
      facts: { ...REASONING, efforts: LOW_TO_XHIGH },
      source: 'modelparams.dev; pydantic-ai, profiles/openai.py',
      date: '2026-08',
    },
    {
      title: 'GPT-5.2 codex',
      names: /gpt-5\.2-codex/,
      facts: { ...REASONING, efforts: LOW_TO_XHIGH, verbosities: MEDIUM },
      source: `modelparams.dev; pydantic-ai, profiles/openai.py; ${VERBOSITY}`,
      date: '2026-08',
    },
    {
      title: 'chat models of GPT-5.1 to 5.3',
      names: /gpt-5\.[1-9]-chat/,
      facts: { ...REASONING, efforts: ['medium'], context: 128_000, mostOutput: 16_384 },
      source: 'pydantic-ai, profiles/openai.py; The-PR-Agent/pr-agent#3271',
      date: '2026-07',
    },
    {
      title: 'GPT-5.2 pro',
      names: /gpt-5\.2-pro/,
      facts: { ...REASONING, efforts: ['medium', 'high', 'xhigh'] },
      source: `${AI_SDK}; as its successors`,
      date: '2026-11',
    },
    {
      title: 'GPT-5.3, GPT-5.2',
      names: /gpt-5\.[23]/,
      facts: { ...OPTIONAL, efforts: LOW_TO_XHIGH, defaultEffort: 'none' },
      source: `${AI_SDK}; pydantic-ai, profiles/openai.py`,
      date: '2026-11',
    },
    {
      title: 'GPT-5.1 codex max',
      names: /gpt-5\.1-codex-max/,
      facts: { ...REASONING, efforts: LOW_TO_XHIGH, verbosities: MEDIUM },
      source: `Microsoft Learn, ReasoningEffort; ${VERBOSITY}`,
      date: '2026-11',
    },
    {
      title: 'GPT-5.1 codex mini',
      names: /gpt-5\.1-codex-mini/,
      facts: { ...REASONING, efforts: ['medium', 'high'], verbosities: MEDIUM },
      source: 'catalogue of can1357/oh-my-pi; litellm#16735',
      date: '2026-11',
    },
    {
      title: 'GPT-5.1 codex, GPT-5 codex',
      names: /gpt-5(?:\.1)?-codex/,
      facts: { ...REASONING, efforts: LOW_TO_HIGH, verbosities: MEDIUM },
      source: `Microsoft Learn, ReasoningEffort; openai/codex#6647; ${VERBOSITY}; litellm#16735`,
      date: '2026-11',
    },
    {
      title: 'GPT-5.1',
      names: /gpt-5\.1/,
      facts: { ...OPTIONAL, efforts: LOW_TO_HIGH, defaultEffort: 'none' },
      source: 'Microsoft Learn, ReasoningEffort',
      date: '2026-11',
    },
    {
      title: 'GPT-5 pro',
      names: /gpt-5-pro/,
      facts: { ...REASONING, efforts: ['high'], defaultEffort: 'high' },
      source: 'Microsoft Learn, ReasoningEffort',
      date: '2026-11',
    },
    {
      title: 'GPT-5 chat',
      names: /gpt-5-chat/,
      facts: { ...PLAIN, context: 128_000, mostOutput: 16_384 },
      source: AI_SDK,
      date: '2026-11',
    },
    {
      title: 'GPT-5 search',
      names: /gpt-5-search/,
      facts: { family: 'gpt', reasons: 'never', sampling: 'none' },
      source: 'BerriAI/litellm#21574',
      date: '2026-11',
    },
    {
      title: 'GPT-5',
      names: /gpt-5(?![.\d])/,
      facts: { ...REASONING, efforts: ['minimal', ...LOW_TO_HIGH] },
      source: `${AI_SDK}; Microsoft Learn, ReasoningEffort`,
      date: '2026-11',
    },
    {
      title: 'o3-mini, o1-mini',
      names: /^(?:.*\.)?o[13]-mini/,
      facts: { ...O_SERIES, images: false },
      source: `${O_SOURCE}; models.dev`,
      date: '2026-11',
    },
    {
      title: 'o-series',
      names: /^(?:.*\.)?o\d/,
      facts: O_SERIES,
      source: O_SOURCE,
      date: '2026-11',
    },
    {
      title: 'audio models',
      names: /gpt-(?:audio|4o(?:-mini)?-audio)/,
      facts: { family: 'gpt', reasons: 'never' },
      source: 'openai 7.57.0; @ai-sdk/openai 4.0.118',
      date: '2026-11',
    },
    {
      // Their further restrictions are unknown.
      title: 'realtime and image models',
      names: /gpt-(?:realtime|image)/,
      facts: { family: 'gpt' },
      source: 'openai 7.57.0',
      date: '2026-11',
    },
    {
      title: 'GPT-4o search preview',
      names: /gpt-4o(?:-mini)?-search/,
      facts: { ...PLAIN, sampling: 'none', context: 128_000 },
      source: `${AI_SDK}; models.dev`,
      date: '2026-11',
    },
    {
      title: 'GPT-4.1',
      names: /gpt-4\.1/,
      facts: { ...PLAIN, context: 1_047_576, mostOutput: 32_768 },
      source: `${AI_SDK}; models.dev; ${VERBOSITY}`,
      date: '2026-11',
    },
    {
      title: 'GPT-4o',
      names: /gpt-4o/,
      facts: { ...PLAIN, context: 128_000, mostOutput: 16_384 },
      source: `${AI_SDK}; models.dev; google-deepmind/concordia#164`,
      date: '2026-11',
    },
    {
      title: 'GPT-4 Turbo',
      names: /gpt-4-(?:turbo|1106|0125)/,
      facts: { ...PLAIN, context: 128_000, mostOutput: 4096 },
      source: `${AI_SDK}; models.dev`,
      date: '2026-11',
    },
    {
      title: 'GPT-4',
      names: /gpt-4(?:-0\d{3})?$/,
      facts: { ...PLAIN, images: false, context: 8192, mostOutput: 8192 },
      source: `${AI_SDK}; models.dev`,
      date: '2026-11',
    },
    {
      title: 'GPT-3.5 Turbo',
      names: /gpt-3(?:5|\.5)-turbo(?!-(?:16k|instruct))/,
      facts: { ...PLAIN, images: false, context: 16_385, mostOutput: 4096 },
      source: `${AI_SDK}; models.dev`,
      date: '2026-11',
    },
    {
      title: 'earlier models, chat models',
      names: /chatgpt-|chat-latest|gpt-(?:35|[34](?!\d))|gpt-[a-z0-9.-]{0,24}-chat/,
      facts: PLAIN,
      source: AI_SDK,
      date: '2026-11',
    },
    {
      title: 'other names',
      names: /^(?:.*\.)?(?:gpt-(?!oss)|codex-)/,
      facts: { ...REASONING, efforts: LOW_TO_HIGH },
      source: 'all rows above from GPT-5 on',
      date: '2026-11',
    },
  ],
}
