import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { formatJson, isObject, parseJson, toArray } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'
import {
  atPath,
  dropMember,
  type Edit,
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
}

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
    complete: (json) => json.replaceAll('"finish_reason":"length"', '"finish_reason":"stop"'),
  },
  {
    wire: 'anthropic-messages',
    prefix: 'messages-',
    text: ['delta', 'text'],
    conversation: 'messages',
    complete: (json) => json.replaceAll('"stop_reason":"max_tokens"', '"stop_reason":"end_turn"'),
  },
  {
    wire: 'gemini-generate',
    prefix: 'gemini-',
    text: ['candidates', 0, 'content', 'parts', 0, 'text'],
    conversation: 'contents',
    complete: (json) => json.replaceAll('"MAX_TOKENS"', '"STOP"'),
  },
  {
    wire: 'gemini-interactions',
    prefix: 'interactions-',
    text: ['delta', 'text'],
    conversation: 'input',
    complete: (json) => json.replaceAll('"status":"incomplete"', '"status":"completed"'),
  },
  {
    wire: 'ollama-chat',
    prefix: 'ollama-',
    text: ['message', 'content'],
    conversation: 'messages',
    complete: (json) => json.replaceAll('"done_reason":"length"', '"done_reason":"stop"'),
  },
]

/** Edits the JSON of a stream and of a whole body alike. */
const ofJson = (edit: (json: string) => string): Pick<MockFault, 'text' | 'body'> => ({
  text: edit,
  body: (body) => parseJson(edit(formatJson(body))),
})

// ---------------------------------------------------------------- requests

const TOOL_MEMBERS = ['tools', 'tool_choice', 'toolConfig'] as const

function withoutTools(body: JsonObject): JsonObject {
  const rest = TOOL_MEMBERS.reduce((so: JsonRecord, name) => dropMember(name)(so), body)
  const { generation_config: settings } = rest
  return (isObject(settings) ? { ...rest, generation_config: dropMember('tool_choice')(settings) } : rest) as JsonObject
}

const OF_RESULTS = /"(?:tool_result|functionResponse|function_result)"/

/** The last text of the user, without the messages around it. */
const isQuestion = (message: unknown): boolean =>
  isObject(message) &&
  (message.role === 'user' || message.type === 'user_input') &&
  !OF_RESULTS.test(formatJson(message))

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

const faultsOf = ({ wire, prefix, text, conversation, complete }: LossyWire): Record<string, MockFault> => ({
  [`${prefix}tools-removed`]: {
    wire,
    about: 'the tools of the request are removed',
    ...toolsRemoved(wire),
    request: withoutTools,
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
