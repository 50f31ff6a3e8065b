import { SSE } from '../../../framing/sse.ts'
import { CITATIONS } from '../../../responses/apply-citations.ts'
import type { KnownStreamWire } from '../../contract.ts'
import { preferringFinals } from '../../shared/upstream/answers/final-values.ts'
import { joiningCalls } from '../../shared/upstream/answers/join-calls.ts'
import { reportMembers } from '../../shared/upstream/answers/report-members.ts'
import { decodeError } from '../errors.ts'
import { MEMBERS } from './members.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const cohereChatStream: KnownStreamWire = {
  name: 'cohere-chat',
  framing: SSE,
  template: { leaves: ['text', 'thinking', 'tool_plan', 'arguments'], counts: [] },
  ...preferringFinals(reportMembers(joiningCalls({ decodeStream, decodeBody }), MEMBERS)),
  decodeError,
  citations: CITATIONS,
}
