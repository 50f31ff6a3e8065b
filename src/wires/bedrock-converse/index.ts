import type { Wire } from '../contract.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { decodeBody, decodeStream } from './upstream/stream.ts'

/** Amazon Bedrock, Converse and ConverseStream (docs/wires/bedrock-converse.md, 2). */
export const bedrockConverse: Wire = {
  name: 'bedrock-converse',
  framing: 'eventstream',
  encodeRequest,
  encodeSteps,
  authorize,
  decodeStream,
  template: { leaves: ['text', 'input'], counts: [] },
  decodeBody,
  decodeError,
}
