import type { ResponseObject } from '../protocol/response-event.ts'
import { checkProtocol } from '../validation/arguments.ts'

/** The text of all messages of a response, joined, as `output_text` of OpenAI's SDKs. Empty if it has none. */
export function outputText(response: Pick<ResponseObject, 'output'>): string {
  checkProtocol(response, 'response', 'a response of the Responses API, with output', ['output'])
  return response.output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('')
}
