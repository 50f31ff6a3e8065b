import { SSE } from '../../../framing/sse.ts'
import { CITATIONS } from '../../../responses/apply-citations.ts'
import { HOSTED_ITEMS } from '../../../responses/hosted-tools.ts'
import type { KnownStreamWire } from '../../contract.ts'
import { joiningCalls } from '../../shared/upstream/answers/join-calls.ts'
import { reportMembers } from '../../shared/upstream/answers/report-members.ts'
import { decodeError } from '../errors.ts'
import { MEMBERS } from './members.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const openaiResponsesStream: KnownStreamWire = {
  name: 'openai-responses',
  framing: SSE,
  reportsPhases: true,
  template: { leaves: ['delta'], counts: [], edited: ['item_id'] },
  ...reportMembers(joiningCalls({ decodeStream, decodeBody }), MEMBERS),
  decodeError,
  hosted: HOSTED_ITEMS,
  citations: CITATIONS,
}
