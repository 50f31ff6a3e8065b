import type { StreamWire } from '../../contract.ts'
import { decodeError } from '../errors.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const ollamaChatStream: StreamWire = {
  name: 'ollama-chat',
  framing: 'ndjson',
  decodeStream,
  template: { leaves: ['content', 'thinking'], counts: [] },
  decodeBody,
  decodeError,
}
