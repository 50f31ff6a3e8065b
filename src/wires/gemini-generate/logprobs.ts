import type { JsonRecord } from '../../protocol/json.ts'
import type { Logprob } from '../../protocol/part.ts'
import { isObject, toArray } from '../../text/json.ts'
import type { Candidate, TokenProb } from './json.ts'

const toTokenProb = ({ token, logProbability }: JsonRecord) => ({
  token: typeof token === 'string' ? token : '',
  logprob: typeof logProbability === 'number' ? logProbability : 0,
  bytes: null,
})

/** Decodes `logprobsResult`: the chosen tokens, each with its alternatives; null if there are none. */
export function readLogprobsResult({ chosenCandidates, topCandidates }: JsonRecord): readonly Logprob[] | null {
  const tops = toArray(topCandidates)
  const chosen = toArray(chosenCandidates).filter(isObject)
  if (chosen.length === 0) return null
  return chosen.map((token, at): Logprob => {
    const top = tops[at]
    const others = toArray(isObject(top) ? top.candidates : null).filter(isObject)
    return { ...toTokenProb(token), top_logprobs: others.map(toTokenProb) }
  })
}

const fromTokenProb = ({ token, logprob }: Pick<Logprob, 'token' | 'logprob'>): TokenProb => ({
  token,
  logProbability: logprob,
})

/** Encodes log probabilities as `logprobsResult`. */
export const toLogprobsResult = (logprobs: readonly Logprob[]): NonNullable<Candidate['logprobsResult']> => ({
  chosenCandidates: logprobs.map(fromTokenProb),
  topCandidates: logprobs.map(({ top_logprobs }) => ({ candidates: top_logprobs.map(fromTokenProb) })),
})
