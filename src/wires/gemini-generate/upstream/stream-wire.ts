import type { StreamWire } from '../../contract.ts'
import { decodeError } from '../errors.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const geminiGenerateStream: StreamWire = {
  name: 'gemini-generate',
  framing: 'sse-or-array',
  decodeStream,
  template: {
    leaves: ['text', 'stringValue'],
    counts: ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount', 'tokenCount'],
  },
  decodeBody,
  decodeError,
}
