import type { FrameReader } from './frame.ts'
import { openSse } from './sse.ts'

export type FramingName = 'sse'

/** How each framing is read: a fresh reader for one stream; `limit` is the largest event in UTF-16 units. */
export const FRAMINGS = {
  sse: openSse,
} satisfies Record<FramingName, (limit: number) => FrameReader>
