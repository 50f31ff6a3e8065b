import { createRecent } from '../../collections/recent.ts'
import { mapEntries, mapGet, mapSet, type SortedMap } from '../../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import type { CallDelta, Delta } from '../../protocol/delta.ts'
import { appendFlat } from '../../text/flat-string.ts'
import { isObject, parseJson } from '../../text/json.ts'
import { customToolLosses, toFunctions } from './custom-tools-to-functions.ts'
import type { Pass } from './pass.ts'

/**
 * The progress of parsing one call's arguments: before, inside or after the string that is the input, or `other` if the
 * arguments have another form.
 */
interface CallState {
  readonly phase: 'before' | 'inside' | 'after' | 'other'
  /** The number of characters of START that have matched. */
  readonly matched: number
  /**
   * Text that is not decoded yet: all arguments before the string or in another form, and an incomplete escape inside
   * the string.
   */
  readonly held: string
}

type Calls = SortedMap<string, CallState>

const START = '{"input":"'
/** Indexes of characters in START that white space may precede. */
const GAPS: ReadonlySet<number> = new Set([0, 1, START.length - 2, START.length - 1])

/**
 * Matches a piece against START. Returns the number of characters of START matched so far and the offset in the piece
 * at which the input begins; null if the piece deviates from START.
 */
function beginning(matched: number, piece: string): { readonly matched: number; readonly end: number } | null {
  let passed = matched
  for (let at = 0; at < piece.length; at += 1) {
    if (passed === START.length) return { matched: passed, end: at }
    if (piece[at] === START[passed]) passed += 1
    else if (!GAPS.has(passed) || !/\s/.test(piece[at] as string)) return null
  }
  return { matched: passed, end: piece.length }
}

interface DecodedInput {
  readonly call: CallState
  readonly text: string
}

/** Decodes one escape of JSON. An invalid escape stays as it is. */
function readEscape(written: string): string {
  const text = parseJson(`"${written}"`)
  return typeof text === 'string' ? text : written
}

/** Decodes the inside of a JSON string up to its closing quote, or up to an incomplete escape. */
function readInside(call: CallState, json: string): DecodedInput {
  let text = ''
  for (let at = 0; ; ) {
    const stop = json.slice(at).search(/["\\]/)
    if (stop < 0) return { call: { ...call, phase: 'inside', held: '' }, text: text + json.slice(at) }
    text += json.slice(at, at + stop)
    at += stop
    if (json[at] === '"') return { call: { ...call, phase: 'after', held: '' }, text }
    const end = at + (json[at + 1] === 'u' ? 6 : 2)
    if (end > json.length) return { call: { ...call, phase: 'inside', held: json.slice(at) }, text }
    text += readEscape(json.slice(at, end))
    at = end
  }
}

function apply(call: CallState, piece: string): DecodedInput {
  if (call.phase === 'after') return { call, text: '' }
  if (call.phase === 'inside') return readInside(call, call.held + piece)
  const held = appendFlat(call.held, piece)
  const start = call.phase === 'other' ? null : beginning(call.matched, piece)
  if (start === null) return { call: { ...call, phase: 'other', held }, text: '' }
  return start.matched === START.length
    ? readInside(call, piece.slice(start.end))
    : { call: { ...call, matched: start.matched, held }, text: '' }
}

/** Finds the input in arguments of an unexpected form: their only string value, else the whole text. */
function guess(json: string): string {
  const value = parseJson(json)
  if (!isObject(value)) return json
  if (typeof value.input === 'string') return value.input
  const [only, ...more] = Object.values(value)
  if (only === undefined) return ''
  return typeof only === 'string' && more.length === 0 ? only : json
}

const guessedCalls = (calls: Calls): CallDelta[] =>
  mapEntries(calls)
    .filter(([, { phase, held }]) => (phase === 'before' || phase === 'other') && held.trim() !== '')
    .map(([key, { held }]) => {
      return { kind: 'call', key, type: 'custom_tool_call', callId: null, name: null, arguments: guess(held) }
    })

/**
 * Converts calls of functions that replace custom tools into calls of those tools, piece by piece. A piece costs
 * O(log n) for n calls plus its own length; the end costs the length of the text that was held back.
 */
const toCustomCalls = (names: ReadonlySet<string>): Machine<Calls, Delta, Delta> => ({
  initial: null,

  step(calls, delta): Step<Calls, Delta> {
    if (delta.kind === 'finish') return { state: null, events: [...guessedCalls(calls), delta] }
    if (delta.kind !== 'call' || delta.type !== 'function_call') return { state: calls, events: [delta] }
    const old = mapGet(calls, delta.key)
    const begins = delta.name !== null && names.has(delta.name)
    const call: CallState | undefined = old ?? (begins ? { phase: 'before', matched: 0, held: '' } : undefined)
    if (call === undefined) return { state: calls, events: [delta] }
    const { call: next, text } = apply(call, delta.arguments)
    const silent = text === '' && delta.name === null && delta.callId === null
    return {
      state: mapSet(calls, delta.key, next),
      events: silent ? NOTHING : [{ ...delta, type: 'custom_tool_call', arguments: text }],
    }
  },

  end: guessedCalls,
})

/** Memory of the process: the machines of the last requests with custom tools, by the names of these. */
const BACK = createRecent<Machine<Calls, Delta, Delta>>()

/** Returns the one machine for these names. */
const backFor = (names: ReadonlySet<string>): Machine<Calls, Delta, Delta> =>
  BACK(JSON.stringify([...names].sort()), () => toCustomCalls(names))

/** Each custom tool is a function with one string argument, and its calls are calls with free text again. */
export const customTools: Pass = ({ request: { tools } }, { quirks }) => {
  const names = new Set(tools.flatMap(({ type, name }) => (type === 'custom' ? [name] : [])))
  if (names.size === 0 || quirks.customTools === true) return null
  return {
    apply: (request) => ({
      ok: true,
      request: toFunctions(request),
      losses: customToolLosses(request),
    }),
    back: backFor(names),
  }
}
