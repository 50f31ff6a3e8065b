import fc from 'fast-check'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { SharedWire } from './own-upstream.ts'

/**
 * Conversations of each protocol with neighbours that are alike, that the hub joins or that it splits: several messages
 * of one role, texts in one message, results of calls before and after prompts.
 */

type Exchange = readonly JsonObject[]

const text = fc.constantFrom('Hi', 'See', 'Why?')

const id = fc.constantFrom('c1', 'c2', 'c3')

const SCHEMA: JsonObject = { type: 'object', properties: { a: { type: 'string' } } }

const listOf = (one: fc.Arbitrary<JsonObject>, least = 1): fc.Arbitrary<JsonObject[]> =>
  fc.array(one, { minLength: least, maxLength: 3 })

const exchangesOf = (...kinds: readonly fc.Arbitrary<Exchange>[]): fc.Arbitrary<JsonObject[]> =>
  fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 5 }).map((all) => all.flat())

// ---------------------------------------------------------------- chat completions

const chatParts = listOf(
  fc.oneof(
    text.map((word) => ({ type: 'text', text: word })),
    fc.constant({ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }),
  ),
)

const chat = exchangesOf(
  fc.tuple(fc.constantFrom('user', 'system'), fc.oneof(text, chatParts)).map(([role, content]) => [{ role, content }]),
  text.map((content) => [{ role: 'assistant', content }]),
  fc.tuple(fc.uniqueArray(id, { minLength: 1 }), text, fc.oneof(text, chatParts)).map(([ids, word, output]) => [
    {
      role: 'assistant',
      content: word,
      tool_calls: ids.map((call) => ({ id: call, type: 'function', function: { name: 'look', arguments: '{}' } })),
    },
    ...ids.map((call) => ({ role: 'tool', tool_call_id: call, content: output })),
  ]),
)

// ---------------------------------------------------------------- Messages

const blocks = listOf(
  fc.oneof(
    text.map((word) => ({ type: 'text', text: word })),
    fc.constant({ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }),
  ),
)

const messages = exchangesOf(
  fc.oneof(text, blocks).map((content) => [{ role: 'user', content }]),
  listOf(text.map((word) => ({ type: 'text', text: word }))).map((content) => [{ role: 'assistant', content }]),
  fc.tuple(fc.uniqueArray(id, { minLength: 1 }), text, blocks).map(([ids, word, output]) => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: word },
        ...ids.map((call) => ({ type: 'tool_use', id: call, name: 'look', input: { a: call } })),
      ],
    },
    {
      role: 'user',
      content: [
        ...ids.map((call) => ({ type: 'tool_result', tool_use_id: call, content: output })),
        { type: 'text', text: word },
      ],
    },
  ]),
)

// ---------------------------------------------------------------- Gemini

const parts = listOf(
  fc.oneof(
    text.map((word) => ({ text: word })),
    fc.constant({ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }),
  ),
)

const contents = exchangesOf(
  parts.map((found) => [{ role: 'user', parts: found }]),
  listOf(text.map((word) => ({ text: word }))).map((found) => [{ role: 'model', parts: found }]),
  fc.tuple(fc.uniqueArray(id, { minLength: 1 }), text).map(([ids, word]) => [
    {
      role: 'model',
      parts: [{ text: word }, ...ids.map((call) => ({ functionCall: { id: call, name: 'look', args: {} } }))],
    },
    {
      role: 'user',
      parts: ids.map((call) => ({ functionResponse: { id: call, name: 'look', response: { output: word } } })),
    },
  ]),
)

// ---------------------------------------------------------------- Ollama

const ollama = exchangesOf(
  fc.tuple(fc.constantFrom('user', 'system', 'assistant'), text).map(([role, content]) => [{ role, content }]),
  text.map((content) => [
    { role: 'assistant', content, tool_calls: [{ function: { name: 'look', arguments: { a: 'b' } } }] },
    { role: 'tool', content, tool_name: 'look' },
  ]),
)

// ---------------------------------------------------------------- Responses

const inputParts = listOf(
  fc.oneof(
    text.map((word) => ({ type: 'input_text', text: word })),
    fc.constant({ type: 'input_image', image_url: 'https://a.example/b.png' }),
  ),
)

const input = exchangesOf(
  fc
    .tuple(fc.constantFrom('user', 'system', 'developer'), fc.oneof(text, inputParts))
    .map(([role, content]) => [{ role, content }]),
  text.map((word) => [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: word }] }]),
  fc.tuple(id, fc.oneof(text, inputParts)).map(([call_id, output]) => [
    { type: 'function_call', call_id, name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id, output },
  ]),
)

const look: JsonObject = { name: 'look', description: 'd' }

const CONVERSATIONS: Readonly<Record<SharedWire, fc.Arbitrary<JsonObject>>> = {
  'openai-chat': chat.map((list) => ({
    model: 'acme/m',
    messages: list,
    tools: [{ type: 'function', function: { ...look, parameters: SCHEMA } }],
  })),
  'anthropic-messages': messages.map((list) => ({
    model: 'acme/m',
    max_tokens: 9,
    system: [
      { type: 'text', text: 'Rules' },
      { type: 'text', text: 'More' },
    ],
    messages: list,
    tools: [{ ...look, input_schema: SCHEMA }],
  })),
  'gemini-generate': contents.map((list) => ({
    contents: list,
    systemInstruction: { parts: [{ text: 'Rules' }, { text: 'More' }] },
    tools: [{ functionDeclarations: [{ ...look, parameters: SCHEMA }] }],
  })),
  'ollama-chat': ollama.map((list) => ({
    model: 'acme/m',
    messages: list,
    tools: [{ type: 'function', function: { ...look, parameters: SCHEMA } }],
  })),
  'openai-responses': input.map((list) => ({
    model: 'acme/m',
    input: list,
    tools: [{ type: 'function', ...look, parameters: SCHEMA }],
  })),
}

/** Bodies of a protocol with such a conversation. */
export const ownConversations = (wire: SharedWire): fc.Arbitrary<JsonObject> => CONVERSATIONS[wire]
