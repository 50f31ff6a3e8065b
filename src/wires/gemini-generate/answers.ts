import type { HostedItem, Item } from '../../protocol/item.ts'
import { openUnsealed } from '../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import type { AnswerCodec } from '../client-contract.ts'
import { GOOGLE_DETAILS } from '../shared/google/answers.ts'
import { encodeBody, encodeBodyInSteps } from './client/body.ts'
import { encodeStream } from './client/stream.ts'
import { encodeError } from './errors.ts'
import { geminiSealedTexts } from './sealed-texts.ts'
import { SERVER_TOOLS } from './terms.ts'
import { readPayload } from './thought-signatures.ts'
import { GEMINI_SERVED } from './usage.ts'

/** The types of the server tools whose own parts are encrypted content of an item. */
function sealedTools(item: Item): readonly string[] {
  if (item.type !== 'reasoning' || item.encrypted_content === null) return []
  const payload = readPayload(openUnsealed(item.encrypted_content))
  if (payload?.on !== 'parts') return []
  return payload.parts.flatMap(({ toolCall }) => {
    if (!isObject(toolCall)) return []
    return [isNonEmptyString(toolCall.toolType) ? toolCall.toolType : '']
  })
}

/** Whether Gemini clients receive a tool that Google ran as Google's own parts. */
function isOwnTool({ type, fields }: HostedItem, output: readonly Item[]): boolean {
  const isFiles = type === 'file_search_call'
  if (!isFiles && (type !== 'mcp_call' || fields.server_label !== 'google')) return false
  return output
    .flatMap(sealedTools)
    .some((tool) => (isFiles ? lookup(SERVER_TOOLS, tool) === 'files' : tool === fields.name))
}

/** Encodes answers for its clients, without the code for their requests. */
export const geminiGenerateAnswers: AnswerCodec = {
  format: 'sse',
  settings: ['reasoning', 'array'],
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['web_search_call', 'code_interpreter_call', 'image_generation_call'],
    hasOwnForm: isOwnTool,
    annotations: ['url_citation', 'file_citation'],
    logprobs: true,
    argumentObjects: 'all',
    namespaces: false,
    sealed: true,
    cost: false,
    details: GOOGLE_DETAILS,
    parts: ['cached_tokens', 'reasoning_tokens'],
    lifetimes: [],
    openedPages: true,
    imageAddresses: true,
    served: GEMINI_SERVED,
  },
  sealedTexts: geminiSealedTexts,
  keepAlive: null,
}
