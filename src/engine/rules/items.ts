import type { Loss } from '../../protocol/loss.ts'
import type { InputItem, Request } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import type { AssistantInput, CallInput, OutputInput, PromptInput } from '../../wires/shared/upstream/conversation.ts'

/** An item with its index in the input before the rule. Null: an item that the rule adds. */
export interface Placed {
  readonly item: InputItem
  readonly at: number | null
}

export type PlacedItems = readonly Placed[]

export const isPrompt = (item: InputItem): item is PromptInput => item.type === 'message' && item.role !== 'assistant'

export const isSystem = (item: InputItem): item is PromptInput => isPrompt(item) && item.role !== 'user'

export const isAnswer = (item: InputItem): item is AssistantInput =>
  item.type === 'message' && item.role === 'assistant'

export const isToolCall = (item: InputItem): item is CallInput =>
  item.type === 'function_call' || item.type === 'custom_tool_call'

export const isToolOutput = (item: InputItem): item is OutputInput =>
  item.type === 'function_call_output' || item.type === 'custom_tool_call_output'

export const placed = ({ input }: Request): PlacedItems => input.map((item, at) => ({ item, at }))

/** The request with this conversation. */
export const withConversation = (request: Request, items: PlacedItems, losses: readonly Loss[]) => ({
  request: { ...request, input: items.map(({ item }) => item) },
  losses,
  toEarlier: movedEntries({ input: items.map(({ at }) => at) }),
})
