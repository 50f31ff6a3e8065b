import type { JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'

/** Whole answers, not streamed: texts with citations, and calls. */
export interface AnswerShape {
  /** Characters of text, in ASCII. */
  readonly size: number
  readonly calls: number
  readonly citations: number
}

const PARAGRAPH = 'The mill at Laxey grinds rye, says "the chronicle", and its wheel turns slowly. '

interface Parts {
  /** One part of the text for each citation. */
  readonly texts: readonly string[]
  readonly text: string
  readonly calls: readonly number[]
}

function partsOf({ size, calls, citations }: AnswerShape): Parts {
  const length = Math.floor(size / citations)
  const texts = Array.from({ length: citations }, (_, i) =>
    `${i}: ${PARAGRAPH.repeat(length / 80 + 1)}`.slice(0, length),
  )
  return { texts, text: texts.join(''), calls: Array.from({ length: calls }, (_, i) => i) }
}

const siteOf = (i: number): string => `https://site.example/page-${i % 100}`
const CITED = 8
const argumentsOf = (i: number): JsonObject => ({ path: `src/file-${i}.ts` })
const spanOf = ({ texts, text }: Parts, i: number): readonly [start: number, end: number] => {
  const start = i * ((text.length / texts.length) | 0)
  return [start, start + CITED]
}

const textOf = (parts: Parts, i: number): string => (parts.texts[i] ?? '').slice(0, CITED)

const chatCall = (i: number): JsonObject => ({
  id: `call_${i}`,
  type: 'function',
  function: { name: 'tool_0', arguments: JSON.stringify(argumentsOf(i)) },
})

const USAGE = { input_tokens: 100, output_tokens: 100 }

const BODIES: Readonly<Partial<Record<WireName, (parts: Parts) => JsonObject>>> = {
  'openai-chat': (parts) => ({
    id: 'c',
    object: 'chat.completion',
    created: 1_764_000_480,
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: parts.text,
          tool_calls: parts.calls.map(chatCall),
          annotations: parts.texts.map((_, i) => {
            const [start_index, end_index] = spanOf(parts, i)
            return { type: 'url_citation', url_citation: { url: siteOf(i), title: 't', start_index, end_index } }
          }),
        },
        finish_reason: 'tool_calls',
      },
    ],
  }),
  'openai-responses': (parts) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1_764_000_480,
    model: 'm',
    status: 'completed',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [
          {
            type: 'output_text',
            text: parts.text,
            annotations: parts.texts.map((_, i) => {
              const [start_index, end_index] = spanOf(parts, i)
              return { type: 'url_citation', url: siteOf(i), title: 't', start_index, end_index }
            }),
          },
        ],
      },
      ...parts.calls.map((i) => ({
        id: `fc_${i}`,
        type: 'function_call',
        call_id: `call_${i}`,
        name: 'tool_0',
        arguments: JSON.stringify(argumentsOf(i)),
        status: 'completed',
      })),
    ],
    usage: { ...USAGE, total_tokens: 200 },
  }),
  'anthropic-messages': (parts) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      ...parts.texts.map((text, i) => ({
        type: 'text',
        text,
        citations: [
          {
            type: 'web_search_result_location',
            url: siteOf(i),
            title: 't',
            encrypted_index: 'aWR4',
            cited_text: textOf(parts, i),
          },
        ],
      })),
      ...parts.calls.map((i) => ({ type: 'tool_use', id: `toolu_${i}`, name: 'tool_0', input: argumentsOf(i) })),
    ],
    stop_reason: 'tool_use',
    usage: USAGE,
  }),
  'gemini-generate': (parts) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: parts.text },
            ...parts.calls.map((i) => ({ functionCall: { name: 'tool_0', args: argumentsOf(i) } })),
          ],
        },
        finishReason: 'STOP',
        groundingMetadata: {
          groundingChunks: Array.from({ length: 100 }, (_, i) => ({ web: { uri: siteOf(i), title: 't' } })),
          groundingSupports: parts.texts.map((_, i) => {
            const [startIndex, endIndex] = spanOf(parts, i)
            return { segment: { startIndex, endIndex, text: textOf(parts, i) }, groundingChunkIndices: [i % 100] }
          }),
        },
      },
    ],
    modelVersion: 'm',
  }),
  'gemini-interactions': (parts) => ({
    id: 'v1_1',
    object: 'interaction',
    status: 'requires_action',
    model: 'm',
    steps: [
      {
        type: 'model_output',
        content: [
          {
            type: 'text',
            text: parts.text,
            annotations: parts.texts.map((_, i) => {
              const [start_index, end_index] = spanOf(parts, i)
              return { type: 'url_citation', url: siteOf(i), title: 't', start_index, end_index }
            }),
          },
        ],
      },
      ...parts.calls.map((i) => ({
        type: 'function_call',
        id: `call_${i}`,
        name: 'tool_0',
        arguments: argumentsOf(i),
      })),
    ],
    usage: { total_input_tokens: 100, total_output_tokens: 100 },
  }),
  'bedrock-converse': (parts) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          ...parts.texts.map((text, i) => ({
            citationsContent: {
              content: [{ text }],
              citations: [
                {
                  title: 't',
                  source: siteOf(i),
                  location: { searchResultLocation: { searchResultIndex: 0, start: 0, end: 1 } },
                  sourceContent: [{ text: textOf(parts, i) }],
                },
              ],
            },
          })),
          ...parts.calls.map((i) => ({
            toolUse: { toolUseId: `tooluse_${i}`, name: 'tool_0', input: argumentsOf(i) },
          })),
        ],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  }),
  'cohere-chat': (parts) => ({
    id: 'c',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text: parts.text }],
      tool_calls: parts.calls.map(chatCall),
      citations: parts.texts.map((_, i) => {
        const [start, end] = spanOf(parts, i)
        const document = { id: `doc:${i % 100}`, title: 't', url: siteOf(i), snippet: 's' }
        const sources = [{ type: 'document', id: `doc:${i % 100}`, document }]
        return { start, end, text: textOf(parts, i), sources, type: 'TEXT_CONTENT', content_index: 0 }
      }),
    },
    finish_reason: 'TOOL_CALL',
  }),
  // This wire has no citations.
  'ollama-chat': (parts) => ({
    model: 'm',
    created_at: '2026-02-03T00:00:00Z',
    message: {
      role: 'assistant',
      content: parts.text,
      tool_calls: parts.calls.map((i) => ({ function: { name: 'tool_0', arguments: argumentsOf(i) } })),
    },
    done: true,
    done_reason: 'stop',
  }),
}

/** The whole answer of an upstream of this wire. */
export function answerOf(wire: WireName, shape: AnswerShape): JsonObject {
  const bodyOf = BODIES[wire]
  if (bodyOf === undefined) throw new Error(`The wire ${wire} has no row in bench/linearity/answers.ts.`)
  return bodyOf(partsOf(shape))
}
