import { fromBase64Url, toBase64Url } from '../text/base64.ts'

/** Version of the envelope: what bears another one is somebody else's. */
const PREFIX = 'mrc1.'

/** The summary of a conversation, as `encrypted_content` of a compaction item. It hides nothing, and any model can go on from it. */
export const sealSummary = (summary: string): string => PREFIX + toBase64Url(summary)

/** The summary, where the item is one of ours. */
export const openSummary = (sealed: string): string | undefined =>
  sealed.startsWith(PREFIX) ? fromBase64Url(sealed.slice(PREFIX.length)) : undefined
