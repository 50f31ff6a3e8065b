import type { ContentDelta, ContentKind, Delta } from '../../protocol/delta.ts'
import type { Logprob } from '../../protocol/part.ts'

/** The deltas that one chunk gives, in the order in which they were meant. */
export type Say = Delta[]

/** The keys of a chat answer: it has one message and one train of thought. */
export const MESSAGE = 'message'
export const THOUGHT = 'thought'

export const content = (kind: ContentKind, text: string, logprobs: readonly Logprob[] | null = null): ContentDelta => ({
  kind,
  key: kind === 'text' || kind === 'refusal' ? MESSAGE : THOUGHT,
  part: '',
  text,
  logprobs,
})

export function loss(feature: string, say: Say): void {
  say.push({ kind: 'loss', feature })
}
