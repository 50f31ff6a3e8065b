import type { ModelFacts } from '../../../models/facts.ts'
import { dropped, type Loss, mapped, SENT_AS_FUNCTION_CALL } from '../../../protocol/loss.ts'
import type { InputPart, Request } from '../../../protocol/request.ts'
import { mapSteps, type Steps } from '../../../text/steps.ts'
import type { UpstreamContext } from '../../contract.ts'
import { fromItems } from '../../origins.ts'
import type { Quirks } from '../../quirks.ts'
import { instructionTexts } from '../../shared/upstream/cache/instruction-texts.ts'
import { toCallId } from '../../shared/upstream/call-ids.ts'
import {
  type AssistantTurn,
  type CallInput,
  itemsOfMessage,
  type LocatedInput,
  type OutputInput,
  type PromptInput,
  toTurns,
} from '../../shared/upstream/conversation.ts'
import {
  assistantText,
  callArguments,
  emptyMessages,
  missingPartText,
  PART_NAMES,
  unknownItems,
} from '../../shared/upstream/history-text.ts'
import { lateRulesLosses, placeRules } from '../../shared/upstream/input/late-rules.ts'
import { isReasoning } from '../../shared/upstream/model-facts.ts'
import type { ChatAssistantMessage, ChatCall, ChatMessage, ChatPart } from '../json.ts'
import { type PlacedSignature, signatureMembers, UNSIGNED_CALL, whereGoogleReads } from '../sealed-reasoning.ts'
import { encodePart, isPlainText, toBreakpoint, toContent } from './parts.ts'
import { encodeReasoningHistory } from './reasoning-history.ts'

interface EncodedList<T> {
  readonly out: T
  readonly losses: readonly Loss[]
}

const textPart = (text: string): ChatPart => ({ type: 'text', text })

/**
 * Encodes the parts of a prompt. A part that cannot be carried is replaced by a note, so that the model does not guess.
 */
function encodeParts(
  parts: readonly InputPart[],
  path: string,
  { quirks, origins }: UpstreamContext,
): EncodedList<readonly ChatPart[]> {
  const encoded = parts.map((part) => ({ part, result: encodePart(part, quirks) }))
  return {
    out: encoded.map(({ part, result }, i) => {
      const own =
        'part' in result
          ? result.part
          : { ...textPart(missingPartText(part)), ...toBreakpoint(part.prompt_cache_breakpoint, quirks) }
      origins?.add(own, `${path}[${i}]`)
      return own
    }),
    losses: encoded.flatMap(({ result }, i) => ('loss' in result ? [dropped(`${path}[${i}]`, result.loss)] : [])),
  }
}

function encodePrompt(
  at: number,
  item: PromptInput,
  target: UpstreamContext,
  thinker: boolean,
): EncodedList<ChatMessage[]> {
  const path = `input[${at}].content`
  const { out, losses } = encodeParts(item.content, path, target)
  if (item.role === 'user')
    return { out: [fromItems({ role: 'user', content: toContent(out) }, target.origins, { at })], losses }
  const texts = out.filter(({ type }) => type === 'text')
  const more =
    texts.length < out.length ? [dropped(path, `this upstream accepts only text in a ${item.role} message`)] : []
  const rules: ChatMessage = { role: rulesRole(item.role, target.quirks, thinker), content: toContent(texts) }
  return {
    out: [fromItems(rules, target.origins, { at })],
    losses: [...losses, ...more],
  }
}

/**
 * OpenAI's reasoning models take instructions in the role `developer`, and refuse a mix of `developer` and `system`.
 * Other vendors do not have the role `developer`.
 */
function rulesRole(role: 'system' | 'developer', quirks: Quirks, thinker: boolean): 'system' | 'developer' {
  if (quirks.developerRole !== true) return 'system'
  return thinker ? 'developer' : role
}

function encodeCall(
  { item }: LocatedInput<CallInput>,
  signature: PlacedSignature | undefined,
  quirks: Quirks,
): ChatCall {
  const id = toCallId(item.call_id, quirks.callIds)
  const placed = signature !== undefined && quirks.signsCalls === true ? whereGoogleReads(signature) : signature
  const signed = placed === undefined ? {} : signatureMembers(placed)
  if (item.type === 'custom_tool_call' && quirks.customTools === true) {
    return { id, type: 'custom', custom: { name: item.name, input: item.input }, ...signed }
  }
  return { id, type: 'function', function: { name: item.name, arguments: callArguments(item) }, ...signed }
}

const callLoss = ({ at, item }: LocatedInput<CallInput>): Loss[] =>
  item.type === 'custom_tool_call' ? [mapped(`input[${at}]`, SENT_AS_FUNCTION_CALL)] : []

function contentOf(text: string, before: readonly ChatPart[], hasMore: boolean): ChatAssistantMessage['content'] {
  if (before.length > 0) return text === '' ? before : [...before, textPart(text)]
  return text === '' && hasMore ? null : text
}

/** Encodes all text and calls of an assistant turn as one message; no message if the result is empty. */
function encodeAssistant(turn: AssistantTurn, target: UpstreamContext): EncodedList<ChatMessage[]> {
  const { quirks } = target
  const { fields, parts, losses, signatures } = encodeReasoningHistory(turn, target)
  const answer = assistantText(turn)
  const asText = quirks.refusalAsText === true
  const text = asText ? answer.text + answer.refusal : answer.text
  const refusal = asText || answer.refusal === '' ? {} : { refusal: answer.refusal }
  const calls = turn.calls.map((call, i) => {
    const missing = i === 0 && quirks.signsCalls === true ? UNSIGNED_CALL : undefined
    return fromItems(encodeCall(call, signatures.get(call.at) ?? missing, quirks), target.origins, call)
  })
  const content = contentOf(text, parts, calls.length > 0 || 'refusal' in refusal)
  if (content === '') {
    const unsent = Object.keys(fields).length === 0 ? [] : turn.reasoning
    const alone = unsent.map(({ at }) => dropped(`input[${at}]`, 'this upstream accepts reasoning only with an answer'))
    return { out: [], losses: [...losses, ...alone, ...emptyMessages(turn)] }
  }
  const whole: ChatAssistantMessage = {
    role: 'assistant',
    // "required properties at '/messages/1' are 'role,content'", "'null' not in 'string'".
    content: quirks.plainContent === true ? (content ?? '') : content,
    ...refusal,
    ...fields,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  return {
    out: [fromItems(whole, target.origins, ...itemsOfMessage(turn))],
    losses: quirks.customTools === true ? losses : [...losses, ...turn.calls.flatMap(callLoss)],
  }
}

/**
 * A tool message holds only text. Each other part of an output is named there, and shown in a user message after the
 * tool messages.
 */
function encodeOutputs(
  outputs: readonly LocatedInput<OutputInput>[],
  target: UpstreamContext,
): EncodedList<ChatMessage[]> {
  const { quirks } = target
  const shown: ChatPart[] = []
  const losses: Loss[] = []
  const messages = outputs.map(({ at, item }): ChatMessage => {
    const texts = item.output.map((part, i): string => {
      if (part.type === 'input_text') return part.text
      const name = PART_NAMES[part.type]
      const result = encodePart(part, quirks)
      if ('loss' in result) {
        losses.push(dropped(`input[${at}].output[${i}]`, result.loss))
        return missingPartText(part)
      }
      const label = `${name} ${shown.length / 2 + 1}`
      shown.push(textPart(`${label}, from the output of the tool call ${item.call_id}:`), result.part)
      return `[${label}: it follows in the next user message]`
    })
    const content = toContent([
      { ...textPart(texts.join('\n')), ...toBreakpoint(item.prompt_cache_breakpoint, quirks) },
    ])
    return fromItems({ role: 'tool', tool_call_id: toCallId(item.call_id, quirks.callIds), content }, target.origins, {
      at,
    })
  })
  return { out: shown.length === 0 ? messages : [...messages, { role: 'user', content: shown }], losses }
}

/** The beginning of an answer that the model continues (Mistral). */
function withPrefix(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.at(-1)
  return last?.role !== 'assistant' || last.tool_calls !== undefined
    ? messages
    : [...messages.slice(0, -1), { ...last, prefix: true }]
}

/** Some vendors refuse a user message directly after a tool message: an assistant message is put between them. */
const withNods = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.flatMap((message, i) =>
    message.role === 'user' && messages[i - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: 'OK' } as const, message]
      : [message],
  )

const partsOf = (content: ChatMessage['content']): readonly ChatPart[] =>
  typeof content === 'string' ? [textPart(content)] : (content ?? [])

/**
 * Whether the second message can be joined to the first. A message with calls is not joined, because its outputs must
 * follow it.
 */
const joins = (first: ChatMessage, second: ChatMessage): boolean =>
  first.role === second.role && first.role !== 'tool' && !('tool_calls' in first)

/** Joins contents: texts stay one string as long as there is no other part among them. O(n) for n parts. */
function joinContents(contents: readonly ChatMessage['content'][]): ChatMessage['content'] {
  const texts: string[] = []
  const parts: ChatPart[] = []
  for (const found of contents.map(partsOf)) {
    const own = found.flatMap((part) => (isPlainText(part) ? [part.text] : []))
    if (parts.length === 0 && own.length === found.length) for (const text of own) texts.push(text)
    else {
      if (parts.length === 0 && texts.length > 0) parts.push(textPart(texts.join('\n')))
      for (const part of found) parts.push(part)
    }
  }
  if (parts.length > 0) return parts
  return texts.length === 0 ? null : texts.join('\n')
}

/** Joins adjacent messages of one role. */
function joinAll(all: readonly ChatMessage[], { origins }: UpstreamContext): ChatMessage {
  const [first, ...others] = all as readonly [ChatMessage, ...ChatMessage[]]
  if (others.length === 0 || first.role === 'tool') return first
  const joined = joinTwoOrMore(first, others)
  origins?.join(joined, all)
  return joined
}

function joinTwoOrMore(
  first: Exclude<ChatMessage, { readonly role: 'tool' }>,
  others: readonly ChatMessage[],
): ChatMessage {
  const content = joinContents([first, ...others].map((message) => message.content))
  if (first.role !== 'assistant') return { role: first.role, content: content ?? '' }
  let whole: ChatAssistantMessage = first
  for (const one of others) if (one.role === 'assistant') whole = { ...whole, ...one }
  return { ...whole, content }
}

const isRules = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'

/** Makes user and assistant messages alternate, after all system messages. O(n) for n parts. */
function inTurns(messages: readonly ChatMessage[], target: UpstreamContext): readonly ChatMessage[] {
  const turns: ChatMessage[][] = []
  for (const message of [...messages.filter(isRules), ...messages.filter((one) => !isRules(one))]) {
    const turn = turns.at(-1)
    const last = turn?.at(-1)
    if (turn !== undefined && last !== undefined && joins(last, message)) turn.push(message)
    else turns.push([message])
  }
  const joined = turns.map((turn) => joinAll(turn, target))
  const first = joined.findIndex((one) => !isRules(one))
  return joined[first]?.role === 'assistant' ? joined.toSpliced(first, 0, OPENING) : joined
}

/** The first message is of the user. */
const OPENING: ChatMessage = { role: 'user', content: '…' }

/** Instructions without breakpoints are one string, unchanged. */
function encodeInstructions(request: Request, quirks: Quirks): string | readonly ChatPart[] {
  if (request.instruction_breakpoints.length === 0) return request.instructions ?? ''
  return instructionTexts(request).map(({ text, breakpoint }) => ({
    ...textPart(text),
    ...toBreakpoint(breakpoint, quirks),
  }))
}

/** Encodes all messages of a request. A reasoning model takes the role `developer`. */
export function* encodeMessages(
  request: Request,
  target: UpstreamContext,
  facts: ModelFacts,
): Steps<EncodedList<readonly ChatMessage[]>> {
  const { quirks } = target
  const thinker = isReasoning(facts)
  const encoded = yield* mapSteps(toTurns(request.input), (turn): EncodedList<ChatMessage[]> => {
    switch (turn.kind) {
      case 'prompt':
        return encodePrompt(turn.at, turn.item, target, thinker)
      case 'orphan':
        return encodeOutputs([turn], target)
      case 'assistant': {
        const answer = encodeAssistant(turn, target)
        const outputs = encodeOutputs(turn.outputs, target)
        return { out: [...answer.out, ...outputs.out], losses: [...answer.losses, ...outputs.losses] }
      }
    }
  })
  const instructions: ChatMessage[] =
    request.instructions === null || request.instructions === ''
      ? []
      : [{ role: rulesRole('system', quirks, thinker), content: encodeInstructions(request, quirks) }]
  const all = [...instructions, ...encoded.flatMap(({ out }) => out)]
  const toUser = (rules: ChatMessage): ChatMessage => {
    const message: ChatMessage = { role: 'user', content: rules.content ?? '' }
    target.origins?.join(message, [rules])
    return message
  }
  const joinRules = (rules: readonly ChatMessage[]): ChatMessage => joinAll(rules, target)
  const style = quirks.lateSystem ?? (facts.oneSystem === true ? 'first' : undefined)
  const { messages, losses } = placeRules(all, request, style, joinRules, toUser)
  const asked = facts.lastRole === 'prefix' ? withPrefix(messages) : messages
  const nodded = quirks.noUserAfterTool === true ? withNods(asked) : asked
  return {
    out: quirks.strictTurns === true ? inTurns(nodded, target) : nodded,
    losses: [
      ...encoded.flatMap(({ losses }) => losses),
      ...(quirks.strictTurns === true ? lateRulesLosses(request, 'moved before all other messages') : losses),
      ...unknownItems(request),
    ],
  }
}
