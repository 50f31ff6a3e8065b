import type { HostedItemType } from '../../protocol/item.ts'
import type { Json, JsonObject, JsonRecord } from '../../protocol/json.ts'
import { toArgumentObject } from '../../responses/call-arguments.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../text/json.ts'
import { flatName } from '../../validation/namespaces.ts'

/**
 * Tools of OpenAI that the client runs, although they are no functions: the calls are items of their own
 * (openai 7.57, `FunctionShellTool`, `ApplyPatchTool`, `Tool.LocalShell`, `ToolSearchTool`).
 */
export type ClientToolName = 'shell' | 'local_shell' | 'apply_patch' | 'tool_search'

interface ClientTool {
  /** Whether the client runs this tool; otherwise it is one of the upstream's own. */
  readonly isClients: (fields: JsonRecord) => boolean
  readonly description: (fields: JsonRecord) => string
  /** The parameters of the function that stands for the tool. */
  readonly parameters: (fields: JsonRecord) => JsonObject
  readonly call: HostedItemType
  readonly output: string
  /** Arguments of the function → the fields of the call; null if the arguments do not fit. */
  readonly toFields: (given: JsonRecord) => JsonObject | null
  /** The fields of a call of the history → arguments of the function. */
  readonly toArguments: (item: JsonRecord) => Json
  /** An output of the history → the text of the function's output. */
  readonly toText: (item: JsonRecord) => string
}

const TEXTS: JsonObject = { type: 'array', items: { type: 'string' } }
const COUNT: JsonObject = { type: 'integer', minimum: 1 }

const schema = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
  additionalProperties: false,
})

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')

const textsOf = (value: unknown): readonly string[] | null =>
  typeof value === 'string' ? [value] : isTexts(value) ? value : null

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null

const json = (value: unknown): Json => (value ?? null) as Json

/** The fields of an object that are set. */
const present = (value: unknown, names: readonly string[]): JsonObject =>
  isObject(value)
    ? Object.fromEntries(names.flatMap((name) => ((value[name] ?? null) === null ? [] : [[name, json(value[name])]])))
    : {}

const searchArguments = (given: unknown): JsonObject => {
  if (typeof given === 'string') return toArgumentObject(given) ?? {}
  return isObject(given) ? (given as JsonObject) : {}
}

/** The names under which the model calls the tools of a list, those of namespaces included. */
const namesOf = (tools: unknown): readonly string[] =>
  toArray(tools)
    .filter(isObject)
    .flatMap(({ type, name, tools: inner }) => {
      const own = isNonEmptyString(name) ? name : scalarToString(type)
      return type === 'namespace' ? namesOf(inner).map((one) => flatName(own, one)) : [own]
    })

const always = (): boolean => true

/** A container belongs to the upstream. */
const isLocal = ({ environment }: JsonRecord): boolean => !isObject(environment) || environment.type === 'local'

const OPERATIONS: ReadonlySet<unknown> = new Set(['create_file', 'update_file', 'delete_file'])

export const CLIENT_TOOLS: Readonly<Record<ClientToolName, ClientTool>> = {
  shell: {
    isClients: isLocal,
    description: () =>
      'Runs shell commands in order on the computer of the user, and returns what each wrote and how it ended.',
    parameters: () => schema({ commands: TEXTS, timeout_ms: COUNT, max_output_length: COUNT }, ['commands']),
    call: 'shell_call',
    output: 'shell_call_output',
    toFields(given) {
      const commands = textsOf(given.commands ?? given.command)
      if (commands === null) return null
      const [timeout_ms, max_output_length] = [countOf(given.timeout_ms), countOf(given.max_output_length)]
      return { action: { commands, timeout_ms, max_output_length }, environment: { type: 'local' } }
    },
    toArguments: ({ action }) => present(action, ['commands', 'timeout_ms', 'max_output_length']),
    toText: ({ output }) => (typeof output === 'string' ? output : JSON.stringify(output ?? [])),
  },
  local_shell: {
    isClients: always,
    description: () => 'Runs one command, given as its words, on the computer of the user, and returns its output.',
    parameters: () =>
      schema(
        {
          command: TEXTS,
          env: { type: 'object', additionalProperties: { type: 'string' } },
          timeout_ms: COUNT,
          user: { type: 'string' },
          working_directory: { type: 'string' },
        },
        ['command'],
      ),
    call: 'local_shell_call',
    output: 'local_shell_call_output',
    toFields(given) {
      const { command } = given
      const words = typeof command === 'string' ? ['sh', '-c', command] : isTexts(command) ? command : null
      if (words === null) return null
      const env = isObject(given.env) ? Object.entries(given.env).filter(([, value]) => typeof value === 'string') : []
      const timeout = countOf(given.timeout_ms)
      return {
        action: {
          type: 'exec',
          command: words,
          env: Object.fromEntries(env) as JsonObject,
          ...(timeout === null ? {} : { timeout_ms: timeout }),
          ...present(given, ['user', 'working_directory']),
        },
      }
    },
    toArguments: ({ action }) => present(action, ['command', 'env', 'timeout_ms', 'user', 'working_directory']),
    toText: ({ output }) => (typeof output === 'string' ? output : JSON.stringify(output ?? '')),
  },
  apply_patch: {
    isClients: always,
    description: () =>
      'Creates, updates or deletes one file of the user. The diff of a file is in the V4A format: ' +
      'lines that begin with "+", "-" or a space, under headers that begin with "@@"; it has no file names.',
    parameters: () =>
      schema(
        {
          type: { type: 'string', enum: [...OPERATIONS] as string[] },
          path: { type: 'string' },
          diff: { type: 'string' },
        },
        ['type', 'path'],
      ),
    call: 'apply_patch_call',
    output: 'apply_patch_call_output',
    toFields({ type, path, diff }) {
      if (!OPERATIONS.has(type) || !isNonEmptyString(path)) return null
      if (type === 'delete_file') return { operation: { type, path } }
      return typeof diff === 'string' ? { operation: { type: type as string, path, diff } } : null
    },
    toArguments: ({ operation }) => present(operation, ['type', 'path', 'diff']),
    toText: ({ status, output }) => JSON.stringify({ status: json(status), output: json(output) }),
  },
  tool_search: {
    isClients: ({ execution }) => execution === 'client',
    description: ({ description }) =>
      isNonEmptyString(description) ? description : 'Searches for tools that fit a task, and makes them available.',
    parameters: ({ parameters }) =>
      isObject(parameters) ? (parameters as JsonObject) : schema({ query: { type: 'string' } }, ['query']),
    call: 'tool_search_call',
    output: 'tool_search_output',
    toFields: (given) => ({ arguments: given as JsonObject, execution: 'client' }),
    // Clients may keep them as the JSON text that calls of functions have.
    toArguments: ({ arguments: given }) => searchArguments(given),
    // The tools themselves are among those of the request.
    toText: ({ tools }) => JSON.stringify(namesOf(tools)),
  },
}

export const CLIENT_TOOL_NAMES = Object.keys(CLIENT_TOOLS) as readonly ClientToolName[]

export const isClientTool = (name: string): name is ClientToolName => Object.hasOwn(CLIENT_TOOLS, name)

/** Names of the tools of a request that become functions. */
export type FunctionNames = ReadonlySet<ClientToolName>
