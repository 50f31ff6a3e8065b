import type { StreamWire } from '../../contract.ts'
import { decodeError } from '../errors.ts'
import { decodeBody, decodeStream } from './stream.ts'

/** Decodes its streams, without the code for requests and clients. */
export const openaiChatStream: StreamWire = {
  name: 'openai-chat',
  framing: 'sse',
  decodeStream,
  template: {
    leaves: ['content', 'reasoning_content', 'reasoning', 'arguments', 'text'],
    counts: ['prompt_tokens', 'completion_tokens', 'total_tokens', 'reasoning_tokens', 'cached_tokens'],
  },
  decodeBody,
  decodeError,
}
