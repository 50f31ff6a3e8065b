import { reasoningFamily } from '../../../models/reasoning-family.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped, UNREADABLE_REASONING } from '../../../protocol/loss.ts'
import type { InputPart, Request } from '../../../protocol/request.ts'
import { isNonEmptyString, isObject, parseJson, toArray } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import type { UpstreamContext } from '../../contract.ts'
import { fromItems, type Origins } from '../../origins.ts'
import { instructionTexts } from '../../shared/upstream/cache/instruction-texts.ts'
import {
  type AssistantTurn,
  argumentLosses,
  type CallInput,
  type LocatedInput,
  type OutputInput,
  type PromptInput,
  type ReasoningInput,
  textsBeforeCalls,
  toTurns,
} from '../../shared/upstream/conversation.ts'
import { emptyMessages, PART_NAMES } from '../../shared/upstream/history-text.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import type { CachePoint, RequestBlock, RequestMessage } from '../json.ts'
import { addCachePoint, cachePointOf, toCachePoint } from './cache-points.ts'
import { type DocumentNames, nameDocuments } from './documents.ts'
import { encodePart } from './parts.ts'

/** Encoded blocks, with the losses of encoding. */
interface Blocks {
  readonly blocks: readonly RequestBlock[]
  readonly losses: readonly Loss[]
}

type SystemBlock = { readonly text: string } | CachePoint

interface EncodedMessages {
  readonly system: readonly SystemBlock[]
  readonly messages: readonly RequestMessage[]
  readonly losses: readonly Loss[]
}

/** Bedrock refuses a block with empty text, so it is left out. */
const texts = (text: string): readonly { readonly text: string }[] => (text.trim() === '' ? [] : [{ text }])

const isBlank = (part: InputPart): boolean => part.type === 'input_text' && part.text.trim() === ''

/** A part that cannot be carried is replaced by a note, so that the model does not guess. */
function encodeParts(
  parts: readonly InputPart[],
  path: string,
  names: DocumentNames,
  origins: Origins | undefined,
): Blocks {
  const losses: Loss[] = []
  const blocks: RequestBlock[] = []
  parts.forEach((part, i) => {
    if (!isBlank(part)) {
      const encoded = encodePart(part, names)
      const isSent = 'block' in encoded
      if (!isSent) losses.push(dropped(`${path}[${i}]`, encoded.loss))
      const block = isSent ? encoded.block : { text: `[${PART_NAMES[part.type]}: it could not be passed on]` }
      origins?.add(block, `${path}[${i}]`)
      blocks.push(block)
    }
    losses.push(...addCachePoint(blocks, part, `${path}[${i}]`))
  })
  return { blocks, losses: [...losses, ...detailLosses(parts, path)] }
}

const detailLosses = (parts: readonly InputPart[], path: string): readonly Loss[] =>
  parts.flatMap((part, i) =>
    part.type === 'input_image' && part.detail !== null && part.detail !== 'auto'
      ? [dropped(`${path}[${i}].detail`, 'this upstream has no such setting for images')]
      : [],
  )

/** Encodes a system or developer message. Instructions precede all messages, wherever the client put them. */
function encodeRules(at: number, item: PromptInput, isFirst: boolean, origins: Origins | undefined) {
  const path = `input[${at}].content`
  const system = item.content.flatMap((part, i) => {
    if (part.type !== 'input_text' || isBlank(part)) return []
    const block = { text: part.text }
    origins?.add(block, `${path}[${i}]`)
    return [block, ...cachePointOf(part)]
  })
  const losses = item.content.flatMap((part, i) =>
    part.type === 'input_text'
      ? []
      : [dropped(`${path}[${i}]`, `this upstream accepts only text in a ${item.role} message`)],
  )
  const moved = isFirst ? [] : [mapped(`input[${at}]`, 'moved to the system prompt')]
  return { system, losses: [...losses, ...moved] }
}

/**
 * Arguments are an object at Bedrock. The arguments of a call that was cut off are not: they are sent as the text of
 * one argument.
 */
function toInput({ item }: LocatedInput<CallInput>): { readonly input: JsonObject; readonly exact: boolean } {
  if (item.type === 'custom_tool_call') return { input: { input: item.input }, exact: false }
  const text = item.arguments.trim()
  const value = text === '' ? {} : parseJson(text)
  return isObject(value)
    ? { input: value as JsonObject, exact: true }
    : { input: { input: item.arguments }, exact: false }
}

const FITS = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Converts a call id to the form that Bedrock accepts. Equal ids stay equal, so that calls and outputs can still be
 * matched (FNV-1a, 64 bit).
 */
function toToolUseId(id: string): string {
  if (FITS.test(id)) return id
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < id.length; at += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(id.charCodeAt(at))) * 0x100000001b3n)
  }
  return `call_${hash.toString(36)}`
}

function encodeCall(call: LocatedInput<CallInput>, origins: Origins | undefined): Blocks {
  const { input, exact } = toInput(call)
  const { at, item } = call
  return {
    blocks: [
      fromItems({ toolUse: { toolUseId: toToolUseId(item.call_id), name: item.name, input } }, origins, call),
      ...cachePointOf(item),
    ],
    losses:
      exact && item.type === 'function_call'
        ? argumentLosses(item.arguments, at)
        : [mapped(`input[${at}]`, 'sent as a call with the argument "input"')],
  }
}

/** Encodes all text, reasoning and calls of an assistant turn in their original order. */
function encodeAssistant(turn: AssistantTurn, target: UpstreamContext): Blocks {
  const { origins } = target
  const messages = turn.messages.map(({ at, item }) => ({
    at,
    blocks: item.content.flatMap((part, i) => {
      const found = texts(part.type === 'output_text' ? part.text : part.refusal)
      for (const block of found) origins?.add(block, `input[${at}].content[${i}]`)
      return found.length === 0 ? [] : [...found, ...cachePointOf(part)]
    }),
    losses: [],
  }))
  const reasoning = turn.reasoning.map((one) => {
    const encoded = encodeReasoningItem(one, target)
    for (const block of encoded.blocks) fromItems(block, origins, one)
    return { at: one.at, ...encoded }
  })
  const called = turn.calls.map((one) => ({ at: one.at, ...encodeCall(one, origins) }))
  const all = [...messages, ...reasoning, ...called]
  const { family = reasoningFamily(target.model) } = factsOf(target, 'bedrock-converse')
  const { entries, losses } = textsBeforeCalls(all, family === 'claude' ? turn : { ...turn, messages: [] })
  const blocks = entries.flatMap((one) => one.blocks)
  return {
    blocks,
    losses: [...entries.flatMap((one) => one.losses), ...losses, ...(blocks.length === 0 ? emptyMessages(turn) : [])],
  }
}

/** Restores the original blocks from a sealed payload; empty if the payload has another form. */
function blocksOf(payload: Json | undefined): readonly RequestBlock[] {
  if (!isObject(payload)) return []
  const { text, signature, redacted } = payload
  const readable: RequestBlock[] =
    typeof text === 'string' && isNonEmptyString(signature)
      ? [{ reasoningContent: { reasoningText: { text, signature } } }]
      : []
  const hidden = toArray(redacted)
    .filter(isNonEmptyString)
    .map((redactedContent): RequestBlock => ({ reasoningContent: { redactedContent } }))
  return [...readable, ...hidden]
}

/** Encodes a reasoning item. Bedrock takes reasoning back only with its own signature; any other is dropped. */
function encodeReasoningItem(
  { at, item }: LocatedInput<ReasoningInput>,
  { open }: Pick<UpstreamContext, 'open'>,
): { readonly blocks: readonly RequestBlock[]; readonly losses: readonly Loss[] } {
  const sealed = item.encrypted_content
  const blocks = sealed === null ? [] : blocksOf(open(sealed))
  if (blocks.length > 0) return { blocks, losses: [] }
  const why = sealed === null ? 'this upstream accepts only signed reasoning' : UNREADABLE_REASONING
  return { blocks, losses: [dropped(`input[${at}]`, why)] }
}

function encodeOutput(
  { at, item }: LocatedInput<OutputInput>,
  names: DocumentNames,
  origins: Origins | undefined,
): Blocks {
  const { blocks, losses } = encodeParts(item.output, `input[${at}].output`, names, origins)
  const content = blocks.length === 0 ? [{ text: '[no output]' }] : blocks
  const failed = item.type === 'function_call_output' && item.failed === true
  const status = failed ? { status: 'error' } : {}
  const result = { toolResult: { toolUseId: toToolUseId(item.call_id), content, ...status } }
  return { blocks: [fromItems(result, origins, { at }), ...cachePointOf(item)], losses }
}

/**
 * Makes roles alternate: adjacent messages of one role are joined, and empty messages are left out. O(n) for n blocks.
 */
function inTurns(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const out: { readonly role: RequestMessage['role']; readonly content: RequestBlock[] }[] = []
  for (const { role, content } of messages) {
    if (content.length === 0) continue
    if (out.at(-1)?.role !== role) out.push({ role, content: [] })
    for (const block of content) out.at(-1)?.content.push(block)
  }
  return out
}

const BEGINNING: RequestMessage = { role: 'user', content: [{ text: '[the conversation begins here]' }] }

/** Adds what Bedrock requires: a conversation begins with a user message, and a document has text beside it. */
function mended(messages: readonly RequestMessage[]): { messages: readonly RequestMessage[]; losses: readonly Loss[] } {
  const losses: Loss[] = []
  const first = messages[0]
  const opened = first?.role === 'assistant' ? [BEGINNING, ...messages] : messages
  if (opened !== messages)
    losses.push(mapped('input', 'a user message was added before the first message, because this upstream requires it'))
  const complete = opened.map((message): RequestMessage => {
    const { role, content } = message
    if (!content.some((block) => 'document' in block) || content.some((block) => 'text' in block)) return message
    losses.push(mapped('input', 'a text was added to the document, because this upstream requires it'))
    return { role, content: [...content, { text: '[see the attached document]' }] }
  })
  return { messages: complete, losses }
}

/** Encodes all messages of a request (docs/wires/bedrock-converse.md, 9.3). */
export function* encodeMessages(request: Request, target: UpstreamContext): Steps<EncodedMessages> {
  const { origins } = target
  const names = nameDocuments(request)
  const system: SystemBlock[] = instructionTexts(request).flatMap(({ text, breakpoint }) => [
    { text },
    ...toCachePoint(breakpoint),
  ])
  const messages: RequestMessage[] = []
  const losses: Loss[] = []
  const add = (role: RequestMessage['role'], { blocks, losses: own }: Blocks): void => {
    messages.push({ role, content: blocks })
    for (const loss of own) losses.push(loss)
  }

  for (const turn of toTurns(request.input)) {
    if (turn.kind === 'orphan') add('user', encodeOutput(turn, names, origins))
    else if (turn.kind === 'assistant') {
      add('assistant', encodeAssistant(turn, target))
      for (const output of turn.outputs) add('user', encodeOutput(output, names, origins))
    } else if (turn.item.role === 'user') {
      add('user', encodeParts(turn.item.content, `input[${turn.at}].content`, names, origins))
    } else {
      const rules = encodeRules(turn.at, turn.item, messages.length === 0, origins)
      for (const block of rules.system) system.push(block)
      for (const loss of rules.losses) losses.push(loss)
    }
    yield
  }
  const unknown = request.input.flatMap((item, at) =>
    item.type === 'other'
      ? [dropped(`input[${at}]`, `Converse does not accept items of type ${JSON.stringify(item.item.type)}`)]
      : [],
  )
  const whole = mended(inTurns(messages))
  return { system, messages: whole.messages, losses: [...losses, ...unknown, ...whole.losses] }
}
