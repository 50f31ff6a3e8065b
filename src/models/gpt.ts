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

const O_SERIES: ModelFacts = {
  ...REASONING,
  efforts: LOW_TO_HIGH,
  parallelCalls: false,
  verbosities: MEDIUM,
  context: 200_000,
  mostOutput: 100_000,
}

export const GPT: ModelFamily = {
  name: 'GPT',
  weights: 'closed',
  rows: [
    /** GPT-6 Astra, GPT-6.1 Sol; source: @ai-sdk/openai 4.0.118; onyx#15008, genkit#6303 (2026-11). */
    {
      names: /gpt-6(?:-astra|\.1-sol)/,
      facts: { ...REASONING, ...LARGE, efforts: LOW_TO_MAX, chatTools: 'none' },
    },
    /** GPT-6.1 Terra, GPT-6 Sol, GPT-6 Luna; source: @ai-sdk/openai 4.0.118 (2026-11). */
    {
      names: /gpt-6(?:\.1-terra|-sol|-luna)/,
      facts: { ...OPTIONAL, ...LARGE, efforts: LOW_TO_MAX, chatTools: 'with-none' },
    },
    /** GPT-6 and later, other names; source: the rows above (2026-11). */
    {
      names: /gpt-(?:[6-9]|[1-2]\d)(?!\d)/,
      facts: { ...REASONING, ...LARGE, efforts: LOW_TO_MAX, chatTools: 'without-effort' },
    },
    /** Daybreak, cyber; source: openai 7.57.0; catalogue of can1357/oh-my-pi (2026-11). */
    {
      names: /daybreak-|gpt-5\.\d-cyber/,
      facts: { ...REASONING, ...LARGE, efforts: LOW_TO_XHIGH, chatTools: 'with-none' },
    },
    /** GPT-5.6 and later; source: @ai-sdk/openai 4.0.118 (2026-11). */
    {
      names: /gpt-5\.(?:[6-9]|\d\d)(?!\d)/,
      facts: { ...OPTIONAL, ...LARGE, efforts: LOW_TO_MAX, chatEfforts: LOW_TO_XHIGH, chatTools: 'with-none' },
    },
    /** GPT-5.5 pro, GPT-5.4 pro; source: modelparams.dev; pydantic-ai, profiles/openai.py (2026-08). */
    {
      names: /gpt-5\.[45]-pro/,
      facts: { ...REASONING, efforts: ['medium', 'high', 'xhigh'], chatTools: 'without-effort', context: 1_050_000 },
    },
    /** GPT-5.5; source: @ai-sdk/openai 4.0.118 (2026-11). */
    {
      names: /gpt-5\.5/,
      facts: { ...OPTIONAL, efforts: LOW_TO_XHIGH, chatTools: 'without-effort', context: 1_050_000 },
    },
    /** GPT-5.4; source: @ai-sdk/openai 4.0.118; pydantic-ai, profiles/openai.py (2026-11). */
    {
      names: /gpt-5\.4/,
      facts: { ...OPTIONAL, efforts: LOW_TO_XHIGH, chatTools: 'without-effort', defaultEffort: 'none' },
    },
    /** GPT-5.3 codex; source: modelparams.dev; pydantic-ai, profiles/openai.py (2026-08). */
    {
      names: /gpt-5\.3-codex/,
      facts: { ...REASONING, efforts: LOW_TO_XHIGH },
    },
    /** GPT-5.2 codex; source: modelparams.dev; pydantic-ai, profiles/openai.py; openai/codex#9035, #19188, enricoros/big-AGI#947 (2026-08). */
    {
      names: /gpt-5\.2-codex/,
      facts: { ...REASONING, efforts: LOW_TO_XHIGH, verbosities: MEDIUM },
    },
    /** chat models of GPT-5.1 to 5.3; source: pydantic-ai, profiles/openai.py; The-PR-Agent/pr-agent#3271 (2026-07). */
    {
      names: /gpt-5\.[1-9]-chat/,
      facts: { ...REASONING, efforts: ['medium'], context: 128_000, mostOutput: 16_384 },
    },
    /** GPT-5.2 pro; source: @ai-sdk/openai 4.0.118; as its successors (2026-11). */
    {
      names: /gpt-5\.2-pro/,
      facts: { ...REASONING, efforts: ['medium', 'high', 'xhigh'] },
    },
    /** GPT-5.3, GPT-5.2; source: @ai-sdk/openai 4.0.118; pydantic-ai, profiles/openai.py (2026-11). */
    {
      names: /gpt-5\.[23]/,
      facts: { ...OPTIONAL, efforts: LOW_TO_XHIGH, defaultEffort: 'none' },
    },
    /** GPT-5.1 codex max; source: Microsoft Learn, ReasoningEffort; openai/codex#9035, #19188, enricoros/big-AGI#947 (2026-11). */
    {
      names: /gpt-5\.1-codex-max/,
      facts: { ...REASONING, efforts: LOW_TO_XHIGH, verbosities: MEDIUM },
    },
    /** GPT-5.1 codex mini; source: catalogue of can1357/oh-my-pi; litellm#16735 (2026-11). */
    {
      names: /gpt-5\.1-codex-mini/,
      facts: { ...REASONING, efforts: ['medium', 'high'], verbosities: MEDIUM },
    },
    /** GPT-5.1 codex, GPT-5 codex; source: Microsoft Learn, ReasoningEffort; openai/codex#6647; openai/codex#9035, #19188, enricoros/big-AGI#947; litellm#16735 (2026-11). */
    {
      names: /gpt-5(?:\.1)?-codex/,
      facts: { ...REASONING, efforts: LOW_TO_HIGH, verbosities: MEDIUM },
    },
    /** GPT-5.1; source: Microsoft Learn, ReasoningEffort (2026-11). */
    {
      names: /gpt-5\.1/,
      facts: { ...OPTIONAL, efforts: LOW_TO_HIGH, defaultEffort: 'none' },
    },
    /** GPT-5 pro; source: Microsoft Learn, ReasoningEffort (2026-11). */
    {
      names: /gpt-5-pro/,
      facts: { ...REASONING, efforts: ['high'], defaultEffort: 'high' },
    },
    /** GPT-5 chat; source: @ai-sdk/openai 4.0.118 (2026-11). */
    {
      names: /gpt-5-chat/,
      facts: { ...PLAIN, context: 128_000, mostOutput: 16_384 },
    },
    /** GPT-5 search; source: BerriAI/litellm#21574 (2026-11). */
    {
      names: /gpt-5-search/,
      facts: { family: 'gpt', reasons: 'never', sampling: 'none' },
    },
    /** GPT-5; source: @ai-sdk/openai 4.0.118; Microsoft Learn, ReasoningEffort (2026-11). */
    {
      names: /gpt-5(?![.\d])/,
      facts: { ...REASONING, efforts: ['minimal', ...LOW_TO_HIGH] },
    },
    /** o3-mini, o1-mini; source: @ai-sdk/openai 4.0.118; Microsoft Learn, ReasoningEffort; openai/codex#9035, #19188, enricoros/big-AGI#947; langchain#29704, evalstate/fast-agent#279; models.dev (2026-11). */
    {
      names: /^(?:.*\.)?o[13]-mini/,
      facts: { ...O_SERIES, images: false },
    },
    /** o-series; source: @ai-sdk/openai 4.0.118; Microsoft Learn, ReasoningEffort; openai/codex#9035, #19188, enricoros/big-AGI#947; langchain#29704, evalstate/fast-agent#279 (2026-11). */
    {
      names: /^(?:.*\.)?o\d/,
      facts: O_SERIES,
    },
    /** audio models; source: openai 7.57.0; @ai-sdk/openai 4.0.118 (2026-11). */
    {
      names: /gpt-(?:audio|4o(?:-mini)?-audio)/,
      facts: { family: 'gpt', reasons: 'never' },
    },
    /** realtime and image models; source: openai 7.57.0 (2026-11). */
    {
      // Their further restrictions are unknown.

      names: /gpt-(?:realtime|image)/,
      facts: { family: 'gpt' },
    },
    /** GPT-4o search preview; source: @ai-sdk/openai 4.0.118; models.dev (2026-11). */
    {
      names: /gpt-4o(?:-mini)?-search/,
      facts: { ...PLAIN, sampling: 'none', context: 128_000 },
    },
    /** GPT-4.1; source: @ai-sdk/openai 4.0.118; models.dev; openai/codex#9035, #19188, enricoros/big-AGI#947 (2026-11). */
    {
      names: /gpt-4\.1/,
      facts: { ...PLAIN, context: 1_047_576, mostOutput: 32_768 },
    },
    /** GPT-4o; source: @ai-sdk/openai 4.0.118; models.dev; google-deepmind/concordia#164 (2026-11). */
    {
      names: /gpt-4o/,
      facts: { ...PLAIN, context: 128_000, mostOutput: 16_384 },
    },
    /** GPT-4 Turbo; source: @ai-sdk/openai 4.0.118; models.dev (2026-11). */
    {
      names: /gpt-4-(?:turbo|1106|0125)/,
      facts: { ...PLAIN, context: 128_000, mostOutput: 4096 },
    },
    /** GPT-4; source: @ai-sdk/openai 4.0.118; models.dev (2026-11). */
    {
      names: /gpt-4(?:-0\d{3})?$/,
      facts: { ...PLAIN, images: false, context: 8192, mostOutput: 8192 },
    },
    /** GPT-3.5 Turbo; source: @ai-sdk/openai 4.0.118; models.dev (2026-11). */
    {
      names: /gpt-3(?:5|\.5)-turbo(?!-(?:16k|instruct))/,
      facts: { ...PLAIN, images: false, context: 16_385, mostOutput: 4096 },
    },
    /** earlier models, chat models; source: @ai-sdk/openai 4.0.118 (2026-11). */
    {
      names: /chatgpt-|chat-latest|gpt-(?:35|[34](?!\d))|gpt-[a-z0-9.-]{0,24}-chat/,
      facts: PLAIN,
    },
    /** other names; source: all rows above from GPT-5 on (2026-11). */
    {
      names: /^(?:.*\.)?(?:gpt-(?!oss)|codex-)/,
      facts: { ...REASONING, efforts: LOW_TO_HIGH },
    },
  ],
}
