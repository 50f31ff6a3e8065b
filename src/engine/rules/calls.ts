import { getOrCreate } from '../../collections/get-or-create.ts'
import { dropped, type Loss, mapped, NO_OUTPUT_SENT } from '../../protocol/loss.ts'
import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import { isObject, parseJson } from '../../text/json.ts'
import { shapeOf } from '../../wires/body-contract.ts'
import type { CallInput, OutputInput } from '../../wires/shared/upstream/conversation.ts'
import { isPrompt, isToolCall, isToolOutput, type Placed, type PlacedItems, placed, withConversation } from './items.ts'
import { type Fitted, fitting, type RequestRule } from './rule.ts'

// ---------------------------------------------------------------- calls and their outputs

interface SameId {
  /** The last number that an id of its own has. */
  count: number
  /** The answer of `calls`: the latest one with such a call. Null: an output came before its call. */
  answer: number | null
  calls: string[]
  /** How many of `calls` have an output. */
  answered: number
  /** The index of the last output. */
  output: number
}

/**
 * Gives each call an id of its own, the same one in each request of a conversation, as upstreams require. Some vendors
 * number the calls of every answer from 0. An output belongs to the first call of the latest answer that has no output
 * yet: an older call was interrupted. Further outputs are joined with the last one of that answer. O(n).
 */
function withOwnIds(given: PlacedItems, losses: Loss[]): PlacedItems {
  const known = new Map<string, SameId>()
  const taken = new Set(given.flatMap(({ item }) => (isToolCall(item) ? [item.call_id] : [])))
  const joined = new Map<number, InputPart[]>()
  const out: Placed[] = []
  let answer = 0
  for (const placed of given) {
    const { item, at } = placed
    if (isPrompt(item) || isToolOutput(item)) answer += 1
    if (isToolCall(item)) {
      const same = known.get(item.call_id)
      let id = item.call_id
      if (same === undefined) known.set(id, { count: 1, answer, calls: [id], answered: 0, output: 0 })
      else if (same.answer === null) same.answer = answer
      else {
        do {
          same.count += 1
          id = `${item.call_id}_${same.count}`
        } while (taken.has(id))
        taken.add(id)
        if (same.answer !== answer) Object.assign(same, { answer, calls: [], answered: 0 })
        same.calls.push(id)
      }
      out.push({ at, item: { ...item, call_id: id } })
    } else if (isToolOutput(item)) {
      const early = { count: 1, answer: null, calls: [item.call_id], answered: 0, output: 0 }
      const same = getOrCreate<string, SameId>(known, item.call_id, () => early)
      const id = same.calls[same.answered]
      if (id !== undefined) {
        same.answered += 1
        same.output = out.length
        out.push({ at, item: { ...item, call_id: id } })
        continue
      }
      const parts = joined.get(same.output) ?? [
        ...(out[same.output] as Placed & { readonly item: OutputInput }).item.output,
      ]
      for (const part of item.output) parts.push(part)
      joined.set(same.output, parts)
      losses.push(mapped(`input[${at}]`, 'joined with the first output of its call'))
    } else out.push(placed)
  }
  for (const [index, output] of joined) {
    const { item, at } = out[index] as Placed & { readonly item: OutputInput }
    out[index] = { at, item: { ...item, output } }
  }
  return out
}

/** Whether two calls have one id. */
function repeatsIds(input: readonly InputItem[]): boolean {
  const calls = new Set<string>()
  for (const item of input) {
    if (!isToolCall(item)) continue
    if (calls.has(item.call_id)) return true
    calls.add(item.call_id)
  }
  return false
}

/** The calls and outputs with an id so far. `early`: an output, and then its call. */
type Sharing = 'call' | 'output' | 'both' | 'early'

/** Whether any call has the id of one that waits for its output, or more than one output. */
function sharesIds(input: readonly InputItem[]): boolean {
  const last = new Map<string, Sharing>()
  for (const item of input) {
    if (!isToolCall(item) && !isToolOutput(item)) continue
    const known = last.get(item.call_id)
    if (known === 'early') return true
    if (isToolCall(item)) {
      if (known === 'call') return true
      last.set(item.call_id, known === 'output' ? 'early' : 'call')
    } else {
      if (known === 'output' || known === 'both') return true
      last.set(item.call_id, known === 'call' ? 'both' : 'output')
    }
  }
  return false
}

/** Whether any id has more outputs than calls. */
function hasMoreOutputs(input: readonly InputItem[]): boolean {
  const missing = new Map<string, number>()
  for (const item of input)
    if (isToolCall(item) || isToolOutput(item))
      missing.set(item.call_id, (missing.get(item.call_id) ?? 0) + (isToolCall(item) ? 1 : -1))
  return [...missing.values()].some((count) => count < 0)
}

function withIds(request: Request): Fitted {
  const losses: Loss[] = []
  return withConversation(request, withOwnIds(placed(request), losses), losses)
}

/** An upstream pairs calls and outputs by their ids. */
export const sharedIds: RequestRule = {
  name: 'shared ids of calls',
  subject: 'unusualCalls',
  mend(request, { isOwn, wire }) {
    const isOptional = isOwn && shapeOf(wire).callIds === 'optional'
    return (isOptional ? hasMoreOutputs : sharesIds)(request.input) ? withIds(request) : fitting(request)
  },
}

/**
 * Gives each call an id of its own. A client of the upstream's own protocol has its ids from this upstream, which may
 * number the calls of every answer from 0.
 */
export const ownIds: RequestRule = {
  name: 'ids of calls',
  subject: 'calls',
  mend(request, { isOwn, wire }) {
    const mayReturn = isOwn && shapeOf(wire).callIds !== 'unique'
    return !mayReturn && repeatsIds(request.input) ? withIds(request) : fitting(request)
  },
}

// ---------------------------------------------------------------- calls without an output, outputs without a call

/** The output of a call that has none. */
export const NO_OUTPUT = 'The call was interrupted: it has no output.'

const ORPHAN = 'the output belongs to no call'

const missingOutput = ({ type, call_id }: CallInput): InputItem => ({
  type: OUTPUT_OF[type],
  call_id,
  output: [{ type: 'input_text', text: NO_OUTPUT }],
})

/** The calls and the outputs that have no counterpart. */
interface Unpaired {
  readonly calls: ReadonlySet<InputItem>
  readonly outputs: ReadonlySet<InputItem>
}

/** The calls and outputs with one id, in their order. */
type SameCall = readonly (CallInput | OutputInput)[]

/**
 * Of a call whose id is repeated, only the last one before an output has it. Outputs are accepted in any order: wires
 * place them.
 */
function unansweredIn(items: SameCall): readonly CallInput[] {
  const calls = items.filter(isToolCall)
  const answered = items.length - calls.length
  if (answered === 0 || calls.length <= 1) return answered === 0 ? calls : []
  if (answered >= calls.length) return []
  return calls.filter((call) => items[items.indexOf(call) + 1]?.type !== OUTPUT_OF[call.type])
}

const OUTPUT_OF = { function_call: 'function_call_output', custom_tool_call: 'custom_tool_call_output' } as const

/** Ids in items that the gateway does not know: each of them may be a new kind of call, or a new kind of output. */
const unknownIds = (input: readonly InputItem[]): readonly string[] =>
  input.flatMap((item) => (item.type === 'other' && typeof item.item.call_id === 'string' ? [item.item.call_id] : []))

/** `isOwn`: the upstream receives unknown items as they are. */
function unpaired(input: readonly InputItem[], isOwn: boolean): Unpaired | null {
  const byId = new Map<string, (CallInput | OutputInput)[]>()
  for (const item of input)
    if (isToolCall(item) || isToolOutput(item)) getOrCreate(byId, item.call_id, () => []).push(item)
  if (isOwn) for (const id of unknownIds(input)) byId.delete(id)
  const calls = [...byId.values()].flatMap(unansweredIn)
  const outputs = [...byId.values()].filter((items) => !items.some(isToolCall)).flat()
  return calls.length === 0 && outputs.length === 0 ? null : { calls: new Set(calls), outputs: new Set(outputs) }
}

/** An item that stands for another one may be the call of an output. */
const refersToItems = (input: readonly InputItem[]): boolean =>
  input.some((item) => item.type === 'other' && item.item.type === 'item_reference')

/** A call that has no output gets one at the end of its answer; an output without a call is a message of the user. O(n). */
function withCounterparts(input: readonly InputItem[], { calls, outputs }: Unpaired, losses: Loss[]): PlacedItems {
  const items: Placed[] = []
  let missing: CallInput[] = []
  let isAnswered = false
  const endAnswer = (): void => {
    for (const call of missing) items.push({ at: null, item: missingOutput(call) })
    missing = []
    isAnswered = false
  }
  for (const [at, item] of input.entries()) {
    if (isPrompt(item) || (isAnswered && !isToolOutput(item))) endAnswer()
    if (isToolOutput(item)) isAnswered = true
    if (isToolCall(item) && calls.has(item)) {
      missing.push(item)
      losses.push(mapped(`input[${at}]`, NO_OUTPUT_SENT))
    }
    if (!outputs.has(item) || !isToolOutput(item)) {
      items.push({ at, item })
      continue
    }
    if (item.output.length === 0) losses.push(dropped(`input[${at}]`, ORPHAN))
    else {
      losses.push(mapped(`input[${at}]`, `${ORPHAN}: sent as a message of the user`))
      items.push({ at, item: { type: 'message', role: 'user', content: item.output } })
    }
  }
  endAnswer()
  return items
}

/** Upstreams refuse a call without its output, and an output without its call, in each later turn as well. */
export const callResults: RequestRule = {
  name: 'results of calls',
  subject: 'unusualCalls',
  mend(request, { isOwn }) {
    const { input } = request
    const found = unpaired(input, isOwn)
    if (found === null || refersToItems(input)) return fitting(request)
    const losses: Loss[] = []
    const items = withCounterparts(input, found, losses)
    const messages = new Set(items.flatMap(({ item, at }, now) => (at !== null && item !== input[at] ? [now] : [])))
    const fitted = withConversation(request, items, losses)
    return { ...fitted, toEarlier: (path) => fitted.toEarlier(asOutput(path, messages)) }
  },
}

/** The parts of an output that is a message now: `input[2].content[0]` → `input[2].output[0]`. */
function asOutput(path: string, messages: ReadonlySet<number>): string {
  const [entry, index] = /^input\[(\d+)\]\.content/.exec(path) ?? []
  return entry !== undefined && messages.has(Number(index)) ? `input[${index}].output${path.slice(entry.length)}` : path
}

// ---------------------------------------------------------------- places of outputs

/** Calls without another item between them. `end`: the index of the last one. */
interface CallRun {
  end: number
}

/**
 * The runs of the calls of the outputs that stand elsewhere than the upstream requires, by the indices of these outputs.
 * `directly`: the outputs of a run follow it without another item between. O(n).
 */
function misplacedOutputs(input: readonly InputItem[], directly: boolean): ReadonlyMap<number, CallRun> {
  const runs = new Map<string, CallRun>()
  const misplaced = new Map<number, CallRun>()
  const early = new Map<string, number[]>()
  let last: CallRun | null = null
  for (const [at, item] of input.entries()) {
    if (isToolCall(item)) {
      last = last !== null && last.end === at - 1 ? last : { end: at }
      last.end = at
      for (const output of early.get(item.call_id) ?? []) misplaced.set(output, last)
      early.delete(item.call_id)
      runs.set(item.call_id, last)
    } else if (isToolOutput(item)) {
      const run = runs.get(item.call_id)
      if (run === undefined) getOrCreate(early, item.call_id, () => []).push(at)
      else if (directly && run !== last) misplaced.set(at, run)
    } else last = null
  }
  return misplaced
}

/** An output that comes before its call belongs behind it; some upstreams want each output directly behind its call. */
export const outputPlaces: RequestRule = {
  name: 'places of results',
  subject: 'unusualCalls',
  when: ({ wire }) => shapeOf(wire).keepsOrder === true,
  mend(request, { quirks }) {
    const misplaced = misplacedOutputs(request.input, quirks.outputsFollowCalls === true)
    if (misplaced.size === 0) return fitting(request)
    const items = placed(request)
    const moved = new Map<number, Placed[]>()
    for (const [at, { end }] of misplaced) getOrCreate(moved, end, () => []).push(items[at] as Placed)
    const inPlace = items.flatMap((one, at) => [...(misplaced.has(at) ? [] : [one]), ...(moved.get(at) ?? [])])
    return withConversation(request, inPlace, [])
  },
}

// ---------------------------------------------------------------- arguments of calls

/** Returns arguments that are an object: text that is none becomes its member `input`, as the input of a custom tool. */
function objectArguments(text: string): string {
  if (text.trim() === '') return '{}'
  const value = parseJson(text)
  return isObject(value)
    ? text
    : JSON.stringify({ input: value !== undefined && typeof value !== 'string' ? text : (value ?? text) })
}

/** Arguments that break off, in the history: upstreams and chat templates parse them in each later turn. O(n). */
export const objectCalls: RequestRule = {
  name: 'arguments of calls',
  subject: 'calls',
  // OpenAI accepts any text as the arguments of an old call.
  when: ({ quirks }) => quirks.openaiModels !== true,
  mend(request) {
    let isChanged = false
    const losses: Loss[] = []
    const input = request.input.map((item, at): InputItem => {
      if (item.type !== 'function_call') return item
      const text = objectArguments(item.arguments)
      if (text === item.arguments) return item
      isChanged = true
      // No arguments are an empty object.
      if (item.arguments.trim() !== '') losses.push(mapped(`input[${at}].arguments`, NO_OBJECT))
      return { ...item, arguments: text }
    })
    return isChanged ? fitting({ ...request, input }, ...losses) : fitting(request)
  },
}

const NO_OBJECT = 'the arguments are not a JSON object: sent as its member "input"'
