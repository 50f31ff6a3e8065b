import { dropped, EMPTY_MESSAGE, type Loss } from '../../../protocol/loss.ts'
import type { InputPart, Request } from '../../../protocol/request.ts'
import type { AssistantTurn, CallInput, ConversationTurn, LocatedInput, ReasoningInput } from './conversation.ts'

/** Names of part types, for the notes that replace parts in a text. */
export const PART_NAMES = {
  input_text: 'text',
  input_image: 'image',
  input_file: 'file',
  input_audio: 'sound',
} as const satisfies Record<InputPart['type'], string>

/** A note that replaces a part which cannot be carried, so that the model does not guess. */
export const missingPartText = ({ type }: InputPart): string => `[${PART_NAMES[type]}: it could not be passed on]`

/** The text and the refusal of an assistant turn. */
interface AssistantText {
  readonly text: string
  readonly refusal: string
}

const NO_TEXT: AssistantText = { text: '', refusal: '' }

export function assistantText(turn: AssistantTurn): AssistantText {
  if (turn.messages.length === 0) return NO_TEXT
  const parts = turn.messages.map(({ item }) => item.content)
  const texts = parts.map((content) => content.map((part) => (part.type === 'output_text' ? part.text : '')).join(''))
  const refusals = parts.flat().map((part) => (part.type === 'refusal' ? part.refusal : ''))
  return { text: texts.filter((text) => text !== '').join('\n\n'), refusal: refusals.join('') }
}

/** Losses for the messages of a turn of which nothing is sent. */
export const emptyMessages = ({ messages }: AssistantTurn): readonly Loss[] =>
  messages.map(({ at }) => dropped(`input[${at}]`, EMPTY_MESSAGE))

/**
 * The indices of assistant messages without calls and reasoning beside them. An empty one of them is missing from the
 * conversation; an empty text beside a call is only another form of that call.
 */
export const loneMessages = (turns: readonly ConversationTurn[]): ReadonlySet<number> =>
  new Set(
    turns.flatMap((turn) =>
      turn.kind === 'assistant' && turn.calls.length === 0 && turn.reasoning.length === 0
        ? turn.messages.map(({ at }) => at)
        : [],
    ),
  )

/** Returns the text of a reasoning item: its raw reasoning, else its summary. */
export const readableReasoningText = ({ item }: LocatedInput<ReasoningInput>): string =>
  (item.content.length > 0 ? item.content : item.summary).join('\n\n')

/**
 * Returns the readable reasoning of a turn. An item with only encrypted content belongs to another upstream and is
 * dropped as a loss.
 */
export function reasoningText(turn: AssistantTurn): { readonly text: string; readonly losses: readonly Loss[] } {
  const readable = turn.reasoning.filter((located) => readableReasoningText(located) !== '')
  const sealed = turn.reasoning.filter(
    (located) => readableReasoningText(located) === '' && located.item.encrypted_content !== null,
  )
  return {
    text: readable.map(readableReasoningText).join('\n\n'),
    losses: sealed.map(({ at }) => dropped(`input[${at}]`, 'this upstream does not accept encrypted reasoning')),
  }
}

/** Returns the arguments of a call as JSON. The free text of a custom tool call becomes the argument `input`. */
export function callArguments(item: CallInput): string {
  if (item.type === 'custom_tool_call') return JSON.stringify({ input: item.input })
  return item.arguments.trim() === '' ? '{}' : item.arguments
}

/** Losses for the items that no chat protocol can express. */
export const unknownItems = ({ input }: Request): readonly Loss[] =>
  input.flatMap((item, at) =>
    item.type === 'other'
      ? [dropped(`input[${at}]`, `this upstream does not accept items of type ${JSON.stringify(item.item.type)}`)]
      : [],
  )
