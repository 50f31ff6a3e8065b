import type { JsonRecord } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import type { Request } from '../../../protocol/request.ts'
import { isObject, toArray } from '../../../text/json.ts'

/**
 * Reads a list of tokens with their log probabilities in OpenAI's format, which Ollama uses, too; null if it is empty.
 */
export function toLogprobs(tokens: unknown): readonly Logprob[] | null {
  const known = toArray(tokens).filter(isObject)
  return known.length === 0 ? null : known.map(toLogprob)
}

function toLogprob(token: JsonRecord): Logprob {
  return { ...toTokenProb(token), top_logprobs: toArray(token.top_logprobs).filter(isObject).map(toTokenProb) }
}

const toTokenProb = ({ token, logprob, bytes }: JsonRecord) => ({
  token: typeof token === 'string' ? token : '',
  logprob: typeof logprob === 'number' ? logprob : 0,
  bytes: Array.isArray(bytes) && bytes.every(Number.isInteger) ? (bytes as number[]) : null,
})

/** Returns the field by which a request enables log probabilities, as the path of their loss. */
export const logprobsField = ({ top_logprobs: top }: Pick<Request, 'top_logprobs'>): 'top_logprobs' | 'include' =>
  top === null || top === 0 ? 'include' : 'top_logprobs'
