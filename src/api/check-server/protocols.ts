import {
  type AnswerContents,
  type AnswerState,
  checkAnswerStream,
  checkWholeAnswer,
  INITIAL_ANSWER,
  type ProtocolRules,
  toContents,
} from '../../conformance/protocols/answer.ts'
import { CHAT_RULES } from '../../conformance/protocols/chat.ts'
import { GEMINI_RULES } from '../../conformance/protocols/gemini.ts'
import { INTERACTIONS_RULES } from '../../conformance/protocols/interactions.ts'
import { MESSAGES_RULES } from '../../conformance/protocols/messages.ts'
import { OLLAMA_RULES } from '../../conformance/protocols/ollama.ts'
import { isNonEmptyString, isObject, parseJson } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'
import type { CheckedAnswer, FoundViolation } from './findings.ts'
import { readFrames } from './read-frames.ts'
import { checkResponseBody, checkResponseStream } from './responses.ts'

/** The protocols of servers that can be checked. */
export type CheckedProtocol = 'responses' | 'chat' | 'messages' | 'gemini' | 'ollama' | 'interactions'

export interface ProtocolUnderCheck {
  readonly wire: WireName
  /** The header of the key, and what precedes the key in it. */
  readonly key: readonly [header: string, before: string]
  /** The member of a request that has the conversation. */
  readonly input: string
  /** The path of the limit of output tokens; null if every number is allowed. */
  readonly limit: readonly string[] | null
  /** The path of the stop sequences; null: none. */
  readonly stop: readonly string[] | null
  /** The path of the list of models, and the member that has it. */
  readonly models: readonly [path: string, member: string, name: string]
  readonly streamType: RegExp
  /** The reason for the end of a text, where a call has another one. Null: calls may end as texts do. */
  readonly textEnd: string | null
  /** The fault of the body of an error; null: none. */
  errorFault(body: unknown, status: number): string | null
  stream(bytes: Uint8Array): CheckedAnswer
  body(value: unknown): CheckedAnswer
}

type FormOf = Pick<ProtocolUnderCheck, 'streamType' | 'stream' | 'body'>

function formOf<State extends AnswerState>(rules: ProtocolRules<State>): FormOf {
  const machine = checkAnswerStream(rules)
  return {
    streamType: rules.streamType,
    stream(bytes) {
      const { frames, isOpen } = readFrames(rules.format, bytes)
      const violations: FoundViolation[] = []
      let state = machine.initial
      for (const [frame, one] of frames.entries()) {
        const step = machine.step(state, one)
        for (const { rule, message } of step.events) violations.push({ frame, rule, message })
        state = step.state
      }
      if (isOpen)
        violations.push({ frame: null, rule: 'frame', message: 'the last frame does not end with a blank line' })
      for (const { rule, message } of machine.end(state)) violations.push({ frame: null, rule, message })
      return { violations, summary: toContents(state) }
    },
    body(value) {
      const { violations, summary } = checkWholeAnswer(rules, value)
      return { violations: violations.map((one) => ({ frame: null, ...one })), summary }
    },
  }
}

export const NO_ANSWER: AnswerContents = toContents(INITIAL_ANSWER)

// ---------------------------------------------------------------- errors

const errorIn = (body: unknown): Readonly<Record<string, unknown>> =>
  isObject(body) && isObject(body.error) ? body.error : {}

/** Statuses of a request that the server refuses, and the words of errors that are its own. */
const OF_REQUESTS: ReadonlySet<number> = new Set([400, 404, 422])
const OF_SERVERS: ReadonlySet<unknown> = new Set([
  'api_error',
  'overloaded_error',
  'server_error',
  'INTERNAL',
  'UNKNOWN',
])

const messageFault = (message: unknown): string | null => {
  if (!isNonEmptyString(message)) return 'error.message is missing'
  return isObject(parseJson(message)) ? 'error.message is the JSON of another error' : null
}

const wordFault = (name: string, word: unknown, status: number): string | null => {
  if (!isNonEmptyString(word)) return `error.${name} is missing`
  return OF_REQUESTS.has(status) && OF_SERVERS.has(word) ? `error.${name} is "${word}", the status ${status}` : null
}

const openaiFault = (body: unknown, status: number): string | null => {
  const { message, type } = errorIn(body)
  return messageFault(message) ?? wordFault('type', type, status)
}

const messagesFault = (body: unknown, status: number): string | null => {
  if (!isObject(body) || body.type !== 'error') return 'type is not "error"'
  return openaiFault(body, status)
}

const googleFault = (body: unknown, status: number): string | null => {
  const { message, code, status: word } = errorIn(body)
  const fault = messageFault(message)
  if (fault !== null) return fault
  if (code !== status) return `error.code is ${JSON.stringify(code)}, the status ${status}`
  return wordFault('status', word, status)
}

const interactionsFault = (body: unknown): string | null => messageFault(errorIn(body).message)

const ollamaFault = (body: unknown): string | null => {
  if (!isObject(body) || !isNonEmptyString(body.error)) return 'error is not a text'
  return messageFault(body.error)
}

// ---------------------------------------------------------------- protocols

const BEARER = ['authorization', 'Bearer '] as const

export const PROTOCOLS_UNDER_CHECK = {
  responses: {
    wire: 'openai-responses',
    key: BEARER,
    input: 'input',
    limit: ['max_output_tokens'],
    stop: null,
    models: ['/models', 'data', 'id'],
    streamType: /^text\/event-stream\b/,
    textEnd: null,
    errorFault: openaiFault,
    stream: checkResponseStream,
    body: checkResponseBody,
  },
  chat: {
    wire: 'openai-chat',
    key: BEARER,
    input: 'messages',
    limit: ['max_tokens'],
    stop: ['stop'],
    models: ['/models', 'data', 'id'],
    textEnd: 'stop',
    errorFault: openaiFault,
    ...formOf(CHAT_RULES),
  },
  messages: {
    wire: 'anthropic-messages',
    key: ['x-api-key', ''],
    input: 'messages',
    limit: ['max_tokens'],
    stop: ['stop_sequences'],
    models: ['/models', 'data', 'id'],
    // Its own rules have this one, without exception.
    textEnd: null,
    errorFault: messagesFault,
    ...formOf(MESSAGES_RULES),
  },
  gemini: {
    wire: 'gemini-generate',
    key: ['x-goog-api-key', ''],
    input: 'contents',
    limit: ['generationConfig', 'maxOutputTokens'],
    stop: ['generationConfig', 'stopSequences'],
    models: ['/models', 'models', 'name'],
    textEnd: null,
    errorFault: googleFault,
    ...formOf(GEMINI_RULES),
  },
  ollama: {
    wire: 'ollama-chat',
    key: BEARER,
    input: 'messages',
    limit: null,
    stop: ['options', 'stop'],
    models: ['/api/tags', 'models', 'name'],
    textEnd: null,
    errorFault: ollamaFault,
    ...formOf(OLLAMA_RULES),
  },
  interactions: {
    wire: 'gemini-interactions',
    key: ['x-goog-api-key', ''],
    input: 'input',
    limit: ['generation_config', 'max_output_tokens'],
    stop: null,
    models: ['/models', 'models', 'name'],
    textEnd: null,
    errorFault: interactionsFault,
    ...formOf(INTERACTIONS_RULES),
  },
} as const satisfies Record<CheckedProtocol, ProtocolUnderCheck>
