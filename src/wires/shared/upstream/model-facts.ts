import type { ModelFacts } from '../../../models/facts.ts'
import { modelFacts } from '../../../models/model-facts.ts'
import type { Platform } from '../../../models/row.ts'
import type { Request } from '../../../protocol/request.ts'
import type { WireName } from '../../contract.ts'
import type { EffortStyle, Quirks } from '../../quirks.ts'

/** The platforms whose models a wire has if the vendor's row names no other. */
const OF_WIRES: Readonly<Partial<Record<WireName, Platform>>> = {
  'bedrock-converse': 'bedrock',
  'cohere-chat': 'cohere',
  'gemini-generate': 'google',
  'gemini-interactions': 'google',
  'ollama-chat': 'ollama',
}

/** The same for styles of efforts, most of which belong to one vendor. */
const OF_STYLES: Readonly<Partial<Record<EffortStyle, Platform>>> = {
  alibaba: 'alibaba',
  deepseek: 'deepseek',
  groq: 'groq',
  mistral: 'mistral',
  moonshot: 'moonshot',
  nested: 'router',
  xai: 'xai',
  zai: 'zai',
}

function platformOf({ platform, effort, openaiModels, rawPredict }: Quirks, wire: WireName): Platform | undefined {
  if (platform !== undefined) return platform
  if (effort !== undefined && OF_STYLES[effort] !== undefined) return OF_STYLES[effort]
  if (rawPredict === true) return 'vertex'
  return openaiModels === true ? 'openai' : OF_WIRES[wire]
}

/** Returns what is known about a model of an upstream. */
export function factsOf(
  { model, quirks }: { readonly model: string; readonly quirks: Quirks },
  wire: WireName,
): ModelFacts {
  const { likeModels, modelFacts: own } = quirks
  return modelFacts(model, { platform: platformOf(quirks, wire), likeModels, modelFacts: own })
}

/** Whether the model reasons in every request that does not turn it off. */
export const isReasoning = ({ family, reasons }: ModelFacts): boolean =>
  family === 'gpt' && reasons !== undefined && reasons !== 'never'

/** Fields that a reasoning model rejects with HTTP 400. */
export const UNSUPPORTED_BY_REASONING_MODELS = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
] as const

/**
 * Whether the model refuses these fields in this request. With the effort `none`, its own or that of the request, a
 * reasoning model accepts the same fields as other models.
 */
export function isBound(
  { reasoning }: Pick<Request, 'reasoning'>,
  { family, sampling, defaultEffort }: ModelFacts,
): boolean {
  if (family !== 'gpt') return false
  const effort = reasoning?.effort ?? defaultEffort
  return sampling === 'none' || (sampling === 'without-reasoning' && effort !== 'none')
}
