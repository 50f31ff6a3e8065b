import type { ModelFacts } from './facts.ts'
import type { ModelFamily } from './row.ts'

const UP_TO_HIGH = ['low', 'medium', 'high'] as const
const EVERY_EFFORT = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** Claude before 3.7, and the base of all others. */
const EARLIEST: ModelFacts = {
  family: 'claude',
  reasons: 'never',
  // A host may let it reason all the same.
  forcedWhileReasoning: 'none',
  sampling: 'all',
  samplingWhileReasoning: 'default',
  mostTemperature: 1,
  blankStops: false,
  parameterNames: 'plain',
  strictTools: false,
  jsonSchema: false,
  schemas: 'closed',
  lateSystem: false,
  lastRole: 'any',
  mostOutput: 4096,
  context: 200_000,
  caches: 'none',
  cachesForHours: false,
}

/** A budget below `max_tokens`, or no reasoning. */
const BUDGETED: ModelFacts = {
  ...EARLIEST,
  reasons: 'optional',
  reasoningBy: 'budget',
  leastBudget: 1024,
  defaultEffort: 'none',
  forcedWhileReasoning: 'none',
  mostOutput: 64_000,
  caches: 'all',
}

const FOUR_FIVE: ModelFacts = {
  ...BUDGETED,
  sampling: 'one',
  strictTools: true,
  jsonSchema: true,
  cachesForHours: true,
}

/** Reasons as long as it finds right, up to an effort. */
const FOUR_SIX: ModelFacts = {
  ...FOUR_FIVE,
  reasoningBy: 'effort',
  budgets: true,
  efforts: ['low', 'medium', 'high', 'max'],
  lastRole: 'user',
  mostOutput: 128_000,
  context: 1_000_000,
}

const FOUR_SEVEN: ModelFacts = { ...FOUR_SIX, budgets: false, efforts: EVERY_EFFORT, sampling: 'none' }

const FIVE: ModelFacts = { ...FOUR_SEVEN, defaultEffort: 'high', forcedWhileReasoning: 'all', lateSystem: true }

const ALWAYS: ModelFacts = { ...FIVE, reasons: 'always' }

/** Binds its reasoning to the conversation, and calls no tool by force. */
const BOUND: ModelFacts = { ...ALWAYS, bindsReasoning: true, forcedTools: 'none', forcedWhileReasoning: 'none' }

/** Anthropic’s models. Names are those of every platform: `us.anthropic.claude-opus-5-v1:0`, `claude-opus-4.8`. */
export const CLAUDE: ModelFamily = {
  name: 'Claude',
  weights: 'closed',
  rows: [
    /** Fable and Mythos from 5.1 on; source: platform.claude.com, What’s new; @ai-sdk/anthropic 4.0.105 (2026-11). */
    {
      names: /claude-(?:fable|mythos)-5[-.][1-9](?!\d)/,
      facts: BOUND,
    },
    /** Fable 5, Mythos 5; source: @ai-sdk/anthropic 4.0.105; anthropics/skills, claude-api (2026-11). */
    {
      names: /claude-(?:fable|mythos)-5(?![-.]?\d(?!\d))/,
      facts: ALWAYS,
    },
    /** Opus 5.5; source: platform.claude.com, What’s new; @ai-sdk/anthropic 4.0.105 (2026-11). */
    {
      names: /claude-opus-5[-.]5(?!\d)/,
      facts: { ...BOUND, defaultEffort: 'medium' },
    },
    /** Opus 5; source: @ai-sdk/anthropic 4.0.105; platform.claude.com, What’s new in Claude Opus 5 (2026-11). */
    {
      names: /claude-opus-5(?![-.]?\d(?!\d))/,
      facts: { ...FIVE, effortsWhileOff: UP_TO_HIGH },
    },
    /** Sonnet 5.5; source: platform.claude.com, What’s new; @ai-sdk/anthropic 4.0.105; Troubleshooting thinking (2026-11). */
    {
      names: /claude-sonnet-5[-.]5(?!\d)/,
      facts: { ...BOUND, betweenTools: true },
    },
    /** Sonnet 5; source: @ai-sdk/anthropic 4.0.105; anthropics/skills, claude-api (2026-11). */
    {
      // Sources contradict each other about its late system messages.

      names: /claude-sonnet-5(?![-.]?\d(?!\d))/,
      facts: { ...FIVE, lateSystem: false },
    },
    /** Haiku 5.5; source: platform.claude.com, What’s new; @ai-sdk/anthropic 4.0.105; platform.claude.com, Claude Haiku 5.5; docs.apiyi.com, Claude thinking guide (2026-11). */
    {
      names: /claude-haiku-5[-.]5(?!\d)/,
      facts: { ...FIVE, defaultEffort: 'medium', effortsWhileOff: UP_TO_HIGH },
    },
    /** Opus 4.8; source: @ai-sdk/anthropic 4.0.105 (2026-11). */
    {
      names: /claude-(?:opus-4[-.]8(?!\d)|4[-.]8-opus)/,
      facts: { ...FOUR_SEVEN, lateSystem: true },
    },
    /** Opus 4.7; source: @ai-sdk/anthropic 4.0.105 (2026-11). */
    {
      names: /claude-(?:opus-4[-.]7(?!\d)|4[-.]7-opus)/,
      facts: FOUR_SEVEN,
    },
    /** Opus 4.6, Sonnet 4.6; source: @ai-sdk/anthropic 4.0.105; anthropics/skills, claude-api (2026-11). */
    {
      names: /claude-(?:(?:opus|sonnet)-4[-.]6(?!\d)|4[-.]6-)/,
      facts: FOUR_SIX,
    },
    /** Opus 4.5; source: platform.claude.com, Effort; coder/mux#743 (2026-11). */
    {
      // Beside a budget, or without reasoning.

      names: /claude-(?:opus-4[-.]5(?!\d)|4[-.]5-opus)/,
      facts: { ...FOUR_FIVE, efforts: UP_TO_HIGH },
    },
    /** Sonnet and Haiku 4.5; source: @ai-sdk/anthropic 4.0.105 (2026-11). */
    {
      names: /claude-(?:(?:sonnet|haiku)-4[-.]5(?!\d)|4[-.]5-)/,
      facts: FOUR_FIVE,
    },
    /** Opus 4.1; source: @ai-sdk/anthropic 4.0.105; sst/opencode#1644, open-webui/pipelines#546 (2026-11). */
    {
      names: /claude-(?:opus-4[-.]1(?!\d)|4[-.]1-)/,
      facts: { ...BUDGETED, sampling: 'one', strictTools: true, jsonSchema: true, mostOutput: 32_000 },
    },
    /** Opus 4; source: @ai-sdk/anthropic 4.0.105 (2026-11). */
    {
      names: /claude-(?:opus-4(?![-.]?\d(?!\d))|opus-4[-.]0(?!\d)|4-opus)/,
      facts: { ...BUDGETED, mostOutput: 32_000 },
    },
    /** Sonnet 4; source: @ai-sdk/anthropic 4.0.105 (2026-11). */
    {
      names: /claude-(?:sonnet-4(?![-.]?\d(?!\d))|sonnet-4[-.]0(?!\d)|4-sonnet)/,
      facts: BUDGETED,
    },
    /** 3.7; source: @ai-sdk/anthropic 4.0.105 (2026-11). */
    {
      names: /claude-3[-.]7(?!\d)/,
      facts: BUDGETED,
    },
    /** 3.5 Haiku; source: models.dev; docs of Amazon Bedrock, prompt caching (2026-07). */
    {
      names: /claude-3[-.]5-haiku/,
      facts: { ...EARLIEST, mostOutput: 8192, caches: 'all' },
    },
    /** 3.5; source: models.dev (2026-07). */
    {
      names: /claude-3[-.]5(?!\d)/,
      facts: { ...EARLIEST, mostOutput: 8192 },
    },
    /** 3, 2 and Instant; source: models.dev (2026-07). */
    {
      names: /claude-(?:3(?!\d)|v?[12](?!\d)|instant)/,
      facts: EARLIEST,
    },
    /** other names; source: all rows above from 5.0 on (2026-11). */
    {
      // Every current model accepts this: neither `disabled` nor a budget, no forced tool, no prefill.

      names: /claude/,
      facts: { ...BOUND, bindsReasoning: false, lateSystem: false },
    },
  ],
}
