import type { ContentDelta, ContentKind } from '../../../protocol/delta.ts'
import type { Logprob } from '../../../protocol/part.ts'

/** Keys of the items of a chat answer: it has one message and one reasoning item. */
export const MESSAGE = 'message'
export const REASONING = 'thought'

export const contentDelta = (
  kind: ContentKind,
  text: string,
  logprobs: readonly Logprob[] | null = null,
): ContentDelta => ({
  kind,
  key: kind === 'text' || kind === 'refusal' ? MESSAGE : REASONING,
  part: '',
  text,
  logprobs,
})
