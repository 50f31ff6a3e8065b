import type { Quirks } from '../../quirks.ts'
import { type ModelTable, readTraits } from '../../shared/upstream/model-table.ts'

/**
 * A model as far as its id describes it. Its family and version decide which fields it takes beyond those of Converse.
 */
export interface Model {
  readonly family: 'claude' | 'nova' | 'gpt-oss' | 'other'
  /** 405 is Claude 4.5, 200 is Nova 2; 0 if the version is unknown. */
  readonly version: number
  /** Whether its answer can be bound to a JSON schema. */
  readonly schemas: boolean
  /** Where it accepts cache breakpoints: `prompts` is everywhere but on tools. */
  readonly caches: 'none' | 'prompts' | 'all'
  /** Whether it can keep a cached prefix for an hour. */
  readonly keepsHours: boolean
}

const claude = (version: number): Model => ({
  family: 'claude',
  version,
  schemas: version >= 405,
  caches: version >= 307 ? 'all' : 'none',
  keepsHours: version >= 405,
})
const nova = (version: number): Model => ({
  family: 'nova',
  version,
  schemas: false,
  caches: 'prompts',
  keepsHours: false,
})

const OTHER: Model = { family: 'other', version: 0, schemas: true, caches: 'none', keepsHours: false }

const numberOf = ([, major = '0', minor = '0']: RegExpExecArray): number => 100 * Number(major) + Number(minor)

/** Matched against a model id such as `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, or an ARN that ends with one. */
const MODELS: ModelTable<Model> = {
  rows: [
    // The only model before 3.7 that has prompt caching for everyone.
    { names: /claude-3-5-haiku/, traits: { ...claude(305), caches: 'all' } },
    // claude-3-7-sonnet-20250219, claude-sonnet-4-5-20250929, claude-opus-4-20250514: a date is not a minor version.
    {
      names: /claude(?:-[a-z]+)?-v?(\d{1,2})(?:-(\d{1,2}))?(?=$|[-:.@])/,
      traits: (match) => claude(numberOf(match)),
    },
    // An id without a version is taken for a current model.
    { names: /claude-haiku/, traits: claude(405) },
    { names: /claude/, traits: claude(500) },
    { names: /nova-(\d{1,2})(?=$|[-:.@])/, traits: (match) => nova(numberOf(match)) },
    { names: /nova-[a-z]+-v(\d{1,2})(?=$|[-:.@])/, traits: (match) => nova(numberOf(match)) },
    { names: /nova/, traits: nova(200) },
    { names: /gpt-oss/, traits: { ...OTHER, family: 'gpt-oss' } },
    { names: /titan|llama|jamba|j2-|command|deepseek\.r1/, traits: { ...OTHER, schemas: false } },
  ],
  // For example, the ARN of an inference profile.
  unknown: OTHER,
}

export const modelOf = (id: string, quirks: Quirks): Model => readTraits(MODELS, id, quirks)
