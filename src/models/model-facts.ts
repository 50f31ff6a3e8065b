import { lookup } from '../text/lookup.ts'
import { CLAUDE } from './claude.ts'
import { OTHER_MODELS } from './closed-models.ts'
import type { ModelFacts } from './facts.ts'
import { GEMINI } from './gemini.ts'
import { GPT } from './gpt.ts'
import { GROK } from './grok.ts'
import {
  COMMAND,
  DEEPSEEK,
  GEMMA,
  GLM,
  GPT_OSS,
  GRANITE,
  KIMI,
  MINIMAX,
  MISTRAL,
  OTHER_WEIGHTS,
  QWEN,
} from './open-models.ts'
import { LIKE_ON, PLATFORM_ROWS } from './platforms.ts'
import type { ModelFamily, ModelRow, Platform } from './row.ts'

/** All families. The first row that matches a name applies; no name belongs to two families. */
export const MODEL_FAMILIES: readonly ModelFamily[] = [
  CLAUDE,
  GPT,
  GEMINI,
  GROK,
  DEEPSEEK,
  KIMI,
  GLM,
  QWEN,
  MISTRAL,
  MINIMAX,
  GEMMA,
  GPT_OSS,
  GRANITE,
  COMMAND,
  OTHER_WEIGHTS,
  OTHER_MODELS,
]

const OPEN_FAMILIES: readonly ModelFamily[] = MODEL_FAMILIES.filter(({ weights }) => weights === 'open')

/** The host of a model: its platform, and what its operator or its vendor's row says about its models. */
export interface ModelHost {
  readonly platform?: Platform | undefined
  /** Names of models → the names that they are like; `*` for all others that no family has. */
  readonly likeModels?: Readonly<Record<string, string>> | undefined
  /** Facts of models by their names; `*` for all models. They take precedence over the tables. */
  readonly modelFacts?: Readonly<Record<string, ModelFacts>> | undefined
}

/** The key that stands for every other name. */
const ANY = '*'

/** `claude-opus-5-5[1m]`: a client's own note on the size of its context, which no upstream has. */
const NOTE = /\[[^\]]{0,32}\]$/

/** Returns the upstream's own name of a model: without the note of a client. */
export const upstreamModel = (model: string): string => model.replace(NOTE, '')

/** Fireworks writes the point of a version as a letter: `kimi-k2p5`. */
const POINT = /(?<=\d)p(?=\d)/g

/** `models/gemini-3-pro` → `gemini-3-pro`. */
function bareName(model: string): string {
  const name = upstreamModel(model)
  return name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(POINT, '.')
}

/** Names that say that the model reads images, such as variants of a model that reads none: `llama-3.1-nemotron-nano-vl-8b`. */
const SIGHTED = /vision|llava|multimodal|vl\d{0,2}(?![a-z])|\dv(?![a-z\d])/

/** The facts of such variants, by their row. */
const SIGHTED_FACTS: ReadonlyMap<ModelRow, ModelFacts> = new Map(
  MODEL_FAMILIES.flatMap(({ rows }) => rows).flatMap((row): [ModelRow, ModelFacts][] => {
    const { images, ...facts } = row.facts
    return images === false ? [[row, facts]] : []
  }),
)

const factsFor = (name: string, row: ModelRow): ModelFacts =>
  (SIGHTED.test(name) ? SIGHTED_FACTS.get(row) : undefined) ?? row.facts

function rowOf(name: string, families: readonly ModelFamily[]): ModelRow | undefined {
  for (const { rows } of families) {
    const row = rows.find(({ names }) => names.test(name))
    if (row !== undefined) return row
  }
  return undefined
}

const NOTHING: ModelFacts = {}

/** A model by the name whose rows apply to it. */
interface Known {
  readonly name: string
  readonly facts: ModelFacts
}

/**
 * The model that its host equates a name with, else the one of that name, else the one that the host's other names are
 * like. A server of one's own cannot have a closed model: a name of one is an alias there, which shows nothing.
 */
function knownModel(model: string, { platform, likeModels = {} }: ModelHost): Known {
  const equal = lookup(likeModels, model)
  const families = platform === 'local' && equal === undefined ? OPEN_FAMILIES : MODEL_FAMILIES
  const name = bareName(equal ?? model)
  const row = rowOf(name, families)
  if (row !== undefined) return { name, facts: factsFor(name, row) }
  const other = lookup(likeModels, ANY) ?? (platform === undefined ? undefined : LIKE_ON[platform])
  const like = other === undefined ? name : bareName(other)
  return { name: like, facts: (other === undefined ? undefined : rowOf(like, MODEL_FAMILIES)?.facts) ?? NOTHING }
}

/**
 * Returns what is known about a model at its host: of the model that the host equates it with, else of its own name,
 * else of the model that the host's other names are like; then what the platform changes, then what its operator sets.
 */
export function modelFacts(model: string, host: ModelHost): ModelFacts {
  const { platform, modelFacts: own = {} } = host
  const { name, facts } = knownModel(model, host)
  const restricted = PLATFORM_ROWS.filter((row) => row.platform === platform && row.names.test(name))
  const set = [lookup(own, ANY), lookup(own, model)]
  if (restricted.length === 0 && set.every((one) => one === undefined)) return facts
  return Object.assign({}, facts, ...restricted.map((row) => row.facts), ...set)
}
