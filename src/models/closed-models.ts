import type { ModelFacts } from './facts.ts'
import type { ModelFamily } from './row.ts'

const NOVA_1: ModelFacts = {
  mostOutput: 8192,
  // Of Premier, the largest one.
  context: 1_000_000,
  family: 'nova',
  reasons: 'never',
  jsonSchema: false,
  strictTools: false,
  caches: 'prompts',
}

/** Models of vendors with few of them, which only their makers serve, or platforms for them. */
export const OTHER_MODELS: ModelFamily = {
  name: 'Others',
  weights: 'closed',
  rows: [
    /** Amazon Nova Micro; source: docs of Amazon Bedrock (2026-07). */
    {
      names: /nova-micro/,
      facts: { ...NOVA_1, images: false },
    },
    /** Amazon Nova 1; source: models.dev; docs of Amazon Bedrock (2026-07). */
    {
      names: /nova-(?:1(?!\d)|[a-z]+-v1(?!\d))/,
      facts: NOVA_1,
    },
    /** Amazon Nova 2 and later; source: @ai-sdk/amazon-bedrock 5.0.101; models.dev (2026-09). */
    {
      names: /nova/,
      facts: {
        family: 'nova',
        reasons: 'optional',
        reasoningBy: 'effort',
        efforts: ['low', 'medium', 'high'],
        jsonSchema: false,
        strictTools: false,
        caches: 'prompts',
        context: 1_000_000,
      },
    },
    /** Perplexity Sonar deep research; source: modelparams.dev (2026-08). */
    {
      names: /sonar-deep-research/,
      facts: {
        family: 'other',
        reasons: 'always',
        reasoningBy: 'effort',
        efforts: ['minimal', 'low', 'medium', 'high'],
      },
    },
    /** Titan, Jurassic; source: docs of Amazon Bedrock, structured outputs (2026-09). */
    {
      names: /titan|j2-/,
      facts: { family: 'other', jsonSchema: false, strictTools: false },
    },
    /** Muse Spark; source: docs.fireworks.ai, reasoning (2026-11). */
    {
      names: /muse-spark/,
      facts: { family: 'other', reasons: 'always' },
    },
  ],
}
