import type { Json } from '../../../protocol/json.ts'
import { dropped, type Loss, UNREADABLE_REASONING } from '../../../protocol/loss.ts'
import type { UpstreamContext } from '../../contract.ts'
import type { Quirks, ReasoningHistory } from '../../quirks.ts'
import type { AssistantTurn, LocatedInput, ReasoningInput } from '../../shared/upstream/conversation.ts'
import { readableReasoningText, reasoningText } from '../../shared/upstream/history-text.ts'
import type { ChatAssistantMessage, ChatPart } from '../json.ts'
import { encodeBlocks, type PlacedSignature, readSealed, type Sealed, signatureMembers } from '../sealed-reasoning.ts'

/** The reasoning of an assistant message beside its text: fields of its own, and parts before the text. */
interface EncodedReasoning {
  readonly fields: Partial<Omit<ChatAssistantMessage, 'role' | 'content' | 'refusal' | 'tool_calls'>>
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
  const isPlain = opened.every(({ details }) => details.length === 0)
  const texts = opened.map(({ reasoning, details }) => (details.length > 0 ? '' : readableReasoningText(reasoning)))
  const text = texts.filter((one) => one !== '').join('\n\n')
  const losses = opened
    .filter((it) => it.sealed !== null && it.details.length === 0)
    .map((it) => lossOf(UNREADABLE_REASONING)(it.reasoning))
  if (isPlain) return { fields: text === '' ? {} : { reasoning: text }, parts: [], losses }
  const entries = opened.flatMap(({ details }, at): readonly Json[] => {
    const own = texts[at] ?? ''
    return own === '' ? details : [{ type: 'reasoning.text', text: own }]
  })
  return { fields: { reasoning_details: entries }, parts: [], losses }
}

const HISTORIES = {
  reasoning_content: inToolLoop('reasoning_content'),
  reasoning: inToolLoop('reasoning'),
  thinking: asPart,
  reasoning_details: asDetails,
} satisfies Record<ReasoningHistory, (turn: AssistantTurn, open: UpstreamContext['open']) => EncodedReasoning>

/** The reasoning of a turn, and the signatures of its calls by their index in `input`. */
interface EncodedHistory extends EncodedReasoning {
  readonly signatures: ReadonlyMap<number, PlacedSignature>
}

/** A reasoning item whose content this vendor issued under a name of its own. */
interface SealedReasoning {
  readonly reasoning: LocatedInput<ReasoningInput>
  readonly sealed: Sealed
}

function toSealed(reasoning: LocatedInput<ReasoningInput>, open: UpstreamContext['open']): SealedReasoning | null {
  const { encrypted_content } = reasoning.item
  const sealed = encrypted_content === null ? null : readSealed(open(encrypted_content))
  return sealed === null ? null : { reasoning, sealed }
}

/**
 * Assigns signatures to calls: to the call of the id, else to the next call after the reasoning item, else to the last
 * one before it. O(n) for n items.
 */
function signCalls(calls: AssistantTurn['calls'], signed: readonly SealedReasoning[]): EncodedHistory['signatures'] {
  const byId = new Map(calls.map((call) => [call.item.call_id, call.at]).reverse() as [string, number][])
  const found = new Map<number, PlacedSignature>()
  let next = 0
  for (const { reasoning, sealed } of signed) {
    if (sealed.on !== 'call') continue
    while (next < calls.length && (calls[next]?.at ?? 0) < reasoning.at) next += 1
    const at = byId.get(sealed.id) ?? calls[next]?.at ?? calls[next - 1]?.at
    if (at !== undefined) found.set(at, { place: sealed.place, signature: sealed.signature })
  }
  return found
}

const isSignature = ({ sealed: { on } }: SealedReasoning): boolean => on === 'call' || on === 'message'

/** Encodes what goes back to its own place, whether or not the vendor accepts other reasoning. */
function encodeSealed({ reasoning, sealed }: SealedReasoning, calls: number): EncodedReasoning {
  switch (sealed.on) {
    case 'call':
      return calls > 0 ? NONE : { ...NONE, losses: [lossOf('the call that it signed is not in the input')(reasoning)] }
    case 'message':
      return { ...NONE, fields: signatureMembers(sealed) }
    default:
      return { ...encodeBlocks(sealed.on, sealed.blocks, readableReasoningText(reasoning)), losses: [] }
  }
}

/** Joins the fields of several items: lists are joined, and the last one of any other field is sent. */
function joinFields(all: readonly EncodedReasoning['fields'][]): EncodedReasoning['fields'] {
  const joined: Record<string, unknown> = {}
  for (const [name, value] of all.flatMap(Object.entries)) {
    const old = joined[name]
    joined[name] = Array.isArray(old) && Array.isArray(value) ? [...old, ...value] : value
  }
  return joined
}

const NO_SIGNATURES = 'this upstream refuses the signatures of other vendors'

const NO_HISTORY: EncodedHistory = { ...NONE, signatures: new Map() }

/** Encodes the reasoning of a turn in the form that this vendor takes back (docs/wires/openai-chat.md, 5.2). */
export function encodeReasoningHistory(turn: AssistantTurn, { quirks, open }: UpstreamContext): EncodedHistory {
  if (turn.reasoning.length === 0) return NO_HISTORY
  const found = turn.reasoning.map((reasoning) => ({ reasoning, own: toSealed(reasoning, open) }))
  const noSignatures = quirks.refusesInMessages?.includes('signatures') === true
  const all = found.flatMap(({ own }) => (own === null ? [] : [own]))
  const sealed = noSignatures ? all.filter((one) => !isSignature(one)) : all
  const refused = noSignatures ? all.filter(isSignature).map(({ reasoning }) => reasoning) : []
  const others = found.flatMap(({ reasoning, own }) => (own === null ? [reasoning] : []))
  const own = sealed.map((one) => encodeSealed(one, turn.calls.length))
  const rest = encodeReadable({ ...turn, reasoning: others }, quirks, open)
  return {
    fields: joinFields([rest.fields, ...own.map(({ fields }) => fields)]),
    parts: [...rest.parts, ...own.flatMap(({ parts }) => parts)],
    losses: [...rest.losses, ...own.flatMap(({ losses }) => losses), ...refused.map(lossOf(NO_SIGNATURES))],
    signatures: signCalls(turn.calls, sealed),
  }
}

function encodeReadable(turn: AssistantTurn, quirks: Quirks, open: UpstreamContext['open']): EncodedReasoning {
  const { reasoningHistory } = quirks
  if (turn.reasoning.length === 0) return NONE
  if (reasoningHistory === undefined) return without(turn.reasoning, 'this upstream does not accept earlier reasoning')
  return HISTORIES[reasoningHistory](turn, open)
}
