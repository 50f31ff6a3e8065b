import type { StreamWire } from '../../contract.ts'
import { decodeError } from '../errors.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const anthropicMessagesStream: StreamWire = {
  name: 'anthropic-messages',
  framing: 'sse',
  decodeStream,
  template: { leaves: ['text', 'thinking', 'partial_json'], counts: [] },
  decodeBody,
  decodeError,
}
