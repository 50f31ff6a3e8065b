import type { CallDelta } from '../protocol/delta.ts'
import { growName } from '../responses/respond.ts'
import { isCompleteJson } from '../text/json.ts'

/** A call of the leg that is open, as far as it is known whose it is. */
export interface HeldCall {
  readonly key: string
  readonly callId: string
  readonly name: string
  readonly arguments: string
  /** What has been held back; null where it is a call for the client, of which all was passed on. */
  readonly held: readonly CallDelta[] | null
}

export interface Held {
  readonly calls: readonly HeldCall[]
  /** What may be passed on now. */
  readonly passed: readonly CallDelta[]
}

/** Some upstreams number every call 0: what is named again under another id is another call (as in `respond`). */
function isAnother(call: HeldCall, { callId, name, arguments: json }: CallDelta): boolean {
  if (callId === null || name === null || callId === call.callId || call.arguments === '') return false
  return isCompleteJson(call.arguments) || name !== call.name || json.trimStart().startsWith('{')
}

const begin = ({ key }: CallDelta): HeldCall => ({ key, callId: '', name: '', arguments: '', held: [] })

/** May it yet turn out to be a call of the search? Names come late, or in pieces. */
const mayBeOurs = (name: string, tool: string, type: CallDelta['type']): boolean =>
  type === 'function_call' && tool.startsWith(name)

/** Another call has begun: the name of this one is settled, and is not that of the search. */
const isSettled = ({ name, held }: HeldCall, tool: string): boolean => held !== null && name !== '' && name !== tool

/** Holds back what is, or may be, a call of the search; passes on what is not. */
export function holdCall(before: readonly HeldCall[], delta: CallDelta, tool: string): Held {
  const known = before.findLast(({ key }) => key === delta.key)
  if (known !== undefined && !isAnother(known, delta)) {
    const { call, passed } = grow(known, delta, tool)
    return { calls: before.map((one) => (one === known ? call : one)), passed }
  }
  const settled = before.filter((one) => isSettled(one, tool))
  const calls = before.map((one) => (settled.includes(one) ? { ...one, held: null } : one))
  const { call, passed } = grow(begin(delta), delta, tool)
  return { calls: [...calls, call], passed: [...settled.flatMap(({ held }) => held ?? []), ...passed] }
}

function grow(old: HeldCall, delta: CallDelta, tool: string): { call: HeldCall; passed: readonly CallDelta[] } {
  const name = growName(old.name, delta.name ?? '')
  const open = old.held !== null && mayBeOurs(name, tool, delta.type)
  const held = [...(old.held ?? []), delta]
  const call: HeldCall = {
    key: delta.key,
    callId: old.callId || (delta.callId ?? ''),
    name,
    arguments: old.arguments + delta.arguments,
    held: open ? held : null,
  }
  return { call, passed: open ? [] : held }
}

/** At the end of a leg: what was held back, and is no call of the search after all. */
export const freeCalls = (calls: readonly HeldCall[], tool: string): readonly CallDelta[] =>
  calls.flatMap(({ name, held }) => (held === null || name === tool ? [] : held))
