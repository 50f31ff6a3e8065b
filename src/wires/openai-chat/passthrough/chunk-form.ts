import type { Frame } from '../../../framing/frame.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { EditEvent } from '../../passthrough-contract.ts'
import { withMember } from '../../shared/passthrough/members.ts'

/** The chunks of a stream as OpenAI's libraries require them. */

/** The memory of the earlier chunks of a stream. */
interface ChunkMemory {
  /** The members that every chunk repeats. */
  readonly head: JsonObject
  /** Whether a chunk had a finish reason. */
  readonly isFinished: boolean
  /** The index of the last call, and the last ids, by their indices. */
  readonly call: number
  readonly ids: JsonObject
  /** The choices with calls, by their indices. */
  readonly calling: JsonObject
}

const memoryOf = (memory: JsonObject): ChunkMemory => ({
  head: {},
  isFinished: false,
  call: -1,
  ids: {},
  calling: {},
  ...(memory as unknown as Partial<ChunkMemory>),
})

/** The libraries fail at a chunk without `choices`, at choices and calls without an index, and drop a `message`. */
export const readableChunk: EditEvent = (chunk, stream) => {
  if (stream.event === 'error') return failureOf(chunk)
  if (chunk.error) return withMember(chunk, 'error', toFailure(chunk.error))
  if (chunk.object === 'error') return { error: chunk }
  const { call, ids, isFinished, calling } = memoryOf(stream.memory)
  const state = { call, ids, isFinished, calling }
  const choices = toArray(chunk.choices) as readonly Json[]
  const formed = choices.map((choice) => formChoice(choice, state))
  stream.memory = { head: headOf(chunk), ...state }
  const isSame = Array.isArray(chunk.choices) && formed.every((choice, at) => choice === choices[at])
  return isSame ? chunk : withMember(chunk, 'choices', formed)
}

const HEAD: readonly string[] = ['id', 'object', 'created', 'model']

const headOf = (chunk: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chunk).filter(([name]) => HEAD.includes(name)))

/** An event with the name of a failure is one, whatever it contains. */
const failureOf = (chunk: JsonObject): JsonObject => (chunk.error ? chunk : { error: chunk })

const isReadable = (error: Json): boolean => isObject(error) || isNonEmptyString(error)

/** The libraries read a message from an object or a text. */
function toFailure(error: Json): Json {
  const all = [error].flat() as readonly Json[]
  return all.find(isReadable) ?? { message: all.map((one) => (typeof one === 'object' ? '' : String(one))).join() }
}

interface CallState {
  call: number
  ids: JsonObject
  isFinished: boolean
  calling: JsonObject
}

function formChoice(choice: Json, state: CallState): Json {
  if (!isObject(choice)) return choice
  const record = choice as JsonObject
  if (isNonEmptyString(record.finish_reason)) state.isFinished = true
  const index = toIndex(record.index) ?? 0
  const { delta: own, message, text } = record
  const given = [own, message].find(isObject) as JsonObject | undefined
  const delta = given === undefined ? (isNonEmptyString(text) ? { content: text } : {}) : formDelta(given, state)
  if (hasCalls(delta) && state.calling[index] !== true) state.calling = { ...state.calling, [index]: true }
  return finishOfCalls(withMember(withMember(record, 'index', index), 'delta', delta), state.calling[index] === true)
}

/** Agents end a turn with the reason `stop` without running its calls; Google and others report it for calls too. */
export const finishOfCalls = (choice: JsonObject, isCalling: boolean): JsonObject =>
  isCalling && choice.finish_reason === 'stop' ? withMember(choice, 'finish_reason', 'tool_calls') : choice

export const hasCalls = ({ tool_calls: calls }: JsonObject): boolean => Array.isArray(calls) && calls.length > 0

function toIndex(index: unknown): number | null {
  const number = typeof index === 'string' && index.trim() !== '' ? Number(index) : index
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null
}

function formDelta(delta: JsonObject, state: CallState): JsonObject {
  const { tool_calls: calls } = delta
  if (!Array.isArray(calls)) return delta
  const formed = (calls as readonly Json[]).map((call) => (isObject(call) ? formCall(call as JsonObject, state) : call))
  return formed.every((call, at) => call === calls[at]) ? delta : withMember(delta, 'tool_calls', formed)
}

/** A fragment without an index continues the last call, unless it has a new id or a name. */
function formCall(call: JsonObject, state: CallState): JsonObject {
  const { function: body } = call
  const own = toIndex(call.index)
  const id = isNonEmptyString(call.id) ? call.id : ''
  const isNamed = isObject(body) && isNonEmptyString(body.name)
  const goesOn = id === '' ? !isNamed && state.call >= 0 : state.ids[`${state.call}`] === id
  const index = own ?? (goesOn ? state.call : state.call + 1)
  state.call = own === null ? index : Math.max(state.call, index)
  if (id !== '') state.ids = { [`${index}`]: id }
  return withMember(withArguments(call), 'index', index)
}

/** Some servers send arguments as the object itself, where clients join texts. */
function withArguments(call: JsonObject): JsonObject {
  const { function: body } = call
  if (!isObject(body) || !isObject(body.arguments)) return call
  return withMember(call, 'function', withMember(body as JsonObject, 'arguments', JSON.stringify(body.arguments)))
}

/** Snowflake sends no finish reason. */
export function missingFinish(memory: JsonObject): readonly Frame[] {
  const { head, isFinished, call } = memoryOf(memory)
  if (isFinished) return []
  const finish_reason = call >= 0 ? 'tool_calls' : 'stop'
  const chunk = { ...head, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason }] }
  return [{ event: '', data: JSON.stringify(chunk) }]
}
