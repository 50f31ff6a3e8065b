import type { ModelFacts } from '../../models/facts.ts'
import { CONTINUES_NOT, dropped, EMPTY_MESSAGE, type Loss, mapped } from '../../protocol/loss.ts'
import type { AssistantPart, InputItem, InputPart, Request } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { RESPONSES_WIRE, type Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { rulesOf } from '../../wires/shared/google/history.ts'
import type { AssistantInput, CallInput, OutputInput, PromptInput } from '../../wires/shared/upstream/conversation.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { Pass, Passed } from './pass.ts'

/** An item with its index in the input of the client. Null: an item that the pass adds. */
interface Placed {
  readonly item: InputItem
  readonly at: number | null
}

type Conversation = readonly Placed[]

interface Rules {
  /** The last message must be one of the user. */
  readonly endsWithUser: boolean
  /** The beginning of an answer is refused as the last message. */
  readonly noPrefill: boolean
  /** Where a system message after the beginning of the conversation goes; null if the wire decides. */
  readonly lateRules: 'user' | null
  /** System messages before the conversation are part of the instructions. */
  readonly rulesAsInstructions: boolean
}

function rulesFor(
  { name, lateSystem: late }: Wire,
  { lateSystem: style, strictTurns, rawPredict }: Quirks,
  facts: ModelFacts,
): Rules {
  const { lastRole = 'any', lateSystem, oneSystem } = facts
  const isOne = oneSystem === true || style !== undefined || strictTurns === true
  // Caches and the signatures of reasoning are valid only after the same system prompt.
  const keepsPrefix = (late === 'user' || rawPredict === true) && lateSystem !== true
  const isResponses = name === RESPONSES_WIRE
  return {
    endsWithUser: late !== undefined || isOne || lastRole !== 'any',
    noPrefill: lastRole === 'user',
    lateRules: keepsPrefix || (isResponses && oneSystem === true) ? 'user' : null,
    rulesAsInstructions: isResponses && oneSystem === true,
  }
}

const isPrompt = (item: InputItem): item is PromptInput => item.type === 'message' && item.role !== 'assistant'
const isRule = (item: InputItem): item is PromptInput => isPrompt(item) && item.role !== 'user'
const isAnswer = (item: InputItem): item is AssistantInput => item.type === 'message' && item.role === 'assistant'
const isCall = (item: InputItem): item is CallInput => item.type === 'function_call' || item.type === 'custom_tool_call'
const isOutput = (item: InputItem): item is OutputInput =>
  item.type === 'function_call_output' || item.type === 'custom_tool_call_output'

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

// ---------------------------------------------------------------- system messages

function asUser({ item, at }: Placed, losses: Loss[]): Placed {
  losses.push(mapped(`input[${at}]`, 'sent as a message of the user'))
  return { at, item: { ...(item as PromptInput), role: 'user' } }
}

/** System messages at the end, after an answer, ask for the next one, and so do those that an upstream cannot place. */
function withUserRules(given: Conversation, { endsWithUser, lateRules }: Rules, losses: Loss[]): Conversation {
  const begun = given.findIndex(({ item }) => !isRule(item))
  if (begun < 0) return given
  const last = given.findLastIndex(({ item }) => !isRule(item))
  const isTrailing = endsWithUser && isAnswer((given[last] as Placed).item)
  return given.map((placed, index) => {
    if (index < begun || !isRule(placed.item)) return placed
    if (lateRules !== 'user' && !(isTrailing && index > last)) return placed
    return asUser(placed, losses)
  })
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
  const begun = given.findIndex(({ item }) => !isRule(item))
  const end = begun < 0 ? Math.max(given.length - 1, 0) : begun
  const rules = rulesOf({ ...request, input: given.slice(0, end).map(({ item }) => item) })
  losses.push(...rules.losses)
  return {
    request: { ...request, instructions: rules.texts.length === 0 ? null : rules.texts.join('\n\n') },
    rest: given.slice(end).map((placed) => (begun < 0 ? asUser(placed, losses) : placed)),
  }
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

// ---------------------------------------------------------------- the pass

const samePath = (path: string): string => path

/** Whether no rule can change the conversation, as in most requests. */
function fitsAsItIs({ input }: Request, { rulesAsInstructions }: Rules, isOwn: boolean): boolean {
  const last = input.at(-1)
  if (rulesAsInstructions || (last !== undefined && isAnswer(last)) || (!isOwn && repeatsIds(input))) return false
  return input.findLastIndex(isRule) <= input.findIndex((item) => !isRule(item))
}

function adapt(original: Request, rules: Rules, isOwn: boolean): Passed {
  // With a map of paths, repetitions among the later losses are listed once.
  if (fitsAsItIs(original, rules, isOwn)) return { ok: true, request: original, losses: [], toEarlier: samePath }
  const losses: Loss[] = []
  let items: Conversation = original.input.map((item, at) => ({ item, at }))
  let request = original
  if (!isOwn && repeatsIds(original.input)) items = withOwnIds(items, losses)
  items = withUserRules(items, rules, losses)
  if (rules.rulesAsInstructions) {
    const moved = withInstructions(request, items, losses)
    request = moved.request
    items = moved.rest
  }
  items = withTrimmedEnd(items, losses)
  if (rules.noPrefill) items = withLastUser(items, losses)
  return {
    ok: true,
    request: { ...request, input: items.map(({ item }) => item) },
    losses,
    toEarlier: movedEntries({ input: items.map(({ at }) => at) }),
  }
}

/**
 * Fits the conversation to its upstream: ids of calls, system messages, and the last message. O(n) for n items.
 */
export const fitsConversation: Pass = ({ sent }, { wire, quirks, model }) => {
  const rules = rulesFor(wire, quirks, factsOf({ model, quirks }, wire.name))
  return { apply: (request) => adapt(request, rules, sent.wire === wire.name) }
}
