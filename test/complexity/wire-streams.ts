import type { JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { SentFrame, StreamCase } from './streams.ts'

/** Answers with n repetitions of structures that only one wire has. */

const many = <T>(n: number, make: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => make(i))
const each = <T>(n: number, make: (i: number) => readonly T[]): readonly T[] => many(n, make).flat()
const data = (object: JsonObject): SentFrame => ({ data: object })

// ---------------------------------------------------------------- gemini-generate

const candidate = (parts: readonly JsonObject[], more: JsonObject = {}): SentFrame =>
  data({ candidates: [{ content: { parts }, ...more }] })
const geminiEnd = data({ candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] })
const argsPiece = (piece: JsonObject): JsonObject => ({ functionCall: { partialArgs: [piece], willContinue: true } })
const argsOf = (pieces: readonly JsonObject[]): readonly SentFrame[] => [
  candidate([{ functionCall: { name: 'f', willContinue: true } }]),
  ...pieces.map((piece) => candidate([argsPiece(piece)])),
  geminiEnd,
]
const word = (i: number): string => `w${`${i}`.padStart(7, '0')} `
const support = (i: number, text: string): JsonObject => ({
  groundingChunks: [{ web: { uri: 'https://site.example/', title: 't' } }],
  groundingSupports: [{ segment: { startIndex: i * 9, endIndex: i * 9 + 8, text }, groundingChunkIndices: [0] }],
})
const step = (i: number): JsonObject => ({ executableCode: { code: 'x', id: `s${i}` } })
const result = (i: number): JsonObject => ({ codeExecutionResult: { outcome: 'OUTCOME_OK', id: `s${i}` } })

const GEMINI: Readonly<Record<string, (n: number) => readonly SentFrame[]>> = {
  'arguments at many paths': (n) => argsOf(many(n, (i) => ({ jsonPath: `$.k${i}`, stringValue: 'v' }))),
  'arguments in a list': (n) => argsOf(many(n, (i) => ({ jsonPath: `$.k[${i}]`, numberValue: i }))),
  'arguments that grow in turn': (n) => argsOf(many(n, (i) => ({ jsonPath: `$.k${i % 2}`, stringValue: 'words ' }))),
  'steps that run in parallel': (n) => [
    candidate(many(n, step)),
    candidate(many(n, (i) => result(n - 1 - i))),
    geminiEnd,
  ],
  'supports of texts between calls': (n) => [
    ...many(n, (i) => candidate([{ text: word(i) }, { functionCall: { name: 'f', args: {} } }])),
    ...many(n, (i) => candidate([], { groundingMetadata: support(i, word(i).trim()) })),
    geminiEnd,
  ],
  'supports of texts between calls that repeat text of others': (n) => [
    ...many(n, (i) => candidate([{ text: word(i) }, { functionCall: { name: 'f', args: {} } }])),
    ...many(n, (i) => candidate([], { groundingMetadata: support(i, word(n - 1 - i).trim()) })),
    geminiEnd,
  ],
  'grounding that comes with each text': (n) => [
    ...many(n, (i) =>
      candidate([{ text: word(i) }, { functionCall: { name: 'f', args: {} } }], {
        groundingMetadata: support(i, word(i).trim()),
      }),
    ),
    geminiEnd,
  ],
  'pages that were read': (n) => [
    candidate([{ text: 'x' }], {
      urlContextMetadata: { urlMetadata: many(n, (i) => ({ retrievedUrl: `https://site.example/${i}` })) },
    }),
    geminiEnd,
  ],
}

// ---------------------------------------------------------------- bedrock-converse

const block = (contentBlockIndex: number, delta: JsonObject): SentFrame => ({
  event: 'contentBlockDelta',
  data: { contentBlockIndex, delta },
})
const start = (contentBlockIndex: number, begun: JsonObject): SentFrame => ({
  event: 'contentBlockStart',
  data: { contentBlockIndex, start: begun },
})
const stop = (contentBlockIndex: number): SentFrame => ({ event: 'contentBlockStop', data: { contentBlockIndex } })
const converseEnd: SentFrame = { event: 'messageStop', data: { stopReason: 'end_turn' } }

const BEDROCK: Readonly<Record<string, (n: number) => readonly SentFrame[]>> = {
  'redacted reasoning': (n) => [
    ...many(n, (i) => block(0, { reasoningContent: { redactedContent: `r${i}` } })),
    block(1, { text: 'x' }),
    converseEnd,
  ],
  'parts of the result of a tool': (n) => [
    start(0, { toolUse: { toolUseId: 't', name: 'nova_code_interpreter', type: 'server_tool_use' } }),
    stop(0),
    start(1, { toolResult: { toolUseId: 't' } }),
    ...many(n, () => block(1, { toolResult: [{ json: { stdOut: 'x' } }] })),
    stop(1),
    converseEnd,
  ],
  'tools that wait for their results': (n) => [
    ...each(n, (i) => [
      start(i, { toolUse: { toolUseId: `t${i}`, name: 'nova_grounding', type: 'server_tool_use' } }),
      stop(i),
    ]),
    ...each(n, (i) => [start(n + i, { toolResult: { toolUseId: `t${n - 1 - i}` } }), stop(n + i)]),
    converseEnd,
  ],
}

// ---------------------------------------------------------------- anthropic-messages

const content = (index: number, content_block: JsonObject): readonly SentFrame[] => [
  data({ type: 'content_block_start', index, content_block }),
  data({ type: 'content_block_stop', index }),
]
const messageStart = data({ type: 'message_start', message: { id: 'm', model: 'c' } })
const messageEnd: readonly SentFrame[] = [
  data({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
  data({ type: 'message_stop' }),
]

const ANTHROPIC: Readonly<Record<string, (n: number) => readonly SentFrame[]>> = {
  'tools that wait for their results': (n) => [
    messageStart,
    ...each(n, (i) => content(i, { type: 'server_tool_use', id: `t${i}`, name: 'web_search', input: {} })),
    ...each(n, (i) => content(n + i, { type: 'web_search_tool_result', tool_use_id: `t${n - 1 - i}`, content: [] })),
    ...messageEnd,
  ],
}

const of = (wire: WireName, cases: Readonly<Record<string, StreamCase['frames']>>): readonly StreamCase[] =>
  Object.entries(cases).map(([title, frames]) => ({ wire, title, frames }))

export const WIRE_STREAM_CASES: readonly StreamCase[] = [
  ...of('gemini-generate', GEMINI),
  ...of('bedrock-converse', BEDROCK),
  ...of('anthropic-messages', ANTHROPIC),
]
