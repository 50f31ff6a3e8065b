import { type Loss, mapped, SENT_AS_USER } from '../../../../protocol/loss.ts'
import type { InputItem, Request } from '../../../../protocol/request.ts'
import type { LateSystemStyle } from '../../../quirks.ts'

const isRules = ({ role }: { readonly role?: unknown }): boolean => role === 'system' || role === 'developer'

const isRulesItem = (item: InputItem): boolean => item.type === 'message' && isRules(item)

/** The loss of each system message after the beginning of the conversation. */
export function lateRulesLosses({ input }: Request, why: string): readonly Loss[] {
  const start = input.findIndex((item) => !isRulesItem(item))
  return input.flatMap((item, at) =>
    start >= 0 && at > start && isRulesItem(item) ? [mapped(`input[${at}]`, why)] : [],
  )
}

/** Whether a conversation has a system message that is not its first message. */
export const hasLateRules = (messages: readonly { readonly role?: unknown }[]): boolean =>
  messages.slice(1).some(isRules)

/** Messages of a chat in which only the first is a system message, and the losses of the others. */
interface PlacedRules<Message> {
  readonly messages: readonly Message[]
  readonly losses: readonly Loss[]
}

/**
 * Makes all system messages one message at the beginning, or sends later ones as messages of the user, as the vendor
 * requires. `join` makes one message of several, `toUser` one of the user. O(n) for n messages.
 */
export function placeRules<Message extends { readonly role: string }>(
  messages: readonly Message[],
  request: Request,
  style: LateSystemStyle | undefined,
  join: (rules: readonly Message[]) => Message,
  toUser: (message: Message) => Message,
): PlacedRules<Message> {
  if (style === undefined || !messages.some(isRules)) return { messages, losses: [] }
  const start = messages.findIndex((message) => !isRules(message))
  const early = messages.slice(0, start < 0 ? messages.length : start)
  const late = messages.slice(early.length)
  const first = (rules: readonly Message[]): readonly Message[] => (rules.length === 0 ? [] : [join(rules)])
  if (style === 'user') {
    return {
      messages: [...first(early), ...late.map((message) => (isRules(message) ? toUser(message) : message))],
      losses: lateRulesLosses(request, SENT_AS_USER),
    }
  }
  return {
    messages: [...first([...early, ...late.filter(isRules)]), ...late.filter((message) => !isRules(message))],
    losses: lateRulesLosses(request, 'moved before all other messages'),
  }
}
