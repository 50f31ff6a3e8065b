/** Joins the texts of the deltas of a stream, without any library. */

const payloads = (text) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))

const contentOf = ({ choices }) => choices?.[0]?.delta?.content ?? ''

const TEXT_OF = {
  'openai-chat': contentOf,
  'anthropic-messages': ({ delta }) => delta?.text ?? '',
  'gemini-generate': ({ candidates }) => candidates?.[0]?.content?.parts?.[0]?.text ?? '',
}

/** The text of an upstream's stream. */
export const textSent = (wire, pieces) => payloads(Buffer.concat(pieces).toString()).map(TEXT_OF[wire]).join('')

export const textOfChat = (text) => payloads(text).map(contentOf).join('')

export const textOfMessages = (text) => payloads(text).map(TEXT_OF['anthropic-messages']).join('')

export const textOfResponses = (text) =>
  payloads(text)
    .map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''))
    .join('')

export const textOfUiMessages = (text) =>
  payloads(text)
    .map(({ type, delta }) => (type === 'text-delta' ? delta : ''))
    .join('')

export const textOfParts = (parts) => parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')

export const textOfChunks = (chunks) => chunks.map(contentOf).join('')
