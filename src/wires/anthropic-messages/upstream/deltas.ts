import type { ContentDelta, ContentKind } from '../../../protocol/delta.ts'

export const content = (kind: ContentKind, key: string, text: string): ContentDelta => ({
  kind,
  key,
  part: '',
  text,
  logprobs: null,
})
