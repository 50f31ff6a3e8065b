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
]

const toRow = ({ wire, path, asked, stream, body }: Protocol, name: string, text: () => string): Row => ({
  name: `passed ${name} of ${wire}`,
  config: (upstream) => ({
    vendors: { [wire]: { wire, base_url: `${upstream}/answer/${wire}/v1`, key: { env: 'ACME_KEY' } } },
  }),
  async load(site) {
    const ask = (streamed: boolean): Promise<string> =>
      post(site, JSON.stringify({ model: `${wire}/m`, stream: streamed, ...asked }), { path })
    await site.answerWith(wire, 'text/event-stream', Buffer.from(stream(text())))
    const answers = [await ask(true), await ask(false)]
    await site.answerWith(wire, 'application/json', JSON.stringify(body(text())))
    return countWords([...answers, await ask(false)])
  },
})

export const PASSED_ROWS: readonly Row[] = PROTOCOLS.flatMap((protocol) =>
  Object.entries(TEXTS).map(([name, text]) => toRow(protocol, name, text)),
)
