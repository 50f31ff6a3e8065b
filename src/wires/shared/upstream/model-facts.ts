import { getOrCreate } from '../../../collections/get-or-create.ts'
import type { ModelFacts } from '../../../models/facts.ts'
import { modelFacts } from '../../../models/model-facts.ts'
import type { Platform } from '../../../models/row.ts'
import { lookup } from '../../../text/lookup.ts'
import type { EffortStyle, Quirks } from '../../quirks.ts'

/** The platforms whose models a wire has if the vendor's row names no other. */
const OF_WIRES: Readonly<Record<string, Platform>> = {
  'bedrock-converse': 'bedrock',
  'cohere-chat': 'cohere',
  'gemini-generate': 'google',
  'gemini-interactions': 'google',
  'ollama-chat': 'ollama',
}

/** The wires whose vendors have several styles of efforts, or OpenAI's models. */
const OF_OPENAI: ReadonlySet<string> = new Set(['openai-chat', 'openai-responses'])

/** The same for these styles, most of which belong to one vendor. */
const OF_STYLES: Readonly<Partial<Record<EffortStyle, Platform>>> = {
  alibaba: 'alibaba',
  deepseek: 'deepseek',
  groq: 'groq',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshot: 'moonshot',
  nested: 'router',
  ollama: 'ollama',
  template: 'local',
  xai: 'xai',
  zai: 'zai',
}

function platformOf({ platform, effort, openaiModels, rawPredict }: Quirks, wire: string): Platform | undefined {
  const own = platform ?? lookup(OF_WIRES, wire)
  if (own !== undefined) return own
  if (!OF_OPENAI.has(wire)) return rawPredict === true ? 'vertex' : undefined
  const ofStyle = effort === undefined ? undefined : OF_STYLES[effort]
  return ofStyle ?? (openaiModels === true ? 'openai' : undefined)
}

/** Memory of the process. Each request needs the facts several times, and a search tests some hundred patterns. */
const FACTS = new WeakMap<Quirks, Map<string, Map<string, ModelFacts>>>()
/** The limits bound the memory, because the names are those of clients. */
const MOST_NAMES = 256
const LONGEST_NAME = 256

/** Returns what is known about a model of an upstream. */
export function factsOf(
  { model, quirks }: { readonly model: string; readonly quirks: Quirks },
  wire: string,
): ModelFacts {
  const ofWires = getOrCreate(FACTS, quirks, () => new Map())
  const known = getOrCreate(ofWires, wire, () => new Map())
  const found = known.get(model)
  if (found !== undefined) return found
  const { likeModels, modelFacts: own } = quirks
  const facts = modelFacts(model, { platform: platformOf(quirks, wire), likeModels, modelFacts: own })
  if (model.length > LONGEST_NAME) return facts
  if (known.size >= MOST_NAMES) known.clear()
  known.set(model, facts)
  return facts
}

/** Whether the model reasons in every request that does not turn it off. */
export const isReasoning = ({ family, reasons }: ModelFacts): boolean =>
  family === 'gpt' && reasons !== undefined && reasons !== 'never'
