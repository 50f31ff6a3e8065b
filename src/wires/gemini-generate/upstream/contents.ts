import type { ModelFacts } from '../../../models/facts.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, EMPTY_MESSAGE, type Loss, mapped, SENT_AS_FUNCTION_CALL } from '../../../protocol/loss.ts'
import type { InputItem, InputPart, Request } from '../../../protocol/request.ts'
import { isNonEmptyString, isObject, parseJson } from '../../../text/json.ts'
import { mapSteps, type Steps } from '../../../text/steps.ts'
import type { UpstreamContext } from '../../contract.ts'
import { fromItems, type Origins } from '../../origins.ts'
import { imageTypeOf, namesOf, orphanError, outputsAfter, rulesOf } from '../../shared/google/requests.ts'
import { MISSING_SIGNATURE } from '../../shared/upstream/answers/missing-signature.ts'
import { type AssistantInput, argumentLosses, type CallInput, toTurns } from '../../shared/upstream/conversation.ts'
import { loneMessages } from '../../shared/upstream/history-text.ts'
import { isSignature } from '../../shared/upstream/signature.ts'
import type { RequestContent, RequestPart } from '../json.ts'
import { splitText } from '../thought-signatures.ts'
import { encodeOutputs } from './function-responses.ts'
import { detailLoss, encodePart, missingPart } from './parts.ts'
import { readHistory, type Signed } from './signature-history.ts'

type EncodedContents =
  | { readonly ok: true; readonly fields: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

/** Parts of one role, and the losses of encoding them. */
interface Piece {
  readonly role: RequestContent['role']
  readonly parts: readonly RequestPart[]
  readonly losses: readonly Loss[]
}

const piece = (role: RequestContent['role'], parts: readonly RequestPart[], losses: readonly Loss[] = []): Piece => ({
  role,
  parts,
  losses,
})

function encodeParts(parts: readonly InputPart[], path: string, origins: Origins | undefined): Piece {
  const encoded = parts.map((part) => ({ part, result: encodePart(part) }))
  return piece(
    'user',
    encoded.flatMap(({ part, result }, i) => {
      // Google rejects an empty text with a 400, so it is left out.
      if (part.type === 'input_text' && part.text === '') return []
      const own = 'part' in result ? result.part : missingPart(part)
      origins?.add(own, `${path}[${i}]`)
      return [own]
    }),
    encoded.flatMap(({ part, result }, i) =>
      'loss' in result ? [dropped(`${path}[${i}]`, result.loss)] : detailLoss(part, `${path}[${i}]`),
    ),
  )
}

/** Gemini accepts only an object as arguments. Other arguments become the field `input` of an object. */
function toArgs(item: CallInput): JsonObject {
  if (item.type === 'custom_tool_call') return { input: item.input }
  const value = item.arguments.trim() === '' ? {} : parseJson(item.arguments)
  return isObject(value) ? (value as JsonObject) : { input: item.arguments }
}

function callLosses(item: CallInput, at: number): readonly Loss[] {
  if (item.type === 'custom_tool_call') {
    return [mapped(`input[${at}]`, SENT_AS_FUNCTION_CALL)]
  }
  const isGood = item.arguments.trim() === '' || isObject(parseJson(item.arguments))
  return isGood
    ? argumentLosses(item.arguments, at)
    : [mapped(`input[${at}].arguments`, 'not a JSON object: sent as the argument "input"')]
}

function encodeCall(item: CallInput, at: number, { calls }: Signed, { richCalls }: ModelFacts): Piece {
  const signature = calls.get(at)
  const thoughtSignature = signature !== undefined && isSignature(signature) ? signature : undefined
  const own = { name: item.name, args: toArgs(item) }
  const functionCall = richCalls ? { id: item.call_id, name: own.name, args: own.args } : own
  const part = { functionCall, ...(thoughtSignature === undefined ? {} : { thoughtSignature }) }
  return piece('model', [part], callLosses(item, at))
}

function encodeAnswer({ content }: AssistantInput, at: number, { texts }: Signed, isLone: boolean): Piece {
  const text = content.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join('')
  const parts = splitText(text, texts.get(at) ?? [], false)
  return piece('model', parts, isLone && parts.length === 0 ? [dropped(`input[${at}]`, EMPTY_MESSAGE)] : [])
}

/** Sends a generated image back, so that the model can edit it. Gemini takes back no other items of hosted tools. */
function encodeOther(item: JsonObject, at: number, { images }: Signed): Piece {
  const { type, result } = item
  if (type !== 'image_generation_call' || !isNonEmptyString(result)) {
    return piece('model', [], [dropped(`input[${at}]`, `Gemini does not accept items of type ${JSON.stringify(type)}`)])
  }
  const signed = images.get(at)
  const mimeType = signed?.mimeType ?? imageTypeOf(result)
  const signature = signed === undefined ? {} : { thoughtSignature: signed.signature }
  return piece('model', [{ inlineData: { mimeType, data: result }, ...signature }])
}

function encodeItem(item: InputItem, at: number, signed: Signed, facts: ModelFacts, isLone: boolean): Piece {
  switch (item.type) {
    case 'message':
      return item.role === 'assistant' ? encodeAnswer(item, at, signed, isLone) : piece('user', [])
    case 'reasoning':
      return piece('model', signed.reasoning.get(at) ?? [])
    case 'function_call':
    case 'custom_tool_call':
      return encodeCall(item, at, signed, facts)
    case 'other':
      return encodeOther(item.item, at, signed)
    default:
      return piece('user', [])
  }
}

/** Joins consecutive pieces of one role into one content, because roles must alternate. */
function inTurns(pieces: readonly Piece[]): readonly RequestContent[] {
  const out: { role: RequestContent['role']; parts: RequestPart[] }[] = []
  for (const { role, parts } of pieces) {
    if (parts.length === 0) continue
    if (out.at(-1)?.role !== role) out.push({ role, parts: [] })
    for (const part of parts) out.at(-1)?.parts.push(part)
  }
  return out
}

/** Adds `MISSING_SIGNATURE` to the first call of each model content if it is unsigned: that call must have a signature. */
function withSignatures(contents: readonly RequestContent[], origins: Origins | undefined): readonly RequestContent[] {
  return contents.map((content) => {
    const first = content.parts.findIndex((part) => 'functionCall' in part)
    if (content.role !== 'model' || first < 0 || 'thoughtSignature' in (content.parts[first] as RequestPart))
      return content
    const parts = content.parts.map((part, at) => {
      const { functionCall } = part
      if (at !== first || functionCall === undefined) return part
      const signed: RequestPart = { functionCall, thoughtSignature: MISSING_SIGNATURE }
      origins?.join(signed, [part])
      return signed
    })
    return { role: content.role, parts }
  })
}

/** A part of an answer is made of all texts of its message. */
function recordParts(part: RequestPart, item: InputItem, at: number, origins: Origins | undefined): void {
  fromItems(part, origins, { at })
  if (item.type === 'message') for (const i of item.content.keys()) origins?.add(part, `input[${at}].content[${i}]`)
}

/** Gemini refuses a call that follows no message of the user. */
const BEGINNING: RequestContent = { role: 'user', parts: [{ text: '…' }] }

export function* encodeContents(
  request: Request,
  { open, origins }: UpstreamContext,
  facts: ModelFacts,
): Steps<EncodedContents> {
  const { input } = request
  const turns = toTurns(input)
  const error = orphanError(turns)
  if (error !== null) return { ok: false, error }
  const names = namesOf(input)
  const signed = readHistory(input, open, facts)
  const after = outputsAfter(turns)
  const lone = loneMessages(turns)
  const found = yield* mapSteps(input, (item, at): Piece[] => {
    const outputs = after.get(at)
    const isPrompt = item.type === 'message' && item.role === 'user'
    const own = isPrompt
      ? encodeParts(item.content, `input[${at}].content`, origins)
      : encodeItem(item, at, signed, facts, lone.has(at))
    if (!isPrompt) for (const part of own.parts) recordParts(part, item, at, origins)
    if (outputs === undefined) return [own]
    const { parts, losses } = encodeOutputs(outputs, (id) => names.get(id) ?? '', facts.richCalls === true)
    for (const [i, output] of outputs.entries()) fromItems(parts[i] as RequestPart, origins, output)
    return [own, piece('user', parts, losses)]
  })
  const pieces = found.flat()
  const rules = rulesOf(request)
  const ruleParts = rules.texts.map((text): RequestPart => ({ text }))
  const joined = inTurns(pieces)
  // Gemma has no system instruction, and no model accepts one without contents. In both cases, the instructions become
  // part of the user message.
  const asUser = ruleParts.length > 0 && (facts.systemInstruction === false || joined.length === 0)
  const own = asUser ? inTurns([piece('user', ruleParts), ...pieces]) : joined
  const begins = own[0]?.role === 'model' && own[0].parts.some((part) => 'functionCall' in part)
  const contents = begins ? [BEGINNING, ...own] : own
  return {
    ok: true,
    fields: {
      contents: withSignatures(contents, origins) as unknown as JsonObject[],
      ...(asUser || ruleParts.length === 0 ? {} : { systemInstruction: { parts: ruleParts } }),
    },
    losses: [
      ...pieces.flatMap(({ losses }) => losses),
      ...signed.losses,
      ...rules.losses,
      ...(begins
        ? [mapped('input', 'a user message was added before the first call, because this upstream requires it')]
        : []),
      ...(asUser
        ? [mapped('instructions', 'sent as a user message, because this model has no system instruction')]
        : []),
    ],
  }
}
