import type { JsonObject } from '../../src/protocol/json.ts'

/** Requests of a coding agent: instructions, tools, and a history of `count` items. */

/** The client protocols with requests in a form of their own. */
export const CLIENTS = ['openai', 'openai-chat', 'anthropic-messages', 'gemini-generate', 'ollama-chat'] as const
export type ClientName = (typeof CLIENTS)[number]

const LINES = 'export const area = (width: number, height: number): number => width * height\n'.repeat(8)
const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const TOOLS = Array.from({ length: 20 }, (_, i) => ({ name: `tool_${i}`, description: 'Reads a file.' }))
const INSTRUCTIONS = 'You are a coding agent. '.repeat(100)

/**
 * One turn of the agent: a user's message or reasoning, a call, its output, and a message of the assistant. `i` counts
 * the turns.
 */
interface Turn<Item> {
  readonly user: (text: string) => Item
  readonly reasoning: (text: string, i: number) => Item
  readonly call: (i: number, path: string) => Item
  readonly output: (i: number, text: string) => Item
  readonly assistant: (text: string) => Item
}

const ITEMS_OF_TURN = 5

/** Returns `count` items: turn after turn, and a message of the user at the end. */
function history<Item>(turn: Turn<Item>, count: number): readonly Item[] {
  const items = Array.from({ length: count - 1 }, (_, at): Item => {
    const i = Math.floor(at / ITEMS_OF_TURN)
    switch (at % ITEMS_OF_TURN) {
      case 0:
        return turn.user(`Change file ${i}, please: "area" is in m².`)
      case 1:
        return turn.reasoning(`I read file ${i} first.`, i)
      case 2:
        // A call without an output would get one, so that the body is not passed.
        return at === count - 2 ? turn.assistant(`I read file ${i}.`) : turn.call(i, `src/file-${i}.ts`)
      case 3:
        return turn.output(i, LINES)
      default:
        return turn.assistant(`File ${i} is changed.\n${LINES.slice(0, 80)}`)
    }
  })
  return [...items, turn.user('Go on.')]
}

const RESPONSES: Turn<JsonObject> = {
  user: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
  reasoning: (text, i) => ({ type: 'reasoning', id: `rs_${i}`, summary: [{ type: 'summary_text', text }] }),
  call: (i, path) => ({
    type: 'function_call',
    id: `fc_${i}`,
    call_id: `call_${i}`,
    name: 'tool_0',
    arguments: JSON.stringify({ path }),
    status: 'completed',
  }),
  output: (i, output) => ({ type: 'function_call_output', call_id: `call_${i}`, output }),
  assistant: (text) => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  }),
}

const CHAT: Turn<JsonObject> = {
  user: (content) => ({ role: 'user', content }),
  reasoning: (reasoning_content) => ({ role: 'assistant', content: 'I look.', reasoning_content }),
  call: (i, path) => ({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `call_${i}`, type: 'function', function: { name: 'tool_0', arguments: JSON.stringify({ path }) } },
    ],
  }),
  output: (i, content) => ({ role: 'tool', tool_call_id: `call_${i}`, content }),
  assistant: (content) => ({ role: 'assistant', content }),
}

const OLLAMA: Turn<JsonObject> = {
  user: (content) => ({ role: 'user', content }),
  reasoning: (thinking) => ({ role: 'assistant', content: 'I look.', thinking }),
  call: (i, path) => ({
    role: 'assistant',
    content: '',
    tool_calls: [{ id: `call_${i}`, function: { name: 'tool_0', arguments: { path } } }],
  }),
  output: (i, content) => ({ role: 'tool', tool_call_id: `call_${i}`, tool_name: 'tool_0', content }),
  assistant: (content) => ({ role: 'assistant', content }),
}

const ANTHROPIC: Turn<JsonObject> = {
  user: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
  reasoning: (thinking, i) => ({
    role: 'assistant',
    content: [{ type: 'thinking', thinking, signature: `c2lnbmF0dXJl${i}` }],
  }),
  call: (i, path) => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id: `toolu_${i}`, name: 'tool_0', input: { path } }],
  }),
  output: (i, text) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: `toolu_${i}`, content: [{ type: 'text', text }] }],
  }),
  assistant: (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
}

const GEMINI: Turn<JsonObject> = {
  user: (text) => ({ role: 'user', parts: [{ text }] }),
  reasoning: (text) => ({ role: 'model', parts: [{ text, thought: true }] }),
  call: (i, path) => ({
    role: 'model',
    parts: [{ functionCall: { id: `call_${i}`, name: 'tool_0', args: { path } } }],
  }),
  output: (i, text) => ({
    role: 'user',
    parts: [{ functionResponse: { id: `call_${i}`, name: 'tool_0', response: { output: text } } }],
  }),
  assistant: (text) => ({ role: 'model', parts: [{ text }] }),
}

const functions = TOOLS.map((tool) => ({ type: 'function', function: { ...tool, parameters: PARAMETERS } }))

const BODIES: Readonly<Record<ClientName, (count: number) => JsonObject>> = {
  openai: (count) => ({
    model: 'm',
    instructions: INSTRUCTIONS,
    tools: TOOLS.map((tool) => ({ type: 'function', ...tool, parameters: PARAMETERS, strict: false })),
    input: history(RESPONSES, count),
  }),
  'openai-chat': (count) => ({
    model: 'm',
    tools: functions,
    messages: [{ role: 'system', content: INSTRUCTIONS }, ...history(CHAT, count)],
  }),
  'anthropic-messages': (count) => ({
    model: 'm',
    max_tokens: 8000,
    system: [{ type: 'text', text: INSTRUCTIONS, cache_control: { type: 'ephemeral' } }],
    tools: TOOLS.map((tool) => ({ ...tool, input_schema: PARAMETERS })),
    messages: history(ANTHROPIC, count),
  }),
  'gemini-generate': (count) => ({
    systemInstruction: { parts: [{ text: INSTRUCTIONS }] },
    tools: [{ functionDeclarations: TOOLS.map((tool) => ({ ...tool, parametersJsonSchema: PARAMETERS })) }],
    contents: history(GEMINI, count),
  }),
  'ollama-chat': (count) => ({
    model: 'm',
    tools: functions,
    messages: [{ role: 'system', content: INSTRUCTIONS }, ...history(OLLAMA, count)],
  }),
}

/** The body of a client of this protocol with a history of `count` items. */
export const historyOf = (client: ClientName, count: number): JsonObject => BODIES[client](count)
