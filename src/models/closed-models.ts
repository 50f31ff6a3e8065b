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
    {
      title: 'Amazon Nova Micro',
      names: /nova-micro/,
      facts: { ...NOVA_1, images: false },
      source: 'docs of Amazon Bedrock',
      date: '2026-07',
    },
    {
      title: 'Amazon Nova 1',
      names: /nova-(?:1(?!\d)|[a-z]+-v1(?!\d))/,
      facts: NOVA_1,
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
        context: 1_000_000,
      },
      source: '@ai-sdk/amazon-bedrock 5.0.101; models.dev',
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
      title: 'Titan, Jurassic',
      names: /titan|j2-/,
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
