import { mapEntries, mapGet, mapSet, type SortedMap } from '../../../../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../../../../machine/machine.ts'
import { pipe } from '../../../../machine/pipe.ts'
import { run } from '../../../../machine/run.ts'
import type { Delta } from '../../../../protocol/delta.ts'
import type { JsonObject } from '../../../../protocol/json.ts'
import { type Loss, mapped } from '../../../../protocol/loss.ts'
import type {
  Cacheable,
  GivenChoice,
  GivenTool,
  InputItem,
  NamedTool,
  Request,
  Tool,
} from '../../../../protocol/request.ts'
import { appendFlat } from '../../../../text/flat-string.ts'
import { isNonEmptyString, isObject, parseJson } from '../../../../text/json.ts'
import { runSteps, type Steps } from '../../../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../../contract.ts'
import type { Quirks } from '../../../quirks.ts'

type CustomTool = Extract<Tool, { readonly type: 'custom' }>
type CallDelta = Extract<Delta, { readonly kind: 'call' }>

const takesThem = ({ customTools }: Quirks): boolean => customTools === true

/** Parameters of a function that replaces a custom tool: one string, `input`. */
const PARAMETERS: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** The function's description includes the grammar: the upstream cannot enforce it, but the model can follow it. */
function describe({ description, format }: CustomTool): string | null {
  if (!isObject(format) || !isNonEmptyString(format.definition)) return description
  const syntax = isNonEmptyString(format.syntax) ? `${format.syntax} ` : ''
  const grammar = `The input must follow this ${syntax}grammar:\n${format.definition}`
  return description === null ? grammar : `${description}\n\n${grammar}`
}

const toFunction = <Other extends Tool>(tool: CustomTool | Other): NamedTool | Other =>
  tool.type === 'custom'
    ? {
        type: 'function',
        name: tool.name,
        description: describe(tool),
        parameters: PARAMETERS,
        strict: null,
        ...(tool.deferred === undefined ? {} : { deferred: tool.deferred }),
        ...(tool.settings === undefined ? {} : { settings: tool.settings }),
        ...breakpointOf(tool),
      }
    : tool

const breakpointOf = ({ prompt_cache_breakpoint: end }: Cacheable): Cacheable =>
  end ? { prompt_cache_breakpoint: end } : {}

function toFunctionItem(item: InputItem): InputItem {
  if (item.type === 'custom_tool_call') {
    const { input, ...call } = item
    return { ...call, type: 'function_call', arguments: JSON.stringify({ input }) }
  }
  return item.type === 'custom_tool_call_output' ? { ...item, type: 'function_call_output' } : item
}

function toFunctions(request: Request): Request {
  const choice = request.tool_choice
  const forced = typeof choice === 'object' && choice?.type === 'custom'
  return {
    ...request,
    input: request.input.map(toFunctionItem),
    tools: request.tools.map(toFunction),
    tool_choice: forced ? { ...choice, type: 'function' } : choice,
  }
}

const SENT_AS_FUNCTION = 'sent as a function with the argument "input"'

const lossesOf = ({ tools }: Request): readonly Loss[] =>
  tools.flatMap((tool, at) => (tool.type === 'custom' ? [mapped(`tools[${at}]`, SENT_AS_FUNCTION)] : []))

// ---------------------------------------------------------------- for clients without custom tools

const toGivenFunction = (tool: GivenTool): GivenTool =>
  tool.type === 'namespace' ? { ...tool, tools: tool.tools.map(toFunction<NamedTool>) } : toFunction(tool)

function toGivenChoice(choice: GivenChoice | null): GivenChoice | null {
  if (choice === null || typeof choice === 'string') return choice
  if (choice.type === 'custom') return { ...choice, type: 'function' }
  if (choice.type !== 'allowed_tools') return choice
  return {
    ...choice,
    tools: choice.tools.map((entry) => (entry.type === 'custom' ? { ...entry, type: 'function' } : entry)),
  }
}

/**
 * Returns a request whose custom tools are functions with one required string `input`, for clients whose dialect has no
 * calls with free text. Converts `tools`, `tool_choice`, the history, and the fields that the response echoes.
 */
export function asFunctions(request: Request): { readonly request: Request; readonly losses: readonly Loss[] } {
  const { tools, tool_choice } = request.given
  const given = { tools: tools.map(toGivenFunction), tool_choice: toGivenChoice(tool_choice) }
  return { request: { ...toFunctions(request), given }, losses: lossesOf(request) }
}

// ---------------------------------------------------------------- from function calls back to custom calls

/**
 * The progress of parsing one call's arguments: before, inside or after the string that is the input, or `other` if the
 * arguments have another form.
 */
interface CallState {
  readonly id: string | null
  readonly phase: 'before' | 'inside' | 'after' | 'other'
  /** The number of characters of START that have matched. */
  readonly begun: number
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
function beginning(begun: number, piece: string): { readonly begun: number; readonly end: number } | null {
  let passed = begun
  for (let at = 0; at < piece.length; at += 1) {
    if (passed === START.length) return { begun: passed, end: at }
    if (piece[at] === START[passed]) passed += 1
    else if (!GAPS.has(passed) || !/\s/.test(piece[at] as string)) return null
  }
  return { begun: passed, end: piece.length }
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
  const start = call.phase === 'other' ? null : beginning(call.begun, piece)
  if (start === null) return { call: { ...call, phase: 'other', held }, text: '' }
  return start.begun === START.length
    ? readInside(call, piece.slice(start.end))
    : { call: { ...call, begun: start.begun, held }, text: '' }
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
    const isNew = begins && (old === undefined || (delta.callId !== null && delta.callId !== old.id))
    const call: CallState | undefined = isNew ? { id: delta.callId, phase: 'before', begun: 0, held: '' } : old
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

/**
 * Returns a wire that sends each custom tool as a function with one string argument and converts its calls back, for an
 * upstream without custom tools. Returns the wire itself if the request has no custom tools or the upstream supports
 * them.
 */
export function withCustomTools(wire: Wire, request: Request, quirks: Quirks): Wire {
  const names = new Set(request.tools.flatMap(({ type, name }) => (type === 'custom' ? [name] : [])))
  if (names.size === 0 || takesThem(quirks)) return wire
  const back = toCustomCalls(names)
  function* encodeSteps(original: Request, target: UpstreamContext): Steps<Encoded> {
    const encoded = yield* wire.encodeSteps(toFunctions(original), target)
    return encoded.ok ? { ...encoded, losses: [...lossesOf(original), ...encoded.losses] } : encoded
  }
  return {
    ...wire,
    encodeRequest: (original, target) => runSteps(encodeSteps(original, target)),
    encodeSteps,
    decodeStream: (own) => pipe(wire.decodeStream(own), back),
    decodeBody: (body, own) => run(back, wire.decodeBody(body, own)),
  }
}
