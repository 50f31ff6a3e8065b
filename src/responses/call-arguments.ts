import { mapDelete, mapGet, mapSet, type SortedMap } from '../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { CallDelta, Delta } from '../protocol/delta.ts'
import type { JsonObject } from '../protocol/json.ts'
import { formatJson, isCompleteJson, isObject, parseJson } from '../text/json.ts'
import { JSON_START, type JsonScan, mayBeWhole, scanJson } from '../text/json-scan.ts'

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
 * Deltas of `eventsToDeltas` → the same deltas, with `{}` in place of empty or `null` arguments of a function: client APIs
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

/** The state of a check whether growing arguments are whole JSON. */
export interface CallJson {
  /** How far the arguments were scanned; null until a scan is necessary. */
  readonly scan: JsonScan | null
  /** null: not checked since the arguments grew. */
  readonly whole: boolean | null
}

/** In UTF-16 units. A longer number or literal that is not whole never becomes whole. */
const LONGEST_WORD = 64

/**
 * Returns the state after one more piece; `before` is the arguments without it. The arguments are parsed only where
 * their brackets allow them to be whole, so that arguments that are checked again and again cost O(n) altogether.
 */
export function withMoreJson({ scan, whole }: CallJson, before: string, piece: string): CallJson {
  const passed = scan ?? scanJson(JSON_START, before)
  const next = scanJson(passed, piece)
  if (!mayBeWhole(next)) return { scan: next, whole: false }
  // After the last bracket only white space was added, so that the earlier result still holds.
  return { scan: next, whole: passed.phase === 'over' && next.phase === 'over' ? whole : null }
}

/** Returns the state with `whole` decided. Parses the text only if it has grown since the last check. */
export function checkJson(json: CallJson | null, text: string): CallJson {
  if (json !== null && json.whole !== null) return json
  const whole = isCompleteJson(text)
  const scan = json === null && !whole ? scanJson(JSON_START, text) : (json?.scan ?? null)
  const isTooLong = !whole && scan?.phase === 'word' && text.length > LONGEST_WORD
  return { scan: scan !== null && isTooLong ? { ...scan, phase: 'never' } : scan, whole }
}

/** The characters that may follow a string inside JSON. */
const AFTER_STRING = /^[ \t\n\r]*(?:[,:}\]]|$)/

/** The place after the quote that ends a string, of which this is a later piece; -1 if there is none. */
function endOfString(piece: string, escaped: boolean): number {
  let isEscaped = escaped
  for (let at = 0; at < piece.length; at += 1) {
    if (isEscaped) isEscaped = false
    else if (piece[at] === '\\') isEscaped = true
    else if (piece[at] === '"') return at + 1
  }
  return -1
}

/** True if arguments may begin with this piece. */
export const beginsArguments = (piece: string): boolean => piece.charCodeAt(0) === 123

/**
 * Returns whether a piece repeats the arguments so far, as Baidu and some servers send them, and the join of both can be
 * no JSON. A nested object may begin as the arguments do. `resends`: an earlier piece of this call has repeated them.
 */
export function repeatsArguments(before: string, piece: string, resends = false): boolean {
  if (before === '' || piece.length < before.length || !beginsArguments(piece) || !piece.startsWith(before))
    return false
  if (resends) return true
  const { phase, quoted, escaped } = scanJson(JSON_START, before)
  if (phase === 'over') return true
  if (!quoted) return !/[[:,][ \t\n\r]*$/.test(before)
  const end = endOfString(piece, escaped)
  return end >= 0 && end < piece.length && !AFTER_STRING.test(piece.slice(end))
}

/**
 * Writes the free text of a custom tool call as the arguments of a function, `{"input": "…"}`, piece by piece: for
 * targets that have no item for such a call.
 */

const START = '{"input":"'
const END = '"}'

/**
 * Writes one more piece; the first one opens the object. An unpaired half of a surrogate pair is escaped, so that
 * halves join.
 */
export const wrapPiece = (piece: string, isFirst: boolean): string =>
  (isFirst ? START : '') + JSON.stringify(piece).slice(1, -1)

/** Returns the rest of the JSON text, given the text that is already written. */
export const wrapEnd = (written: string): string => (written === '' ? START + END : END)
