import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { isObject, toArray } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'

/** A JSON Schema in an upstream's body. */
export interface SentSchema {
  readonly path: string
  readonly schema: JsonRecord
  /** The upstream is to follow the schema exactly. */
  readonly isStrict: boolean
}

/** A function in an upstream's body. */
export interface SentFunction {
  readonly namePath: string
  readonly name: unknown
  readonly parameters: SentSchema | null
}

const schemaAt = (holder: JsonRecord, name: string, path: string, strict: unknown): SentSchema | null => {
  const schema = holder[name]
  return isObject(schema) ? { path: `${path}.${name}`, schema, isStrict: strict === true } : null
}

const functionAt = (holder: JsonRecord, path: string, schema: string, strict: unknown): SentFunction => ({
  namePath: `${path}.name`,
  name: holder.name,
  parameters: schemaAt(holder, schema, path, strict),
})

/** The objects of a list, each with its path. */
export const placedObjects = (list: unknown, path: string): readonly (readonly [value: JsonRecord, path: string])[] =>
  toArray(list).flatMap((value, at) => (isObject(value) ? [[value, `${path}[${at}]`] as const] : []))

const chatFunctions = (body: JsonObject): readonly SentFunction[] =>
  placedObjects(body.tools, 'tools').flatMap(([tool, path]) => {
    const inner = tool.function
    return isObject(inner) ? [functionAt(inner, `${path}.function`, 'parameters', inner.strict)] : []
  })

const flatFunctions = (body: JsonObject): readonly SentFunction[] =>
  placedObjects(body.tools, 'tools').flatMap(([tool, path]) =>
    tool.type === 'function' ? [functionAt(tool, path, 'parameters', tool.strict)] : [],
  )

const FUNCTIONS: Readonly<Record<WireName, (body: JsonObject) => readonly SentFunction[]>> = {
  'openai-chat': chatFunctions,
  'cohere-chat': chatFunctions,
  'ollama-chat': chatFunctions,
  'openai-responses': flatFunctions,
  'gemini-interactions': flatFunctions,
  'anthropic-messages': (body) =>
    placedObjects(body.tools, 'tools').flatMap(([tool, path]) =>
      isObject(tool.input_schema) ? [functionAt(tool, path, 'input_schema', tool.strict)] : [],
    ),
  'gemini-generate': (body) =>
    placedObjects(body.tools, 'tools').flatMap(([tool, path]) =>
      placedObjects(tool.functionDeclarations, `${path}.functionDeclarations`).map(([inner, own]) =>
        functionAt(inner, own, 'parametersJsonSchema', false),
      ),
    ),
  'bedrock-converse': ({ toolConfig }) =>
    placedObjects(isObject(toolConfig) ? toolConfig.tools : [], 'toolConfig.tools').flatMap(([tool, path]) => {
      const spec = tool.toolSpec
      if (!isObject(spec)) return []
      const own = `${path}.toolSpec`
      const parameters = isObject(spec.inputSchema)
        ? schemaAt(spec.inputSchema, 'json', `${own}.inputSchema`, spec.strict)
        : null
      return [{ namePath: `${own}.name`, name: spec.name, parameters }]
    }),
}

/** The functions that a body offers to its model. */
export const functionsIn = (wire: WireName, body: JsonObject): readonly SentFunction[] => FUNCTIONS[wire](body)

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/** The schema that the answer shall follow; null if there is none. */
export function answerSchemaOf(wire: WireName, body: JsonObject): SentSchema | null {
  switch (wire) {
    case 'openai-chat': {
      const format = memberOf(body.response_format, 'json_schema')
      return isObject(format) ? schemaAt(format, 'schema', 'response_format.json_schema', format.strict) : null
    }
    case 'openai-responses': {
      const format = memberOf(body.text, 'format')
      return isObject(format) ? schemaAt(format, 'schema', 'text.format', format.strict) : null
    }
    case 'anthropic-messages': {
      const format = memberOf(body.output_config, 'format')
      return isObject(format) ? schemaAt(format, 'schema', 'output_config.format', true) : null
    }
    default:
      return null
  }
}

/** A call of a tool, or its result, in the conversation of a body. */
export interface SentCall {
  readonly kind: 'call' | 'result'
  readonly path: string
  readonly id: string
}

const toCall = (kind: SentCall['kind'], path: string, id: unknown): readonly SentCall[] =>
  typeof id === 'string' ? [{ kind, path, id }] : []

const chatCalls = (body: JsonObject): readonly SentCall[] =>
  placedObjects(body.messages, 'messages').flatMap(([message, path]) => [
    ...placedObjects(message.tool_calls, `${path}.tool_calls`).flatMap(([call, own]) =>
      toCall('call', `${own}.id`, call.id),
    ),
    ...(message.role === 'tool' ? toCall('result', `${path}.tool_call_id`, message.tool_call_id) : []),
  ])

const blockCalls =
  (read: (block: JsonRecord, path: string) => readonly SentCall[]) =>
  ({ messages }: JsonObject): readonly SentCall[] =>
    placedObjects(messages, 'messages').flatMap(([message, path]) =>
      placedObjects(message.content, `${path}.content`).flatMap(([block, own]) => read(block, own)),
    )

const CALLS: Readonly<Partial<Record<WireName, (body: JsonObject) => readonly SentCall[]>>> = {
  'openai-chat': chatCalls,
  'cohere-chat': chatCalls,
  'openai-responses': ({ input }) =>
    placedObjects(input, 'input').flatMap(([item, path]) => {
      if (item.type === 'function_call' || item.type === 'custom_tool_call')
        return toCall('call', `${path}.call_id`, item.call_id)
      const isOutput = item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
      return isOutput ? toCall('result', `${path}.call_id`, item.call_id) : []
    }),
  'anthropic-messages': blockCalls((block, path) => [
    ...(block.type === 'tool_use' ? toCall('call', `${path}.id`, block.id) : []),
    ...(block.type === 'tool_result' ? toCall('result', `${path}.tool_use_id`, block.tool_use_id) : []),
  ]),
  'gemini-interactions': ({ input }) =>
    placedObjects(input, 'input').flatMap(([step, path]) => {
      if (step.type === 'function_call') return toCall('call', `${path}.id`, step.id)
      return step.type === 'function_result' ? toCall('result', `${path}.call_id`, step.call_id) : []
    }),
  'bedrock-converse': blockCalls(({ toolUse, toolResult }, path) => [
    ...(isObject(toolUse) ? toCall('call', `${path}.toolUse.toolUseId`, toolUse.toolUseId) : []),
    ...(isObject(toolResult) ? toCall('result', `${path}.toolResult.toolUseId`, toolResult.toolUseId) : []),
  ]),
}

/** The calls and results of a body in their order; none for a wire that accepts calls without results. */
export const callsIn = (wire: WireName, body: JsonObject): readonly SentCall[] => CALLS[wire]?.(body) ?? []
