import type { InputItem, Request } from '../../protocol/request.ts'
import { fromBase64Url, toBase64Url } from '../../text/base64.ts'

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

// ---------------------------------------------------------------- triggers

/** The type of the item that requests a compaction (openai 7.57, `CompactionTrigger`). */
const TRIGGER = 'compaction_trigger'

/** An item that requests a compaction. */
export const COMPACTION_TRIGGER: InputItem = { type: 'other', item: { type: TRIGGER } }

const isTrigger = (item: InputItem): boolean => item.type === 'other' && item.item.type === TRIGGER

/** The positions of the items that request a compaction. */
export const triggersIn = ({ input }: Pick<Request, 'input'>): readonly number[] =>
  input.flatMap((item, at) => (isTrigger(item) ? [at] : []))

export const requestsCompaction = ({ input }: Pick<Request, 'input'>): boolean => input.some(isTrigger)

const SUMMARY_REQUEST: InputItem = {
  type: 'message',
  role: 'user',
  content: [
    {
      type: 'input_text',
      text:
        'Summarise the conversation above, so that it can go on from your summary alone. Keep every fact, name, number, ' +
        'decision, instruction and open question that may matter later, and what each tool call found. ' +
        'Write nothing but the summary.',
    },
  ],
}

/** A setting of the input without a format of the text, as a summary is no JSON. Its other settings stay. */
function withoutFormat(item: InputItem): InputItem {
  if (item.type !== 'other' || (item.update?.format ?? null) === null) return item
  const { text: _, ...own } = item.item
  return { type: 'other', item: own, update: { effort: item.update?.effort ?? null, format: null } }
}

/**
 * The same conversation with a request for a summary in the place of its trigger. Tools stay, because some upstreams
 * require the tools that the history calls.
 */
export const toSummaryRequest = (request: Request): Request => ({
  ...request,
  tool_choice: request.tools.length === 0 ? null : 'none',
  text: null,
  input: request.input.map((item) => (isTrigger(item) ? SUMMARY_REQUEST : withoutFormat(item))),
})
