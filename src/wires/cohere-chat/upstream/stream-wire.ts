import type { StreamWire } from '../../contract.ts'
import { decodeError } from '../errors.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const cohereChatStream: StreamWire = {
  name: 'cohere-chat',
  framing: 'sse',
  decodeStream,
  template: { leaves: ['text', 'thinking', 'tool_plan', 'arguments'], counts: [] },
  decodeBody,
  decodeError,
}
