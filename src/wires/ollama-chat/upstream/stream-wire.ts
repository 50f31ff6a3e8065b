import { NDJSON } from '../../../framing/ndjson.ts'
import { IMAGE_GENERATION_CALL } from '../../../responses/hosted-members.ts'
import { hostingOf } from '../../../responses/hosted-tools.ts'
import type { KnownStreamWire } from '../../contract.ts'
import { joiningCalls } from '../../shared/upstream/answers/join-calls.ts'
import { reportMembers } from '../../shared/upstream/answers/report-members.ts'
import { decodeError } from '../errors.ts'
import { MEMBERS } from './members.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const ollamaChatStream: KnownStreamWire = {
  name: 'ollama-chat',
  framing: NDJSON,
  template: { leaves: ['content', 'thinking'], counts: [] },
  ...reportMembers(joiningCalls({ decodeStream, decodeBody }), MEMBERS),
  decodeError,
  hosted: /* @__PURE__ */ hostingOf({ image_generation_call: IMAGE_GENERATION_CALL }),
}
