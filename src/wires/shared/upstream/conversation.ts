import { type Loss, mapped, ROUNDED } from '../../../protocol/loss.ts'
import type { InputItem } from '../../../protocol/request.ts'
import { hasInexactNumber } from '../large-numbers.ts'

type Of<T extends InputItem['type']> = Extract<InputItem, { readonly type: T }>

export type ReasoningInput = Of<'reasoning'>
export type CallInput = Of<'function_call' | 'custom_tool_call'>
export type OutputInput = Of<'function_call_output' | 'custom_tool_call_output'>
export type AssistantInput = Extract<InputItem, { readonly role: 'assistant' }>
export type PromptInput = Extract<InputItem, { readonly role: 'user' | 'system' | 'developer' }>

/** An item and its index in `input`, which the paths of its losses contain. */
export interface LocatedInput<T> {
  readonly at: number
  readonly item: T
}

/**
 * One assistant message of a chat with everything that belongs to it: the outputs of its calls, wherever the client put
 * them.
 */
export interface AssistantTurn {
  readonly kind: 'assistant'
  readonly reasoning: LocatedInput<ReasoningInput>[]
  readonly messages: LocatedInput<AssistantInput>[]
  readonly calls: LocatedInput<CallInput>[]
  readonly outputs: LocatedInput<OutputInput>[]
}

export type ConversationTurn =
  | AssistantTurn
  | { readonly kind: 'prompt'; readonly at: number; readonly item: PromptInput }
  /** An output without a matching call. The upstream rejects it, or its wire does. */
  | { readonly kind: 'orphan'; readonly at: number; readonly item: OutputInput }

/** The items of a message that has the texts, the reasoning and the calls of a turn: its calls have records of their own. */
export const itemsOfMessage = ({ messages, calls, reasoning }: AssistantTurn): readonly { readonly at: number }[] =>
  messages.length > 0 || calls.length > 0 ? messages : reasoning

/** The loss of arguments that an upstream receives as an object: their text is parsed. */
export const argumentLosses = (text: string, at: number): readonly Loss[] =>
  hasInexactNumber(text) ? [mapped(`input[${at}].arguments`, ROUNDED)] : []

interface OfItem {
  readonly at: number
  readonly blocks: readonly unknown[]
}

/**
 * The content of an answer in the order of its items, with texts that follow the last calls before these: Claude may take
 * them for the beginning of its next answer, which it refuses (stacklok/mecatl#1465). Signed reasoning and tools of the
 * server stay where they were issued. An item that the upstream does not receive has no place among the others.
 */
export function textsBeforeCalls<Entry extends OfItem>(
  entries: readonly Entry[],
  { messages, calls }: AssistantTurn,
): { readonly entries: readonly Entry[]; readonly losses: readonly Loss[] } {
  const inOrder = [...entries].sort((a, b) => a.at - b.at)
  const sent = inOrder.filter(({ blocks }) => blocks.length > 0)
  const called = new Set(calls.map(({ at }) => at))
  const texts = new Set(messages.map(({ at }) => at))
  const moved = withCallsLast(
    sent,
    ({ at }) => called.has(at),
    ({ at }) => texts.has(at),
  )
  if (moved === null) return { entries: inOrder, losses: [] }
  return {
    entries: [...inOrder.filter(({ blocks }) => blocks.length === 0), ...moved.parts],
    losses: moved.texts.map(({ at }) => mapped(`input[${at}]`, BEFORE_CALLS)),
  }
}

/** The parts of an answer with the texts behind its last calls before these, and these texts; null if nothing moves. */
export function withCallsLast<Part>(
  parts: readonly Part[],
  isCall: (part: Part) => boolean,
  isText: (part: Part) => boolean,
): { readonly parts: readonly Part[]; readonly texts: readonly Part[] } | null {
  const end = parts.findLastIndex(isCall) + 1
  const texts = parts.slice(end)
  if (end === 0 || texts.length === 0 || !texts.every(isText)) return null
  const start = parts.findLastIndex((part, at) => at < end && !isCall(part)) + 1
  return { parts: [...parts.slice(0, start), ...texts, ...parts.slice(start, end)], texts }
}

/** Why a text is mapped that follows the last calls of an answer. */
export const BEFORE_CALLS = 'sent before the calls, behind which this upstream may refuse it'

const isCall = (item: InputItem): item is CallInput => item.type === 'function_call' || item.type === 'custom_tool_call'

const isOutput = (item: InputItem): item is OutputInput =>
  item.type === 'function_call_output' || item.type === 'custom_tool_call_output'

const placed = <T extends InputItem>(
  input: readonly InputItem[],
  is: (item: InputItem) => item is T,
): LocatedInput<T>[] => input.flatMap((item, at) => (is(item) ? [{ at, item }] : []))

/**
 * Maps the index of each call to its output. Some vendors reuse call ids: the first call with an id gets the first
 * output.
 */
function pairOutputs(input: readonly InputItem[]): ReadonlyMap<number, LocatedInput<OutputInput>> {
  const waiting = new Map<string, LocatedInput<OutputInput>[]>()
  const taken = new Map<string, number>()
  for (const output of placed(input, isOutput)) {
    const same = waiting.get(output.item.call_id)
    if (same === undefined) waiting.set(output.item.call_id, [output])
    else same.push(output)
  }
  return new Map(
    placed(input, isCall).flatMap(({ at, item }) => {
      const next = taken.get(item.call_id) ?? 0
      const output = waiting.get(item.call_id)?.[next]
      taken.set(item.call_id, next + 1)
      return output === undefined ? [] : [[at, output] as const]
    }),
  )
}

/**
 * A message after a message starts another turn; a message after a call does not, because the output of the call must
 * follow the assistant message directly.
 */
const isFull = (turn: AssistantTurn): boolean => turn.messages.length > 0 && turn.calls.length === 0

/**
 * Converts Responses items into turns of a chat. Items of a response are flat and in the order of the answer; a chat
 * has one message for all text and calls of the assistant, directly followed by the outputs of those calls.
 */
export function toTurns(input: readonly InputItem[]): readonly ConversationTurn[] {
  const outputOf = pairOutputs(input)
  const paired = new Set([...outputOf.values()].map(({ at }) => at))
  const turns: ConversationTurn[] = []
  const now: { open: AssistantTurn | null } = { open: null }

  const assistant = (): AssistantTurn => {
    if (now.open !== null) return now.open
    const turn: AssistantTurn = { kind: 'assistant', reasoning: [], messages: [], calls: [], outputs: [] }
    now.open = turn
    turns.push(turn)
    return turn
  }
  const close = (turn?: ConversationTurn): void => {
    now.open = null
    if (turn !== undefined) turns.push(turn)
  }
  const call = (at: number, item: CallInput): void => {
    const { calls, outputs } = assistant()
    const output = outputOf.get(at)
    calls.push({ at, item })
    if (output !== undefined) outputs.push(output)
  }

  input.forEach((item, at) => {
    switch (item.type) {
      case 'message':
        if (item.role !== 'assistant') return close({ kind: 'prompt', at, item })
        if (now.open !== null && isFull(now.open)) close()
        assistant().messages.push({ at, item })
        return
      case 'reasoning':
        assistant().reasoning.push({ at, item })
        return
      case 'function_call':
      case 'custom_tool_call':
        return call(at, item)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return close(paired.has(at) ? undefined : { kind: 'orphan', at, item })
      case 'other':
        return
    }
  })
  return turns
}
