import { firstFrom } from '../../../collections/first-where.ts'
import type { ModelFacts } from '../../../models/facts.ts'
import { dropped, type Loss, NO_REASONING, UNREADABLE_REASONING } from '../../../protocol/loss.ts'
import type { InputItem } from '../../../protocol/request.ts'
import type { UpstreamContext } from '../../contract.ts'
import type { ReasoningInput } from '../../shared/upstream/conversation.ts'
import { readableReasoningText } from '../../shared/upstream/history-text.ts'
import type { RequestPart } from '../json.ts'
import { type Payload, readPayload, type SignatureSpan, splitText } from '../thought-signatures.ts'

/** Signatures and parts that go back with the items of a history, by their index in `input`. */
export interface Signed {
  readonly texts: ReadonlyMap<number, readonly SignatureSpan[]>
  readonly calls: ReadonlyMap<number, string>
  readonly images: ReadonlyMap<number, { readonly mimeType: string; readonly signature: string }>
  /** The parts that reasoning items themselves become. */
  readonly reasoning: ReadonlyMap<number, readonly RequestPart[]>
  readonly losses: readonly Loss[]
}

const isAnswer = (item: InputItem): boolean => item.type === 'message' && item.role === 'assistant'

const isImage = (item: InputItem): boolean => item.type === 'other' && item.item.type === 'image_generation_call'

/** Whether an item ends a turn of the model: a message of another role, or the output of a tool. */
const endsTurn = (item: InputItem): boolean =>
  item.type === 'function_call_output' ||
  item.type === 'custom_tool_call_output' ||
  (item.type === 'message' && item.role !== 'assistant')

/** Items that signatures can belong to: ascending indices of `input`, by turn. */
interface Owners {
  /** The number of the turn of each item. */
  readonly turns: readonly number[]
  readonly answers: ReadonlyMap<number, readonly number[]>
  readonly images: ReadonlyMap<number, readonly number[]>
  readonly calls: ReadonlyMap<number, readonly number[]>
  /** The same calls, by their id. */
  readonly named: ReadonlyMap<number, ReadonlyMap<string, readonly number[]>>
}

function push<Key>(lists: Map<Key, number[]>, key: Key, at: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [at])
  else list.push(at)
}

/** Finds all owners in one pass. */
function findOwners(input: readonly InputItem[]): Owners {
  const turns: number[] = []
  const answers = new Map<number, number[]>()
  const images = new Map<number, number[]>()
  const calls = new Map<number, number[]>()
  const named = new Map<number, Map<string, number[]>>()
  let turn = 0
  input.forEach((item, at) => {
    turns.push(turn)
    if (isAnswer(item)) push(answers, turn, at)
    else if (isImage(item)) push(images, turn, at)
    else if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      push(calls, turn, at)
      const ids = named.get(turn) ?? new Map<string, number[]>()
      named.set(turn, ids)
      push(ids, item.call_id, at)
    } else if (endsTurn(item)) turn += 1
  })
  return { turns, answers, images, calls, named }
}

const NONE: readonly number[] = []

/** `previous` returns the last index before `from`, `next` the first one from there on; -1 if there is none. */
const previous = (indices: readonly number[] = NONE, from: number): number =>
  indices[firstFrom(indices, from) - 1] ?? -1
const next = (indices: readonly number[] = NONE, from: number): number => indices[firstFrom(indices, from)] ?? -1

/** The one before, or the next one: chat clients have all reasoning of a message before its content. */
function before(indices: readonly number[] | undefined, at: number): number {
  const last = previous(indices, at)
  return last >= 0 ? last : next(indices, at)
}

/**
 * Finds the call of a signature: the next one of that id in the turn, else the previous one of that id, else the next.
 */
function signedCall({ turns, calls, named }: Owners, from: number, id: string): number {
  const turn = turns[from] as number
  const own = id === '' ? NONE : named.get(turn)?.get(id)
  const after = next(own, from)
  const near = after >= 0 ? after : previous(own, from)
  return near >= 0 ? near : next(calls.get(turn), from)
}

const summaryOf = ({ summary, content }: ReasoningInput): string => (summary.length > 0 ? summary : content).join('')

/** Assigns each sealed signature to its owner (docs/wires/gemini-generate.md, 5). O(n log n) for n items. */
export function readHistory(
  input: readonly InputItem[],
  open: UpstreamContext['open'],
  { reasons }: Pick<ModelFacts, 'reasons'>,
): Signed {
  const owners = findOwners(input)
  const turnOf = (at: number): number => owners.turns[at] as number
  const texts = new Map<number, readonly SignatureSpan[]>()
  const calls = new Map<number, string>()
  const images = new Map<number, { readonly mimeType: string; readonly signature: string }>()
  const reasoning = new Map<number, readonly RequestPart[]>()
  const losses: Loss[] = []

  /** Assigns one payload to its owner; false if the owner is no longer in the input. */
  const put = (payload: Payload, item: ReasoningInput, at: number): boolean => {
    switch (payload.on) {
      case 'thought':
        reasoning.set(at, splitText(summaryOf(item), payload.marks, true))
        return true
      case 'parts':
        reasoning.set(at, payload.parts)
        return true
      case 'text': {
        const target = before(owners.answers.get(turnOf(at)), at)
        if (target >= 0) texts.set(target, payload.marks)
        return target >= 0
      }
      case 'image': {
        const target = before(owners.images.get(turnOf(at)), at)
        if (target >= 0) images.set(target, payload)
        return target >= 0
      }
      case 'call': {
        const target = signedCall(owners, at, payload.id)
        if (target >= 0) calls.set(target, payload.signature)
        return target >= 0
      }
    }
  }

  input.forEach((item, at) => {
    if (item.type !== 'reasoning') return
    const text = readableReasoningText({ at, item })
    const isSent = text !== '' && reasons !== 'never'
    // Google leaves the summaries of its own models unsigned and accepts them so: its library sends them back.
    if (isSent) reasoning.set(at, [{ text, thought: true }])
    const lose = (why: string): void =>
      void losses.push(dropped(isSent ? `input[${at}].encrypted_content` : `input[${at}]`, why))
    if (item.encrypted_content === null) {
      if (text !== '' && !isSent) lose(NO_REASONING)
      return
    }
    const payload = readPayload(open(item.encrypted_content))
    if (payload === null) lose(UNREADABLE_REASONING)
    else if (!put(payload, item, at)) lose('the content that it signed is not in the input')
  })
  return { texts, calls, images, reasoning, losses }
}
