import type { StreamWire } from '../../contract.ts'
import { decodeError } from '../errors.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const openaiResponsesStream: StreamWire = {
  name: 'openai-responses',
  framing: 'sse',
  decodeStream,
  reportsPhases: true,
  template: { leaves: ['delta'], counts: [] },
  decodeBody,
  decodeError,
}
