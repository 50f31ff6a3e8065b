import { isObject } from '../../src/text/json.ts'
import type { WireName } from '../../src/wires/contract.ts'

/** What a model reads in a request of any wire: the tools that it may call, and the conversation. */
export interface RequestView {
  readonly tools: readonly OfferedTool[]
  readonly history: readonly HistoryEntry[]
  /** Whether the last input item is a `compaction_trigger`, which only `openai-responses` has. */
  readonly isCompaction: boolean
  /** Whether the request classifies a prompt of Gemini CLI, by a schema of that name. */
  readonly isClassification: boolean
}

type WireView = Omit<RequestView, 'isCompaction' | 'isClassification'>

export interface OfferedTool {
  readonly name: string
  readonly namespace: string | null
  /** Whether the tool receives a text in place of JSON arguments. */
  readonly isCustom: boolean
  /** The names of its parameters. */
  readonly parameters: readonly string[]
}

export interface HistoryEntry {
  readonly kind: 'user' | 'assistant' | 'call' | 'output'
  readonly text: string
}

type Members = Readonly<Record<string, unknown>>

const members = (value: unknown): Members => (isObject(value) ? value : {})
const list = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.map(members) : [])
const word = (value: unknown): string => (typeof value === 'string' ? value : '')

/** All texts of a content, which is a string, a part or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(textOf).join('\n')
  if (!isObject(content)) return ''
  return ['text', 'content', 'output', 'json', 'encrypted_content'].map((name) => textOf(content[name])).join('')
}

const tool = (name: unknown, schema: unknown, more: Partial<OfferedTool> = {}): OfferedTool => ({
  name: word(name),
  namespace: null,
  isCustom: false,
  parameters: Object.keys(members(members(schema).properties)),
  ...more,
})

const entry = (kind: HistoryEntry['kind'], text: string): HistoryEntry => ({ kind, text })

// ---------------------------------------------------------------- openai-chat, cohere-chat, ollama-chat

function chatView(body: Members): WireView {
  const history = list(body.messages).flatMap(({ role, content, tool_calls }) => {
    const text = textOf(content)
    if (role === 'tool') return [entry('output', text)]
    if (role === 'user') return [entry('user', text)]
    if (role !== 'assistant') return []
    const calls = list(tool_calls).map((call) => entry('call', JSON.stringify(call)))
    return [...(text === '' ? [] : [entry('assistant', text)]), ...calls]
  })
  const tools = list(body.tools).map(({ type, function: called, custom }) =>
    type === 'custom'
      ? tool(members(custom).name, null, { isCustom: true })
      : tool(members(called).name, members(called).parameters),
  )
  return { tools, history }
}

// ---------------------------------------------------------------- openai-responses

const responsesTools = (tools: unknown, namespace: string | null = null): readonly OfferedTool[] =>
  list(tools).flatMap(({ type, name, parameters, tools: inner }) => {
    if (type === 'namespace') return responsesTools(inner, word(name))
    if (type !== 'function' && type !== 'custom') return []
    return [tool(name, parameters, { namespace, isCustom: type === 'custom' })]
  })

function responsesView(body: Members): WireView {
  const items = list(body.input)
  const history = items.flatMap((item) => {
    switch (item.type ?? 'message') {
      case 'message':
        return item.role === 'assistant' || item.role === 'user' ? [entry(item.role, textOf(item.content))] : []
      case 'agent_message':
        return [entry('user', textOf(item.content))]
      case 'function_call':
      case 'custom_tool_call':
        return [entry('call', JSON.stringify(item))]
      case 'function_call_output':
      case 'custom_tool_call_output':
        return [entry('output', textOf(item.output))]
      default:
        return []
    }
  })
  const added = items.filter(({ type }) => type === 'additional_tools')
  return {
    tools: [...responsesTools(body.tools), ...added.flatMap(({ tools }) => responsesTools(tools))],
    history: typeof body.input === 'string' ? [entry('user', body.input)] : history,
  }
}

// ---------------------------------------------------------------- blocks: anthropic-messages, bedrock-converse, gemini

/** The entries of one message whose parts are each a text, a call or an output. */
function partsOf(
  isModel: boolean,
  parts: unknown,
  callOf: (part: Members) => unknown,
  outputOf: (part: Members) => unknown,
): readonly HistoryEntry[] {
  if (typeof parts === 'string') return [entry(isModel ? 'assistant' : 'user', parts)]
  return list(parts).flatMap((part) => {
    const call = callOf(part)
    if (call !== undefined) return [entry('call', JSON.stringify(call))]
    const output = outputOf(part)
    if (output !== undefined) return [entry('output', typeof output === 'string' ? output : JSON.stringify(output))]
    if (part.thought === true || typeof part.text !== 'string') return []
    return [entry(isModel ? 'assistant' : 'user', part.text)]
  })
}

const anthropicView = (body: Members): WireView => ({
  tools: list(body.tools).map(({ name, input_schema }) => tool(name, input_schema)),
  history: list(body.messages).flatMap(({ role, content }) =>
    partsOf(
      role === 'assistant',
      content,
      (part) => (part.type === 'tool_use' ? part : undefined),
      (part) => (part.type === 'tool_result' ? textOf(part.content) : undefined),
    ),
  ),
})

const geminiView = (body: Members): WireView => ({
  tools: list(body.tools)
    .flatMap(({ functionDeclarations }) => list(functionDeclarations))
    .map(({ name, parameters, parametersJsonSchema }) => tool(name, parametersJsonSchema ?? parameters)),
  history: list(body.contents).flatMap(({ role, parts }) =>
    partsOf(
      role === 'model',
      parts,
      (part) => part.functionCall,
      (part) => part.functionResponse,
    ),
  ),
})

const interactionsView = (body: Members): WireView => ({
  tools: list(body.tools).flatMap(({ type, name, parameters }) =>
    type === 'function' ? [tool(name, parameters)] : [],
  ),
  history: list(body.input).flatMap(({ type, content, ...step }) =>
    partsOf(
      type !== 'user_input' && type !== 'function_result',
      content ?? [step],
      (part) => (type === 'function_call' ? part : undefined),
      (part) => (type === 'function_result' ? textOf(part.result) : undefined),
    ),
  ),
})

const bedrockView = (body: Members): WireView => ({
  tools: list(members(body.toolConfig).tools).map(({ toolSpec }) => {
    const { name, inputSchema } = members(toolSpec)
    return tool(name, members(inputSchema).json)
  }),
  history: list(body.messages).flatMap(({ role, content }) =>
    partsOf(
      role === 'assistant',
      content,
      (part) => part.toolUse,
      (part) => (part.toolResult === undefined ? undefined : textOf(members(part.toolResult).content)),
    ),
  ),
})

const VIEWS: Readonly<Partial<Record<WireName, (body: Members) => WireView>>> = {
  'openai-chat': chatView,
  'openai-responses': responsesView,
  'anthropic-messages': anthropicView,
  'gemini-generate': geminiView,
  'gemini-interactions': interactionsView,
  'bedrock-converse': bedrockView,
  'cohere-chat': chatView,
  'ollama-chat': chatView,
}

/** Reads a request body of a wire. */
export function readRequest(wire: WireName, body: Members): RequestView {
  const view = VIEWS[wire]
  if (view === undefined) throw new Error(`The wire ${wire} has no row in test/agents/request-view.ts.`)
  return {
    ...view(body),
    isCompaction: list(body.input).at(-1)?.type === 'compaction_trigger',
    isClassification: JSON.stringify(body).includes('complexity_score'),
  }
}
