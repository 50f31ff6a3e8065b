import type { ModelFacts } from '../../models/facts.ts'
import { joinLosses, type Loss, mapped } from '../../protocol/loss.ts'
import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import { createSourceMap } from '../../protocol/source-map.ts'
import { RESPONSES_WIRE, type Wire, type WireName } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import type { AssistantInput, CallInput, OutputInput, PromptInput } from '../../wires/shared/upstream/conversation.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { Pass, Passed } from './pass.ts'

/** An item with its index in the input of the client. Null: an item that the pass adds. */
interface Placed {
  readonly item: InputItem
  readonly at: number | null
}

type Conversation = readonly Placed[]

/** The rules of an upstream for a conversation. */
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

/** Wires that move a system message away from the end of the conversation, which then ends with an answer. */
const MOVING: ReadonlySet<WireName> = new Set([
  'anthropic-messages',
  'bedrock-converse',
  'gemini-generate',
  'gemini-interactions',
])

function rulesFor({ name }: Wire, { lateSystem: style, strictTurns, rawPredict }: Quirks, facts: ModelFacts): Rules {
  const { lastRole = 'any', lateSystem, oneSystem } = facts
  const isOne = oneSystem === true || style !== undefined || strictTurns === true
  // Their caches and the signatures of their reasoning are valid only after the same system prompt.
  const keepsPrefix = (name === 'bedrock-converse' || rawPredict === true) && lateSystem !== true
  const isResponses = name === RESPONSES_WIRE
  return {
    endsWithUser: MOVING.has(name) || isOne || lastRole !== 'any',
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

/** Returns an id that no item has: the same one in each request of a conversation. */
function freshId(id: string, from: number, taken: ReadonlySet<string>): string {
  for (let count = from; ; count += 1) {
    const fresh = `${id}_${count}`
    if (!taken.has(fresh)) return fresh
  }
}

/**
 * Gives each call an id of its own, as upstreams require. Some vendors number the calls of every answer from 0. The first
 * call with an id has the first output with it. Further outputs of one call are joined with its first one. O(n).
 */
function withOwnIds(given: Conversation, losses: Loss[]): Conversation {
  const ids = new Map<string, string[]>()
  const answered = new Map<string, number>()
  const taken = new Set(given.flatMap(({ item }) => (isCall(item) ? [item.call_id] : [])))
  const results = new Map<string, number>()
  const out: Placed[] = []
  for (const placed of given) {
    const { item, at } = placed
    if (isCall(item)) {
      const own = ids.get(item.call_id)
      const id = own === undefined ? item.call_id : freshId(item.call_id, own.length + 1, taken)
      taken.add(id)
      if (own === undefined) ids.set(item.call_id, [id])
      else own.push(id)
      out.push(id === item.call_id ? placed : { at, item: { ...item, call_id: id } })
    } else if (isOutput(item) && ids.has(item.call_id)) {
      const calls = ids.get(item.call_id) ?? []
      const count = answered.get(item.call_id) ?? 0
      const id = calls[count]
      const first = results.get(calls.at(-1) ?? '')
      if (id === undefined && first !== undefined) {
        const { item: before, at: place } = out[first] as Placed & { readonly item: OutputInput }
        out[first] = { at: place, item: { ...before, output: [...before.output, ...item.output] } }
        losses.push(mapped(`input[${at}]`, 'joined with the first output of its call'))
        continue
      }
      answered.set(item.call_id, count + 1)
      const own = id ?? item.call_id
      results.set(own, out.length)
      out.push(own === item.call_id ? placed : { at, item: { ...item, call_id: own } })
    } else out.push(placed)
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

const AS_USER = 'sent as a message of the user'

/** System messages at the end, after an answer, ask for the next one, and so do those that an upstream cannot place. */
function withUserRules(given: Conversation, { endsWithUser, lateRules }: Rules, losses: Loss[]): Conversation {
  const begun = given.findIndex(({ item }) => !isRule(item))
  if (begun < 0) return given
  const last = given.findLastIndex(({ item }) => !isRule(item))
  const isTrailing = endsWithUser && isAnswer((given[last] as Placed).item)
  return given.map((placed, index) => {
    const { item, at } = placed
    if (index < begun || !isRule(item)) return placed
    if (lateRules !== 'user' && !(isTrailing && index > last)) return placed
    losses.push(mapped(`input[${at}]`, AS_USER))
    return { at, item: { ...item, role: 'user' } }
  })
}

const textOf = (parts: readonly InputPart[]): string =>
  parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : [])).join('\n\n')

/** The system messages at the beginning as instructions: `instructions` is a system message itself. */
function withInstructions(request: Request, given: Conversation): { request: Request; rest: Conversation } {
  const begun = given.findIndex(({ item }) => !isRule(item))
  const early = given.slice(0, begun < 0 ? given.length : begun)
  const texts = [request.instructions ?? '', ...early.map(({ item }) => (isRule(item) ? textOf(item.content) : ''))]
  const instructions = texts.filter((text) => text !== '').join('\n\n')
  return {
    request: { ...request, instructions: instructions === '' ? null : instructions },
    rest: given.slice(early.length),
  }
}

// ---------------------------------------------------------------- the last message

/** White space at the end of an answer that the model continues is refused by some vendors, and has no meaning. */
function withTrimmedEnd(given: Conversation): Conversation {
  const last = given.at(-1)
  if (last === undefined || !isAnswer(last.item)) return given
  const part = last.item.content.at(-1)
  if (part?.type !== 'output_text' || part.text.trimEnd() === part.text) return given
  const content = [...last.item.content.slice(0, -1), { ...part, text: part.text.trimEnd() }]
  return [...given.slice(0, -1), { ...last, item: { ...last.item, content } }]
}

const GO_ON = 'Continue your last message exactly where it ends, without a repetition and without a comment.'

function withLastUser(given: Conversation, losses: Loss[]): Conversation {
  const last = given.at(-1)
  if (last === undefined || !isAnswer(last.item)) return given
  losses.push(
    mapped(`input[${last.at}]`, 'this model continues no answer: a message of the user at the end asks for the rest'),
  )
  return [
    ...given,
    { at: null, item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: GO_ON }] } },
  ]
}

// ---------------------------------------------------------------- the pass

const INDEXED = /^input\[(\d+)\]/

function adapt(original: Request, rules: Rules, isOwn: boolean): Passed {
  const losses: Loss[] = []
  let items: Conversation = original.input.map((item, at) => ({ item, at }))
  let request = original
  if (!isOwn && repeatsIds(original.input)) items = withOwnIds(items, losses)
  items = withUserRules(items, rules, losses)
  if (rules.rulesAsInstructions) {
    const moved = withInstructions(request, items)
    request = moved.request
    items = moved.rest
  }
  items = withTrimmedEnd(items)
  if (rules.noPrefill) items = withLastUser(items, losses)
  const places = items.map(({ at }) => at)
  const paths = createSourceMap((path) => {
    const [entry = '', index] = INDEXED.exec(path) ?? []
    const place = index === undefined ? undefined : places[Number(index)]
    if (place === null) return null
    return place === undefined ? path : `input[${place}]${path.slice(entry.length)}`
  })
  return {
    ok: true,
    request: { ...request, input: items.map(({ item }) => item) },
    losses: (later) => joinLosses(losses, paths.toClientLosses(later)),
    sourceMap: paths,
  }
}

/**
 * Fits the conversation to its upstream: ids of calls, system messages, and the last message. O(n) for n items.
 */
export const fitsConversation: Pass = ({ sent }, { wire, quirks, model }) => {
  const rules = rulesFor(wire, quirks, factsOf({ model, quirks }, wire.name))
  return { apply: (request) => adapt(request, rules, sent.wire === wire.name) }
}
