import type { ContentDelta, ContentKind, Delta } from '../../../protocol/delta.ts'

/** The deltas that one event produces, in order. */
export type Say = Delta[]

export const content = (kind: ContentKind, key: string, text: string): ContentDelta => ({
  kind,
  key,
  part: '',
  text,
  logprobs: null,
})

export function loss(feature: string, say: Say): void {
  say.push({ kind: 'loss', feature })
}
