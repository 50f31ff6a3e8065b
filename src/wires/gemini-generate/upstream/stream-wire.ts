import { SSE_OR_ARRAY } from '../../../framing/sse-or-array.ts'
import { CITATIONS } from '../../../responses/apply-citations.ts'
import type { StreamWire } from '../../contract.ts'
import { reportMembers } from '../../shared/upstream/answers/report-members.ts'
import { decodeError } from '../errors.ts'
import { MEMBERS } from './members.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const geminiGenerateStream: StreamWire = {
  name: 'gemini-generate',
  framing: SSE_OR_ARRAY,
  template: {
    leaves: ['text', 'stringValue'],
    counts: ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount', 'tokenCount'],
  },
  ...reportMembers({ decodeStream, decodeBody }, MEMBERS),
  decodeError,
  citations: CITATIONS,
}
