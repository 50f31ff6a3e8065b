import type { StreamWire } from '../../contract.ts'
import { decodeError } from '../errors.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const bedrockConverseStream: StreamWire = {
  name: 'bedrock-converse',
  framing: 'eventstream',
  decodeStream,
  template: { leaves: ['text', 'input'], counts: [] },
  decodeBody,
  decodeError,
}
