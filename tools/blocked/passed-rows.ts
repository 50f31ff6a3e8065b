import { Buffer } from 'node:buffer'
import type { Row } from './blocked.ts'
import { countWords, post } from './load.ts'

/** Long answers to clients of the upstream's own protocol, which are passed: as a stream and as a body. */

const LENGTH = 4_000_000

/** Texts of about 4 MB, as JSON has them: with few escapes and with many. */
const TEXTS: Readonly<Record<string, () => string>> = {
  'plain text': () => 'word '.repeat(LENGTH / 5),
  backslashes: () => '\\'.repeat(LENGTH / 2),
  'JSON in JSON': () => JSON.stringify(JSON.stringify({ lines: '"a"\n'.repeat(LENGTH / 16) })),
  code: () => '\tconst path = "C:\\\\a"; // 100 %\n'.repeat(LENGTH / 40),
  entities: () => '&amp;%5C'.repeat(LENGTH / 8),
}

type Json = Readonly<Record<string, unknown>>

interface Protocol {
  readonly wire: string
  readonly path: string
  /** The path of a whole answer, if it is another one. */
  readonly wholePath?: string
  /** The media type of its streams. Default: that of SSE. */
  readonly type?: string
  readonly asked: Json
  readonly stream: (text: string) => string
  readonly body: (text: string) => Json
}

const sse = (...events: readonly (Json | string)[]): string =>
  events
    .map((event) => {
      const name = typeof event === 'object' && typeof event.type === 'string' ? `event: ${event.type}\n` : ''
      return `${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
    })
    .join('')

const call = (args: string): Json => ({
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'write', arguments: args } }],
})

const message = (text: string): Json => ({
  id: 'i',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})

const response = (output: readonly Json[]): Json => ({
  id: 'r',
  object: 'response',
  model: 'm',
  status: 'completed',
  output,
})

const candidate = (text: string): Json => ({
  index: 0,
  content: { role: 'model', parts: [{ text }] },
  finishReason: 'STOP',
})

const ollama = (text: string, done: boolean): Json => ({
  model: 'm',
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', content: text },
  done,
  ...(done ? { done_reason: 'stop' } : {}),
})

const PROTOCOLS: readonly Protocol[] = [
  {
    wire: 'openai-chat',
    path: '/openai/v1/chat/completions',
    asked: { messages: [{ role: 'user', content: 'Hi' }] },
    stream: (text) =>
      sse(
        { id: 'c', model: 'm', choices: [{ index: 0, delta: call(text) }] },
        { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
        '[DONE]',
      ),
    body: (text) => ({
      id: 'c',
      model: 'm',
      choices: [{ index: 0, message: call(text), finish_reason: 'tool_calls' }],
    }),
  },
  {
    wire: 'anthropic-messages',
    path: '/openai/v1/messages',
    asked: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 },
    stream: (text) =>
      sse(
        { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
        { type: 'message_stop' },
      ),
    body: (text) => ({ id: 'm', type: 'message', content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
  },
  {
    wire: 'openai-responses',
    path: '/openai/v1/responses',
    asked: { input: 'Hi' },
    stream: (text) => {
      const item = { id: 'i', type: 'message', role: 'assistant' }
      const part = { type: 'output_text', text, annotations: [] }
      const place = { item_id: 'i', output_index: 0, content_index: 0 }
      return sse(
        ...[
          { type: 'response.created', response: { ...response([]), status: 'in_progress' } },
          {
            type: 'response.output_item.added',
            output_index: 0,
            item: { ...item, status: 'in_progress', content: [] },
          },
          { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
          { type: 'response.output_text.delta', ...place, delta: text },
          { type: 'response.output_text.done', ...place, text },
          { type: 'response.content_part.done', ...place, part },
          { type: 'response.output_item.done', output_index: 0, item: message(text) },
          { type: 'response.completed', response: response([message(text)]) },
        ].map((event, at) => ({ ...event, sequence_number: at })),
      )
    },
    body: (text) => response([message(text)]),
  },
  {
    wire: 'gemini-generate',
    path: '/openai/v1/models/gemini-generate%2Fm:streamGenerateContent?alt=sse',
    wholePath: '/openai/v1/models/gemini-generate%2Fm:generateContent',
    asked: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    stream: (text) => sse({ candidates: [candidate(text)] }),
    body: (text) => ({ candidates: [candidate(text)] }),
  },
  {
    wire: 'ollama-chat',
    path: '/openai/v1/api/chat',
    type: 'application/x-ndjson',
    asked: { messages: [{ role: 'user', content: 'Hi' }] },
    stream: (text) => `${JSON.stringify(ollama(text, false))}\n${JSON.stringify(ollama('', true))}\n`,
    body: (text) => ollama(text, true),
  },
]

const toRow = (
  { wire, path, wholePath = path, type = 'text/event-stream', asked, stream, body }: Protocol,
  name: string,
  text: () => string,
): Row => ({
  name: `passed ${name} of ${wire}`,
  config: (upstream) => ({
    vendors: { [wire]: { wire, base_url: `${upstream}/answer/${wire}/v1`, key: { env: 'ACME_KEY' } } },
  }),
  async load(site) {
    const ask = (streamed: boolean): Promise<string> =>
      post(site, JSON.stringify({ model: `${wire}/m`, stream: streamed, ...asked }), {
        path: streamed ? path : wholePath,
      })
    await site.answerWith(wire, type, Buffer.from(stream(text())))
    const answers = [await ask(true), await ask(false)]
    await site.answerWith(wire, 'application/json', JSON.stringify(body(text())))
    return countWords([...answers, await ask(false)])
  },
})

export const PASSED_ROWS: readonly Row[] = PROTOCOLS.flatMap((protocol) =>
  Object.entries(TEXTS).map(([name, text]) => toRow(protocol, name, text)),
)
