import type { ContentDelta, ContentKind } from '../../../protocol/delta.ts'

export const contentDelta = (kind: ContentKind, key: string, text: string): ContentDelta => ({
  kind,
  key,
  part: '',
  text,
  logprobs: null,
})
