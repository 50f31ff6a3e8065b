import type { CallItem } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import { formatJson, isCompleteJson, isObject, parseJson } from '../text/json.ts'
import { isCutJson } from '../text/json-prefix.ts'
import { JSON_START, type JsonScan, mayBeWhole, scanJson } from '../text/json-scan.ts'

/** In UTF-16 units. A longer text is not `null` with spaces around it. */
const LONGEST_BLANK = 64

/** Vendors write missing arguments as an empty text, or as `null`. */
const isBlank = (text: string): boolean =>
  text.length <= LONGEST_BLANK && (text.trim() === '' || text.trim() === 'null')

/**
 * Returns the arguments of a function as an object; `{}` if there are none. Returns null for arguments that were cut
 * off, are JSON of another kind, or are nested too deep to be written again: no client can execute such a call.
 */
export function toArgumentObject(text: string): JsonObject | null {
  if (isBlank(text)) return {}
  const value = parseJson(text)
  return isObject(value) && formatJson(value) !== '' ? (value as JsonObject) : null
}

/** Whether a program can execute a call. The text of a custom tool has no form. */
export const isUsableCall = (item: CallItem): boolean =>
  item.status === 'completed' && (item.type === 'custom_tool_call' || toArgumentObject(item.arguments) !== null)

/** Anthropic's name for arguments that are no JSON, in a tool's input that has to be an object. */
const NO_OBJECT = 'INVALID_JSON'

/**
 * Returns the arguments of a function as the object that a client needs. Arguments that are no object are kept as a text
 * in it, so that the tool refuses them and the model sees what it wrote. Returns null for arguments that were cut off:
 * no client may execute such a call.
 */
export const toClientArguments = (text: string): JsonObject | null =>
  toArgumentObject(text) ?? (isCutOff(text) ? null : inObject(text))

/**
 * The same for a call that its client has seen begin, and therefore needs an object even if the arguments were cut off.
 */
export const toStreamedArguments = (text: string): JsonObject => toArgumentObject(text) ?? inObject(text)

const inObject = (text: string): JsonObject => ({ [NO_OBJECT]: text })

/** Whether arguments ended before their JSON text did. */
export const isCutOff = (text: string): boolean => !isCompleteJson(text) && isCutJson(text)

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
