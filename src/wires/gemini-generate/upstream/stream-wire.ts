import { SSE_OR_ARRAY } from '../../../framing/sse-or-array.ts'
import { CITATIONS } from '../../../responses/apply-citations.ts'
import {
  CODE_INTERPRETER_CALL,
  FILE_SEARCH_CALL,
  IMAGE_GENERATION_CALL,
  MCP_CALL,
  WEB_SEARCH_CALL,
} from '../../../responses/hosted-members.ts'
import { hostingOf } from '../../../responses/hosted-tools.ts'
import type { KnownStreamWire } from '../../contract.ts'
import { joiningCalls } from '../../shared/upstream/answers/join-calls.ts'
import { reportMembers } from '../../shared/upstream/answers/report-members.ts'
import { decodeError } from '../errors.ts'
import { MEMBERS } from './members.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const geminiGenerateStream: KnownStreamWire = {
  name: 'gemini-generate',
  framing: SSE_OR_ARRAY,
  template: {
    leaves: ['text', 'stringValue'],
    counts: ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount', 'tokenCount'],
  },
  ...reportMembers(joiningCalls({ decodeStream, decodeBody }), MEMBERS),
  decodeError,
  hosted: /* @__PURE__ */ hostingOf({
    web_search_call: WEB_SEARCH_CALL,
    code_interpreter_call: CODE_INTERPRETER_CALL,
    file_search_call: FILE_SEARCH_CALL,
    mcp_call: MCP_CALL,
    image_generation_call: IMAGE_GENERATION_CALL,
  }),
  citations: CITATIONS,
}
