import type { GatewayError } from '../../../protocol/error.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import {
  dropped,
  EMPTY_MESSAGE,
  type Loss,
  mapped,
  SENT_AS_FUNCTION_CALL,
  UNREADABLE_REASONING,
} from '../../../protocol/loss.ts'
import type { InputItem, Request } from '../../../protocol/request.ts'
import { isNonEmptyString, isObject, parseJson } from '../../../text/json.ts'
import { mapSteps, type Steps } from '../../../text/steps.ts'
import type { UpstreamContext } from '../../contract.ts'
import { fromItems, type Origins } from '../../origins.ts'
import { imageTypeOf, namesOf, orphanError, outputsAfter, rulesOf } from '../../shared/google/requests.ts'
import { MISSING_SIGNATURE } from '../../shared/upstream/answers/missing-signature.ts'
import {
  type AssistantInput,
  argumentLosses,
  type CallInput,
  type LocatedInput,
  type OutputInput,
  type ReasoningInput,
  toTurns,
} from '../../shared/upstream/conversation.ts'
import { loneMessages } from '../../shared/upstream/history-text.ts'
import type { InteractionStep } from '../json.ts'
import { type Payload, readPayload } from '../payloads.ts'
import { encodeParts } from './contents.ts'

type EncodedInput =
  | { readonly ok: true; readonly fields: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

interface Piece {
  readonly steps: readonly InteractionStep[]
  readonly losses: readonly Loss[]
}

const NO_STEPS: Piece = { steps: [], losses: [] }

const lost = (at: number, why: string): Piece => ({ steps: [], losses: [dropped(`input[${at}]`, why)] })

/** Signatures of calls, and the payloads of reasoning items, each with the place that it goes back to. */
interface Signed {
  readonly payloads: ReadonlyMap<number, Payload | null>
  readonly calls: ReadonlyMap<number, string>
  /** Items of hosted tools whose steps go back unchanged. */
  readonly covered: ReadonlySet<number>
  /** Signatures whose call is not in the input. */
  readonly stray: ReadonlySet<number>
}

const isCall = (item: InputItem): item is CallInput => item.type === 'function_call' || item.type === 'custom_tool_call'

/** Opens the reasoning of a conversation. O(n) for n items. */
function readHistory(input: readonly InputItem[], open: UpstreamContext['open']): Signed {
  const payloads = new Map<number, Payload | null>()
  const calls = new Map<number, string>()
  const covered = new Set<number>()
  const stray = new Set<number>()
  const byId = new Map(input.flatMap((item, at) => (isCall(item) ? [[item.call_id, at] as const] : [])))
  let hosted: number[] = []
  let waiting: { readonly at: number; readonly signature: string } | null = null
  input.forEach((item, at) => {
    if (item.type === 'other') hosted.push(at)
    else if (item.type !== 'reasoning') hosted = []
    if (isCall(item) && waiting !== null) {
      calls.set(at, waiting.signature)
      stray.delete(waiting.at)
      waiting = null
    }
    if (item.type !== 'reasoning' || item.encrypted_content === null) return
    const payload = readPayload(open(item.encrypted_content))
    payloads.set(at, payload)
    if (payload?.on === 'steps') for (const one of hosted) covered.add(one)
    if (payload?.on !== 'call') return
    const target = byId.get(payload.id)
    if (target !== undefined) calls.set(target, payload.signature)
    else {
      stray.add(at)
      waiting = payload.id === '' ? { at, signature: payload.signature } : null
    }
  })
  return { payloads, calls, covered, stray }
}

const textOf = ({ content }: AssistantInput): string =>
  content.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join('')

function encodeAnswer(item: AssistantInput, at: number, isLone: boolean): Piece {
  const text = textOf(item)
  if (text === '') return isLone ? lost(at, EMPTY_MESSAGE) : NO_STEPS
  return { steps: [{ type: 'model_output', content: [{ type: 'text', text }] }], losses: [] }
}

function encodeReasoning(item: ReasoningInput, at: number, { payloads, stray }: Signed): Piece {
  if (item.encrypted_content === null) return lost(at, 'Gemini accepts only signed reasoning')
  const payload = payloads.get(at) ?? null
  if (payload === null) return lost(at, UNREADABLE_REASONING)
  switch (payload.on) {
    case 'steps':
      return { steps: payload.steps as readonly InteractionStep[], losses: [] }
    case 'call':
      return stray.has(at) ? lost(at, 'the content that it signed is not in the input') : NO_STEPS
    case 'thought': {
      const text = (item.summary.length > 0 ? item.summary : item.content).join('\n\n')
      const summary = text === '' ? {} : { summary: [{ type: 'text', text }] as const }
      return { steps: [{ type: 'thought', signature: payload.signature, ...summary }], losses: [] }
    }
  }
}

/** Google accepts only an object as arguments. Other arguments become the field `input` of an object. */
function argumentsOf(item: CallInput, at: number): { readonly args: JsonObject; readonly losses: readonly Loss[] } {
  if (item.type === 'custom_tool_call')
    return {
      args: { input: item.input },
      losses: [mapped(`input[${at}]`, SENT_AS_FUNCTION_CALL)],
    }
  const value = item.arguments.trim() === '' ? {} : parseJson(item.arguments)
  return isObject(value)
    ? { args: value as JsonObject, losses: argumentLosses(item.arguments, at) }
    : {
        args: { input: item.arguments },
        losses: [mapped(`input[${at}].arguments`, 'not a JSON object: sent as the argument "input"')],
      }
}

function encodeCall(item: CallInput, at: number, { calls }: Signed): Piece {
  const { args, losses } = argumentsOf(item, at)
  const signature = calls.get(at)
  const signed = signature === undefined ? {} : { signature }
  return {
    steps: [{ type: 'function_call', id: item.call_id, name: item.name, arguments: args, ...signed }],
    losses,
  }
}

/** A result is text, or a list of contents if it has more than one text. */
function encodeOutput({ at, item }: LocatedInput<OutputInput>, name: string, origins: Origins | undefined): Piece {
  const { contents, losses } = encodeParts(item.output, `input[${at}].output`, origins)
  const [first, ...others] = contents
  const isText = others.length === 0 && (first === undefined || first.type === 'text')
  const failed = item.type === 'function_call_output' && item.failed === true ? { is_error: true } : {}
  const result = isText ? (first?.type === 'text' ? first.text : '') : contents
  const named = name === '' ? {} : { name }
  const step: InteractionStep = { type: 'function_result', call_id: item.call_id, ...named, result, ...failed }
  return { steps: [fromItems(step, origins, { at })], losses }
}

/** Sends a generated image back. Steps of tools go back as they came, in the reasoning item that follows them. */
function encodeOther(item: JsonObject, at: number, { covered }: Signed): Piece {
  const { type, result, output_format: format } = item
  if (type !== 'image_generation_call' || !isNonEmptyString(result))
    return covered.has(at) ? NO_STEPS : lost(at, `Gemini does not accept items of type ${JSON.stringify(type)}`)
  const mime_type = isNonEmptyString(format) ? `image/${format}` : imageTypeOf(result)
  return { steps: [{ type: 'model_output', content: [{ type: 'image', data: result, mime_type }] }], losses: [] }
}

function encodeItem(item: InputItem, at: number, signed: Signed, isLone: boolean, origins: Origins | undefined): Piece {
  switch (item.type) {
    case 'message': {
      if (item.role === 'assistant') return encodeAnswer(item, at, isLone)
      if (item.role !== 'user') return NO_STEPS
      const { contents, losses } = encodeParts(item.content, `input[${at}].content`, origins)
      return { steps: contents.length === 0 ? [] : [{ type: 'user_input', content: contents }], losses }
    }
    case 'reasoning':
      return encodeReasoning(item, at, signed)
    case 'function_call':
    case 'custom_tool_call':
      return encodeCall(item, at, signed)
    case 'other':
      return encodeOther(item.item, at, signed)
    default:
      return NO_STEPS
  }
}

const isTurnEnd = ({ type }: InteractionStep): boolean => type === 'user_input' || type === 'function_result'

/**
 * Adds a thought with `MISSING_SIGNATURE` before the first call of a turn that has no signature: a call of another model
 * has none, and Google refuses it without.
 */
function withSignatures(steps: readonly InteractionStep[]): readonly InteractionStep[] {
  let isSigned = false
  return steps.flatMap((step) => {
    const { type } = step
    if (isTurnEnd(step)) isSigned = false
    else if (type === 'thought' || (type === 'function_call' && 'signature' in step)) isSigned = true
    if (type !== 'function_call' || isSigned) return [step]
    isSigned = true
    return [{ type: 'thought', signature: MISSING_SIGNATURE }, step]
  })
}

export function* encodeInput(request: Request, { open, origins }: UpstreamContext): Steps<EncodedInput> {
  const { input } = request
  const turns = toTurns(input)
  const error = orphanError(turns)
  if (error !== null) return { ok: false, error }
  const names = namesOf(input)
  const signed = readHistory(input, open)
  const after = outputsAfter(turns)
  const lone = loneMessages(turns)
  const found = yield* mapSteps(input, (item, at): readonly Piece[] => {
    const own = encodeItem(item, at, signed, lone.has(at), origins)
    for (const step of own.steps) fromItems(step, origins, { at })
    const outputs = after.get(at) ?? []
    return [own, ...outputs.map((output) => encodeOutput(output, names.get(output.item.call_id) ?? '', origins))]
  })
  const pieces = found.flat()
  const steps = withSignatures(pieces.flatMap((piece) => piece.steps))
  const rules = rulesOf(request)
  const text = rules.texts.join('\n\n')
  // No model accepts an instruction without any input.
  const asUser = steps.length === 0 && text !== ''
  const all = asUser ? [{ type: 'user_input', content: [{ type: 'text', text }] }] : steps
  return {
    ok: true,
    fields: {
      input: all as unknown as Json,
      ...(asUser || text === '' ? {} : { system_instruction: text }),
    },
    losses: [
      ...pieces.flatMap(({ losses }) => losses),
      ...rules.losses,
      ...(asUser ? [mapped('instructions', 'sent as a user message, because the request has no other input')] : []),
    ],
  }
}
