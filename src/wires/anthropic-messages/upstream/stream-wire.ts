import { SSE } from '../../../framing/sse.ts'
import { CITATIONS } from '../../../responses/apply-citations.ts'
import {
  CODE_INTERPRETER_CALL,
  COMPACTION,
  MCP_CALL,
  TOOL_SEARCH_CALL,
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
export const anthropicMessagesStream: KnownStreamWire = {
  name: 'anthropic-messages',
  framing: SSE,
  template: { leaves: ['text', 'thinking', 'partial_json'], counts: [] },
  ...reportMembers(joiningCalls({ decodeStream, decodeBody }), MEMBERS),
  decodeError,
  hosted: /* @__PURE__ */ hostingOf({
    web_search_call: WEB_SEARCH_CALL,
    code_interpreter_call: CODE_INTERPRETER_CALL,
    tool_search_call: TOOL_SEARCH_CALL,
    mcp_call: MCP_CALL,
    compaction: COMPACTION,
  }),
  citations: CITATIONS,
}
