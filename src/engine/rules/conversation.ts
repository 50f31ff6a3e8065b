import { getOrCreate } from '../../collections/get-or-create.ts'
import { CONTINUES_NOT, dropped, EMPTY_MESSAGE, type Loss, mapped } from '../../protocol/loss.ts'
import type { AssistantPart, InputItem, InputPart, Request } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { RESPONSES_WIRE } from '../../wires/contract.ts'
import { rulesOf } from '../../wires/shared/google/history.ts'
import type { AssistantInput, CallInput, OutputInput, PromptInput } from '../../wires/shared/upstream/conversation.ts'
import { type Facts, fitting, type Rule } from './rule.ts'

/** An item with its index in the input before the rule. Null: an item that the rule adds. */
interface Placed {
  readonly item: InputItem
  readonly at: number | null
}

type Conversation = readonly Placed[]

const isPrompt = (item: InputItem): item is PromptInput => item.type === 'message' && item.role !== 'assistant'
const isSystem = (item: InputItem): item is PromptInput => isPrompt(item) && item.role !== 'user'
const isAnswer = (item: InputItem): item is AssistantInput => item.type === 'message' && item.role === 'assistant'
const isCall = (item: InputItem): item is CallInput => item.type === 'function_call' || item.type === 'custom_tool_call'
const isOutput = (item: InputItem): item is OutputInput =>
  item.type === 'function_call_output' || item.type === 'custom_tool_call_output'

const placed = ({ input }: Request): Conversation => input.map((item, at) => ({ item, at }))

/** The request with this conversation. */
const withConversation = (request: Request, items: Conversation, losses: readonly Loss[]) => ({
  request: { ...request, input: items.map(({ item }) => item) },
  losses,
  toEarlier: movedEntries({ input: items.map(({ at }) => at) }),
})

// ---------------------------------------------------------------- calls and their outputs

interface SameId {
  /** The last number that an id of its own has. */
  count: number
  /** The answer of `calls`: the latest one with such a call. */
  answer: number
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
function withOwnIds(given: Conversation, losses: Loss[]): Conversation {
  const known = new Map<string, SameId>()
  const taken = new Set(given.flatMap(({ item }) => (isCall(item) ? [item.call_id] : [])))
  const joined = new Map<number, InputPart[]>()
  const out: Placed[] = []
  let answer = 0
  for (const placed of given) {
    const { item, at } = placed
    if (isPrompt(item) || isOutput(item)) answer += 1
    const same = isCall(item) || isOutput(item) ? known.get(item.call_id) : undefined
    if (isCall(item)) {
      let id = item.call_id
      if (same === undefined) known.set(id, { count: 1, answer, calls: [id], answered: 0, output: 0 })
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
    } else if (isOutput(item) && same !== undefined) {
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

/** Whether any call id is in two calls or two outputs. */
function repeatsIds(input: readonly InputItem[]): boolean {
  const [calls, outputs] = [new Set<string>(), new Set<string>()]
  for (const item of input) {
    const seen = isCall(item) ? calls : isOutput(item) ? outputs : null
    if (seen === null || !('call_id' in item)) continue
    if (seen.has(item.call_id)) return true
    seen.add(item.call_id)
  }
  return false
}

/** Gives each call an id of its own. A client of the upstream's own protocol has its ids from this upstream. */
export const ownIds: Rule = {
  name: 'ids of calls',
  mend(request, { isOwn }) {
    if (isOwn || !repeatsIds(request.input)) return fitting(request)
    const losses: Loss[] = []
    return withConversation(request, withOwnIds(placed(request), losses), losses)
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
  const calls = items.filter(isCall)
  const answered = items.length - calls.length
  if (answered === 0 || calls.length <= 1) return answered === 0 ? calls : []
  if (answered >= calls.length) return []
  return calls.filter((call) => items[items.indexOf(call) + 1]?.type !== OUTPUT_OF[call.type])
}

const OUTPUT_OF = { function_call: 'function_call_output', custom_tool_call: 'custom_tool_call_output' } as const

function unpaired(input: readonly InputItem[]): Unpaired | null {
  const byId = new Map<string, (CallInput | OutputInput)[]>()
  for (const item of input) if (isCall(item) || isOutput(item)) getOrCreate(byId, item.call_id, () => []).push(item)
  const calls = [...byId.values()].flatMap(unansweredIn)
  const outputs = [...byId.values()].filter((items) => !items.some(isCall)).flat()
  return calls.length === 0 && outputs.length === 0 ? null : { calls: new Set(calls), outputs: new Set(outputs) }
}

/** An item that stands for another one may be the call of an output. */
const refersToItems = (input: readonly InputItem[]): boolean =>
  input.some((item) => item.type === 'other' && item.item.type === 'item_reference')

/** A call that has no output gets one at the end of its answer; an output without a call is a message of the user. O(n). */
function withCounterparts(input: readonly InputItem[], { calls, outputs }: Unpaired, losses: Loss[]): Conversation {
  const items: Placed[] = []
  let missing: CallInput[] = []
  let isAnswered = false
  const endAnswer = (): void => {
    for (const call of missing) items.push({ at: null, item: missingOutput(call) })
    missing = []
    isAnswered = false
  }
  for (const [at, item] of input.entries()) {
    if (isPrompt(item) || (isAnswered && !isOutput(item))) endAnswer()
    if (isOutput(item)) isAnswered = true
    if (isCall(item) && calls.has(item)) {
      missing.push(item)
      losses.push(mapped(`input[${at}]`, 'the call has no output: sent with one that says so'))
    }
    if (!outputs.has(item) || !isOutput(item)) {
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
export const callResults: Rule = {
  name: 'results of calls',
  mend(request) {
    const { input } = request
    const found = unpaired(input)
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

// ---------------------------------------------------------------- system messages

/** Where system messages go that an upstream does not take where they are. */
interface SystemPlaces {
  /** The last message must be one of the user. */
  readonly endsWithUser: boolean
  /** Where a system message after the beginning of the conversation goes; null if the wire decides. */
  readonly late: 'user' | null
}

function systemPlaces({ wire, quirks, model }: Facts): SystemPlaces {
  const { name, lateSystem: late } = wire
  const { lateSystem: style, strictTurns, rawPredict } = quirks
  const { lastRole = 'any', lateSystem, oneSystem } = model
  // Caches and the signatures of reasoning are valid only after the same system prompt.
  const keepsPrefix = (late === 'user' || rawPredict === true) && lateSystem !== true
  return {
    endsWithUser:
      late !== undefined || oneSystem === true || style !== undefined || strictTurns === true || lastRole !== 'any',
    late: keepsPrefix || (name === RESPONSES_WIRE && oneSystem === true) ? 'user' : null,
  }
}

function asUser({ item, at }: Placed, losses: Loss[]): Placed {
  losses.push(mapped(`input[${at}]`, 'sent as a message of the user'))
  return { at, item: { ...(item as PromptInput), role: 'user' } }
}

/** System messages at the end, after an answer, ask for the next one, and so do those that an upstream cannot place. */
function withUserRules(given: Conversation, { endsWithUser, late }: SystemPlaces, losses: Loss[]): Conversation {
  const begun = given.findIndex(({ item }) => !isSystem(item))
  if (begun < 0) return given
  const last = given.findLastIndex(({ item }) => !isSystem(item))
  const isTrailing = endsWithUser && isAnswer((given[last] as Placed).item)
  return given.map((placed, index) => {
    if (index < begun || !isSystem(placed.item)) return placed
    return late === 'user' || (isTrailing && index > last) ? asUser(placed, losses) : placed
  })
}

/** Whether no system message follows another message. */
const beginsWithRules = (input: readonly InputItem[]): boolean =>
  input.findLastIndex(isSystem) <= input.findIndex((item) => !isSystem(item))

const hasOneSystem = ({ wire, model }: Facts): boolean => wire.name === RESPONSES_WIRE && model.oneSystem === true

export const lateSystem: Rule = {
  name: 'late system messages',
  when: (facts) => {
    const { endsWithUser, late } = systemPlaces(facts)
    return !hasOneSystem(facts) && (endsWithUser || late !== null)
  },
  mend(request, facts) {
    if (beginsWithRules(request.input)) return fitting(request)
    const losses: Loss[] = []
    const items = withUserRules(placed(request), systemPlaces(facts), losses)
    return losses.length === 0 ? fitting(request) : withConversation(request, items, losses)
  },
}

/**
 * The system messages at the beginning as instructions: `instructions` is a system message itself. The last one stays as
 * a message of the user if the conversation has no other message.
 */
function withInstructions(
  request: Request,
  given: Conversation,
  losses: Loss[],
): { request: Request; rest: Conversation } {
  const begun = given.findIndex(({ item }) => !isSystem(item))
  const end = begun < 0 ? Math.max(given.length - 1, 0) : begun
  const rules = rulesOf({ ...request, input: given.slice(0, end).map(({ item }) => item) })
  losses.push(...rules.losses)
  return {
    request: { ...request, instructions: rules.texts.length === 0 ? null : rules.texts.join('\n\n') },
    rest: given.slice(end).map((placed) => (begun < 0 ? asUser(placed, losses) : placed)),
  }
}

/** `instructions` and the system messages at the beginning are one message; later ones are messages of the user. */
export const oneSystem: Rule = {
  name: 'one system message',
  when: hasOneSystem,
  mend(request, facts) {
    if (!request.input.some(isSystem)) return fitting(request)
    const losses: Loss[] = []
    const items = withUserRules(placed(request), systemPlaces(facts), losses)
    const moved = withInstructions(request, items, losses)
    return withConversation(moved.request, moved.rest, losses)
  },
}

// ---------------------------------------------------------------- the last message

const isBlank = (part: AssistantPart): boolean => part.type === 'output_text' && part.text.trim() === ''

/**
 * White space at the end of an answer that the model continues is refused by some vendors, and has no meaning. An answer
 * of nothing else is dropped with its reasoning, and the one before it is the last.
 */
function withTrimmedEnd(given: Conversation, losses: Loss[]): Conversation {
  let end = given.length
  let isEmpty = false
  for (; end > 0; end -= 1) {
    const { item, at } = given[end - 1] as Placed
    if (isAnswer(item)) isEmpty = item.content.every(isBlank)
    else isEmpty &&= item.type === 'reasoning'
    if (!isEmpty) break
    losses.push(dropped(`input[${at}]`, EMPTY_MESSAGE))
  }
  const last = given[end - 1]
  if (last === undefined || !isAnswer(last.item)) return given.slice(0, end)
  const content = last.item.content.slice(0, last.item.content.findLastIndex((part) => !isBlank(part)) + 1)
  const part = content.pop()
  if (part !== undefined) content.push(part.type === 'output_text' ? { ...part, text: part.text.trimEnd() } : part)
  return [...given.slice(0, end - 1), { ...last, item: { ...last.item, content } }]
}

const GO_ON = 'Continue your last message exactly where it ends, without a repetition and without a comment.'

/** A message of the user at the end that asks for the rest of the last answer. */
export const goOn: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: GO_ON }] }

function withLastUser(given: Conversation, losses: Loss[]): Conversation {
  const last = given.at(-1)
  if (last === undefined || !isAnswer(last.item)) return given
  losses.push(mapped(`input[${last.at}]`, CONTINUES_NOT))
  return [...given, { at: null, item: goOn }]
}

/** Claude refuses white space at the end of an answer that it continues; other upstreams read it as text. */
const trimsEnd = ({ isOwn, model }: Facts): boolean => !isOwn || model.family === 'claude'

/** The end of a conversation that the upstream continues. */
export const lastMessage: Rule = {
  name: 'last message',
  mend(request, facts) {
    const last = request.input.at(-1)
    if (last === undefined || !isAnswer(last)) return fitting(request)
    const noPrefill = facts.model.lastRole === 'user'
    if (!noPrefill && (!trimsEnd(facts) || !hasBlankEnd(last))) return fitting(request)
    const losses: Loss[] = []
    const trimmed = withTrimmedEnd(placed(request), losses)
    return withConversation(request, noPrefill ? withLastUser(trimmed, losses) : trimmed, losses)
  },
}

const hasBlankEnd = ({ content }: AssistantInput): boolean => {
  const part = content.at(-1)
  return part === undefined || (part.type === 'output_text' && part.text !== part.text.trimEnd())
}
