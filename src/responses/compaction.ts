import { upstreamError } from '../protocol/error.ts'
import type { JsonObject, JsonRecord } from '../protocol/json.ts'
import type { InputItem, Request } from '../protocol/request.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { fromBase64Url, toBase64Url } from '../text/base64.ts'
import { isNonEmptyString, isObject, toArray } from '../text/json.ts'

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

/**
 * The same conversation with a request for a summary. Tools stay, because some upstreams require the tools that the
 * history calls.
 */
export const toSummaryRequest = (request: Request): Request => ({
  ...request,
  stream: false,
  tool_choice: request.tools.length === 0 ? null : 'none',
  text: null,
  input: [...request.input, SUMMARY_REQUEST],
})

const partsText = ({ content }: JsonRecord): string =>
  toArray(content)
    .map((part) => (isObject(part) && isNonEmptyString(part.text) ? part.text : ''))
    .join('')

/** The text of the answer. Commentary counts only if the model wrote nothing else. */
function textOf({ output }: JsonObject): string {
  const messages = toArray(output)
    .filter(isObject)
    .filter((item) => partsText(item) !== '')
  const answers = messages.filter(({ phase }) => phase !== 'commentary')
  return (answers.length > 0 ? answers : messages).map(partsText).join('\n\n')
}

/** Converts the summary to the compaction item that replaces the whole conversation in the next request. */
export function toCompaction(response: JsonObject): Result<JsonObject> {
  const summary = textOf(response)
  if (response.status !== 'completed' || summary === '') {
    return err(upstreamError('upstream_truncated', 'The upstream did not return a complete summary.'))
  }
  const { id, created_at = 0, usage = null } = response
  const item = { type: 'compaction', id: String(id).replace(/^resp_/, 'cmp_'), encrypted_content: sealSummary(summary) }
  return ok({ id: String(id), object: 'response.compaction', created_at, output: [item], usage })
}
