import type { Json, JsonObject } from '../../../protocol/json.ts'
import { UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { isObject } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { exceptWhen, fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import type { DecodeContext, DecodedRequest } from '../../client-contract.ts'
import {
  COUNT,
  createRequestReader,
  flagAt,
  isAbsent,
  leaveUnsupported,
  nameAt,
  objectAt,
  optionalAt,
  optionalFieldsAt,
  optionalNumberAt,
  type RequestReader,
  readFieldsAt,
  readListAt,
  readOutcomeOf,
  rejectType,
  textAt,
  textsAt,
} from '../../shared/client/request-reader.ts'
import { createPathMap } from '../../shared/client/source-map.ts'
import { FIELD_PATHS } from '../terms.ts'
import { decodeMessages } from './messages.ts'
import { inOwnForm } from './usual-form.ts'

/** Fields of `options` that have the same name and meaning in Responses: name, least and greatest value. */
const NUMBERS = [
  ['temperature', 0, 2],
  ['top_p', 0, 1],
  ['presence_penalty', -2, 2],
  ['frequency_penalty', -2, 2],
] as const

/** Fields of `options` that are read. The others concern Ollama's samplers and the machine that it runs on. */
const OPTIONS = fieldSet(['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'num_predict', 'stop'], {
  mirostat: { idle: exceptWhen(0) },
  numa: { idle: exceptWhen(false) },
  low_vram: { idle: exceptWhen(false) },
  use_mlock: { idle: exceptWhen(false) },
})

const CHAT = fieldSet(
  ['model', 'messages', 'stream', 'options', 'format', 'think', 'tools', 'logprobs', 'top_logprobs'],
  {
    // The default time for which a model stays loaded.
    keep_alive: { idle: exceptWhen('5m') },
    truncate: { idle: exceptWhen(true) },
    shift: { idle: exceptWhen(true) },
  },
)

/** `function` is the only type of a tool. */
const TOOL = fieldSet(['function'], { type: { idle: exceptWhen('function') } })
const FUNCTION = fieldSet(['name', 'description', 'parameters'])

function numbers(options: KnownFields<typeof OPTIONS>, notes: RequestReader): JsonObject {
  const fields = NUMBERS.flatMap(([name, least, most]): (readonly [string, number])[] => {
    const value = optionalNumberAt(notes, `options.${name}`, options[name], { least, most })
    return value === null ? [] : [[name, value]]
  })
  return Object.fromEntries(fields)
}

/** -1 and -2 set no limit. */
function maxTokens({ num_predict }: KnownFields<typeof OPTIONS>, notes: RequestReader): JsonObject {
  if (num_predict === -1 || num_predict === -2) return {}
  const most = optionalNumberAt(notes, 'options.num_predict', num_predict, COUNT)
  return most === null ? {} : { max_output_tokens: most }
}

/** An empty string sets no format. */
function decodeFormat(format: unknown, notes: RequestReader): JsonObject {
  if (isAbsent(format) || format === '') return {}
  if (format === 'json') return { text: { format: { type: 'json_object' } } }
  if (isObject(format)) {
    return { text: { format: { type: 'json_schema', name: 'answer', schema: format as JsonObject } } }
  }
  rejectType(notes, 'format', 'json or a schema', format)
  return {}
}

const EFFORTS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [false, 'none'],
  [true, 'medium'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['max', 'max'],
])

function decodeReasoning(think: unknown, notes: RequestReader): JsonObject {
  if (isAbsent(think)) return {}
  const effort = EFFORTS.get(think)
  if (effort !== undefined) return { reasoning: { effort } }
  if (typeof think === 'string') leaveUnsupported(notes, 'think', UNSUPPORTED_VALUE)
  else rejectType(notes, 'think', 'true, false, or one of low, medium, high, max', think)
  return {}
}

function decodeTool(value: unknown, path: string, notes: RequestReader): JsonObject {
  const tool = readFieldsAt(notes, path, value, TOOL)
  const body = readFieldsAt(notes, `${path}.function`, tool.function, FUNCTION)
  const description = optionalAt(textAt, notes, `${path}.function.description`, body.description)
  const parameters = optionalAt(objectAt, notes, `${path}.function.parameters`, body.parameters)
  return {
    type: 'function',
    name: nameAt(notes, `${path}.function.name`, body.name),
    ...(description === null ? {} : { description }),
    ...(parameters === null ? {} : { parameters: parameters as JsonObject }),
  }
}

function decodeTools(tools: unknown, notes: RequestReader): readonly JsonObject[] {
  const list = isAbsent(tools) ? [] : readListAt(notes, 'tools', tools)
  return list.map((tool, i) => decodeTool(tool, `tools[${i}]`, notes))
}

function logprobs(body: KnownFields<typeof CHAT>, notes: RequestReader): JsonObject {
  const requested = optionalAt(flagAt, notes, 'logprobs', body.logprobs) === true
  return {
    ...(requested ? { include: ['message.output_text.logprobs'] } : {}),
    ...(isAbsent(body.top_logprobs) ? {} : { top_logprobs: body.top_logprobs as Json }),
  }
}

/** Decodes an Ollama chat request into a Responses request. `stream` defaults to true. */
export function* decodeRequest(given: JsonObject, context: DecodeContext): Steps<DecodedRequest> {
  const notes = createRequestReader(context)
  const body = pickKnown(inOwnForm(given), CHAT, '', notes)
  const options = optionalFieldsAt(notes, 'options', body.options, OPTIONS)
  const model = nameAt(notes, 'model', body.model)
  const { items, itemPaths, partPaths } = yield* decodeMessages(body.messages ?? [], notes)
  const tools = decodeTools(body.tools, notes)
  const decoded: JsonObject = {
    model,
    input: items,
    stream: isAbsent(body.stream) ? true : flagAt(notes, 'stream', body.stream),
    ...numbers(options, notes),
    ...maxTokens(options, notes),
    ...decodeFormat(body.format, notes),
    ...decodeReasoning(body.think, notes),
    ...(tools.length === 0 ? {} : { tools }),
    ...logprobs(body, notes),
  }
  const stop = optionalAt(textsAt, notes, 'options.stop', options.stop) ?? []
  const toolPaths = tools.map((_, i) => `tools[${i}].function`)
  return {
    body: decoded,
    toClientPath: createPathMap(FIELD_PATHS, { itemPaths, partPaths, toolPaths, fieldPaths: {} }),
    partPaths,
    stop: stop.length === 0 ? null : stop,
    settings: {},
    losses: notes.losses,
    unsupported: notes.unsupported,
    required: notes.required,
    ...readOutcomeOf(notes),
  }
}
