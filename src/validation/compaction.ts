import { fromBase64Url, toBase64Url } from '../text/base64.ts'

/** Version of the envelope. A text with another prefix was issued by another service. */
const PREFIX = 'mrc1.'

/**
 * Returns the summary of a conversation as `encrypted_content` of a compaction item. The envelope does not hide the
 * summary, and any model can continue from it.
 */
export const sealSummary = (summary: string): string => PREFIX + toBase64Url(summary)

/** Returns the summary if this service issued the item; undefined otherwise. */
export const openSummary = (sealed: string): string | undefined =>
  sealed.startsWith(PREFIX) ? fromBase64Url(sealed.slice(PREFIX.length)) : undefined
