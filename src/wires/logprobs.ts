import type { Logprob } from '../protocol/part.ts'
import { isObject, toArray } from '../text/json.ts'

type Bag = Readonly<Record<string, unknown>>

/** A list of tokens as OpenAI's APIs give it; null where it is none, or empty. */
export function toLogprobs(list: unknown): readonly Logprob[] | null {
  const tokens = toArray(list).filter(isObject)
  return tokens.length === 0 ? null : tokens.map(toLogprob)
}

function toLogprob(token: Bag): Logprob {
  return { ...toTokenProb(token), top_logprobs: toArray(token.top_logprobs).filter(isObject).map(toTokenProb) }
}

const toTokenProb = ({ token, logprob, bytes }: Bag) => ({
  token: typeof token === 'string' ? token : '',
  logprob: typeof logprob === 'number' ? logprob : 0,
  bytes: Array.isArray(bytes) && bytes.every(Number.isInteger) ? (bytes as number[]) : null,
})
