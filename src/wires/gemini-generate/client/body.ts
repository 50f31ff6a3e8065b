import { runInSteps } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { toArray } from '../../../text/json.ts'
import { runSteps, type Steps } from '../../../text/steps.ts'
import type { EncodeContext } from '../../client-contract.ts'
import type { Candidate, GenerateContentResponse, ResponsePart } from '../json.ts'
import { encodeChunks } from './stream.ts'

const isWords = ({ text }: ResponsePart): boolean => text !== undefined

/** The parts of a whole answer. `closed`: no text may be appended to the last part, because it has its signature. */
interface Joined {
  readonly parts: ResponsePart[]
  closed: boolean
}

/**
 * Appends a part; consecutive texts of one kind become one part. A signature after a text moves onto that text: Google
 * puts the signature on an empty part in a stream, and on the text itself in a body.
 */
function join(joined: Joined, part: ResponsePart): void {
  const { parts } = joined
  const last = parts.at(-1)
  const fits = last !== undefined && isWords(part) && isWords(last) && last.thought === part.thought
  if (part.text === '' && part.thoughtSignature === undefined) return
  if (fits && part.text === '' && last.thoughtSignature === undefined) {
    parts[parts.length - 1] = { ...last, thoughtSignature: part.thoughtSignature as string }
    joined.closed = true
  } else if (fits && part.thoughtSignature === undefined && !joined.closed) {
    parts[parts.length - 1] = { ...last, text: `${last.text}${part.text}` }
  } else {
    parts.push(part)
    joined.closed = false
  }
}

function joinParts(all: readonly ResponsePart[]): readonly ResponsePart[] {
  const joined: Joined = { parts: [], closed: false }
  for (const part of all) join(joined, part)
  return joined.parts.length === 0 ? [{ text: '' }] : joined.parts
}

type Logprobs = NonNullable<Candidate['logprobsResult']>

function joinLogprobs(found: readonly Logprobs[]): Pick<Candidate, 'logprobsResult'> {
  if (found.length === 0) return {}
  return {
    logprobsResult: {
      chosenCandidates: found.flatMap(({ chosenCandidates = [] }) => chosenCandidates),
      topCandidates: found.flatMap(({ topCandidates = [] }) => topCandidates),
    },
  }
}

/** Joins the chunks of a stream into one body. The last chunk has everything except parts and log probabilities. */
function joinChunks(chunks: readonly GenerateContentResponse[]): GenerateContentResponse {
  const candidates = chunks.flatMap((chunk) => chunk.candidates ?? [])
  const last = candidates.at(-1)
  const end = chunks.at(-1)
  // A blocked prompt has no candidates.
  if (last === undefined && end?.promptFeedback !== undefined) return end
  const parts = joinParts(candidates.flatMap(({ content }) => toArray(content?.parts) as readonly ResponsePart[]))
  const logprobs = candidates.flatMap(({ logprobsResult }) => logprobsResult ?? [])
  const candidate: Candidate = { ...last, content: { parts, role: 'model' }, ...joinLogprobs(logprobs) }
  return { ...end, candidates: [candidate] }
}

/** Encodes deltas as one body, with the content that the stream would have. */
export const encodeBody = (deltas: readonly Delta[], context: EncodeContext): JsonObject =>
  runSteps(encodeBodyInSteps(deltas, context))

/** Like `encodeBody`, in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], context: EncodeContext): Steps<JsonObject> {
  return joinChunks(yield* runInSteps(encodeChunks(context), deltas)) as unknown as JsonObject
}
