import type { JsonObject } from '../../../protocol/json.ts'
import { freeCallId } from '../../shared/client/free-call-id.ts'
import { createUnmatchedCalls, type UnmatchedCall } from '../../shared/client/pending-calls.ts'
import { dropField, formatField, rejectField } from '../../shared/client/request-reader.ts'
import { fieldNames, has, nameIn, objectIn, only, type ReadFields, textField } from './fields.ts'
import { decodeOutput, RESPONSE } from './parts.ts'

const CALL = fieldNames(['id', 'name', 'args', 'willContinue', 'partialArgs'])

const REPEATED = 'it repeats the response to the same call'

const isSame = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other)

/**
 * Decodes the calls of a conversation, and the responses to them. `answer`: null for a response without a call, and for
 * one that repeats an earlier response.
 */
export interface CallMatcher {
  call(entry: ReadFields): JsonObject
  answer(entry: ReadFields): JsonObject | null
}

/** Reads arguments as JSON text. Some proxies send the text itself. */
function argumentsIn(found: ReadFields<'args'>): string {
  const { args } = found.record
  if (typeof args === 'string') return args
  const record = has(found, 'args') ? (objectIn(found, 'args')?.record ?? {}) : {}
  const text = formatField(found.notes, `${found.path}.args`, record)
  if (text === '') rejectField(found.notes, `${found.path}.args`, 'the value is nested too deeply')
  return text
}

/**
 * A call without an id gets one from its number, the same in every request of the conversation. O(1) per call. `given`:
 * the ids of all calls.
 */
export function createCallMatcher(given: ReadonlySet<unknown>): CallMatcher {
  const pending = createUnmatchedCalls()
  const answered = new Map<string, ReturnType<typeof decodeOutput>>()
  const state = { count: 0 }

  const nextId = (own: string): string => {
    const id = own === '' ? freeCallId(`call_${state.count}`, given) : own
    state.count += 1
    return id
  }

  /** Takes the first unanswered call of that name (of any name, if none is given). */
  const takeNext = (name: string): UnmatchedCall | undefined =>
    name === '' ? pending.takeFirst() : pending.takeByName(name)

  return {
    call(entry) {
      const found = only(entry, CALL)
      const callId = nextId(textField(found, 'id') ?? '')
      const name = nameIn(found, 'name')
      pending.add({ id: callId, name })
      return { type: 'function_call', call_id: callId, name, arguments: argumentsIn(found) }
    },

    answer(entry) {
      const found = only(entry, RESPONSE)
      const id = textField(found, 'id') ?? ''
      const output = decodeOutput(found)
      const own = pending.takeById(id)
      // Gemini CLI 0.61 sends each response of a resumed session twice. Its copy must not answer another call.
      if (own === undefined && answered.has(id) && isSame(answered.get(id), output)) {
        dropField(found.notes, found.path, REPEATED)
        return null
      }
      const call = own ?? takeNext(textField(found, 'name') ?? '')
      if (id !== '') answered.set(id, output)
      // A response without its call is mended for the upstream (`engine/rules/calls.ts`).
      return { type: 'function_call_output', call_id: call?.id ?? nextId(id), output }
    },
  }
}
