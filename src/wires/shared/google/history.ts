import { clientError, type GatewayError } from '../../../protocol/error.ts'
import { dropped, type Loss, mapped } from '../../../protocol/loss.ts'
import type { InputItem, Request } from '../../../protocol/request.ts'
import { describeValue } from '../../../validation/messages.ts'
import type { ConversationTurn, LocatedInput, OutputInput } from '../upstream/conversation.ts'

/** The reading of conversations for both protocols of Google. */

/** Maps the index of the last item of a turn to the outputs that follow it. */
export function outputsAfter(
  turns: readonly ConversationTurn[],
): ReadonlyMap<number, readonly LocatedInput<OutputInput>[]> {
  return new Map(
    turns.flatMap((turn) => {
      if (turn.kind !== 'assistant' || turn.outputs.length === 0) return []
      const last = [...turn.reasoning, ...turn.messages, ...turn.calls].reduce((most, { at }) => Math.max(most, at), 0)
      return [[last, turn.outputs] as const]
    }),
  )
}

/** Maps each call id to the name of the function, which the upstream requires again with the output. */
export const namesOf = (input: readonly InputItem[]): ReadonlyMap<string, string> =>
  new Map(
    input.flatMap((item) =>
      item.type === 'function_call' || item.type === 'custom_tool_call' ? [[item.call_id, item.name] as const] : [],
    ),
  )

/** Collects all instructions for the system instruction. Instructions that come later in the input are moved there. */
export function rulesOf({ instructions, input }: Request): {
  readonly texts: readonly string[]
  readonly losses: readonly Loss[]
} {
  const isRule = (item: InputItem) => item.type === 'message' && (item.role === 'system' || item.role === 'developer')
  const start = input.findIndex((item) => !isRule(item))
  const losses: Loss[] = []
  const texts = input.flatMap((item, at) => {
    if (item.type !== 'message' || item.role === 'user' || item.role === 'assistant') return []
    const own = item.content.flatMap((part) => (part.type === 'input_text' ? [part.text] : []))
    if (own.length < item.content.length) {
      losses.push(dropped(`input[${at}].content`, `this upstream accepts only text in a ${item.role} message`))
    }
    if (start >= 0 && at > start) losses.push(mapped(`input[${at}]`, 'moved to the system instruction'))
    return own
  })
  return { texts: [instructions ?? '', ...texts].filter((text) => text !== ''), losses }
}

/** Rejects an output whose call is not in the input: without the call, the name of the function is unknown. */
export function orphanError(turns: readonly ConversationTurn[]): GatewayError | null {
  const orphan = turns.find((turn) => turn.kind === 'orphan')
  if (orphan === undefined) return null
  const param = `input[${orphan.at}].call_id`
  return clientError(
    'invalid_prompt',
    `${param}: expected the call_id of a call in the input, got ${describeValue(orphan.item.call_id)}`,
    param,
  )
}

const IMAGE_TYPES = [
  [/^iVBORw0/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^UklGR/, 'image/webp'],
] as const

/** Returns the media type of a generated image by the beginning of its data. */
export const imageTypeOf = (data: string): string => IMAGE_TYPES.find(([start]) => start.test(data))?.[1] ?? 'image/png'
