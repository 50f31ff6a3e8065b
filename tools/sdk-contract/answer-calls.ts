import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { isObject, toArray } from '../../src/text/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { addTo, type BaseBody, type Placed } from './base-bodies.ts'

/** A call in an entry of the history, and the entry that answers it. */
interface Call {
  readonly id: string
  readonly answer: JsonObject
}

/** How the history of a protocol has calls and their outputs. */
interface History {
  readonly list: string
  readonly calls: (entry: JsonObject) => readonly Call[]
  /** The ids of the calls that an entry answers. */
  readonly answered: (entry: JsonObject) => readonly unknown[]
}

const OUTPUT = 'Sunny.'

const objectsIn = (value: unknown): readonly JsonObject[] =>
  toArray(value).filter((one) => isObject(one)) as JsonObject[]

const callOf = (id: unknown, answer: (id: string) => JsonObject): readonly Call[] =>
  typeof id === 'string' ? [{ id, answer: answer(id) }] : []

const HISTORIES: Readonly<Partial<Record<WireName, History>>> = {
  'openai-responses': {
    list: 'input',
    calls: ({ type, call_id }) =>
      type === 'function_call' || type === 'custom_tool_call'
        ? callOf(call_id, (id) => ({ type: `${type}_output`, call_id: id, output: OUTPUT }))
        : [],
    answered: ({ type, call_id }) => (type === 'function_call' || type === 'custom_tool_call' ? [] : [call_id]),
  },
  'openai-chat': {
    list: 'messages',
    // A call of the older form has no id: the name of its function is one.
    calls: ({ tool_calls, function_call }) => [
      ...objectsIn(tool_calls).flatMap(({ id: given }) =>
        callOf(given, (id) => ({ role: 'tool', tool_call_id: id, content: OUTPUT })),
      ),
      ...(isObject(function_call)
        ? callOf(function_call.name, (name) => ({ role: 'function', name, content: OUTPUT }))
        : []),
    ],
    answered: ({ role, name, tool_call_id }) => (role === 'function' ? [name, 'call_1'] : [tool_call_id]),
  },
  'anthropic-messages': {
    list: 'messages',
    calls: ({ content }) =>
      objectsIn(content).flatMap(({ type, id: given }) =>
        type === 'tool_use'
          ? callOf(given, (id) => ({
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: id, content: OUTPUT }],
            }))
          : [],
      ),
    answered: ({ content }) => objectsIn(content).map(({ tool_use_id }) => tool_use_id),
  },
  'gemini-generate': {
    list: 'contents',
    calls: ({ parts }) =>
      objectsIn(parts).flatMap(({ functionCall }) =>
        isObject(functionCall)
          ? callOf(functionCall.id ?? '', (id) => ({
              role: 'user',
              parts: [
                {
                  functionResponse: {
                    ...(id === '' ? {} : { id }),
                    name: (functionCall.name ?? 'get_weather') as Json,
                    response: { output: OUTPUT },
                  },
                },
              ],
            }))
          : [],
      ),
    answered: ({ parts }) =>
      objectsIn(parts).flatMap(({ functionResponse }) =>
        isObject(functionResponse) ? [functionResponse.id ?? 'call_1'] : [],
      ),
  },
  // Calls have no ids: an output belongs to the oldest one.
  'ollama-chat': {
    list: 'messages',
    calls: ({ tool_calls }) =>
      objectsIn(tool_calls).map(({ function: called }) => ({
        id: '',
        answer: {
          role: 'tool',
          tool_name: (isObject(called) ? called.name : null) as Json,
          content: OUTPUT,
        },
      })),
    answered: ({ role }) => (role === 'tool' ? [''] : []),
  },
}

/** The calls of a request that no later entry answers. */
function openCalls({ list, calls, answered }: History, body: JsonObject): readonly Call[] {
  let open: readonly Call[] = []
  for (const entry of objectsIn(body[list])) {
    for (const id of answered(entry)) {
      const at = open.findIndex((call) => call.id === id)
      open = open.filter((_, index) => index !== at)
    }
    open = [...open, ...calls(entry)]
  }
  return open
}

const withAnswers = ({ list }: History, body: JsonObject, open: readonly Call[]): JsonObject =>
  open.length === 0
    ? body
    : { ...body, [list]: [...toArray(body[list] as Json), ...open.map(({ answer }) => answer)] as Json }

const CONTENTS = ['content', 'tool_calls', 'function_call', 'refusal', 'audio', 'images'] as const

/** Upstreams refuse an answer of Chat Completions without anything in it, which the types of some packages allow. */
function withContents(wire: WireName, body: JsonObject): JsonObject {
  if (wire !== 'openai-chat') return body
  const messages = (toArray(body.messages) as readonly Json[]).map((message) =>
    isObject(message) && message.role === 'assistant' && CONTENTS.every((name) => !Object.hasOwn(message, name))
      ? ({ ...message, content: 'Hello.' } as JsonObject)
      : message,
  )
  return { ...body, messages }
}

/**
 * Adds a sample to the base of its protocol. Each call has an output, as upstreams require: the call of the base has the
 * sample, or an output before it; a call of the sample has an output after it.
 */
export function addToConversation(wire: WireName, base: BaseBody, sample: Placed): Placed {
  const history = HISTORIES[wire]
  const added = addTo(base, sample)
  if (history === undefined) return added
  const own = openCalls(history, base.body)
  const open = openCalls(history, added.body)
  const isAnswered = !own.some(({ id }) => open[0]?.id === id)
  const whole = isAnswered ? added : addTo({ ...base, body: withAnswers(history, base.body, own) }, sample)
  const body = withContents(wire, whole.body)
  return { ...whole, body: withAnswers(history, body, openCalls(history, body)) }
}
