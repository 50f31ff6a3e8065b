import type { JsonObject } from '../../../protocol/json.ts'
import { CLAUDE_CODE, CODEX, objectSchema, textSchema } from './agent-examples.ts'

/** A request in the shape of real ones. */
interface ExampleRequest {
  readonly name: string
  readonly title: string
  readonly client: string
  /** For protocols that have the model in the path. */
  readonly model?: string
  readonly body: JsonObject
  /** The list with the conversation, and the entries that the request before this one did not have. */
  readonly turn?: { readonly list: string; readonly added: number }
}

const PLAIN: JsonObject = {
  model: 'gpt-5.1',
  messages: [
    { role: 'system', content: 'You answer in two sentences at most.' },
    { role: 'user', content: 'Why is the sky blue?' },
  ],
  temperature: 0.3,
  max_completion_tokens: 400,
  stop: ['\n\n'],
  seed: 7,
  user: 'u-1024',
  stream: true,
}

const weatherCall = (id: string, city: string): JsonObject => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: JSON.stringify({ city, unit: 'celsius' }) },
})

const TOOLS: JsonObject = {
  model: 'gpt-5.1',
  messages: [
    { role: 'developer', content: 'Use the tools for every fact about the weather.' },
    { role: 'user', content: 'Is it warmer in Rome or in Oslo, and by how much?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [weatherCall('call_rome', 'Rome'), weatherCall('call_oslo', 'Oslo')],
    },
    { role: 'tool', tool_call_id: 'call_rome', content: '{"temperature": 24.5, "sky": "clear"}' },
    { role: 'tool', tool_call_id: 'call_oslo', content: '{"temperature": 11, "sky": "rain"}' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather of a city now.',
        parameters: objectSchema({
          city: textSchema('The name of the city.'),
          unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
        }),
        strict: true,
      },
    },
    {
      type: 'function',
      function: {
        name: 'subtract',
        description: 'Subtracts two numbers.',
        parameters: objectSchema({ a: { type: 'number' }, b: { type: 'number', exclusiveMinimum: -273.15 } }),
      },
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  logprobs: true,
  top_logprobs: 3,
}

const STRUCTURED: JsonObject = {
  model: 'gpt-5.1',
  messages: [
    { role: 'system', content: 'You extract invoices.' },
    { role: 'user', content: 'Invoice 2041 of Nordlys AS, 14 November 2026: 3 lamps at 129.90 each, due in 14 days.' },
  ],
  reasoning_effort: 'high',
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'invoice',
      strict: true,
      schema: objectSchema({
        number: { type: 'string', pattern: '^[0-9]+$' },
        seller: { type: 'string', minLength: 1 },
        date: { type: 'string', format: 'date' },
        lines: {
          type: 'array',
          minItems: 1,
          items: objectSchema({ text: { type: 'string' }, count: { type: 'integer' }, price: { type: 'number' } }),
        },
        due_days: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      }),
    },
  },
  max_completion_tokens: 2000,
}

const MEDIA: JsonObject = {
  systemInstruction: { parts: [{ text: 'You compare documents with pictures.' }] },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'Does the picture show the part that the data sheet describes?' },
        {
          inlineData: {
            mimeType: 'image/png',
            data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          },
        },
        { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0xLjQKJSVFT0YK' } },
        { fileData: { mimeType: 'video/mp4', fileUri: 'https://media.example/assembly.mp4' } },
      ],
    },
  ],
  generationConfig: {
    temperature: 0.2,
    topK: 40,
    maxOutputTokens: 1024,
    thinkingConfig: { thinkingBudget: 2048, includeThoughts: true },
  },
  safetySettings: [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold: 'BLOCK_ONLY_HIGH' }],
}

export const EXAMPLES: readonly ExampleRequest[] = [
  { name: 'plain', title: 'Plain text', client: 'openai-chat', body: PLAIN },
  {
    name: 'tools',
    title: 'Tools, parallel calls',
    client: 'openai-chat',
    body: TOOLS,
    turn: { list: 'messages', added: 3 },
  },
  {
    name: 'claude-code',
    title: 'Coding agent: Claude Code',
    client: 'anthropic-messages',
    body: CLAUDE_CODE,
    turn: { list: 'messages', added: 2 },
  },
  { name: 'codex', title: 'Coding agent: Codex', client: 'openai', body: CODEX, turn: { list: 'input', added: 2 } },
  { name: 'structured', title: 'Structured output', client: 'openai-chat', body: STRUCTURED },
  { name: 'media', title: 'Images and files', client: 'gemini-generate', model: 'gemini-3-pro', body: MEDIA },
]

/** The request before this one of the same conversation; null if it is the first. */
export function requestBefore({ body, turn }: ExampleRequest): JsonObject | null {
  const list = turn === undefined ? undefined : body[turn.list]
  if (turn === undefined || !Array.isArray(list)) return null
  return { ...body, [turn.list]: list.slice(0, -turn.added) }
}
