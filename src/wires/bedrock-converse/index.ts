import type { Wire } from '../wire.ts'
import { decodeBody, decodeStream } from './decode.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './request.ts'

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
