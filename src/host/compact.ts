import { upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { InputItem, Request } from '../protocol/request.ts'
import { isObject, isText, toArray } from '../text/json.ts'
import { sealSummary } from '../validation/compaction.ts'
import { type Attempt, failure, success } from './attempt.ts'

const ASKED: InputItem = {
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
  input: [...request.input, ASKED],
})

const textOf = ({ output }: JsonObject): string =>
  toArray(output)
    .flatMap((item) => (isObject(item) ? toArray(item.content) : []))
    .map((part) => (isObject(part) && isText(part.text) ? part.text : ''))
    .join('')

/** Converts the summary to the compaction item that replaces the whole conversation in the next request. */
export function toCompaction(response: JsonObject): Attempt<JsonObject> {
  const summary = textOf(response)
  if (response.status !== 'completed' || summary === '') {
    return failure(upstreamError('upstream_truncated', 'The upstream gave no whole summary.'))
  }
  const { id, created_at = 0, usage = null } = response
  const item = { type: 'compaction', id: String(id).replace(/^resp_/, 'cmp_'), encrypted_content: sealSummary(summary) }
  return success({ id: String(id), object: 'response.compaction', created_at, output: [item], usage })
}
