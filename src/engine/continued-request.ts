import { upstreamError } from '../protocol/error.ts'
import type { InputItem } from '../protocol/request.ts'
import { withoutHalf } from '../text/offsets.ts'
import { factsOf } from '../wires/shared/upstream/model-facts.ts'
import type { ClientRequest } from './client-request.ts'
import { goOn } from './rules/conversation.ts'
import type { UpstreamRoute } from './upstream-call.ts'

/** An upstream without a search of its own cannot continue an answer: the turns of a search are those of another one. */
export const SEARCHES = upstreamError(
  'upstream_invalid',
  'An answer that searches the web is not continued by this upstream.',
)

/** Characters of a text for each of its tokens, for limits. */
const PER_TOKEN = 4

/** The fewest output tokens that vendors accept as a limit. */
const FEWEST_TOKENS = 16

/** Whether another upstream may continue the text of an answer: the halves of two JSON texts are no JSON. */
export const isContinuable = ({ request: { text } }: ClientRequest): boolean =>
  (text?.format?.type ?? 'text') === 'text'

/**
 * The request for the rest of an answer. `earlier`: the texts of its messages so far, of which the last one is open. They
 * are the beginning of the answer where the model continues one, else an instruction follows them. White space at the
 * end is left out: many upstreams remove it, and only one that has not received it writes all of it. Half a character is
 * left out as well: Anthropic refuses it.
 */
export function continuedRequest(
  client: ClientRequest,
  earlier: readonly string[],
  { wire, quirks, model }: Pick<UpstreamRoute, 'wire' | 'quirks' | 'model'>,
): ClientRequest {
  const { request, sent } = client
  const { lastRole } = factsOf({ model, quirks }, wire.name)
  const reasons = (request.reasoning?.effort ?? 'none') !== 'none'
  const prefills = (lastRole === 'any' || lastRole === 'prefix') && !reasons
  const open = withoutHalf(earlier.at(-1) ?? '').trimEnd()
  const answer = [...earlier.slice(0, -1), ...(open === '' ? [] : [open])].map(
    (text): InputItem => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
  )
  const used = Math.ceil(earlier.reduce((sum, { length }) => sum + length, 0) / PER_TOKEN)
  const { max_output_tokens: most } = request
  return {
    ...client,
    request: {
      ...request,
      input: [...request.input, ...answer, ...(prefills || answer.length === 0 ? [] : [goOn])],
      max_output_tokens: most === null ? null : Math.max(FEWEST_TOKENS, most - used),
    },
    sent: { ...sent, isIntact: false },
  }
}
