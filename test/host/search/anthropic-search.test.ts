import Anthropic from '@anthropic-ai/sdk'
import type { ContentBlock, MessageParam } from '@anthropic-ai/sdk/resources/messages'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { type MockUpstream, type ReceivedRequest, startMockUpstream } from '../../mock-upstreams/server.ts'
import { named, sse, type WireUpstream } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { KEY, startGateway, whenDone } from '../test-server.ts'
import { answerJson, startMockEngine } from './mock-engine.ts'

/**
 * Anthropic’s own client with upstreams of every wire: a search in an answer has the titles and links of its results.
 */

const QUERY = 'height of the Eiger'
const TEXT = 'The Eiger is 3,967 m high [1].'
const EIGER = { url: 'https://eiger.example/height', title: 'The Eiger' }
const ALPS = { url: 'https://www.alps.example/list?x=1', title: 'Alpine peaks' }

const SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 } as const
const ASK: MessageParam[] = [{ role: 'user', content: `Perform a web search for the query: ${QUERY}` }]

interface Searched {
  readonly upstream: MockUpstream
  readonly client: Anthropic
  readonly model: string
}

async function openSearch(
  wire: WireName,
  model: string,
  contentType: string,
  answer: (request: ReceivedRequest, at: number) => Uint8Array | string,
  quirks: object = {},
): Promise<Searched> {
  const upstream = await startMockUpstream((response, request) => {
    const output = answer(request, upstream.received.length - 1)
    const isBody = typeof output === 'string' && output.startsWith('{')
    response.writeHead(200, { 'content-type': isBody ? 'application/json' : contentType })
    response.end(output)
  })
  whenDone(upstream.close)
  const engine = await startMockEngine((response) =>
    answerJson(response, { results: [EIGER, ALPS].map((page) => ({ ...page, text: 'Words.' })) }),
  )
  const acme = { wire, base_url: upstream.url, key: { env: 'ACME_KEY' }, quirks }
  const { url } = await startGateway({ vendors: { acme }, search: { engine: 'exa', base_url: engine.url } })
  const client = new Anthropic({ baseURL: `${url}/api`, apiKey: KEY, maxRetries: 0 })
  return { upstream, client, model: `acme/${model}` }
}

const stream = ({ client, model }: Searched, messages = ASK) =>
  client.messages.stream({ model, max_tokens: 1000, messages, tools: [SEARCH] }).finalMessage()

const whole = ({ client, model }: Searched) =>
  client.messages.create({ model, max_tokens: 1000, messages: ASK, tools: [SEARCH] })

/** The links of an answer, from each result block that belongs to a search, as Claude Code reads them. */
function linksIn(content: readonly ContentBlock[]): readonly object[] {
  const ids = content.flatMap((block) => (block.type === 'server_tool_use' ? [block.id] : []))
  return content.flatMap((block): object[] => {
    if (block.type !== 'web_search_tool_result') return []
    expect(ids).toContain(block.tool_use_id)
    if (!Array.isArray(block.content)) return [block.content]
    return block.content.map(({ title, url }) => ({ title, url }))
  })
}

const queriesIn = (content: readonly ContentBlock[]): unknown[] =>
  content.flatMap((block) => (block.type === 'server_tool_use' ? [block.input] : []))

const textIn = (content: readonly ContentBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')

// ---------------------------------------------------------------- searches by an engine

const BY_ENGINE: readonly WireName[] = ['openai-chat', 'bedrock-converse', 'cohere-chat', 'ollama-chat']

describe.each(Object.values(WIRE_UPSTREAMS).filter(({ wire }) => BY_ENGINE.includes(wire)))(
  "an engine's search behind $wire",
  ({ wire, model, contentType, quirks, encodeTurn }: WireUpstream) => {
    const open = () =>
      openSearch(
        wire,
        model,
        contentType,
        (_, at) =>
          at % 2 === 0
            ? encodeTurn({ text: [], calls: [{ id: 'call_a', name: 'web_search', args: { query: QUERY } }] })
            : encodeTurn({ text: [TEXT], calls: [] }),
        quirks,
      )

    it('has titles and links, streamed and as one body', async () => {
      const searched = await open()
      for (const { content } of [await stream(searched), await whole(searched)]) {
        expect(content.map(({ type }) => type).slice(0, 2)).toEqual(['server_tool_use', 'web_search_tool_result'])
        expect([queriesIn(content), linksIn(content)]).toEqual([[{ query: QUERY }], [EIGER, ALPS]])
        expect(textIn(content)).toBe(TEXT)
      }
    })
  },
)

// ---------------------------------------------------------------- searches by the upstream itself

const ANNOTATION = { type: 'url_citation', ...EIGER, start_index: 26, end_index: 29 }

/** The format of OpenAI: sources have no titles and are sent only if `include` requests them; citations have titles. */
function responsesAnswer({ body }: ReceivedRequest): string {
  const asked = Array.isArray(body.include) && body.include.includes('web_search_call.action.sources')
  const sources = asked ? { sources: [EIGER, ALPS].map(({ url }) => ({ type: 'url', url })) } : {}
  const search = {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: QUERY, ...sources },
  }
  const part = { type: 'output_text', text: TEXT, annotations: [ANNOTATION] }
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] }
  const response = { id: 'resp_1', object: 'response', model: 'gpt-5.1', status: 'in_progress', output: [] }
  const at = { item_id: 'msg_1', output_index: 1, content_index: 0 }
  const usage = { input_tokens: 3, output_tokens: 5, total_tokens: 8 }
  const whole = { ...response, status: 'completed', output: [search, message], usage }
  if (body.stream !== true) return JSON.stringify(whole)
  return named([
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item: { ...search, status: 'in_progress', action: null } },
    { type: 'response.web_search_call.completed', item_id: 'ws_1', output_index: 0 },
    { type: 'response.output_item.done', output_index: 0, item: search },
    { type: 'response.output_item.added', output_index: 1, item: { ...message, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...at, delta: TEXT },
    { type: 'response.output_text.annotation.added', ...at, annotation_index: 0, annotation: ANNOTATION },
    { type: 'response.output_text.done', ...at, text: TEXT },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 1, item: message },
    { type: 'response.completed', response: whole },
  ])
}

describe('a native search behind openai-responses', () => {
  const open = (quirks: object = {}) =>
    openSearch('openai-responses', 'gpt-5.1', 'text/event-stream', (request) => responsesAnswer(request), quirks)

  it('has the links of all sources and the titles that citations contain', async () => {
    const searched = await open()
    const { content } = await stream(searched)
    expect(searched.upstream.received[0]?.body.include).toContain('web_search_call.action.sources')
    expect(queriesIn(content)).toEqual([{ query: QUERY }])
    expect(linksIn(content)).toEqual([EIGER, { url: ALPS.url, title: 'www.alps.example' }])
    // The text arrives first: its citations supply the titles of the results.
    expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'text', 'web_search_tool_result'])
    const [text] = content.filter((block) => block.type === 'text')
    expect(text?.citations).toMatchObject([{ type: 'web_search_result_location', ...EIGER }])
  })

  it('has its results directly after the search in an unstreamed body', async () => {
    const { content } = await whole(await open())
    expect(content.map(({ type }) => type).slice(0, 2)).toEqual(['server_tool_use', 'web_search_tool_result'])
    expect(linksIn(content)).toEqual([EIGER, { url: ALPS.url, title: 'www.alps.example' }])
  })

  it('has only the cited pages if the upstream lists no sources', async () => {
    for (const webSearch of ['xai', 'openrouter']) {
      const searched = await open({ webSearch, nativeSearch: 'either' })
      for (const { content } of [await stream(searched), await whole(searched)]) {
        expect(linksIn(content)).toEqual([EIGER])
      }
      for (const { body } of searched.upstream.received) {
        expect(body.include ?? []).not.toContain('web_search_call.action.sources')
      }
    }
  })

  it('is accepted in the history of the next turn', async () => {
    const searched = await open()
    const first = await stream(searched)
    const next: MessageParam[] = [
      ...ASK,
      { role: 'assistant', content: first.content as MessageParam['content'] },
      { role: 'user', content: 'And the Mönch?' },
    ]
    expect(textIn((await stream(searched, next)).content)).toBe(TEXT)
  })

  it('is the only reason to request sources: a request without search does not', async () => {
    const searched = await open()
    const { client, model } = searched
    await client.messages.stream({ model, max_tokens: 1000, messages: ASK }).finalMessage()
    expect(searched.upstream.received[0]?.body.include).not.toContain('web_search_call.action.sources')
  })
})

describe('a native search behind gemini-generate', () => {
  const web = ({ url, title }: typeof EIGER) => ({ web: { uri: url, title } })
  const answer = (body: ReceivedRequest['body'], url: string): string => {
    const chunk = {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text: TEXT }] },
          finishReason: 'STOP',
          groundingMetadata: {
            webSearchQueries: [QUERY],
            groundingChunks: [web(EIGER), web(ALPS)],
            groundingSupports: [{ segment: { endIndex: TEXT.length, text: TEXT }, groundingChunkIndices: [0] }],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
      modelVersion: 'm',
    }
    expect(body.tools).toMatchObject([{ googleSearch: {} }])
    return url.includes('stream') ? sse([chunk]) : JSON.stringify(chunk)
  }

  it.each(['gemini-2.5-flash', 'gemini-flash-latest'])('has all titles and links with the model %s', async (model) => {
    const searched = await openSearch('gemini-generate', model, 'text/event-stream', ({ body, url }) =>
      answer(body, url),
    )
    for (const { content } of [await stream(searched), await whole(searched)]) {
      expect([queriesIn(content), linksIn(content)]).toEqual([[{ query: QUERY }], [EIGER, ALPS]])
    }
  })
})

describe('a native search behind anthropic-messages', () => {
  const result = (page: typeof EIGER) => ({
    type: 'web_search_result',
    ...page,
    encrypted_content: 'c2VhbA==',
    page_age: null,
  })
  const blocks = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: QUERY } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [result(EIGER), result(ALPS)] },
    { type: 'text', text: TEXT },
  ]
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', stop_reason: null }
  const usage = { input_tokens: 3, output_tokens: 5 }
  const streamed = named([
    { type: 'message_start', message: { ...message, content: [], usage } },
    ...blocks.flatMap((block, index) => {
      const { input, text } = block as { input?: object; text?: string }
      const start =
        input === undefined ? (text === undefined ? block : { ...block, text: '' }) : { ...block, input: {} }
      const delta =
        input === undefined
          ? { type: 'text_delta', text }
          : { type: 'input_json_delta', partial_json: JSON.stringify(input) }
      const pieces = input === undefined && text === undefined ? [] : [{ type: 'content_block_delta', index, delta }]
      return [
        { type: 'content_block_start', index, content_block: start },
        ...pieces,
        { type: 'content_block_stop', index },
      ]
    }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ])
  const body = JSON.stringify({ ...message, stop_reason: 'end_turn', content: blocks, usage })

  it('has the titles and links of its result block', async () => {
    const searched = await openSearch('anthropic-messages', 'claude-sonnet-4-5', 'text/event-stream', (request) =>
      request.body.stream === true ? streamed : body,
    )
    for (const { content } of [await stream(searched), await whole(searched)]) {
      expect([queriesIn(content), linksIn(content)]).toEqual([[{ query: QUERY }], [EIGER, ALPS]])
    }
  })
})
