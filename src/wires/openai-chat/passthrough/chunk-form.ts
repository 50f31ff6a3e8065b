import type { Frame } from '../../../framing/frame.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { StreamEvent } from '../../passthrough-contract.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { toIndex, withNames } from '../upstream/choice.ts'
import { type ChatState, hasFinished, isCalling } from '../upstream/state.ts'

/** The chunks of a stream as OpenAI's libraries require them. */

/** The libraries fail at a chunk without `choices`, at choices and calls without an index, and drop a `message`. */
export function readableChunk(chunk: JsonObject, event: StreamEvent<ChatState>): JsonObject {
  if (event.name === 'error') return failureOf(chunk)
  if (chunk.error) return withMember(chunk, 'error', toFailure(chunk.error))
  if (chunk.object === 'error') return { error: chunk }
  const choices = toArray(chunk.choices) as readonly Json[]
  const formed = choices.map((choice) => formChoice(choice, event))
  const isSame = Array.isArray(chunk.choices) && formed.every((choice, at) => choice === choices[at])
  return isSame ? chunk : withMember(chunk, 'choices', formed)
}

/** An event with the name of a failure is one, whatever it contains. */
const failureOf = (chunk: JsonObject): JsonObject => (chunk.error ? chunk : { error: chunk })

const isReadable = (error: Json): boolean => isObject(error) || isNonEmptyString(error)

/** The libraries read a message from an object or a text. */
function toFailure(error: Json): Json {
  const all = [error].flat() as readonly Json[]
  return all.find(isReadable) ?? { message: all.map((one) => (typeof one === 'object' ? '' : String(one))).join() }
}

function formChoice(choice: Json, { before, after }: StreamEvent<ChatState>): Json {
  if (!isObject(choice)) return choice
  const record = choice as JsonObject
  const index = toIndex(record.index) ?? 0
  const { delta: own, message, text } = record
  const given = [own, message].find(isObject) as JsonObject | undefined
  const content = given ?? (isNonEmptyString(text) ? { content: text } : {})
  const delta = content.tool_calls === undefined ? content : formCalls(content, index === 0 ? before : null)
  return finishOfCalls(withMember(withMember(record, 'index', index), 'delta', delta), isCalling(after, index))
}

/** Agents end a turn with the reason `stop` without running its calls; Google and others report it for calls too. */
export const finishOfCalls = (choice: JsonObject, calls: boolean): JsonObject =>
  calls && choice.finish_reason === 'stop' ? withMember(choice, 'finish_reason', 'tool_calls') : choice

export const hasCalls = ({ tool_calls: calls }: JsonObject): boolean => Array.isArray(calls) && calls.length > 0

/**
 * Gives each fragment the index of its call. `before`: the state of the decoder, which finds the call of a fragment;
 * null for choices that it reads at the end of the answer, whose calls without an index have that of their list.
 */
function formCalls(delta: JsonObject, before: ChatState | null): JsonObject {
  const { tool_calls: calls } = delta
  if (!Array.isArray(calls)) return delta
  let state = before
  const formed = (calls as readonly Json[]).map((call, at) => {
    if (!isObject(call)) return call
    const { function: body } = call
    if (state !== null) state = withNames(state, call, '', isObject(body) ? body : {})
    const index = toIndex(call.index) ?? state?.callAt ?? at
    return withMember(withArguments(call as JsonObject), 'index', index)
  })
  return formed.every((call, at) => call === calls[at]) ? delta : withMember(delta, 'tool_calls', formed)
}

function withArguments(call: JsonObject): JsonObject {
  const { function: body } = call
  if (!isObject(body) || !isObject(body.arguments)) return call
  return withMember(call, 'function', withMember(body as JsonObject, 'arguments', JSON.stringify(body.arguments)))
}

/** Snowflake sends no finish reason. */
export function missingFinish(state: ChatState): readonly Frame[] {
  const { head } = state
  if (hasFinished(state)) return []
  const finish_reason = isCalling(state, 0) ? 'tool_calls' : 'stop'
  const value = { ...head, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason }] }
  return [{ event: '', data: '', value }]
}
