import { SSE } from '../../../framing/sse.ts'
import { CITATIONS } from '../../../responses/apply-citations.ts'
import { IMAGE_GENERATION_CALL } from '../../../responses/hosted-members.ts'
import { hostingOf } from '../../../responses/hosted-tools.ts'
import type { KnownStreamWire } from '../../contract.ts'
import { preferringFinals } from '../../shared/upstream/answers/final-values.ts'
import { joiningCalls } from '../../shared/upstream/answers/join-calls.ts'
import { reportMembers } from '../../shared/upstream/answers/report-members.ts'
import { decodeError } from '../errors.ts'
import { MEMBERS } from './members.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const openaiChatStream: KnownStreamWire = {
  name: 'openai-chat',
  framing: SSE,
  template: {
    leaves: ['content', 'reasoning_content', 'reasoning', 'arguments', 'text'],
    counts: ['prompt_tokens', 'completion_tokens', 'total_tokens', 'reasoning_tokens', 'cached_tokens'],
  },
  ...preferringFinals(reportMembers(joiningCalls({ decodeStream, decodeBody }, true), MEMBERS)),
  decodeError,
  hosted: /* @__PURE__ */ hostingOf({ image_generation_call: IMAGE_GENERATION_CALL }),
  citations: CITATIONS,
}
