import { dropped, type Loss } from '../protocol/loss.ts'
import type { InputPart, Request } from '../protocol/request.ts'
import type { AssistantTurn, CallInput, Placed, ReasoningInput } from './turns.ts'

/** The word for a part in the texts that stand in its place. */
export const PART_NAMES = {
  input_text: 'text',
  input_image: 'image',
  input_file: 'file',
  input_audio: 'sound',
} as const satisfies Record<InputPart['type'], string>

/** What cannot be carried leaves a note in its place, so that the model does not guess. */
export const missing = ({ type }: InputPart): string => `[${PART_NAMES[type]}: it could not be passed on]`

/** The text and the refusal of an assistant turn. */
export interface Said {
  readonly text: string
  readonly refusal: string
}

export function saidIn(turn: AssistantTurn): Said {
  const parts = turn.messages.map(({ item }) => item.content)
  const texts = parts.map((content) => content.map((part) => (part.type === 'output_text' ? part.text : '')).join(''))
  const refusals = parts.flat().map((part) => (part.type === 'refusal' ? part.refusal : ''))
  return { text: texts.filter((text) => text !== '').join('\n\n'), refusal: refusals.join('') }
}

/** The words of a reasoning item: its raw thoughts, else their summary. */
export const readable = ({ item }: Placed<ReasoningInput>): string =>
  (item.content.length > 0 ? item.content : item.summary).join('\n\n')

/** The readable thoughts of a turn; where an item has none but a seal, it belongs to another upstream. */
export function thoughtsOf(turn: AssistantTurn): { readonly text: string; readonly losses: readonly Loss[] } {
  const told = turn.thoughts.filter((thought) => readable(thought) !== '')
  const sealed = turn.thoughts.filter((thought) => readable(thought) === '' && thought.item.encrypted_content !== null)
  return {
    text: told.map(readable).join('\n\n'),
    losses: sealed.map(({ at }) => dropped(`input[${at}]`, 'this upstream takes back no encrypted reasoning')),
  }
}

/** The arguments of a call as JSON text. A call whose input is free text is sent as one with the argument `input`. */
export function argumentsOf(item: CallInput): string {
  if (item.type === 'custom_tool_call') return JSON.stringify({ input: item.input })
  return item.arguments.trim() === '' ? '{}' : item.arguments
}

/** Items that have no place in a chat at all. */
export const unknownItems = ({ input }: Request): readonly Loss[] =>
  input.flatMap((item, at) =>
    item.type === 'other' ? [dropped(`input[${at}]`, `no chat has a ${JSON.stringify(item.item.type)}`)] : [],
  )
