import type { Json } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import type { UpstreamContext } from '../../contract.ts'
import type { ReasoningHistory } from '../../quirks.ts'
import type { AssistantTurn, LocatedInput, ReasoningInput } from '../../shared/upstream/conversation.ts'
import { readableReasoningText, reasoningText } from '../../shared/upstream/history-text.ts'
import type { ChatPart } from '../json.ts'

/** The reasoning of an assistant message beside its text: fields of its own, and parts before the text. */
export interface EncodedReasoning {
  readonly fields: {
    readonly reasoning_content?: string
    readonly reasoning?: string
    readonly reasoning_details?: readonly Json[]
  }
  readonly parts: readonly ChatPart[]
  readonly losses: readonly Loss[]
}

const NONE: EncodedReasoning = { fields: {}, parts: [], losses: [] }

const lossOf =
  (reason: string) =>
  ({ at }: LocatedInput<ReasoningInput>): Loss =>
    dropped(`input[${at}]`, reason)

const without = (reasoning: readonly LocatedInput<ReasoningInput>[], reason: string): EncodedReasoning => ({
  ...NONE,
  losses: reasoning.map(lossOf(reason)),
})

/**
 * These vendors take reasoning back only while its tool calls are in progress. In any other turn some answer with
 * status 400.
 */
const inToolLoop =
  (field: 'reasoning_content' | 'reasoning') =>
  (turn: AssistantTurn): EncodedReasoning => {
    if (turn.calls.length === 0)
      return without(turn.reasoning, 'this upstream accepts earlier reasoning only with tool calls')
    const { text, losses } = reasoningText(turn)
    return { fields: text === '' ? {} : { [field]: text }, parts: [], losses }
  }

function asPart(turn: AssistantTurn): EncodedReasoning {
  const { text, losses } = reasoningText(turn)
  return { fields: {}, parts: text === '' ? [] : [{ type: 'thinking', thinking: [{ type: 'text', text }] }], losses }
}

const listOf = (payload: Json | undefined): readonly Json[] =>
  payload === undefined || payload === null ? [] : Array.isArray(payload) ? payload : [payload as Json]

/** Returns OpenRouter's entries unchanged. Reasoning that was never sealed goes back as text. */
function asDetails(turn: AssistantTurn, open: UpstreamContext['open']): EncodedReasoning {
  const opened = turn.reasoning.map((reasoning) => {
    const sealed = reasoning.item.encrypted_content
    return { reasoning, sealed, details: sealed === null ? [] : listOf(open(sealed)) }
  })
  const details = opened.flatMap((it) => it.details)
  const text = opened
    .filter((it) => it.details.length === 0)
    .map((it) => readableReasoningText(it.reasoning))
    .filter((it) => it !== '')
    .join('\n\n')
  const losses = opened
    .filter((it) => it.sealed !== null && it.details.length === 0)
    .map((it) => lossOf('its encrypted_content is damaged or was issued by another upstream')(it.reasoning))
  if (details.length > 0) return { fields: { reasoning_details: details }, parts: [], losses }
  return { fields: text === '' ? {} : { reasoning: text }, parts: [], losses }
}

const HISTORIES = {
  reasoning_content: inToolLoop('reasoning_content'),
  reasoning: inToolLoop('reasoning'),
  thinking: asPart,
  reasoning_details: asDetails,
} satisfies Record<ReasoningHistory, (turn: AssistantTurn, open: UpstreamContext['open']) => EncodedReasoning>

/** Encodes the reasoning of a turn in the form that this vendor takes back (docs/wires/openai-chat.md, 5.2). */
export function encodeReasoningHistory(turn: AssistantTurn, { quirks, open }: UpstreamContext): EncodedReasoning {
  const { reasoningHistory } = quirks
  if (turn.reasoning.length === 0) return NONE
  if (reasoningHistory === undefined) return without(turn.reasoning, 'this upstream does not accept earlier reasoning')
  return HISTORIES[reasoningHistory](turn, open)
}
