import { expect, it } from 'vitest'
import { encodeEventStream } from '../../../src/framing/encode-event-stream.ts'
import { createStreamTranslator, translateBody } from '../../../src/index.ts'

const TEXT = 'The capital is Hanoi.'
const cited = (location: object) => ({ title: 'Vietnam', sourceContent: [{ text: 'Hanoi is the capital.' }], location })
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

function streamed(location: object): string {
  const bytes = Buffer.concat(
    [
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { citation: cited(location) } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: TEXT } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage }],
    ].map(([event, data]) => encodeEventStream({ event: event as string, data: JSON.stringify(data) })),
  )
  const translator = createStreamTranslator({ from: 'bedrock-converse', to: 'anthropic-messages' })
  return [translator.push(bytes), translator.end()].map((out) => new TextDecoder().decode(out)).join('')
}

function whole(location: object): string {
  const citationsContent = { content: [{ text: TEXT }], citations: [cited(location)] }
  const body = {
    output: { message: { role: 'assistant', content: [{ citationsContent }] } },
    stopReason: 'end_turn',
    usage,
  }
  return JSON.stringify(
    translateBody(JSON.stringify(body), { from: 'bedrock-converse', to: 'anthropic-messages' }).body,
  )
}

// biome-ignore format: a row a place
it.each([
  ['characters', { documentChar: { documentIndex: 1, start: 10, end: 31 } }, { type: 'char_location', document_index: 1, start_char_index: 10, end_char_index: 31 }],
  ['pages', { documentPage: { documentIndex: 0, start: 2, end: 3 } }, { type: 'page_location', document_index: 0, start_page_number: 2, end_page_number: 3 }],
  ['chunks', { documentChunk: { documentIndex: 0, start: 4, end: 5 } }, { type: 'content_block_location', document_index: 0, start_block_index: 4, end_block_index: 5 }],
])('a citation of the %s of a document has its text and its place for a Messages client', (_, location, expected) => {
  const { type, document_index, ...place } = expected
  const text = { cited_text: 'Hanoi is the capital.', document_index, document_title: 'Vietnam', file_id: null }
  const citation = JSON.stringify({ type, ...text, ...place })
  expect(streamed(location)).toContain(citation)
  expect(whole(location)).toContain(`"citations":[${citation}]`)
})
