import { createParser } from 'eventsource-parser'

interface ChatChunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string; readonly reasoning_content?: string } }[]
}

/**
 * The floor: what anyone would write who has the right libraries. eventsource-parser, JSON.parse, the event object,
 * JSON.stringify, UTF-8, each event by itself; nothing opened, closed, checked or collected. Returns the bytes it wrote.
 */
export function runFloor(pieces: readonly Uint8Array[]): number {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const state = { bytes: 0, sequence: 0 }
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return
      const delta = (JSON.parse(data) as ChatChunk).choices?.[0]?.delta
      const text = delta?.content ?? delta?.reasoning_content
      if (!text) return
      const event = {
        type: 'response.output_text.delta',
        sequence_number: state.sequence++,
        item_id: 'msg_0123456789abcdef_0',
        output_index: 0,
        content_index: 0,
        delta: text,
        logprobs: [],
      }
      state.bytes += encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).length
    },
  })
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }))
  return state.bytes
}
