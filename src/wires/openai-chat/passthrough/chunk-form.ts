import { mapSame } from '../../../collections/map-same.ts'
import { mapKeys } from '../../../collections/sorted-map.ts'
import type { Frame } from '../../../framing/frame.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { callBefore, type JoinState, joinCalls, numberOfCall } from '../../../responses/join-calls.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { StreamEvent } from '../../passthrough-contract.ts'
import { changeEntries, withMember } from '../../shared/passthrough/members.ts'
import { presentMembers } from '../../shared/passthrough/other-forms.ts'
import type { JoinedState } from '../../shared/upstream/answers/join-calls.ts'
import { argumentsIn, isCustomCall, keyOfCall, messageOf, toCall, toIndex } from '../upstream/choice.ts'
import { hasContent, isNothing, type ReadSoFar, repeatedIn } from '../upstream/content-members.ts'
import { type ChatState, hasStarted, indexOfChoice, isCalling, openChoices, readSoFar } from '../upstream/state.ts'

/** The chunks of a stream as OpenAI's libraries require them. */

/** The state of the decoder, with the calls that its fragments belong to. */
export type PassedState = JoinedState<ChatState>

type ChunkEvent = StreamEvent<PassedState>

/** The libraries fail at a chunk without `choices` and at choices and calls without an index, and misread a `message`. */
export function readableChunk(chunk: JsonObject, event: ChunkEvent): JsonObject {
  if (event.name === 'error') return failureOf(chunk)
  if (chunk.error) return withMember(chunk, 'error', toFailure(chunk.error))
  if (chunk.object === 'error') return { error: chunk }
  const { choices } = chunk
  const found = Array.isArray(choices) && choices.every(isObject) ? choices : [choices].flat().filter(isObject)
  const formed = mapSame(found as readonly JsonObject[], (choice, position) => formChoice(choice, position, event))
  return withMember(chunk, 'choices', formed)
}

/** An event with the name of a failure is one, whatever it contains. */
const failureOf = (chunk: JsonObject): JsonObject => (chunk.error ? chunk : { error: chunk })

const isReadable = (error: Json): boolean => isObject(error) || isNonEmptyString(error)

/** The libraries read a message from an object or a text. */
function toFailure(error: Json): Json {
  const all = [error].flat() as readonly Json[]
  return all.find(isReadable) ?? { message: all.map((one) => (typeof one === 'object' ? '' : String(one))).join() }
}

function formChoice(choice: JsonObject, position: number, event: ChunkEvent): JsonObject {
  const index = indexOfChoice(choice, position)
  const read = withOneDelta(choice, event.before.inner, index)
  const content = read.delta as JsonObject
  const called = content.tool_calls === undefined ? content : formCalls(content, index === 0 ? event : null)
  const { inner } = event.after
  const isLast = isNonEmptyString(choice.finish_reason)
  const delta = hasStarted(event.before.inner, index) ? called : withRole(called, isLast)
  // The state has nothing of a message that repeats pieces.
  const calls = isCalling(inner, index) || hasCalls(delta)
  const hasText = inner.hasText || isNonEmptyString(delta.content)
  const hasTextAlone = index === 0 && hasText && !inner.called && !calls && inner.others.byIndex === null
  const formed = withMember(withMember(read, 'index', index), 'delta', delta)
  return finishOfCalls(
    !isLast && endsLate(event, index, delta) ? withMember(formed, 'finish_reason', 'tool_calls') : formed,
    calls,
    hasTextAlone,
  )
}

/** Whether calls follow a finish reason of `stop`, which may stand where the upstream had theirs (`finishOfCalls`). */
const endsLate = ({ before: { inner } }: ChunkEvent, index: number, delta: JsonObject): boolean =>
  index === 0 && inner.finish?.reason === 'stop' && !inner.hasToolCalls && hasCalls(delta)

/**
 * Gives a choice the delta that the decoder reads, and what a message that repeats the pieces has beyond them. OpenAI's
 * library for JavaScript puts a `message` in the place of all earlier pieces, and joins members of the delta beside it to
 * those of the message: it stays only if it has all that they have, and the delta nothing to join.
 */
function withOneDelta(choice: JsonObject, state: ChatState, index: number): JsonObject {
  const { message } = choice
  const read = readSoFar(state, index)
  const content = messageOf(choice, read) as JsonObject
  const beside = repeatedIn(choice, read)?.beside as JsonObject | undefined
  const lacks = beside !== undefined && Object.keys(beside).length > 0
  const isKept = !lacks && !isJoined(content) && content !== message && hasContent(message) && hasAll(message, read)
  const bare = isKept ? choice : withMember(choice, 'message', undefined)
  return withMember(bare, 'delta', lacks ? { ...content, ...beside } : content)
}

/** The members that libraries join. */
const JOINED = ['content', 'refusal', 'audio', 'tool_calls', 'function_call'] as const

const isJoined = (delta: JsonObject): boolean => JOINED.some((name) => !isNothing(delta[name]))

const hasAll = (message: JsonRecord, { members }: ReadSoFar): boolean =>
  ['role', ...mapKeys(members)].every((name) => !isNothing(message[name]))

/**
 * OpenAI's library for JavaScript fails at the end of a choice whose first piece has no role. Behind an empty piece, the
 * role may still come, and the library for Python would join both.
 */
const withRole = (delta: JsonObject, isLast: boolean): JsonObject =>
  isNonEmptyString(delta.role) || (!isLast && Object.values(delta).every((value) => value === null || value === ''))
    ? delta
    : { ...delta, role: 'assistant' }

/**
 * Agents end a turn with the reason `stop` without running its calls, and wait for a call after the other reason. Google
 * and others report `stop` for calls too, and some servers the other one for a text.
 */
export function finishOfCalls(choice: JsonObject, calls: boolean, hasTextAlone: boolean): JsonObject {
  const { finish_reason: reason } = choice
  if (calls && reason === 'stop') return withMember(choice, 'finish_reason', 'tool_calls')
  return hasTextAlone && reason === 'tool_calls' ? withMember(choice, 'finish_reason', 'stop') : choice
}

export const hasCalls = ({ tool_calls: calls }: JsonObject): boolean => Array.isArray(calls) && calls.length > 0

/** The call of a fragment: its number, and what it had before. */
interface CallPlace {
  readonly number: number | null
  readonly earlier: ReturnType<typeof callBefore>
}

/**
 * Gives each fragment the number of its call as the index, as the libraries read lists without gaps, and leaves out the
 * id and the name that its call has already: OpenAI's Python helpers and LangChain join those of all fragments. Arguments
 * behind whole ones, as of a call that comes once more, become empty. `event`: null for choices that the decoder reads at
 * the end of the answer, whose calls keep their indices.
 */
function formCalls(delta: JsonObject, event: ChunkEvent | null): JsonObject {
  const { tool_calls: calls } = delta
  if (!Array.isArray(calls)) return delta
  const places = event === null ? [] : placesOf(calls, delta.function_call === undefined, event)
  const formed = changeEntries(calls, (call, at) =>
    isObject(call) ? formCall(call as JsonObject, places[at], at) : call,
  )
  return withMember(delta, 'tool_calls', formed)
}

function formCall(given: JsonObject, place: CallPlace | undefined, at: number): JsonObject {
  const call = usualCall(given)
  const numbered = withMember(call, 'index', place?.number ?? toIndex(call.index) ?? at)
  const { id = '', name = '', args } = place?.earlier ?? {}
  const bare = id !== '' && isNonEmptyString(call.id) ? withMember(numbered, 'id', undefined) : numbered
  const { function: body } = bare
  if (!isObject(body)) return bare
  const rest = name !== '' && body.name === name ? withMember(body as JsonObject, 'name', undefined) : body
  const isExcess = args?.phase === 'closed' && !isNothing(body.arguments)
  return withMember(bare, 'function', (isExcess ? { ...rest, arguments: '' } : rest) as JsonObject)
}

/**
 * Some servers have the name and the arguments beside the id, where the libraries find no function, or leave out the type,
 * without which OpenAI's library for JavaScript fails at the end. Pieces that only continue arguments need none.
 */
export function usualCall(call: JsonObject): JsonObject {
  if (isCustomCall(call)) return call
  const { name, arguments: args, parameters, ...others } = call
  const isFlat = call.function === undefined && isNonEmptyString(name)
  const given = argumentsIn({ arguments: args, parameters }) as Json | undefined
  const usual = isFlat ? { ...others, function: presentMembers({ name, arguments: given }) } : call
  const { type, id, function: body } = usual
  const begins = isObject(body) && (isNonEmptyString(id) || isNonEmptyString(body.name))
  return begins && !isNonEmptyString(type) ? withMember(usual, 'type', 'function') : usual
}

/** The places of the fragments in a chunk. `isLast`: nothing of another call follows in it. */
function placesOf(calls: readonly Json[], isLast: boolean, { before, after }: ChunkEvent): readonly CallPlace[] {
  if (calls.length === 1 && isLast) return [placeIn(before.calls, after.calls)]
  let now = before.calls
  return calls.map((call) => {
    const earlier = now
    if (isObject(call)) now = joinCalls.step(now, toCall(call, keyOfCall(call, ''), [])).state
    return placeIn(earlier, now)
  })
}

const placeIn = (before: JoinState, after: JoinState): CallPlace => ({
  number: numberOfCall(after),
  earlier: callBefore(before, after),
})

/** Snowflake sends no finish reason. */
export function missingFinish({ inner: state }: PassedState): readonly Frame[] {
  const choices = openChoices(state).map((index) => {
    const finish_reason = isCalling(state, index) ? 'tool_calls' : 'stop'
    return { index, delta: {}, logprobs: null, finish_reason }
  })
  return choices.length === 0 ? [] : [{ event: '', data: '', value: { ...state.head, choices } }]
}
