import * as z from 'zod'
import type { WireName } from '../../wires/contract.ts'

/**
 * Requests, answers and errors of the other client APIs, with their required fields. The vendors' own documents
 * describe the rest.
 */

const count = z.int().min(0)
const messages = z.array(z.looseObject({ role: z.string() })).min(1)
const MODEL = z.string().describe('<vendor>/<model>')

export interface Family {
  /** The prefix of the names of its schemas. */
  readonly name: string
  readonly summary: string
  readonly request: z.ZodType
  readonly answer: z.ZodType
  readonly error: z.ZodType
  /** Present if its clients read the models at paths of their own. */
  readonly models?: { readonly list: z.ZodType; readonly one: z.ZodType }
  /** Present if its clients request counts of tokens. */
  readonly count?: { readonly request: z.ZodType; readonly answer: z.ZodType }
  /** The media types of its streams, each with a description of its contents. */
  readonly streams: Readonly<Record<string, string>>
}

const chat: Family = {
  name: 'ChatCompletion',
  summary: 'Creates a chat completion, in the format of OpenAI.',
  request: z.looseObject({ model: MODEL, messages, stream: z.boolean().nullish() }),
  answer: z.looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullable() }),
        finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']).nullable(),
      }),
    ),
    usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).optional(),
  }),
  error: z.looseObject({
    error: z.looseObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
    }),
  }),
  streams: { 'text/event-stream': 'Chunks of the completion. The last line is `data: [DONE]`.' },
}

const anthropic: Family = {
  name: 'Message',
  summary: 'Creates a message, in the format of Anthropic.',
  request: z.looseObject({
    model: MODEL,
    messages,
    max_tokens: z.int().min(1).nullish(),
    stream: z.boolean().nullish(),
  }),
  answer: z.looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({ input_tokens: count, output_tokens: count }),
  }),
  error: z.looseObject({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string(), message: z.string() }),
    request_id: z.string(),
  }),
  count: { request: z.looseObject({ model: MODEL, messages }), answer: z.looseObject({ input_tokens: count }) },
  streams: { 'text/event-stream': 'Events from `message_start` to `message_stop`.' },
}

/** A new schema for each use: one that is used twice would become a reference. */
const contents = () =>
  z.looseObject({ contents: z.array(z.looseObject({ parts: z.array(z.looseObject({})).optional() })).min(1) })

const gemini: Family = {
  name: 'GenerateContent',
  summary: 'Generates content, in the format of Gemini.',
  request: contents(),
  count: {
    request: z.union([contents(), z.looseObject({ generateContentRequest: contents() })]),
    answer: z.looseObject({ totalTokens: count }),
  },
  answer: z.looseObject({
    candidates: z.array(z.looseObject({ finishReason: z.string().optional() })).optional(),
    promptFeedback: z.looseObject({ blockReason: z.string() }).optional(),
    modelVersion: z.string(),
    responseId: z.string(),
  }),
  error: z.looseObject({
    error: z.looseObject({
      code: z.int(),
      message: z.string(),
      status: z.string(),
      details: z.array(z.looseObject({ '@type': z.string() })),
    }),
  }),
  streams: { 'text/event-stream': 'With `alt=sse`: answers that contain one part of the content each.' },
}

const interaction: Family = {
  name: 'Interaction',
  summary: 'Creates an interaction, in the format of Gemini.',
  request: z.looseObject({
    model: MODEL,
    input: z.union([z.string(), z.looseObject({}), z.array(z.looseObject({})).min(1)]),
    stream: z.boolean().nullish(),
  }),
  answer: z.looseObject({
    id: z.string().optional(),
    object: z.literal('interaction'),
    status: z.string(),
    model: z.string(),
    steps: z.array(z.looseObject({ type: z.string() })),
    usage: z.looseObject({}),
  }),
  error: z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) }),
  streams: {
    'text/event-stream':
      'Events from `interaction.created` to `interaction.completed`. The last line is `data: [DONE]`.',
  },
}

const details = z.looseObject({ family: z.string(), families: z.array(z.string()) })

const ollama: Family = {
  name: 'OllamaChat',
  summary: 'Creates a chat answer, in the format of Ollama. It is streamed unless `stream` is false.',
  request: z.looseObject({ model: MODEL, messages: messages.optional(), stream: z.boolean().nullish() }),
  answer: z.looseObject({
    model: z.string(),
    created_at: z.string(),
    message: z.looseObject({ role: z.literal('assistant'), content: z.string() }),
    done: z.boolean(),
  }),
  error: z.looseObject({ error: z.string() }),
  models: {
    list: z.looseObject({ models: z.array(z.looseObject({ name: z.string(), model: z.string(), details })) }),
    one: z.looseObject({ details, capabilities: z.array(z.string()) }),
  },
  streams: { 'application/x-ndjson': 'Parts of the answer, one in each line. The last one has `done`: true.' },
}

export const FAMILIES: Partial<Record<WireName, Family>> = {
  'openai-chat': chat,
  'anthropic-messages': anthropic,
  'gemini-generate': gemini,
  'gemini-interactions': interaction,
  'ollama-chat': ollama,
}
