import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { isObject, toArray } from '../../../text/json.ts'
import type { SentCall, SentFunction, SentSchema } from '../../body-contract.ts'

/** The schema in a member of an object; null if the member has none. `path`: that of the object. */
export function sentSchema(holder: unknown, name: string, path: string, strict: boolean): SentSchema | null {
  const schema = isObject(holder) ? holder[name] : undefined
  return isObject(schema) ? { path: `${path}.${name}`, schema, isStrict: strict } : null
}

/** `schema`: the member that has the parameters. */
export const sentFunction = (holder: JsonRecord, path: string, schema = 'parameters'): SentFunction => ({
  namePath: `${path}.name`,
  name: holder.name,
  parameters: sentSchema(holder, schema, path, holder.strict === true),
})

export const placedObjects = (list: unknown, path: string): readonly (readonly [value: JsonRecord, path: string])[] =>
  toArray(list).flatMap((value, at) => (isObject(value) ? [[value, `${path}[${at}]`] as const] : []))

/** The functions of a body that has each in an object of its own, as in Chat Completions. */
export const nestedFunctions = (body: JsonObject): readonly SentFunction[] =>
  placedObjects(body.tools, 'tools').flatMap(([tool, path]) =>
    isObject(tool.function) ? [sentFunction(tool.function, `${path}.function`)] : [],
  )

/** The functions of a body whose tools are functions by their type, as in the Responses API. */
export const flatFunctions = (body: JsonObject): readonly SentFunction[] =>
  placedObjects(body.tools, 'tools').flatMap(([tool, path]) =>
    tool.type === 'function' ? [sentFunction(tool, path)] : [],
  )

export const sentCall = (kind: SentCall['kind'], path: string, id: unknown): readonly SentCall[] =>
  typeof id === 'string' ? [{ kind, path, id }] : []

/** The calls of messages as in Chat Completions. */
export const messageCalls = (body: JsonObject): readonly SentCall[] =>
  placedObjects(body.messages, 'messages').flatMap(([message, path]) => [
    ...placedObjects(message.tool_calls, `${path}.tool_calls`).flatMap(([call, own]) =>
      sentCall('call', `${own}.id`, call.id),
    ),
    ...(message.role === 'tool' ? sentCall('result', `${path}.tool_call_id`, message.tool_call_id) : []),
  ])

/** The calls among the blocks of messages. */
export const blockCalls =
  (read: (block: JsonRecord, path: string) => readonly SentCall[]) =>
  ({ messages }: JsonObject): readonly SentCall[] =>
    placedObjects(messages, 'messages').flatMap(([message, path]) =>
      placedObjects(message.content, `${path}.content`).flatMap(([block, own]) => read(block, own)),
    )
