import type { Effort } from '../protocol/request.ts'

/** The steps of effort that a model may have. `none` is not a step: `reasons` states whether it can be turned off. */
const STEPS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly Effort[]

/** Apart from the table, which a bundle without its descriptions leaves out only if it spreads nothing. */
const NONE_OR_STEPS = ['none', ...STEPS] as const

/** The steps that several makers of open weights have. */
export const LOW_HIGH_MAX = ['low', 'high', 'max'] as const satisfies readonly Effort[]

/**
 * The facts about a model on which its requests depend. Each is optional: a fact that is left out is unknown, and
 * changes nothing. Types, the schema of the configuration (`quirks.modelFacts`) and the generated page of the documentation derive from
 * this table, with the words of `fact-descriptions.ts`.
 */
export const FACTS = {
  family: { one: ['claude', 'gpt', 'gpt-oss', 'gemini', 'grok', 'nova', 'command', 'other'] },

  // Reasoning.

  reasons: { one: ['never', 'always', 'optional'] },
  reasoningBy: { one: ['effort', 'budget', 'switch', 'name'] },
  efforts: { some: STEPS },
  effortsWhileOff: { some: STEPS },
  chatEfforts: { some: STEPS },
  budgets: { type: 'flag' },
  betweenTools: { type: 'flag' },
  leastBudget: { type: 'number' },
  mostBudget: { type: 'number' },
  templateSwitches: { some: ['enable_thinking', 'thinking', 'thinking_mode', 'reasoning_effort'] },
  defaultEffort: { one: NONE_OR_STEPS },
  needsReasoning: { type: 'flag' },
  bindsReasoning: { type: 'flag' },

  // Tools and formats.

  tools: { type: 'flag' },
  forcedTools: { one: ['all', 'required', 'named', 'none'] },
  forcedWhileReasoning: { one: ['all', 'required', 'named', 'none'] },
  chatTools: { one: ['all', 'without-effort', 'with-none', 'none'] },
  parallelCalls: { type: 'flag' },
  mixesTools: { type: 'flag' },
  parameterNames: { one: ['any', 'plain'] },
  strictTools: { type: 'flag' },
  jsonSchema: { type: 'flag' },
  jsonWithTools: { one: ['all', 'auto', 'none'] },
  jsonWhileReasoning: { type: 'flag' },
  jsonWord: { type: 'flag' },
  schemas: { one: ['any', 'closed'] },
  richCalls: { type: 'flag' },
  imageUrls: { type: 'flag' },
  images: { type: 'flag' },

  // Sampling and limits.

  sampling: { one: ['all', 'one', 'without-reasoning', 'none'] },
  samplingWhileReasoning: { one: ['all', 'default'] },
  mostTemperature: { type: 'number' },
  penalties: { type: 'flag' },
  logprobs: { type: 'flag' },
  verbosities: { some: ['low', 'medium', 'high'] },
  mostStops: { type: 'number' },
  blankStops: { type: 'flag' },
  leastOutput: { type: 'number' },
  tiers: { some: ['flex', 'priority', 'scale', 'fast', 'ultrafast', 'on_demand', 'performance', 'reserved'] },
  usualTiers: { type: 'flag' },
  longestUser: { type: 'number' },
  longestSafetyId: { type: 'number' },
  longestCacheKey: { type: 'number' },
  mostOutput: { type: 'number' },
  context: { type: 'number' },

  // The conversation.

  systemInstruction: { type: 'flag' },
  lateSystem: { type: 'flag' },
  oneSystem: { type: 'flag' },
  lastRole: { one: ['any', 'user', 'prefix'] },

  // Prompt caches.

  caches: { one: ['none', 'prompts', 'all'] },
  cachesForHours: { type: 'flag' },

  streamsOnly: { type: 'flag' },

  servedBy: { one: ['gemini-interactions'] },
} as const satisfies Readonly<Record<string, FactRow>>

/** The values of a fact. */
type FactRow =
  | { readonly type: 'flag' | 'number' }
  | { readonly one: readonly string[] }
  | { readonly some: readonly string[] }

/** The value of a row. */
export type ValueOf<Row> = Row extends { readonly one: readonly (infer Word)[] }
  ? Word
  : Row extends { readonly some: readonly (infer Word)[] }
    ? readonly Word[]
    : Row extends { readonly type: 'flag' }
      ? boolean
      : number

export type ModelFacts = { readonly [Name in keyof typeof FACTS]?: ValueOf<(typeof FACTS)[Name]> }

/** A step of effort, which `none` is not. */
export type EffortStep = (typeof STEPS)[number]
