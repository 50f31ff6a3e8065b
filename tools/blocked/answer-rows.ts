import { Buffer } from 'node:buffer'
import type { Row } from './blocked.ts'
import { countWords, post } from './load.ts'

/** One upstream stream or body, and the wire of the vendor that sends it. */
interface Answer {
  readonly name: string
  readonly wire: string
  readonly type: string
  readonly bytes: () => Uint8Array
}

type Json = Readonly<Record<string, unknown>>

const each = <T>(count: number, entry: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => entry(at))

const sse = (values: Iterable<Json | string>): Uint8Array =>
  Buffer.from(
    [...values].map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join(''),
  )

const events = (values: readonly Json[]): Uint8Array =>
  Buffer.from(values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join(''))

const words = (length: number): string => {
  let text = ''
  for (let at = 0; text.length < length; at += 1) text += `word${at} `
  return text.slice(0, length)
}

const chat = (delta: Json, more: Json = {}): Json => ({ id: 'c', choices: [{ index: 0, delta, ...more }] })
const CHAT_END = [chat({}, { finish_reason: 'stop' }), '[DONE]']
const chatOf = (chunks: Iterable<Json | string>): Uint8Array => sse([...chunks, ...CHAT_END])

const toolCall = (at: number): Json =>
  chat({ tool_calls: [{ index: at, id: `c${at}`, type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] })

const logprobs = (): Json => ({
  content: [
    {
      token: 'a ',
      logprob: -0.5,
      bytes: [97],
      top_logprobs: each(3, (at) => ({ token: `${at}`, logprob: -1, bytes: null })),
    },
  ],
})

const gemini = (candidate: Json): Uint8Array => sse([{ candidates: [{ finishReason: 'STOP', ...candidate }] }])

const geminiParts = (count: number): Uint8Array =>
  gemini({
    content: { parts: each(count, (at) => (at % 2 === 0 ? { text: `t${at}` } : { text: 'x', thought: true })) },
  })

const supports = (count: number, quoted: boolean): Uint8Array => {
  const text = words(1_000_000)
  const support = (at: number): Json => {
    const startIndex = Math.floor((at * 999_000) / count)
    const quote = quoted ? { text: text.slice(startIndex + 7, startIndex + 40) } : {}
    return { segment: { startIndex, endIndex: startIndex + 20, ...quote }, groundingChunkIndices: [0] }
  }
  return gemini({
    content: { parts: [{ text }] },
    groundingMetadata: {
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'a' } }],
      groundingSupports: each(count, support),
    },
  })
}

const block = (at: number, isOpen: boolean): Json[] => [
  { type: 'content_block_start', index: at, content_block: { type: 'tool_use', id: `t${at}`, name: 'f', input: {} } },
  { type: 'content_block_delta', index: at, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
  ...(isOpen ? [] : [{ type: 'content_block_stop', index: at }]),
]

const blocks = (count: number, isOpen: boolean): Uint8Array =>
  events([
    {
      type: 'message_start',
      message: { id: 'm', model: 'c', role: 'assistant', content: [], usage: { input_tokens: 1 } },
    },
    ...each(count, (at) => block(at, isOpen)).flat(),
    ...(isOpen ? each(count, (at) => ({ type: 'content_block_stop', index: at })) : []),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ])

const cohere = (count: number): Uint8Array => {
  const text = words(1_000_000)
  const citation = (at: number): Json => {
    const start = Math.floor((at * 999_000) / count)
    const sources = [{ type: 'document', id: 'd', document: { url: `https://a.example/${at}` } }]
    const citations = { start, end: start + 10, text: text.slice(start, start + 10), sources, content_index: 0 }
    return { type: 'citation-start', index: at, delta: { message: { citations } } }
  }
  return events([
    { type: 'message-start', id: 'm', delta: { message: { role: 'assistant' } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { text } } } },
    ...each(count, citation),
    { type: 'content-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
  ])
}

const SSE = 'text/event-stream'
const JSON_TYPE = 'application/json'
const OPENAI_CHAT = { wire: 'openai-chat', type: SSE } as const
const GEMINI = { wire: 'gemini-generate', type: SSE } as const
const ANTHROPIC = { wire: 'anthropic-messages', type: SSE } as const

const NESTED: Answer = {
  ...OPENAI_CHAT,
  name: 'an event of 1 MiB nested 250,000 deep',
  bytes: () => chatOf([`{"choices":[],"deep":${'[1,'.repeat(250_000)}1${']'.repeat(250_000)}}`]),
}

const ANSWERS: readonly Answer[] = [
  { ...OPENAI_CHAT, name: '10,000 tool calls in one chat stream', bytes: () => chatOf(each(10_000, toolCall)) },
  { ...OPENAI_CHAT, name: '30,000 tool calls in one chat stream', bytes: () => chatOf(each(30_000, toolCall)) },
  {
    ...OPENAI_CHAT,
    name: 'text and reasoning alternating, 20,000 times',
    bytes: () => chatOf(each(40_000, (at) => chat(at % 2 === 0 ? { content: 'a' } : { reasoning_content: 'b' }))),
  },
  ...[20_000, 100_000].map((count) => ({
    ...OPENAI_CHAT,
    name: `log probabilities for ${count} tokens`,
    bytes: () => chatOf(each(count, () => chat({ content: 'a ' }, { logprobs: logprobs() }))),
  })),
  ...[10_000, 100_000].map((count) => ({
    ...GEMINI,
    name: `${count} parts in one Gemini chunk`,
    bytes: () => geminiParts(count),
  })),
  { ...ANTHROPIC, name: '10,000 Anthropic tool blocks', bytes: () => blocks(10_000, false) },
  { ...ANTHROPIC, name: '10,000 open Anthropic tool blocks', bytes: () => blocks(10_000, true) },
  {
    ...OPENAI_CHAT,
    name: '20,000 reasoning_details',
    bytes: () =>
      chatOf(
        each(20_000, (at) => chat({ reasoning_details: [{ type: 'reasoning.encrypted', data: `d${at}`, index: at }] })),
      ),
  },
  { wire: 'cohere-chat', type: SSE, name: '5,000 Cohere citations over 1 MB', bytes: () => cohere(5000) },
  { ...GEMINI, name: '5,000 Gemini supports over 1 MB', bytes: () => supports(5000, false) },
  { ...GEMINI, name: '5,000 quoted spans over 1 MB', bytes: () => supports(5000, true) },
  {
    ...OPENAI_CHAT,
    name: '1 MB of [n] marks from Perplexity',
    bytes: () =>
      chatOf([
        {
          ...chat({ content: each(300_000, (at) => `[${(at % 9) + 1}]`).join('') }),
          citations: each(9, (at) => `https://a.example/${at}`),
        },
      ]),
  },
  {
    ...OPENAI_CHAT,
    name: '1,000,000 frames that are not JSON',
    bytes: () => Buffer.concat([Buffer.from('data: no\n\n'.repeat(1_000_000)), chatOf([chat({ content: 'a' })])]),
  },
  {
    ...OPENAI_CHAT,
    name: '250 MiB of text',
    bytes: () => {
      const chunk = sse([chat({ content: words(1000) })])
      const piece = Buffer.concat(each(1000, () => chunk))
      return Buffer.concat(each(Math.floor((250 * 1024 * 1024) / piece.length), () => piece))
    },
  },
  {
    ...OPENAI_CHAT,
    name: '31 MiB of text, within the limits',
    bytes: () => chatOf(each(7900, () => chat({ content: words(4000) }))),
  },
  ...[
    ['Latin', 'word '],
    ['Greek', 'λόγος '],
  ].map(([script, word = '']) => ({
    ...OPENAI_CHAT,
    name: `an event of 15 MB of ${script} text`,
    bytes: () => chatOf([chat({ content: word.repeat(15_000_000 / Buffer.byteLength(word)) })]),
  })),
  {
    ...GEMINI,
    name: 'an event with 8 MB of encrypted content',
    bytes: () => gemini({ content: { parts: [{ text: 'a', thoughtSignature: 'QUJD'.repeat(2_000_000) }] } }),
  },
  NESTED,
  {
    wire: 'openai-chat',
    type: JSON_TYPE,
    name: 'a whole body nested 100,000 deep',
    bytes: () =>
      Buffer.from(`{"choices":[{"message":{"content":"a","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}}]}`),
  },
]

const PATHS = ['/api/v1/responses', '/openai/v1/responses', '/openai/v1/messages'] as const

/** The path of clients to which a stream of openai-chat is passed. */
const CHAT = '/openai/v1/chat/completions'

type Path = (typeof PATHS)[number] | typeof CHAT

const REQUESTS: Readonly<Record<Path, Json>> = {
  '/api/v1/responses': { input: 'Hello' },
  '/openai/v1/responses': { input: 'Hello' },
  '/openai/v1/messages': { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
  [CHAT]: { messages: [{ role: 'user', content: 'Hello' }] },
}

type Ask = (path: Path, stream: boolean) => Promise<string>

/** `more` is added to the configuration, `asked` to each request. */
const toRow = (
  { name, wire, type, bytes }: Answer,
  load: (ask: Ask) => Promise<readonly string[]>,
  more: Json = {},
  asked: Json = {},
): Row => ({
  name,
  config: (upstream) => ({
    vendors: {
      [wire]: {
        wire,
        base_url: `${upstream}/answer/${wire}/v1`,
        key: { env: 'ACME_KEY' },
      },
    },
    ...more,
  }),
  async load(site) {
    await site.answerWith(wire, type, bytes())
    const ask: Ask = (path, stream) =>
      post(site, JSON.stringify({ model: `${wire}/m`, stream, ...REQUESTS[path], ...asked }), {
        path,
      })
    return countWords(await load(ask))
  },
})

/** Requests the answer as a stream in both dialects and for a client of another wire, and as one body. */
async function inAllForms(ask: Ask): Promise<readonly string[]> {
  const answers: string[] = []
  for (const path of PATHS) answers.push(await ask(path, true))
  answers.push(await ask('/openai/v1/responses', false))
  return answers
}

/** With a search engine configured, each answer is the first turn of a search loop that never searches. */
async function asSearchTurn(ask: Ask): Promise<readonly string[]> {
  return [
    await ask('/api/v1/responses', true),
    await ask('/openai/v1/responses', true),
    await ask('/openai/v1/responses', false),
  ]
}

const SEARCH = { search: { engine: 'searxng', base_url: 'http://127.0.0.1:9/' } }
const SEARCHING = { tools: [{ type: 'service:web_search' }] }

/** The answers that also run as a turn of a search loop: streams of openai-chat. */
const SEARCH_TURNS = ANSWERS.filter(({ wire, type }) => wire === 'openai-chat' && type === SSE).map((answer) => ({
  ...answer,
  name: `${answer.name}, as a turn of a search`,
}))

export const ANSWER_ROWS: readonly Row[] = [
  ...ANSWERS.map((answer) => toRow(answer, inAllForms)),
  toRow({ ...NESTED, name: `${NESTED.name}, passed` }, async (ask) => [await ask(CHAT, true)]),
  ...SEARCH_TURNS.map((answer) => toRow(answer, asSearchTurn, SEARCH, SEARCHING)),
]
