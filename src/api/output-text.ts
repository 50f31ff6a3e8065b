import type { ResponseObject } from '../protocol/response-event.ts'

/** The text of all messages of a response, joined, as `output_text` of OpenAI's SDKs. Empty if it has none. */
export const outputText = ({ output }: Pick<ResponseObject, 'output'>): string =>
  output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('')
