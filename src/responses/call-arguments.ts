import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import { mapDelete, mapGet, mapSet, type SortedMap } from '../machine/sorted-map.ts'
import type { CallDelta, Delta } from '../protocol/delta.ts'
import type { JsonObject } from '../protocol/json.ts'
import { formatJson, isObject, parseJson } from '../text/json.ts'

/** In UTF-16 units. A longer text is not `null` with spaces around it. */
const LONGEST_BLANK = 64

/** Vendors write missing arguments as an empty text, or as `null`. */
const isBlank = (text: string): boolean =>
  text.length <= LONGEST_BLANK && (text.trim() === '' || text.trim() === 'null')

const mayBecomeBlank = (text: string): boolean => text.length <= LONGEST_BLANK && 'null'.startsWith(text.trim())

/**
 * Returns the arguments of a function as an object; `{}` if there are none. Returns null for arguments that were cut
 * off, are JSON of another kind, or are nested too deep to be written again: no client can execute such a call.
 */
export function toArgumentObject(text: string): JsonObject | null {
  if (isBlank(text)) return {}
  const value = parseJson(text)
  return isObject(value) && formatJson(value) !== '' ? (value as JsonObject) : null
}

/** By key: the arguments so far of calls that may turn out to have none. */
type Blank = SortedMap<string, string>

const piece = (key: string, text: string): CallDelta => ({
  kind: 'call',
  key,
  type: 'function_call',
  callId: null,
  name: null,
  arguments: text,
})

/**
 * Deltas of `consume` → the same deltas, with `{}` in place of empty or `null` arguments of a function: client APIs
 * other than the Responses API have objects there. Holds back only pieces that may become `null`. A delta costs
 * O(log n) for n calls whose arguments have not begun.
 */
export const fillBlankCalls: Machine<Blank, Delta, Delta> = {
  initial: null,

  step(blank, delta): Step<Blank, Delta> {
    if (delta.kind === 'call' && delta.type === 'function_call') return stepCall(blank, delta)
    if (delta.kind !== 'stop' || blank === null) return { state: blank, events: [delta] }
    const { key, cut = false } = delta
    const held = mapGet(blank, key)
    if (held === undefined) return { state: blank, events: [delta] }
    const text = cut || !isBlank(held) ? held : '{}'
    const state = mapDelete(blank, key)
    return { state, events: text === '' ? [delta] : [piece(key, text), delta] }
  },

  end: () => NOTHING,
}

function stepCall(blank: Blank, delta: CallDelta): Step<Blank, Delta> {
  const { key, name, arguments: text } = delta
  if (name !== null && text === '') return { state: mapSet(blank, key, ''), events: [delta] }
  const held = mapGet(blank, key)
  if (held === undefined) return { state: blank, events: [delta] }
  const all = held + text
  if (mayBecomeBlank(all)) return { state: mapSet(blank, key, all), events: NOTHING }
  return { state: mapDelete(blank, key), events: [held === '' ? delta : piece(key, all.trimStart())] }
}
