import { EVENT_STREAM } from '../../../framing/eventstream.ts'
import { CITATIONS } from '../../../responses/apply-citations.ts'
import {
  CODE_INTERPRETER_CALL,
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
export const bedrockConverseStream: KnownStreamWire = {
  name: 'bedrock-converse',
  framing: EVENT_STREAM,
  template: { leaves: ['text', 'input'], counts: [] },
  ...reportMembers(joiningCalls({ decodeStream, decodeBody }), MEMBERS),
  decodeError,
  hosted: /* @__PURE__ */ hostingOf({
    web_search_call: WEB_SEARCH_CALL,
    code_interpreter_call: CODE_INTERPRETER_CALL,
    mcp_call: MCP_CALL,
    image_generation_call: IMAGE_GENERATION_CALL,
  }),
  citations: CITATIONS,
}
