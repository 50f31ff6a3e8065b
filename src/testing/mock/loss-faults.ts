import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { formatJson, isObject, parseJson, toArray } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'
import {
  atPath,
  dropMember,
  type Edit,
  everywhere,
  type MockFault,
  type MockFrame,
  objectOf,
  withFrameValue,
} from './fault-edits.ts'

/** Losses that leave an answer in the form of its protocol: only its user misses something. */

/** How the answers of a wire are written, as far as the losses depend on it. */
interface LossyWire {
  readonly wire: WireName
  /** Before the names of its faults. */
  readonly prefix: string
  /** The path of the text in the frame of a delta. */
  readonly text: readonly (string | number)[]
  /** The member of a request that has the conversation. */
  readonly conversation: string
  /** Changes the JSON of an answer that was cut into one of an answer that is complete. */
  readonly complete: (json: string) => string
  /** The members of its reason for the end: of a complete answer, and of one that was cut. */
  readonly ends?: readonly [complete: string, cut: string]
}

const replacing =
  (from: string, to: string) =>
  (json: string): string =>
    json.replaceAll(from, to)

const CHAT_ENDS = ['"finish_reason":"stop"', '"finish_reason":"length"'] as const
const MESSAGES_ENDS = ['"stop_reason":"end_turn"', '"stop_reason":"max_tokens"'] as const
const GEMINI_ENDS = ['"STOP"', '"MAX_TOKENS"'] as const
const OLLAMA_ENDS = ['"done_reason":"stop"', '"done_reason":"length"'] as const

const WIRES: readonly LossyWire[] = [
  {
    wire: 'openai-responses',
    prefix: '',
    text: ['delta'],
    conversation: 'input',
    complete: (json) =>
      json
        .replace(/"incomplete_details":\{[^{}]*\}/g, '"incomplete_details":null')
        .replaceAll('response.incomplete', 'response.completed')
        .replaceAll('"incomplete"', '"completed"'),
  },
  {
    wire: 'openai-chat',
    prefix: 'chat-',
    text: ['choices', 0, 'delta', 'content'],
    conversation: 'messages',
    complete: replacing(CHAT_ENDS[1], CHAT_ENDS[0]),
    ends: CHAT_ENDS,
  },
  {
    wire: 'anthropic-messages',
    prefix: 'messages-',
    text: ['delta', 'text'],
    conversation: 'messages',
    complete: replacing(MESSAGES_ENDS[1], MESSAGES_ENDS[0]),
    ends: MESSAGES_ENDS,
  },
  {
    wire: 'gemini-generate',
    prefix: 'gemini-',
    text: ['candidates', 0, 'content', 'parts', 0, 'text'],
    conversation: 'contents',
    complete: replacing(GEMINI_ENDS[1], GEMINI_ENDS[0]),
    ends: GEMINI_ENDS,
  },
  {
    wire: 'gemini-interactions',
    prefix: 'interactions-',
    text: ['delta', 'text'],
    conversation: 'input',
    complete: replacing('"status":"incomplete"', '"status":"completed"'),
  },
  {
    wire: 'ollama-chat',
    prefix: 'ollama-',
    text: ['message', 'content'],
    conversation: 'messages',
    complete: replacing(OLLAMA_ENDS[1], OLLAMA_ENDS[0]),
    ends: OLLAMA_ENDS,
  },
]

/** Edits the JSON of a stream and of a whole body alike. */
const ofJson = (edit: (json: string) => string): Pick<MockFault, 'text' | 'body'> => ({
  text: edit,
  body: (body) => parseJson(edit(formatJson(body))),
})

// ---------------------------------------------------------------- requests

type RequestEdit = (body: JsonObject) => JsonObject

const CHOICE = ['tool_choice', 'toolConfig'] as const
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'num_predict'] as const
const STOPS = ['stop', 'stop_sequences', 'stopSequences'] as const
const INSTRUCTIONS = ['instructions', 'system', 'systemInstruction', 'system_instruction'] as const
const SCHEMAS = ['parameters', 'input_schema', 'parametersJsonSchema'] as const
/** Lists of messages, and of the parts of one. */
const LISTS = ['messages', 'content', 'parts', 'input'] as const

const editing =
  (edit: (object: JsonRecord) => JsonRecord): RequestEdit =>
  (body) =>
    everywhere(edit)(body) as JsonObject

const without = (...names: readonly string[]): RequestEdit =>
  editing((object) => names.reduce((so, name) => dropMember(name)(so), object))

/** Edits the members of all objects that have one of the names. */
const members = (names: readonly string[], edit: (inner: unknown) => unknown): RequestEdit =>
  editing((object) =>
    Object.fromEntries(
      Object.entries(object).map(([name, inner]) => [name, names.includes(name) ? edit(inner) : inner]),
    ),
  )

const listing = (edit: (list: readonly unknown[]) => readonly unknown[]): RequestEdit =>
  members(LISTS, (list) => (Array.isArray(list) ? edit(list) : list))

const withoutInstructions: RequestEdit = (body) =>
  listing((list) => list.filter((one) => !isObject(one) || !/^(?:system|developer)$/.test(String(one.role))))(
    without(...INSTRUCTIONS)(body),
  )

const withoutParameters = members(SCHEMAS, (schema) => (isObject(schema) ? { type: 'object', properties: {} } : schema))

const IMAGE = /^(?:input_image|image_url|image)$/
const isImage = (part: unknown): boolean =>
  isObject(part) && (IMAGE.test(String(part.type)) || part.inlineData !== undefined)

const withoutImages: RequestEdit = (body) =>
  listing((list) => list.filter((one) => !isImage(one)))(without('images')(body))

const isTextPart = (part: unknown): boolean => isObject(part) && typeof part.text === 'string'

const firstParts = listing((list) => (list.every(isTextPart) ? list.slice(0, 1) : list))

const OF_RESULTS = /"(?:tool_result|functionResponse|function_result)"/

/** The last text of the user, without the messages around it. */
const isQuestion = (message: unknown): boolean =>
  isObject(message) &&
  (message.role === 'user' || message.type === 'user_input') &&
  !OF_RESULTS.test(formatJson(message))

const OF_ASSISTANT = /^(?:assistant|model|model_output)$/
const OF_CALLS = /"(?:tool_calls|tool_use|functionCall|function_call)"/

const isOfOthers = (message: unknown): boolean =>
  !isObject(message) || !OF_ASSISTANT.test(String(message.role ?? message.type)) || OF_CALLS.test(formatJson(message))

const withoutHistory =
  (conversation: string) =>
  (body: JsonObject): JsonObject => ({
    ...body,
    [conversation]: toArray(body[conversation]).filter(isQuestion).slice(-1) as JsonObject[],
  })

// ---------------------------------------------------------------- pieces

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/

const valueAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => {
    if (typeof key === 'number') return toArray(inner)[key]
    return isObject(inner) ? inner[key] : undefined
  }, value)

const cutIn = (frame: MockFrame, path: readonly (string | number)[]): number => {
  const text = valueAt(objectOf(frame), path)
  return typeof text === 'string' ? text.search(PAIR) : -1
}

/** The numbers of Responses events count up over the added frame. */
const numbered: Edit = (frames) =>
  frames.map((frame, at) => {
    const value = objectOf(frame)
    return value.sequence_number === undefined ? frame : withFrameValue(frame, { ...value, sequence_number: at })
  })

/** Sends the first character of two UTF-16 units in two frames. */
const cutCharacter =
  (path: readonly (string | number)[]): Edit =>
  (frames) => {
    const cut = frames.findIndex((frame) => cutIn(frame, path) !== -1)
    const halves = frames.flatMap((frame, at) => {
      if (at !== cut) return [frame]
      const [value, offset] = [objectOf(frame), cutIn(frame, path) + 1]
      return [
        withFrameValue(frame, atPath(path, (old: unknown) => String(old).slice(0, offset))(value)),
        withFrameValue(frame, atPath(path, (old: unknown) => String(old).slice(offset))(value)),
      ]
    })
    return numbered(halves)
  }

// ---------------------------------------------------------------- faults

/** A wire whose requests cannot demand a call shows removed tools in several rows. */
const toolsRemoved = (wire: WireName): Pick<MockFault, 'row' | 'rule' | 'beside'> =>
  wire === 'ollama-chat'
    ? { row: 'tool-without-parameters', rule: 'tools', beside: ['tool'] }
    : { row: 'forced-tool', rule: 'promise' }

/** The numbers of the usage. */
const COUNTS = /"(\w*(?:tokens|TokenCount|eval_count))":\d+/g

const latin1 = (json: string): string =>
  json.replace(/[^\0-\x7f]+/g, (found) => String.fromCharCode(...new TextEncoder().encode(found)))

/** Losses of requests and answers on every wire. */
const LOSSES: Readonly<Record<string, Omit<MockFault, 'wire'> & { readonly except?: readonly WireName[] }>> = {
  'choice-ignored': {
    about: 'the model may choose another function, or none',
    row: 'forced-tool',
    rule: 'promise',
    request: without(...CHOICE),
    except: ['ollama-chat'],
  },
  'parameters-lost': {
    about: 'functions lose their parameters',
    row: 'tool',
    rule: 'promise',
    request: withoutParameters,
  },
  'instructions-lost': {
    about: 'the instructions are removed',
    row: 'instructions',
    rule: 'recall',
    request: withoutInstructions,
  },
  'first-part': {
    about: 'of a message only the first part is kept',
    row: 'conversation',
    rule: 'recall',
    request: firstParts,
    except: ['openai-chat', 'ollama-chat'],
  },
  'image-lost': { about: 'images are removed', row: 'image', rule: 'image', request: withoutImages },
  'limit-ignored': {
    about: 'the limit of output tokens is removed',
    row: 'length',
    rule: 'promise',
    request: without(...LIMITS),
  },
  'stop-ignored': {
    about: 'the stop sequences are removed',
    row: 'stop',
    rule: 'stop',
    request: without(...STOPS),
    except: ['openai-responses', 'gemini-interactions'],
  },
  'usage-zero': {
    about: 'all counts of the usage are 0',
    row: 'text',
    rule: 'usage',
    ...ofJson((json) => json.replace(COUNTS, '"$1":0')),
  },
  'wrong-encoding': {
    about: 'bytes of UTF-8 are read as Latin-1',
    row: 'unicode',
    rule: 'recall',
    ...ofJson(latin1),
  },
}

const faultsOf = ({ wire, prefix, text, conversation, complete, ends }: LossyWire): Record<string, MockFault> => ({
  [`${prefix}tools-removed`]: {
    wire,
    about: 'the tools of the request are removed',
    ...toolsRemoved(wire),
    request: without('tools', ...CHOICE),
  },
  [`${prefix}history-lost`]: {
    wire,
    about: 'the model receives the last question only',
    row: 'tool-result',
    rule: 'recall',
    request: withoutHistory(conversation),
  },
  [`${prefix}cut-as-complete`]: {
    wire,
    about: 'an answer that is cut ends as a complete one',
    row: 'length',
    rule: 'promise',
    ...ofJson(complete),
  },
  [`${prefix}cut-pair`]: {
    wire,
    about: 'a character is cut between two pieces',
    row: 'unicode',
    rule: 'text',
    frames: cutCharacter(text),
  },
  [`${prefix}held`]: {
    wire,
    about: 'all pieces of a stream are sent at its end',
    row: 'long',
    rule: 'pieces',
    held: true,
  },
  [`${prefix}assistant-lost`]: {
    wire,
    about: 'the texts of the assistant are removed',
    row: 'conversation',
    rule: 'recall',
    request: (body) => ({ ...body, [conversation]: toArray(body[conversation]).filter(isOfOthers) as JsonObject[] }),
  },
  ...(ends === undefined
    ? {}
    : {
        [`${prefix}complete-as-cut`]: {
          wire,
          about: 'an answer that is complete ends as one that was cut',
          row: 'text',
          rule: 'finish',
          ...ofJson(replacing(...ends)),
        },
      }),
  ...Object.fromEntries(
    Object.entries(LOSSES).flatMap(([name, { except = [], ...fault }]) =>
      except.includes(wire) ? [] : [[prefix + name, { wire, ...fault }]],
    ),
  ),
})

const CALL_AS_STOP: MockFault = {
  wire: 'openai-chat',
  about: 'a call ends as a text',
  row: 'tool',
  rule: 'finish',
  ...ofJson((json) => json.replaceAll('"finish_reason":"tool_calls"', '"finish_reason":"stop"')),
}

/** Other protocols have reasoning of models without signatures. */
const UNSIGNED: MockFault = {
  wire: 'anthropic-messages',
  about: 'thinking has no signature',
  row: 'reasoning',
  rule: 'reasoning',
  ...ofJson((json) => json.replace(/"signature":"[^"]*"/g, '"signature":""')),
}

export const LOSS_FAULTS: Readonly<Record<string, MockFault>> = {
  ...Object.assign({}, ...WIRES.map(faultsOf)),
  'chat-call-as-stop': CALL_AS_STOP,
  'messages-unsigned': UNSIGNED,
}
