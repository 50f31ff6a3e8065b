import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { headOf } from '../engine/run-engine.ts'
import type { CoreCase } from './core.ts'

/**
 * A frame as an upstream sends it: its data, and its event name if the wire has one. Text that is not JSON is sent as
 * it is.
 */
export interface SentFrame {
  readonly event?: string
  readonly data: JsonObject | string
}

/** An answer with n repetitions of a structure that a wire may repeat. */
export interface StreamCase {
  readonly wire: WireName
  readonly title: string
  readonly quirks?: Quirks
  readonly frames: (n: number) => readonly SentFrame[]
}

/** Creates n elements. `each` creates several elements for each index. */
const many = <T>(n: number, make: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => make(i))
const each = <T>(n: number, make: (i: number) => readonly T[]): readonly T[] => many(n, make).flat()

const data = (object: JsonObject): SentFrame => ({ data: object })
const NONSENSE: SentFrame = { data: 'nonsense' }
const urlOf = (i: number): string => `https://site.example/page/${i}`
const logprobOf = (token: string) => ({ token, logprob: -0.5, bytes: [120], top_logprobs: [{ token, logprob: -0.5 }] })
/** A sentence of eleven characters that contains its index. */
const sentence = (i: number): string => `s${`${i}`.padStart(8, '0')}. `

// ---------------------------------------------------------------- openai-chat

const chat = (delta: JsonObject, more: JsonObject = {}, choice: JsonObject = {}): SentFrame =>
  data({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, ...choice }], ...more })
const chatEnd = chat({}, {}, { finish_reason: 'stop' })
const chatCall = (index: number, fields: JsonObject): SentFrame => chat({ tool_calls: [{ index, ...fields }] })
const chatCalls = (i: number, json: string): SentFrame =>
  chatCall(i, { id: `call_${i}`, type: 'function', function: { name: 'look', arguments: json } })
const chatAnnotation = (i: number, start: number, end: number): JsonObject => ({
  type: 'url_citation',
  url_citation: { url: urlOf(i), title: `t${i}`, content: `excerpt ${i}`, start_index: start, end_index: end },
})
const of = (
  wire: WireName,
  cases: Readonly<Record<string, Omit<StreamCase, 'wire' | 'title'>>>,
): readonly StreamCase[] => Object.entries(cases).map(([title, it]) => ({ wire, title, ...it }))

const openaiChat = of('openai-chat', {
  'tokens of text': { frames: (n) => [...many(n, (i) => chat({ content: `w${i} ` })), chatEnd] },
  'tool calls, one after the other': { frames: (n) => [...many(n, (i) => chatCalls(i, '{"a":1}')), chatEnd] },
  'tool calls, all open at once': {
    frames: (n) => [
      ...many(n, (i) => chatCalls(i, '{"a":')),
      ...many(n, (i) => chatCall(i, { function: { arguments: '1}' } })),
      chatEnd,
    ],
  },
  'tool calls in one chunk': {
    frames: (n) => [
      chat({
        tool_calls: many(n, (i) => ({ index: i, id: `call_${i}`, function: { name: 'look', arguments: '{"a":1}' } })),
      }),
      chatEnd,
    ],
  },
  'tool calls, all with index 0': {
    frames: (n) => [
      ...many(n, (i) => chatCall(0, { id: `call_${i}`, function: { name: 'look', arguments: '{"a":1}' } })),
      chatEnd,
    ],
  },
  'a tool call that continues while others begin': {
    frames: (n) => [
      chatCalls(0, '{"a":['),
      ...each(n, (i) => [
        chatCalls(i + 1, '{}'),
        chatCall(0, { function: { arguments: '"xxxxxxxx",' } }),
        chatCall(0, { function: { arguments: '"yyyyyyyy",' } }),
      ]),
      chatEnd,
    ],
  },
  'names of calls that never come': {
    frames: (n) => [...many(n, (i) => chatCall(i, { id: `call_${i}`, function: { arguments: '{}' } })), chatEnd],
  },
  'text and reasoning in turn': {
    frames: (n) => [...each(n, (i) => [chat({ reasoning_content: `r${i}` }), chat({ content: `t${i}` })]), chatEnd],
  },
  'log probabilities': {
    frames: (n) => [...many(n, () => chat({ content: 'x' }, {}, { logprobs: { content: [logprobOf('x')] } })), chatEnd],
  },
  'reasoning details': {
    frames: (n) => [
      ...many(n, (i) =>
        chat({ reasoning_details: [{ type: 'reasoning.text', text: `r${i} `, index: i, id: `d${i}` }] }),
      ),
      chat({ content: 'x' }),
      chatEnd,
    ],
  },
  'encrypted reasoning details': {
    frames: (n) => [
      ...many(n, (i) => chat({ reasoning_details: [{ type: 'reasoning.encrypted', data: `r${i}`, index: i }] })),
      chat({ content: 'x' }),
      chatEnd,
    ],
  },
  'markers of ten sources': {
    quirks: {},
    frames: (n) => [
      ...many(n, (i) => chat({ content: `w[${(i % 10) + 1}]` }, { citations: many(10, urlOf) })),
      chatEnd,
    ],
  },
  'marks of as many sources': {
    frames: (n) => [
      ...many(n, (i) => chat({ content: `w[${i + 1}]` })),
      chat({}, { citations: many(n, urlOf) }),
      chatEnd,
    ],
  },
  'annotations with spans while the text grows': {
    frames: (n) => [
      ...each(n, (i) => [
        chat({ content: sentence(i) }),
        chat({ annotations: [chatAnnotation(i, i * 11, i * 11 + 9)] }),
      ]),
      chatEnd,
    ],
  },
  'annotations without places': {
    frames: (n) => [
      ...many(n, (i) => chat({ content: `excerpt ${i}. ` })),
      chat({ annotations: many(n, (i) => chatAnnotation(i, 0, 0)) }),
      chatEnd,
    ],
  },
  'frames that are not JSON': { frames: (n) => [...many(n, () => NONSENSE), chat({ content: 'x' }), chatEnd] },
  'frames without content': { frames: (n) => [...many(n, () => chat({})), chat({ content: 'x' }), chatEnd] },
  'pieces of a think tag': {
    quirks: { thinkTags: true },
    frames: (n) => [...many(n, () => chat({ content: '  ' })), ...many(n, () => chat({ content: '<' })), chatEnd],
  },
})

// ---------------------------------------------------------------- anthropic-messages

const block = (index: number, content_block: JsonObject): SentFrame =>
  data({ type: 'content_block_start', index, content_block })
const blockDelta = (index: number, delta: JsonObject): SentFrame => data({ type: 'content_block_delta', index, delta })
const blockStop = (index: number): SentFrame => data({ type: 'content_block_stop', index })
const toolBlock = (i: number): SentFrame => block(i, { type: 'tool_use', id: `toolu_${i}`, name: 'look', input: {} })
const toolJson = (i: number, partial_json: string): SentFrame =>
  blockDelta(i, { type: 'input_json_delta', partial_json })
const textBlock = (i: number, text: string): readonly SentFrame[] => [
  block(i, { type: 'text', text: '' }),
  blockDelta(i, { type: 'text_delta', text }),
]
const message = (...frames: readonly (readonly SentFrame[])[]): readonly SentFrame[] => [
  data({
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] },
  }),
  ...frames.flat(),
  data({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } }),
  data({ type: 'message_stop' }),
]
const pageCitation = (i: number): JsonObject => ({
  type: 'citations_delta',
  citation: {
    type: 'web_search_result_location',
    url: urlOf(i),
    title: `t${i}`,
    cited_text: 'x',
    encrypted_index: 'e',
  },
})

const anthropicMessages = of('anthropic-messages', {
  'tokens of text': {
    frames: (n) =>
      message([
        block(0, { type: 'text', text: '' }),
        ...many(n, (i) => blockDelta(0, { type: 'text_delta', text: `w${i} ` })),
        blockStop(0),
      ]),
  },
  'tool blocks, one after the other': {
    frames: (n) => message(each(n, (i) => [toolBlock(i), toolJson(i, '{"a":1}'), blockStop(i)])),
  },
  'tool blocks, all open at once': {
    frames: (n) =>
      message(
        many(n, toolBlock),
        many(n, (i) => toolJson(i, '{"a":')),
        many(n, (i) => toolJson(i, '1}')),
        many(n, blockStop),
      ),
  },
  'text blocks, all open at once': {
    frames: (n) =>
      message(
        each(n, (i) => textBlock(i, 'x')),
        many(n, blockStop),
      ),
  },
  'text and reasoning in turn': {
    frames: (n) =>
      message(
        each(n, (i) => [
          block(2 * i, { type: 'thinking', thinking: '', signature: '' }),
          blockDelta(2 * i, { type: 'thinking_delta', thinking: 'hm' }),
          blockDelta(2 * i, { type: 'signature_delta', signature: 's' }),
          blockStop(2 * i),
          ...textBlock(2 * i + 1, 'x'),
          blockStop(2 * i + 1),
        ]),
      ),
  },
  'citations of one block': {
    frames: (n) =>
      message(
        textBlock(0, 'x'),
        many(n, (i) => blockDelta(0, pageCitation(i))),
        [blockStop(0)],
      ),
  },
  'cited blocks': {
    frames: (n) =>
      message(each(n, (i) => [...textBlock(i, sentence(i)), blockDelta(i, pageCitation(i)), blockStop(i)])),
  },
  'server tools and their results': {
    frames: (n) =>
      message(
        each(n, (i) => [
          block(2 * i, { type: 'server_tool_use', id: `srvtoolu_${i}`, name: 'web_search', input: { query: 'q' } }),
          blockStop(2 * i),
          block(2 * i + 1, { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${i}`, content: [] }),
          blockStop(2 * i + 1),
        ]),
      ),
  },
  'frames that are not JSON': {
    frames: (n) =>
      message(
        many(n, () => NONSENSE),
        textBlock(0, 'x'),
        [blockStop(0)],
      ),
  },
  'frames without content': {
    frames: (n) =>
      message(
        many(n, () => data({ type: 'ping' })),
        textBlock(0, 'x'),
        [blockStop(0)],
      ),
  },
})

// ---------------------------------------------------------------- gemini-generate

const candidate = (parts: readonly JsonObject[], more: JsonObject = {}): SentFrame =>
  data({ candidates: [{ index: 0, content: { role: 'model', parts }, ...more }], modelVersion: 'm' })
const geminiEnd = candidate([], { finishReason: 'STOP' })
const support = (i: number, shift: number): JsonObject => ({
  segment: { startIndex: i * 11 + shift, endIndex: i * 11 + 9 + shift, text: sentence(i).trimEnd().slice(0, 9) },
  groundingChunkIndices: [i % 10],
})
const grounding = (n: number, shift: number): JsonObject => ({
  groundingMetadata: {
    webSearchQueries: ['q'],
    groundingChunks: many(10, (i) => ({ web: { uri: urlOf(i), title: `t${i}` } })),
    groundingSupports: many(n, (i) => support(i, shift)),
  },
})
const callPart = (i: number): JsonObject => ({ functionCall: { name: 'look', args: { a: i } } })
const inTurn = (i: number): JsonObject => (i % 2 === 0 ? { text: `t${i}`, thought: true } : { text: `t${i}` })

const geminiGenerate = of('gemini-generate', {
  'tokens of text': { frames: (n) => [...many(n, (i) => candidate([{ text: `w${i} ` }])), geminiEnd] },
  'text parts in one chunk': { frames: (n) => [candidate(many(n, (i) => ({ text: `w${i} ` }))), geminiEnd] },
  'thoughts and texts in turn, in one chunk': { frames: (n) => [candidate(many(n, inTurn)), geminiEnd] },
  'reasoning and texts in turn': { frames: (n) => [...many(n, (i) => candidate([inTurn(i)])), geminiEnd] },
  'calls in one chunk': { frames: (n) => [candidate(many(n, callPart)), geminiEnd] },
  'calls, one after the other': { frames: (n) => [...many(n, (i) => candidate([callPart(i)])), geminiEnd] },
  'signed parts': {
    frames: (n) => [...many(n, (i) => candidate([{ text: `w${i} `, thoughtSignature: `s${i}` }])), geminiEnd],
  },
  'code that runs': {
    frames: (n) => [
      ...each(n, (i) => [
        candidate([{ executableCode: { language: 'PYTHON', code: `print(${i})` } }]),
        candidate([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: `${i}` } }]),
      ]),
      geminiEnd,
    ],
  },
  'supports of a text': {
    frames: (n) => [
      ...many(n, (i) => candidate([{ text: sentence(i) }])),
      candidate([], { finishReason: 'STOP', ...grounding(n, 0) }),
    ],
  },
  'supports with wrong positions': {
    frames: (n) => [
      ...many(n, (i) => candidate([{ text: sentence(i) }])),
      candidate([], { finishReason: 'STOP', ...grounding(n, 5) }),
    ],
  },
  'log probabilities': {
    frames: (n) => [
      ...many(n, () =>
        candidate([{ text: 'x' }], { logprobsResult: { chosenCandidates: [{ token: 'x', logProbability: -0.5 }] } }),
      ),
      geminiEnd,
    ],
  },
  'frames that are not JSON': { frames: (n) => [...many(n, () => NONSENSE), candidate([{ text: 'x' }]), geminiEnd] },
  'frames without content': {
    frames: (n) => [...many(n, () => candidate([])), candidate([{ text: 'x' }]), geminiEnd],
  },
})

// ---------------------------------------------------------------- bedrock-converse

const frame = (event: string, object: JsonObject): SentFrame => ({ event, data: object })
const converseStart = (contentBlockIndex: number, start: JsonObject): SentFrame =>
  frame('contentBlockStart', { contentBlockIndex, start })
const converseDelta = (contentBlockIndex: number, delta: JsonObject): SentFrame =>
  frame('contentBlockDelta', { contentBlockIndex, delta })
const converseStop = (contentBlockIndex: number): SentFrame => frame('contentBlockStop', { contentBlockIndex })
const converse = (...frames: readonly (readonly SentFrame[])[]): readonly SentFrame[] => [
  frame('messageStart', { role: 'assistant' }),
  ...frames.flat(),
  frame('messageStop', { stopReason: 'end_turn' }),
]
const converseTool = (i: number): SentFrame => converseStart(i, { toolUse: { toolUseId: `t_${i}`, name: 'look' } })
const converseJson = (i: number, input: string): SentFrame => converseDelta(i, { toolUse: { input } })
const converseCitation = (i: number): JsonObject => ({
  citation: { title: `t${i}`, location: { web: { url: urlOf(i) } }, sourceContent: [{ text: 'x' }] },
})

const bedrockConverse = of('bedrock-converse', {
  'tokens of text': {
    frames: (n) =>
      converse(
        many(n, (i) => converseDelta(0, { text: `w${i} ` })),
        [converseStop(0)],
      ),
  },
  'tool blocks, one after the other': {
    frames: (n) => converse(each(n, (i) => [converseTool(i), converseJson(i, '{"a":1}'), converseStop(i)])),
  },
  'tool blocks, all open at once': {
    frames: (n) =>
      converse(
        many(n, converseTool),
        many(n, (i) => converseJson(i, '{"a":1}')),
        many(n, converseStop),
      ),
  },
  'text and reasoning in turn': {
    frames: (n) =>
      converse(
        each(n, (i) => [
          converseDelta(2 * i, { reasoningContent: { text: 'hm' } }),
          converseDelta(2 * i, { reasoningContent: { signature: 's' } }),
          converseStop(2 * i),
          converseDelta(2 * i + 1, { text: 'x' }),
          converseStop(2 * i + 1),
        ]),
      ),
  },
  'citations of one block': {
    frames: (n) =>
      converse(
        [converseDelta(0, { text: 'x' })],
        many(n, (i) => converseDelta(0, converseCitation(i))),
        [converseStop(0)],
      ),
  },
  'cited blocks': {
    frames: (n) =>
      converse(
        each(n, (i) => [
          converseDelta(i, converseCitation(i)),
          converseDelta(i, { text: sentence(i) }),
          converseStop(i),
        ]),
      ),
  },
  'frames without content': {
    frames: (n) =>
      converse(
        many(n, () => frame('other', {})),
        [converseDelta(0, { text: 'x' }), converseStop(0)],
      ),
  },
})

// ---------------------------------------------------------------- cohere-chat

const cohere = (type: string, index: number, fields: JsonObject): SentFrame =>
  data({ type, index, delta: { message: fields } })
const cohereEnd = data({ type: 'message-end', delta: { finish_reason: 'COMPLETE' } })
const cohereText = (index: number, text: string): SentFrame => cohere('content-delta', index, { content: { text } })
const cohereBlock = (index: number, content: JsonObject): SentFrame => cohere('content-start', index, { content })
const cohereCitation = (i: number, shift = 0): SentFrame =>
  cohere('citation-start', i, {
    citations: {
      start: i * 11 + shift,
      end: i * 11 + 9 + shift,
      text: sentence(i).slice(0, 9),
      sources: [{ type: 'document', id: `doc:${i}`, document: { id: `doc:${i}`, title: `t${i}`, url: urlOf(i) } }],
      type: 'TEXT_CONTENT',
      content_index: 0,
    },
  })
const cohereTool = (i: number): SentFrame =>
  cohere('tool-call-start', i, {
    tool_calls: { id: `call_${i}`, type: 'function', function: { name: 'look', arguments: '' } },
  })
const cohereJson = (i: number, json: string): SentFrame =>
  cohere('tool-call-delta', i, { tool_calls: { function: { arguments: json } } })

const cohereChat = of('cohere-chat', {
  'tokens of text': { frames: (n) => [...many(n, (i) => cohereText(0, `w${i} `)), cohereEnd] },
  'tool calls, one after the other': {
    frames: (n) => [
      ...each(n, (i) => [cohereTool(i), cohereJson(i, '{"a":1}'), data({ type: 'tool-call-end', index: i })]),
      cohereEnd,
    ],
  },
  'tool calls, all open at once': {
    frames: (n) => [
      ...many(n, cohereTool),
      ...many(n, (i) => cohereJson(i, '{"a":1}')),
      ...many(n, (i) => data({ type: 'tool-call-end', index: i })),
      cohereEnd,
    ],
  },
  'text and reasoning in turn': {
    frames: (n) => [
      ...each(n, (i) => [
        cohereBlock(2 * i, { type: 'thinking', thinking: '' }),
        cohere('content-delta', 2 * i, { content: { thinking: 'hm' } }),
        data({ type: 'content-end', index: 2 * i }),
        cohereBlock(2 * i + 1, { type: 'text', text: '' }),
        cohereText(2 * i + 1, 'x'),
        data({ type: 'content-end', index: 2 * i + 1 }),
      ]),
      cohereEnd,
    ],
  },
  'citations while the text grows': {
    frames: (n) => [...each(n, (i) => [cohereText(0, sentence(i)), cohereCitation(i)]), cohereEnd],
  },
  'citations after the text': {
    frames: (n) => [...many(n, (i) => cohereText(0, sentence(i))), ...many(n, (i) => cohereCitation(i)), cohereEnd],
  },
  'citations whose places are wrong': {
    frames: (n) => [...many(n, (i) => cohereText(0, sentence(i))), ...many(n, (i) => cohereCitation(i, 5)), cohereEnd],
  },
  'frames that are not JSON': { frames: (n) => [...many(n, () => NONSENSE), cohereText(0, 'x'), cohereEnd] },
  'frames without content': {
    frames: (n) => [...many(n, () => data({ type: 'debug' })), cohereText(0, 'x'), cohereEnd],
  },
})

// ---------------------------------------------------------------- ollama-chat

const ollama = (fields: JsonObject, more: JsonObject = {}): SentFrame =>
  data({ model: 'm', message: { role: 'assistant', content: '', ...fields }, done: false, ...more })
const ollamaEnd = ollama({}, { done: true, done_reason: 'stop' })
const ollamaCall = (i: number): JsonObject => ({ function: { name: 'look', arguments: { a: i } } })

const ollamaChat = of('ollama-chat', {
  'tokens of text': { frames: (n) => [...many(n, (i) => ollama({ content: `w${i} ` })), ollamaEnd] },
  'tool calls, one after the other': {
    frames: (n) => [...many(n, (i) => ollama({ tool_calls: [ollamaCall(i)] })), ollamaEnd],
  },
  'tool calls in one chunk': { frames: (n) => [ollama({ tool_calls: many(n, ollamaCall) }), ollamaEnd] },
  'text and reasoning in turn': {
    frames: (n) => [...each(n, (i) => [ollama({ thinking: `r${i}` }), ollama({ content: `t${i}` })]), ollamaEnd],
  },
  'log probabilities': {
    frames: (n) => [...many(n, () => ollama({ content: 'x' }, { logprobs: [logprobOf('x')] })), ollamaEnd],
  },
  'frames that are not JSON': { frames: (n) => [...many(n, () => NONSENSE), ollama({ content: 'x' }), ollamaEnd] },
  'frames without content': { frames: (n) => [...many(n, () => ollama({})), ollama({ content: 'x' }), ollamaEnd] },
})

// ---------------------------------------------------------------- openai-responses

const event = (type: string, fields: JsonObject): SentFrame => data({ type: `response.${type}`, ...fields })
const itemOf = (i: number, type: string, fields: JsonObject): JsonObject => ({ id: `it_${i}`, type, ...fields })
const added = (i: number, item: JsonObject): SentFrame => event('output_item.added', { output_index: i, item })
const done = (i: number, item: JsonObject): SentFrame => event('output_item.done', { output_index: i, item })
const callItem = (i: number, json: string): JsonObject =>
  itemOf(i, 'function_call', { call_id: `call_${i}`, name: 'look', arguments: json, status: 'completed' })
const callPiece = (i: number, delta: string): SentFrame =>
  event('function_call_arguments.delta', { item_id: `it_${i}`, output_index: i, delta })
const textItem = (i: number, ...content: readonly JsonObject[]): JsonObject =>
  itemOf(i, 'message', { role: 'assistant', status: 'completed', content })
const textPart = (text: string, annotations: readonly JsonObject[] = []): JsonObject => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
})
const at = (i: number, part = 0): JsonObject => ({ item_id: `it_${i}`, output_index: i, content_index: part })
const textPiece = (i: number, delta: string, more: JsonObject = {}): SentFrame =>
  event('output_text.delta', { ...at(i), delta, logprobs: [], ...more })
const reasoningItem = (i: number): JsonObject =>
  itemOf(i, 'reasoning', { summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'e' })
const annotationOf = (i: number): JsonObject => ({
  type: 'url_citation',
  url: urlOf(i),
  title: `t${i}`,
  start_index: i * 11,
  end_index: i * 11 + 9,
})
const response = (
  output: readonly JsonObject[],
  ...frames: readonly (readonly SentFrame[])[]
): readonly SentFrame[] => {
  const own = { id: 'resp_1', object: 'response', model: 'm', created_at: 1 }
  return [
    event('created', { response: { ...own, status: 'in_progress', output: [] } }),
    ...frames.flat(),
    event('completed', { response: { ...own, status: 'completed', output } }),
  ]
}

const openaiResponses = of('openai-responses', {
  'tokens of text': {
    frames: (n) => {
      const item = textItem(0, textPart(many(n, (i) => `w${i} `).join('')))
      return response(
        [item],
        [added(0, textItem(0))],
        many(n, (i) => textPiece(0, `w${i} `)),
        [done(0, item)],
      )
    },
  },
  'tool calls, one after the other': {
    frames: (n) =>
      response(
        many(n, (i) => callItem(i, '{"a":1}')),
        each(n, (i) => [added(i, callItem(i, '')), callPiece(i, '{"a":1}'), done(i, callItem(i, '{"a":1}'))]),
      ),
  },
  'tool calls, all open at once': {
    frames: (n) =>
      response(
        many(n, (i) => callItem(i, '{"a":1}')),
        many(n, (i) => added(i, callItem(i, ''))),
        many(n, (i) => callPiece(i, '{"a":1}')),
        many(n, (i) => done(i, callItem(i, '{"a":1}'))),
      ),
  },
  'text and reasoning in turn': {
    frames: (n) =>
      response(
        each(n, (i) => [reasoningItem(2 * i), textItem(2 * i + 1, textPart('x'))]),
        each(n, (i) => [
          added(2 * i, itemOf(2 * i, 'reasoning', { summary: [] })),
          event('reasoning_summary_text.delta', {
            item_id: `it_${2 * i}`,
            output_index: 2 * i,
            summary_index: 0,
            delta: 'hm',
          }),
          done(2 * i, reasoningItem(2 * i)),
          added(2 * i + 1, textItem(2 * i + 1)),
          textPiece(2 * i + 1, 'x'),
          done(2 * i + 1, textItem(2 * i + 1, textPart('x'))),
        ]),
      ),
  },
  'parts of one message': {
    frames: (n) => {
      const item = textItem(0, ...many(n, (i) => textPart(`p${i}`)))
      return response(
        [item],
        [added(0, textItem(0))],
        many(n, (i) => event('output_text.delta', { ...at(0, i), delta: `p${i}`, logprobs: [] })),
        [done(0, item)],
      )
    },
  },
  'log probabilities': {
    frames: (n) =>
      response(
        [],
        [added(0, textItem(0))],
        many(n, () => textPiece(0, 'x', { logprobs: [logprobOf('x')] })),
      ),
  },
  annotations: {
    frames: (n) => {
      const text = many(n, sentence).join('')
      const item = textItem(0, textPart(text, many(n, annotationOf)))
      return response(
        [item],
        [added(0, textItem(0))],
        each(n, (i) => [
          textPiece(0, sentence(i)),
          event('output_text.annotation.added', { ...at(0), annotation_index: i, annotation: annotationOf(i) }),
        ]),
        [done(0, item)],
      )
    },
  },
  'items only at the end': { frames: (n) => response(many(n, (i) => callItem(i, '{"a":1}'))) },
  'frames that are not JSON': {
    frames: (n) =>
      response(
        [textItem(0, textPart('x'))],
        many(n, () => NONSENSE),
      ),
  },
  'frames without content': {
    frames: (n) =>
      response(
        [textItem(0, textPart('x'))],
        many(n, () => event('other', {})),
      ),
  },
})

/** All wires with their repeatable structures. Each row is one test. */
export const STREAM_CASES: readonly StreamCase[] = [
  ...openaiChat,
  ...anthropicMessages,
  ...geminiGenerate,
  ...bedrockConverse,
  ...cohereChat,
  ...ollamaChat,
  ...openaiResponses,
]

const PASSED = WIRES['openai-chat']
const READ = 16 * 1024

/** Only processor time shows the cost of copies. */
export const COPY_CASES: readonly CoreCase[] = [
  {
    title: 'the first frame of a passed stream, in n reads',
    work: (n) => {
      const bytes = new TextEncoder().encode(`data: {"choices":[],"x":"${'x'.repeat(n * READ)}"}\n\n`)
      const { passthrough } = PASSED
      if (passthrough === undefined) throw new Error('The wire has no passthrough.')
      const options = { wire: PASSED, head: headOf('x'), target: wireTarget(PASSED, { settings: {} }) }
      return () => {
        const stream = new PassedStream(options, passthrough.answer, openFastPath)
        for (let at = 0; at < bytes.length; at += READ) stream.push(bytes.subarray(at, at + READ))
        stream.push('end')
      }
    },
  },
]
