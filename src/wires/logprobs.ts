import type { Logprob } from '../protocol/part.ts'
import type { Request } from '../protocol/request.ts'
import { isObject, toArray } from '../text/json.ts'

type Bag = Readonly<Record<string, unknown>>

/** A list of tokens with their log probabilities, in OpenAI's shape (Ollama has it, too); null where there is none. */
export function toLogprobs(tokens: unknown): readonly Logprob[] | null {
  const known = toArray(tokens).filter(isObject)
  return known.length === 0 ? null : known.map(toLogprob)
}

function toLogprob(token: Bag): Logprob {
  return { ...toTokenProb(token), top_logprobs: toArray(token.top_logprobs).filter(isObject).map(toTokenProb) }
}

const toTokenProb = ({ token, logprob, bytes }: Bag) => ({
  token: typeof token === 'string' ? token : '',
  logprob: typeof logprob === 'number' ? logprob : 0,
  bytes: Array.isArray(bytes) && bytes.every(Number.isInteger) ? (bytes as number[]) : null,
})

/** Which of the two ways to ask for them a request takes: the place of their loss. */
export const logprobsPlace = ({ top_logprobs: top }: Pick<Request, 'top_logprobs'>): 'top_logprobs' | 'include' =>
  top === null || top === 0 ? 'include' : 'top_logprobs'
