import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject, toCamel } from '../../../text/json.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { usualStops } from '../../shared/passthrough/other-forms.ts'

/**
 * Forms that the libraries of Google turn into those of the API, which refuses them itself: modes in small
 * letters, and members without an effect.
 */

type Change = (value: Json) => Json | undefined

/** Changes members by their names in camel case; a body may have each of them in snake case. */
function withMembers(object: JsonObject, changes: ReadonlyMap<string, Change>): JsonObject {
  let changed = object
  for (const name of Object.keys(object)) {
    const value = object[name] as Json
    const change =
      value === null ? undefined : (changes.get(name) ?? (name.includes('_') ? changes.get(toCamel(name)) : undefined))
    if (change !== undefined) changed = withMember(changed, name, change(value))
  }
  return changed
}

const inside =
  (changes: ReadonlyMap<string, Change>): Change =>
  (value) =>
    isObject(value) ? withMembers(value as JsonObject, changes) : value

const MODES: ReadonlyMap<string, string> = new Map([
  ...['AUTO', 'ANY', 'NONE', 'VALIDATED'].map((mode) => [mode, mode] as const),
  ['REQUIRED', 'ANY'],
])

/** A mode that is not known yet stays. */
const usualMode: Change = (mode) => (typeof mode === 'string' ? (MODES.get(mode.toUpperCase()) ?? mode) : mode)

/** "systemInstruction: parts must not be empty". */
const usualRule: Change = (rule) => {
  const parts = isObject(rule) ? (rule as JsonObject).parts : undefined
  const isEmpty = Array.isArray(parts) && parts.every((part) => isObject(part) && part.text === '')
  return isEmpty ? undefined : rule
}

/** "include_thoughts is only enabled when thinking is enabled". */
const usualThinking: Change = (thinking) => {
  if (!isObject(thinking)) return thinking
  const named = Object.entries(thinking as JsonObject)
  const isOff = named.some(([name, value]) => toCamel(name) === 'thinkingBudget' && value === 0)
  if (!isOff) return thinking
  const kept = named.filter(([name, value]) => toCamel(name) !== 'includeThoughts' || value !== true)
  return kept.length === named.length ? thinking : Object.fromEntries(kept)
}

const BODY: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['systemInstruction', usualRule],
  ['toolConfig', inside(new Map([['functionCallingConfig', inside(new Map([['mode', usualMode]]))]]))],
  [
    'generationConfig',
    inside(
      new Map([
        ['thinkingConfig', usualThinking],
        ['stopSequences', usualStops],
      ]),
    ),
  ],
])

/** Returns a body in the form of the API. O(n) for n parts. */
export const inOwnForm = (body: JsonObject): JsonObject => withMembers(body, BODY)
