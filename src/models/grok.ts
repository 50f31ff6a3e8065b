import type { ModelFacts } from './facts.ts'
import type { ModelFamily } from './row.ts'

/** Models that reason refuse stop sequences: "Argument not supported on this model: stop". */
const STEPPED: ModelFacts = {
  family: 'grok',
  mostStops: 0,
  reasons: 'always',
  reasoningBy: 'effort',
  efforts: ['low', 'medium', 'high'],
  defaultEffort: 'high',
  jsonSchema: true,
}

/** Whether it reasons is in the name: `grok-4-1-fast-reasoning`. The field is refused. */
const BY_NAME: ModelFacts = { family: 'grok', reasoningBy: 'name', jsonSchema: true, mostStops: 0 }

const PLAIN: ModelFacts = { family: 'grok', reasoningBy: 'name', jsonSchema: true, reasons: 'never' }

export const GROK: ModelFamily = {
  name: 'Grok',
  weights: 'closed',
  rows: [
    /** Grok 4.6 and later; source: docs.x.ai, Reasoning; @ai-sdk/xai 5.0.12; langchain#38335, lidge-jun/opencodex#5280 (2026-11). */
    {
      names: /grok-(?:4\.[6-9](?!\d)|[5-9])/,
      facts: { ...STEPPED, efforts: ['low', 'medium', 'high', 'xhigh'] },
    },
    /** Grok 4.5; source: docs.rs, synaps 0.10.2; hermes-agent#23435 (2026-09). */
    {
      names: /grok-4\.5/,
      facts: STEPPED,
    },
    /** Grok 4.3; source: @ai-sdk/xai 5.0.12 (2026-11). */
    {
      names: /grok-(?:4\.3|latest)/,
      facts: { ...STEPPED, reasons: 'optional', context: 1_000_000 },
    },
    /** Grok 4.20 multi-agent; source: docs.rs, synaps 0.10.2 (2026-09). */
    {
      names: /grok-4\.20-multi-agent/,
      facts: { ...STEPPED, efforts: ['low', 'medium', 'high', 'xhigh'] },
    },
    /** Grok 4.20 non-reasoning; source: @ai-sdk/xai 5.0.12; langchain#38335, lidge-jun/opencodex#5280 (2026-11). */
    {
      names: /grok-4\.20[a-z0-9-]{0,24}-non-reasoning/,
      facts: { ...PLAIN, context: 1_000_000 },
    },
    /** Grok 4.20; source: @ai-sdk/xai 5.0.12; docs.rs, synaps 0.10.2; langchain#38335, lidge-jun/opencodex#5280 (2026-11). */
    {
      names: /grok-4\.20/,
      facts: { ...BY_NAME, context: 1_000_000 },
    },
    /** Grok 4 fast and 4.1 fast non-reasoning; source: @ai-sdk/xai 5.0.12; models.dev; langchain#38335, lidge-jun/opencodex#5280 (2026-11). */
    {
      names: /grok-4[a-z0-9.-]{0,24}-non-reasoning/,
      facts: { ...PLAIN, context: 2_000_000 },
    },
    /** Grok 4, 4 fast, 4.1 fast, build and code models; source: @ai-sdk/xai 5.0.12; docs.rs, synaps 0.10.2; models.dev; langchain#38335, lidge-jun/opencodex#5280, huggingface/smolagents#1766 (2026-11). */
    {
      names: /grok-(?:build|code|4)/,
      // The fast models have the largest one.
      facts: { ...BY_NAME, context: 2_000_000 },
    },
    /** Grok 3 mini; source: opencode#39448; models.dev (2026-09). */
    {
      names: /grok-3-mini/,
      facts: { ...STEPPED, efforts: ['low', 'high'], context: 131_072 },
    },
    /** Grok 3; source: models.dev; langchain#38335, lidge-jun/opencodex#5280 (2026-11). */
    {
      // The name leads to a newer model today, which refuses stop sequences.

      names: /grok-3(?!\d)/,
      facts: { ...PLAIN, mostStops: 0 },
    },
    /** Grok 2 and earlier; source: models.dev (2026-07). */
    {
      names: /grok-[12](?!\d)/,
      facts: { ...PLAIN, context: 131_072 },
    },
    /** other names; source: the rows above from 4.3 on (2026-11). */
    {
      names: /grok/,
      facts: STEPPED,
    },
  ],
}
