import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'

/** Requests of clients that break rules of vendors: each value is valid in the client's protocol, and refused somewhere. */

/** The protocols of clients, besides those whose bodies have nothing of their own here. */
export const CLIENTS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'ollama-chat',
] as const

export type AwkwardClient = (typeof CLIENTS)[number]

const NAMES = ['look', 'files.read', 'a/b', '21st', 'x'.repeat(70), `mcp__${'long_'.repeat(16)}name`] as const

const SCHEMAS: readonly JsonObject[] = [
  { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
  { type: 'object' },
  { type: 'object', properties: { tags: { type: 'array' } } },
  { type: 'object', properties: { a: { type: 'object' }, b: { type: ['array', 'null'] } } },
  { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'object' }] },
]

interface Tool {
  readonly name: string
  readonly schema: JsonObject
  readonly strict: boolean | undefined
}

const tools: fc.Arbitrary<readonly Tool[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    schema: fc.constantFrom(...SCHEMAS),
    strict: fc.constantFrom(undefined, undefined, false, true),
  }),
  { maxLength: 3 },
)

/** What a turn of the history has: a call, its result, or both, in any pairing. */
interface Turn {
  readonly call: { readonly id: string; readonly name: string; readonly args: string } | null
  readonly result: string | null
}

const history: fc.Arbitrary<readonly Turn[]> = fc
  .array(
    fc.record({
      isCalled: fc.boolean(),
      isAnswered: fc.boolean(),
      name: fc.constantFrom(...NAMES),
      args: fc.constantFrom('{}', '{"a":"b"}', '{"a":', '[1]', ''),
    }),
    { maxLength: 3 },
  )
  .map((turns) =>
    turns.map(({ isCalled, isAnswered, name, args }, at) => ({
      call: isCalled ? { id: `call_${at}`, name, args } : null,
      result: isAnswered ? `call_${at}` : null,
    })),
  )

interface Settings {
  readonly effort: string | undefined
  readonly limit: number | undefined
  readonly stop: readonly string[] | undefined
  readonly temperature: number | undefined
  readonly top: number | undefined
  readonly topK: number | undefined
  readonly budget: number | undefined
  readonly penalty: number | undefined
  readonly verbosity: string | undefined
  readonly json: boolean
  readonly prefill: boolean
}

const settings: fc.Arbitrary<Settings> = fc.record({
  effort: fc.constantFrom(undefined, 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  limit: fc.constantFrom(undefined, 1, 5000, 100_000, 2_000_000),
  stop: fc.constantFrom(undefined, ['END'], ['\n', 'END'], ['a', 'b', 'c', 'd', 'e', 'f']),
  temperature: fc.constantFrom(undefined, undefined, 0.5, 1),
  top: fc.constantFrom(undefined, undefined, 0.5, 0.97),
  topK: fc.constantFrom(undefined, undefined, 20),
  budget: fc.constantFrom(undefined, undefined, -1, 10, 200, 2000, 30_000, 500_000),
  penalty: fc.constantFrom(undefined, 0.4),
  verbosity: fc.constantFrom(undefined, 'low', 'medium', 'high'),
  json: fc.nat({ max: 4 }).map((n) => n === 0),
  prefill: fc.nat({ max: 3 }).map((n) => n === 0),
})

const given = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The arguments of a protocol that has them as an object. */
const parsed = (args: string): JsonObject => (args === '{"a":"b"}' ? { a: 'b' } : {})

type Write = (tools: readonly Tool[], turns: readonly Turn[], settings: Settings) => JsonObject

const chat: Write = (offered, turns, { effort, limit, stop, temperature, top, penalty, verbosity, json, prefill }) =>
  given({
    model: 'vendor/model',
    top_p: top,
    reasoning_effort: effort,
    max_tokens: limit,
    stop: stop === undefined ? undefined : [...stop],
    temperature,
    frequency_penalty: penalty,
    verbosity,
    response_format: json ? { type: 'json_object' } : undefined,
    tools:
      offered.length === 0
        ? undefined
        : offered.map(({ name, schema, strict }) => ({
            type: 'function',
            function: given({ name, parameters: schema, strict }),
          })),
    messages: [
      { role: 'user', content: 'Hi' },
      ...turns.flatMap(({ call, result }): readonly JsonObject[] => [
        call === null
          ? { role: 'assistant', content: 'Well.' }
          : {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: call.id, type: 'function', function: { name: call.name, arguments: call.args } }],
            },
        ...(result === null ? [] : [{ role: 'tool', tool_call_id: result, content: 'found' }]),
        { role: 'user', content: 'Go on' },
      ]),
      ...(prefill ? [{ role: 'assistant', content: 'So: ' }] : []),
    ],
  })

const responses: Write = (offered, turns, { effort, limit, temperature, top, verbosity, json, prefill }) =>
  given({
    model: 'vendor/model',
    top_p: top,
    reasoning: effort === undefined ? undefined : { effort },
    max_output_tokens: limit,
    temperature,
    text:
      verbosity === undefined && !json
        ? undefined
        : given({ verbosity, format: json ? { type: 'json_object' } : undefined }),
    tools: offered.map(({ name, schema, strict }) => given({ type: 'function', name, parameters: schema, strict })),
    input: [
      { role: 'user', content: 'Hi' },
      ...turns.flatMap(({ call, result }): readonly JsonObject[] => [
        ...(call === null ? [] : [{ type: 'function_call', call_id: call.id, name: call.name, arguments: call.args }]),
        ...(result === null ? [] : [{ type: 'function_call_output', call_id: result, output: 'found' }]),
        { role: 'user', content: 'Go on' },
      ]),
      ...(prefill ? [{ role: 'assistant', content: 'So: ' }] : []),
    ],
  })

const thinkingOf = (effort: string | undefined, budget = 2000): JsonObject | undefined => {
  if (effort === undefined) return undefined
  if (effort === 'none') return { type: 'disabled' }
  return effort === 'minimal' || effort === 'low'
    ? { type: 'enabled', budget_tokens: Math.max(budget, 1) }
    : { type: 'adaptive' }
}

const messages: Write = (offered, turns, { effort, limit, stop, temperature, top, topK, budget, prefill }) =>
  given({
    model: 'vendor/model',
    max_tokens: limit ?? 5000,
    thinking: thinkingOf(effort, budget),
    top_p: top,
    top_k: topK,
    output_config: effort === 'high' || effort === 'max' ? { effort } : undefined,
    stop_sequences: stop === undefined ? undefined : [...stop],
    temperature,
    tools: offered.map(({ name, schema, strict }) =>
      given({ name, input_schema: { type: 'object', ...schema }, strict }),
    ),
    messages: [
      { role: 'user', content: 'Hi' },
      ...turns.flatMap(({ call, result }): readonly JsonObject[] => [
        call === null
          ? { role: 'assistant', content: 'Well.' }
          : {
              role: 'assistant',
              content: [{ type: 'tool_use', id: call.id, name: call.name, input: parsed(call.args) }],
            },
        {
          role: 'user',
          content: [
            ...(result === null ? [] : [{ type: 'tool_result', tool_use_id: result, content: 'found' }]),
            { type: 'text', text: 'Go on' },
          ],
        },
      ]),
      ...(prefill ? [{ role: 'assistant', content: 'So: ' }] : []),
    ],
  })

const gemini: Write = (offered, turns, { effort, limit, stop, temperature, top, topK, budget, penalty, json }) =>
  given({
    generationConfig: given({
      maxOutputTokens: limit,
      stopSequences: stop === undefined ? undefined : [...stop],
      temperature,
      topP: top,
      topK,
      frequencyPenalty: penalty,
      responseMimeType: json ? 'application/json' : undefined,
      thinkingConfig:
        effort === undefined
          ? undefined
          : effort === 'none'
            ? { thinkingBudget: 0 }
            : budget !== undefined && (effort === 'low' || effort === 'medium')
              ? { thinkingBudget: budget }
              : { thinkingLevel: effort === 'xhigh' || effort === 'max' ? 'HIGH' : effort.toUpperCase() },
    }),
    tools:
      offered.length === 0
        ? undefined
        : [{ functionDeclarations: offered.map(({ name, schema }) => ({ name, parametersJsonSchema: schema })) }],
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      ...turns.flatMap(({ call, result }): readonly JsonObject[] => [
        {
          role: 'model',
          parts: [
            call === null
              ? { text: 'Well.' }
              : { functionCall: { id: call.id, name: call.name, args: parsed(call.args) } },
          ],
        },
        {
          role: 'user',
          parts: [
            ...(result === null
              ? []
              : [{ functionResponse: { id: result, name: call?.name ?? 'look', response: { output: 'found' } } }]),
            { text: 'Go on' },
          ],
        },
      ]),
    ],
  })

const ollama: Write = (offered, turns, { effort, limit, stop, temperature, penalty, json }) =>
  given({
    model: 'vendor/model',
    think: effort === undefined ? undefined : effort !== 'none',
    format: json ? 'json' : undefined,
    options: given({
      num_predict: limit,
      stop: stop === undefined ? undefined : [...stop],
      temperature,
      frequency_penalty: penalty,
    }),
    tools: offered.map(({ name, schema }) => ({ type: 'function', function: { name, parameters: schema } })),
    messages: [
      { role: 'user', content: 'Hi' },
      ...turns.flatMap(({ call, result }): readonly JsonObject[] => [
        call === null
          ? { role: 'assistant', content: 'Well.' }
          : {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: call.id, function: { name: call.name, arguments: parsed(call.args) } }],
            },
        ...(result === null ? [] : [{ role: 'tool', tool_call_id: result, tool_name: 'look', content: 'found' }]),
        { role: 'user', content: 'Go on' },
      ]),
    ],
  })

const WRITERS: Readonly<Record<AwkwardClient, Write>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  'gemini-generate': gemini,
  'ollama-chat': ollama,
}

/** A body of a client of this protocol; of a chat client for a protocol without clients here. */
export const awkwardBody = (client: WireName): fc.Arbitrary<JsonObject> => {
  const write = (WRITERS as Partial<Record<WireName, Write>>)[client] ?? chat
  return fc.tuple(tools, history, settings).map(([offered, turns, asked]) => write(offered, turns, asked))
}
