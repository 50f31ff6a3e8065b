import { type Loss, mapped } from '../../../protocol/loss.ts'
import type { Origins } from '../../origins.ts'
import type { Message, PromptBlock, TextBlock, ToolResult } from '../json.ts'

type TurnMessage = Exclude<Message, { readonly role: 'system' }>

/** A system message inside a conversation, and its path in the request. */
type LateRules = Extract<Message, { readonly role: 'system' }> & { readonly path: string }

/** A message before neighbours are merged. */
export type Entry = TurnMessage | LateRules

/** Messages of one role, and the system messages after them. */
interface Turn {
  readonly messages: TurnMessage[]
  readonly rules: LateRules[]
  /** The number of these system messages that do not stay in their place. */
  moved: number
}

interface EncodedTurns {
  /** Blocks of the top-level `system`. */
  readonly system: readonly TextBlock[]
  readonly messages: readonly Message[]
  readonly losses: readonly Loss[]
}

const resultsFirst = (content: readonly (PromptBlock | ToolResult)[]): readonly (PromptBlock | ToolResult)[] => [
  ...content.filter(({ type }) => type === 'tool_result'),
  ...content.filter(({ type }) => type !== 'tool_result'),
]

/** Merges neighbours of one role into one message. */
function merged(messages: readonly TurnMessage[]): Message {
  const [first, ...others] = messages
  if (first !== undefined && others.length === 0) return first
  if (first?.role === 'assistant') {
    return {
      role: 'assistant',
      content: messages.flatMap((message) => (message.role === 'assistant' ? message.content : [])),
    }
  }
  const content = messages.flatMap((message) => (message.role === 'user' ? message.content : []))
  return { role: 'user', content: resultsFirst(content) }
}

/** Anthropic requires a user message at the beginning of a conversation. */
const OPENING: TurnMessage = { role: 'user', content: [{ type: 'text', text: '…' }] }

/** A final assistant message, which the model continues, must not end with white space. */
function trimmed(messages: readonly Message[], origins: Origins | undefined): readonly Message[] {
  const last = messages.at(-1)
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined
  if (last?.role !== 'assistant' || block?.type !== 'text') return messages
  const end = { ...block, text: block.text.trimEnd() }
  origins?.join(end, [block])
  const content = [...last.content.slice(0, -1), end]
  return [...messages.slice(0, -1), { role: 'assistant', content }]
}

const contentOf = (rules: readonly LateRules[]): readonly TextBlock[] => rules.flatMap(({ content }) => content)

const MOVED = 'moved to the system prompt'
const LATER = 'sent after the next user message, because this upstream accepts a system message only there'

/**
 * Makes roles alternate: neighbours of one role become one message. A system message stays in its place if the model
 * accepts it: after the user, and before the assistant or at the end. It waits for the next such place; without one, and
 * for other models, it moves to the system prompt. O(n) for n blocks.
 */
export function toMessages(
  entries: readonly Entry[],
  staysInPlace: boolean,
  origins: Origins | undefined,
): EncodedTurns {
  const turns: Turn[] = []
  const losses: Loss[] = []
  const top: LateRules[] = []
  let waiting: LateRules[] = []
  for (const entry of entries) {
    const last = turns.at(-1)
    const role = last?.messages[0]?.role
    if (entry.role === 'system') {
      if (!staysInPlace) top.push(entry)
      else if (role === 'user') last?.rules.push(entry)
      else waiting.push(entry)
    } else if (last !== undefined && role === entry.role) {
      last.messages.push(entry)
      last.moved = last.rules.length
    } else {
      const rules = entry.role === 'user' ? waiting : []
      if (entry.role === 'user') waiting = []
      turns.push({ messages: [entry], rules: [...rules], moved: rules.length })
    }
  }
  for (const { rules, moved } of turns) for (const { path } of rules.slice(0, moved)) losses.push(mapped(path, LATER))
  const first = [...top, ...waiting]
  for (const { path } of first) losses.push(mapped(path, MOVED))
  const begins = turns[0]?.messages[0]?.role === 'assistant'
  if (begins)
    losses.push(mapped('input', 'a user message was added before the first message, because this upstream requires it'))
  const messages = turns.flatMap(({ messages: own, rules }): readonly Message[] =>
    rules.length === 0 ? [merged(own)] : [merged(own), { role: 'system', content: contentOf(rules) }],
  )
  return { system: contentOf(first), messages: trimmed(begins ? [OPENING, ...messages] : messages, origins), losses }
}
