import type { Quirks } from '../../quirks.ts'
import { type ModelTable, readTraits } from '../../shared/upstream/model-table.ts'

/** The capabilities of a model, as far as its name shows them. */
export interface Traits {
  /** The highest output limit of the model. `max_tokens` is required, and a request without a limit gets this one. */
  readonly maxTokens: number
  /** How reasoning is requested: not at all, by a number of tokens, or by an effort. */
  readonly thinks: 'never' | 'budget' | 'effort'
  /** The steps of effort above high that the model has. */
  readonly steps: readonly ('xhigh' | 'max')[]
  /** Accepts temperature and top_p. */
  readonly samples: boolean
  /** Rejects temperature and top_p together. */
  readonly samplesOnce: boolean
  /** Supports output_config.format and strict tools. */
  readonly schemas: boolean
  /** Accepts system messages between the messages of a conversation. */
  readonly lateRules: boolean
}

/** `claude-3-5-haiku-20241022`, `claude-opus-4.5`, `claude-sonnet-4@20250514`. */
const VERSIONED =
  /claude-(?:(?<old>\d)(?:[-.](?<older>\d{1,2})(?!\d))?|(?<family>[a-z]+)-(?<major>\d+)(?:[-.](?<minor>\d{1,2})(?!\d))?)/

interface Version {
  readonly family: string
  /** 4.6 is 406. */
  readonly number: number
}

function versionOf({ groups }: RegExpExecArray): Version {
  const { old, older, family = '', major, minor } = groups ?? {}
  return { family, number: Number(old ?? major) * 100 + Number(older ?? minor ?? 0) }
}

function maxTokensOf({ family, number }: Version): number {
  if (number >= 406) return 128_000
  if (number >= 405) return 64_000
  if (number >= 400) return family === 'opus' ? 32_000 : 64_000
  if (number >= 307) return 64_000
  return number >= 305 ? 8192 : 4096
}

/** Models of other vendors that speak this wire. */
const UNKNOWN: Traits = {
  maxTokens: 4096,
  thinks: 'budget',
  steps: [],
  samples: true,
  samplesOnce: false,
  schemas: false,
  lateRules: false,
}

/** Returns what a version of a model accepts: docs/wires/anthropic-messages.md, 9.1 and 9.2. */
function traitsFrom(version: Version): Traits {
  const { family, number } = version
  const newest = number >= 500 || (family === 'opus' && number >= 407)
  return {
    maxTokens: maxTokensOf(version),
    thinks: number >= 406 ? 'effort' : number >= 307 ? 'budget' : 'never',
    steps: newest ? ['xhigh', 'max'] : ['max'],
    samples: !newest,
    samplesOnce: number >= 405,
    schemas: number >= 405,
    lateRules: number >= 500 || (family === 'opus' && number >= 408),
  }
}

const MODELS: ModelTable<Traits> = {
  rows: [
    { names: VERSIONED, traits: (match) => traitsFrom(versionOf(match)) },
    // A name without a number belongs to a current model.
    { names: /claude-haiku/, traits: traitsFrom({ family: 'haiku', number: 405 }) },
    { names: /claude/, traits: traitsFrom({ family: '', number: 500 }) },
  ],
  unknown: UNKNOWN,
}

/** Google does not serve system messages inside a conversation (docs/wires/anthropic-messages.md, 9.3). */
export function traitsOf(model: string, quirks: Quirks): Traits {
  const traits = readTraits(MODELS, model, quirks)
  return quirks.rawPredict === true ? { ...traits, lateRules: false } : traits
}
