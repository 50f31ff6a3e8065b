import type { EffortStep, ModelFacts } from './facts.ts'
import type { ModelFamily } from './row.ts'

/** Models up to Gemini 2.5. */
const EARLIER: ModelFacts = {
  family: 'gemini',
  reasons: 'never',
  jsonSchema: true,
  jsonWithTools: 'none',
  mixesTools: false,
  richCalls: false,
  systemInstruction: true,
  context: 1_048_576,
}

/** From 2.5 on. Vertex accepted penalties of 2.5 once; the newest reports have the refusal there as well. */
const budgeted = (reasons: 'always' | 'optional', leastBudget: number, mostBudget: number): ModelFacts => ({
  ...EARLIER,
  penalties: false,
  reasons,
  reasoningBy: 'budget',
  leastBudget,
  mostBudget,
  mostOutput: 65_536,
})

/**
 * Models from Gemini 3 on, which reason up to a level. No document describes a way to turn that off; some accept the
 * budget 0 of earlier models, and not all of these stop reasoning.
 */
const levelled = (...efforts: readonly EffortStep[]): ModelFacts => ({
  ...EARLIER,
  reasons: 'always',
  reasoningBy: 'effort',
  efforts,
  penalties: false,
  logprobs: false,
  jsonWithTools: 'auto',
  mixesTools: true,
  richCalls: true,
  mostOutput: 65_536,
})

/** Which models accept the budget 0, and which of them stop reasoning. */

export const GEMINI: ModelFamily = {
  name: 'Gemini',
  weights: 'closed',
  rows: [
    /** Gemini 4 Hydrogen; source: @ai-sdk/google 4.0.121 (2026-11). */
    {
      names: /gemini-4-hydrogen/,
      facts: { ...levelled('low', 'medium', 'high', 'xhigh'), defaultEffort: 'high', context: 1_000_000 },
    },
    /** Gemini 4 Argon, Carbon; source: docs of Google Cloud, guides for Gemini 4 (2026-11). */
    {
      names: /gemini-4-(?:argon|carbon)/,
      facts: { ...levelled('low', 'medium', 'high'), defaultEffort: 'medium' },
    },
    /** Gemini 3.7 and 3.8 Flash; source: docs of Google Cloud, Thinking; @ai-sdk/google 4.0.121; maragudk/gai#369 (2026-11). */
    {
      // They accept the budget 0 and mostly reason nevertheless: the lowest level costs less than that.

      names: /gemini-(?:3\.[78]-flash|flash-latest)(?!-lite)/,
      facts: { ...levelled('low', 'medium', 'high'), defaultEffort: 'medium' },
    },
    /** Gemini 3 Pro image; source: docs of Google Cloud, Thinking; @ai-sdk/google 4.0.121 (2026-11). */
    {
      names: /gemini-3-pro-image/,
      facts: levelled('high'),
    },
    /** Gemini 3.1 image models; source: docs of Google Cloud, Thinking; @ai-sdk/google 4.0.121 (2026-11). */
    {
      names: /gemini-3[a-z0-9.-]{0,24}-image/,
      facts: levelled('minimal', 'high'),
    },
    /** Gemini 3.6 Flash; source: docs of Google Cloud, Thinking; @ai-sdk/google 4.0.121; maragudk/gai#369, fishjar/kiss-translator#1051 (2026-11). */
    {
      // It honours the budget 0. A report that it refuses the level minimal contradicts Google's page: a refusal is learned.

      names: /gemini-3\.6-flash(?!-lite)/,
      facts: { ...levelled('minimal', 'low', 'medium', 'high'), reasons: 'optional', defaultEffort: 'medium' },
    },
    /** Gemini 3 to 3.5 Flash, Flash-Lite; source: docs of Google Cloud, Thinking; @ai-sdk/google 4.0.121 (2026-11). */
    {
      names: /gemini-(?:3(?:\.\d)?-flash|flash-lite-latest)/,
      facts: levelled('minimal', 'low', 'medium', 'high'),
    },
    /** Gemini 3 Pro; source: catalogue of can1357/oh-my-pi (2026-11). */
    {
      names: /gemini-3-pro/,
      facts: { ...levelled('low', 'high'), defaultEffort: 'high' },
    },
    /** Gemini 2.5 Pro; source: docs of Google Cloud, Thinking; @ai-sdk/google 4.0.121 (2026-11). */
    {
      names: /gemini-2(?!\d)[a-z0-9.-]{0,24}pro/,
      facts: budgeted('always', 128, 32_768),
    },
    /** Gemini 2.5 Flash-Lite; source: docs of Google Cloud, Thinking (2026-08). */
    {
      names: /gemini-2\.5-flash-lite/,
      facts: { ...budgeted('optional', 512, 24_576), defaultEffort: 'none' },
    },
    /** Gemini 2.0 and earlier; source: models.dev (2026-07). */
    {
      names: /gemini-(?:1|2\.0)(?!\d)/,
      facts: { ...EARLIER, mostOutput: 8192 },
    },
    /** Gemini 2.5 Flash; source: docs of Google Cloud, Thinking; @ai-sdk/google 4.0.121 (2026-11). */
    {
      names: /gemini-2(?!\d)/,
      facts: budgeted('optional', 1, 24_576),
    },
    /** Gemini Omni; source: router-for-me/CLIProxyAPI, requests of Interactions (2026-11). */
    {
      names: /gemini-omni/,
      facts: { ...levelled('low', 'medium', 'high'), servedBy: 'gemini-interactions' },
    },
    /** Gemini, other names; source: all rows above from Gemini 3 on (2026-11). */
    {
      names: /gemini-/,
      facts: levelled('low', 'medium', 'high'),
    },
  ],
}
