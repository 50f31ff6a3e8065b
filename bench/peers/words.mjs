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
}

/** The text of an upstream's stream. */
export const wordsSent = (wire, pieces) => payloads(Buffer.concat(pieces).toString()).map(TEXT_OF[wire]).join('')

export const wordsOfChat = (text) => payloads(text).map(contentOf).join('')

export const wordsOfResponses = (text) =>
  payloads(text)
    .map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''))
    .join('')
