import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { withKits } from '../../test/wires/with-kits.ts'

/** A request, or an answer, that a word is added to. */
export interface BaseBody {
  readonly body: JsonObject
  /** The lists to which the entries of a sample are appended. */
  readonly lists: readonly string[]
}

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const CITY = '{"city":"Bern"}'

/** A conversation with a call, so that a sample may be its result. */
export const REQUESTS: Readonly<Partial<Record<WireName, BaseBody>>> = {
  'openai-responses': {
    lists: ['input', 'tools'],
    body: {
      model: 'some-model',
      input: [
        { type: 'message', role: 'user', content: 'Hi' },
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: CITY },
      ],
      tools: [{ type: 'function', name: 'get_weather', parameters: SCHEMA, strict: true }],
    },
  },
  'openai-chat': {
    lists: ['messages', 'tools'],
    body: {
      model: 'some-model',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: CITY } }],
        },
      ],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA, strict: true } }],
    },
  },
  'anthropic-messages': {
    lists: ['messages', 'tools'],
    body: {
      model: 'some-model',
      max_tokens: 4096,
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Bern' } }],
        },
      ],
      tools: [{ name: 'get_weather', input_schema: SCHEMA }],
    },
  },
  'gemini-generate': {
    lists: ['contents', 'tools'],
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            { functionCall: { id: 'call_1', name: 'get_weather', args: { city: 'Bern' } }, thoughtSignature: 'c2ln' },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: SCHEMA }] }],
    },
  },
  'ollama-chat': {
    lists: ['messages', 'tools'],
    body: {
      model: 'some-model',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ function: { name: 'get_weather', arguments: { city: 'Bern' } } }],
        },
      ],
      tools: [{ type: 'function', function: { name: 'get_weather', description: 'Weather', parameters: SCHEMA } }],
    },
  },
}

/** Whole answers. */
export const BODIES: Readonly<Record<WireName, BaseBody>> = withKits(
  {
    'openai-responses': {
      lists: ['output', 'content', 'summary', 'annotations'],
      body: {
        id: 'resp_1',
        object: 'response',
        created_at: 1_790_000_000,
        model: 'some-model',
        status: 'completed',
        output: [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'The sun is up.', annotations: [], logprobs: [] }],
          },
        ],
        usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
      },
    },
    'openai-chat': {
      lists: ['tool_calls', 'annotations'],
      body: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_790_000_000,
        model: 'some-model',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'The sun is up.' } }],
        usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
      },
    },
    'anthropic-messages': {
      lists: ['content'],
      body: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'some-model',
        content: [{ type: 'text', text: 'The sun is up.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, output_tokens: 7 },
      },
    },
    'gemini-generate': {
      lists: ['parts'],
      body: {
        responseId: 'r1',
        modelVersion: 'some-model',
        candidates: [
          { index: 0, content: { role: 'model', parts: [{ text: 'The sun is up.' }] }, finishReason: 'STOP' },
        ],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
      },
    },
    'bedrock-converse': {
      lists: ['content'],
      body: {
        output: { message: { role: 'assistant', content: [{ text: 'The sun is up.' }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12 },
        metrics: { latencyMs: 9 },
      },
    },
    'cohere-chat': {
      lists: ['content', 'tool_calls', 'citations'],
      body: {
        id: 'c1',
        message: { role: 'assistant', content: [{ type: 'text', text: 'The sun is up.' }] },
        finish_reason: 'COMPLETE',
        usage: { tokens: { input_tokens: 5, output_tokens: 7 } },
      },
    },
    'ollama-chat': {
      lists: ['tool_calls', 'images'],
      body: {
        model: 'some-model',
        created_at: '2026-11-20T00:00:00Z',
        message: { role: 'assistant', content: 'The sun is up.' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: 5,
        eval_count: 7,
      },
    },
  },
  ({ plainBody }) => plainBody,
)

/** Members of the configuration of `@google/genai` that stand beside `generationConfig` in the body. */
const BESIDE = [
  'serviceTier',
  'systemInstruction',
  'safetySettings',
  'tools',
  'toolConfig',
  'labels',
  'cachedContent',
  'modelArmorConfig',
  'continuationToken',
  'store',
  'generationOutputConfig',
]

type Place = readonly (string | number)[]

export interface Placed {
  readonly body: JsonObject
  readonly place: Place
}

const isPart = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !('parts' in value) && !('role' in value)

/** The package accepts one part, or one content, where the body has a list of contents. */
function toContents({ body, place }: Placed): Placed {
  const { contents } = body
  if (contents === undefined || Array.isArray(contents)) return { body, place }
  if (typeof contents === 'string')
    return { body: { ...body, contents: [{ role: 'user', parts: [{ text: contents }] }] }, place }
  const inner = isPart(contents) ? ['contents', 0, 'parts', 0] : ['contents', 0]
  const content = isPart(contents) ? { role: 'user', parts: [contents] } : contents
  return {
    body: { ...body, contents: [content] },
    place: place[0] === 'contents' ? [...inner, ...place.slice(1)] : place,
  }
}

/** The package has one object for all settings, the body has two. */
export function toGeminiBody(placed: Placed): Placed {
  const { body, place } = toContents(placed)
  const { config, model: _, ...rest } = body as { config?: JsonObject; model?: string } & JsonObject
  const entries = Object.entries(config ?? {})
  const beside = entries.filter(([name]) => BESIDE.includes(name))
  const inside = entries.filter(([name]) => !BESIDE.includes(name))
  const [first, second] = place
  const isBeside = BESIDE.includes(String(second))
  const moved = first !== 'config' ? place : isBeside ? place.slice(1) : ['generationConfig', ...place.slice(1)]
  const settings = inside.length === 0 ? {} : { generationConfig: Object.fromEntries(inside) }
  return { body: { ...rest, ...Object.fromEntries(beside), ...settings } as JsonObject, place: moved }
}

const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds a sample to a base: members are joined, entries of the lists follow those of the base. */
export function addTo({ body: base, lists }: BaseBody, { body, place }: Placed): Placed {
  const moved = [...place]
  const join = (before: Json, after: Json, name: string, depth: number, isOwn: boolean): Json => {
    if (Array.isArray(before) && Array.isArray(after)) {
      if (!lists.includes(name))
        return after.map((one, at) => join(before[at] ?? one, one, '', depth + 1, isOwn && place[depth] === at))
      if (isOwn && typeof place[depth] === 'number') moved[depth] = (place[depth] as number) + before.length
      return [...before, ...after]
    }
    if (!isRecord(before) || !isRecord(after)) return after
    const joined: Record<string, Json> = { ...before }
    for (const [key, value] of Object.entries(after))
      joined[key] =
        key in before ? join(before[key] as Json, value, key, depth + 1, isOwn && place[depth] === key) : value
    return joined
  }
  return { body: join(base, body, '', 0, true) as JsonObject, place: moved }
}
