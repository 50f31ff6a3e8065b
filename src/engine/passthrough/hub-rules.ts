import type { JsonRecord } from '../../protocol/json.ts'
import type { Request } from '../../protocol/request.ts'
import { openSummary } from '../../responses/compaction.ts'
import { isEnvelope } from '../../responses/encrypted-content.ts'
import { isHostedType } from '../../responses/hosted-tools.ts'
import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { isSearchTool } from '../../validation/search-tool.ts'
import type { WireName } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { toCallId } from '../../wires/shared/upstream/call-ids.ts'
import { hasLateRules } from '../../wires/shared/upstream/input/late-rules.ts'

/** Conditions that no edit covers: a request that meets one of them is translated by the hub. */
export interface HubRules {
  /** The member of the body that holds the conversation. */
  readonly history: string
  /** An edit opens the encrypted content that this gateway issued. Left out: the hub translates a request with any. */
  readonly opensEnvelopes?: true
  /** Applies to the other members. */
  readonly settings: (body: JsonRecord, quirks: Quirks, request: Request) => boolean
  /** Applies to one entry of the conversation. */
  readonly entry: (entry: JsonRecord, quirks: Quirks) => boolean
}

const never = (): boolean => false

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const partsOf = (entry: JsonRecord, ...names: readonly string[]): readonly JsonRecord[] =>
  names.flatMap((name) => toArray(entry[name])).filter(isObject)

const fits = (id: unknown, { callIds }: Quirks): boolean => !isNonEmptyString(id) || toCallId(id, callIds) === id

const refusesFiles = ({ files }: Quirks): boolean => files !== undefined && files !== 'file'

const hasSchema = (format: unknown): boolean => isObject(format) && format.type === 'json_schema'

// ---------------------------------------------------------------- marks of this gateway

/** Whether a text is encrypted content that this gateway issued: no upstream can read it. */
const isIssuedText = (text: string): boolean => isEnvelope(text) || openSummary(text) !== undefined

/** Whether a value contains encrypted content of this gateway, or an object that `isIssued` recognises. */
export function hasIssued(value: unknown, isIssued: (object: JsonRecord) => boolean): boolean {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string' ? isIssuedText(next) : isObject(next) && isIssued(next)) return true
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) waiting.push(inner)
  }
  return false
}

// ---------------------------------------------------------------- chat completions

/** Quirks that change a whole conversation. */
const changesConversation = ({ strictTurns, noUserAfterTool, alwaysSearches }: Quirks): boolean =>
  strictTurns === true || noUserAfterTool === true || alwaysSearches === true

const movesRules = (body: JsonRecord, { lateSystem }: Quirks): boolean =>
  lateSystem !== undefined && hasLateRules(toArray(body.messages).filter(isObject))

/** Each vendor has its own members for reasoning, so that those of other vendors are translated. */
function foreignReasoning(body: JsonRecord, { effort = 'openai' }: Quirks): boolean {
  if (isPresent(body.reasoning_effort) && effort !== 'openai') return true
  if (effort === 'nested') return false
  const isSwitched = effort === 'deepseek' || effort === 'moonshot' || effort === 'zai'
  return (
    isPresent(body.reasoning) ||
    isPresent(body.include_reasoning) ||
    isPresent(body.usage) ||
    (isPresent(body.thinking) && !isSwitched)
  )
}

function changesChoice(body: JsonRecord, { requiredWord, noNamedChoice, refuses }: Quirks): boolean {
  const limited = requiredWord !== undefined || noNamedChoice === true
  return (
    (limited && isPresent(body.tool_choice)) || (refuses?.includes('tools') === true && toArray(body.tools).length > 0)
  )
}

const chatSettings: HubRules['settings'] = (body, quirks, { tools }) =>
  changesConversation(quirks) ||
  movesRules(body, quirks) ||
  isPresent(body.functions) ||
  isPresent(body.function_call) ||
  isPresent(body.x_search_filter) ||
  tools.some(isSearchTool) ||
  foreignReasoning(body, quirks) ||
  changesChoice(body, quirks) ||
  (quirks.noJsonSchema === true && hasSchema(body.response_format))

const CHAT_PARTS: Readonly<Record<string, (quirks: Quirks) => boolean>> = {
  file: refusesFiles,
  input_audio: ({ bareAudio }) => bareAudio === true,
  refusal: ({ refusalAsText }) => refusalAsText === true,
  thinking: ({ reasoningHistory }) => reasoningHistory !== 'thinking',
}

/** Whether a client that collected a stream returns the fragments of an entry one by one. */
const hasFragments = (details: readonly JsonRecord[]): boolean =>
  details.some((detail, at) => at > 0 && detail.index === details[at - 1]?.index)

/** Reasoning of earlier answers goes back only in the form in which this vendor issued it. */
const foreignHistory = (message: JsonRecord, { reasoningHistory }: Quirks): boolean =>
  isPresent(message.reasoning_content) ||
  (reasoningHistory !== 'reasoning_details' &&
    (isPresent(message.reasoning) || isPresent(message.reasoning_details))) ||
  hasFragments(partsOf(message, 'reasoning_details'))

const chatEntry: HubRules['entry'] = (message, quirks) =>
  (message.role === 'developer' && quirks.developerRole !== true) ||
  message.role === 'function' ||
  isPresent(message.function_call) ||
  (isPresent(message.refusal) && quirks.refusalAsText === true) ||
  foreignHistory(message, quirks) ||
  !fits(message.tool_call_id, quirks) ||
  partsOf(message, 'tool_calls').some(
    ({ id, type }) => !fits(id, quirks) || (type === 'custom' && quirks.customTools !== true),
  ) ||
  partsOf(message, 'content').some(
    ({ type }) => typeof type === 'string' && lookup(CHAT_PARTS, type)?.(quirks) === true,
  )

// ---------------------------------------------------------------- Gemini

/** Gemini refuses the calls of another model if the first of them is unsigned. */
function geminiEntry(content: JsonRecord): boolean {
  const call = partsOf(content, 'parts').find((part) => isPresent(part.functionCall ?? part.function_call))
  return call !== undefined && !isNonEmptyString(call.thoughtSignature ?? call.thought_signature)
}

// ---------------------------------------------------------------- Responses

const responsesSettings: HubRules['settings'] = (body, quirks, { names, tools }) =>
  // The answer has to name the tools of a namespace as the client does.
  Object.keys(names).length > 0 ||
  isPresent(body.x_search_filter) ||
  quirks.reasoningHistory !== undefined ||
  (isObject(body.reasoning) && (quirks.effort ?? 'openai') !== 'openai') ||
  ((quirks.webSearch ?? 'openai') !== 'openai' && tools.some(isSearchTool)) ||
  (quirks.noJsonSchema === true && isObject(body.text) && hasSchema(body.text.format))

const responsesEntry: HubRules['entry'] = (item, quirks) => {
  const { type = 'message', role } = item
  return (
    (role === 'developer' && quirks.developerRole !== true) ||
    (role === 'system' && quirks.noSystemRole === true) ||
    ((type === 'custom_tool_call' || type === 'custom_tool_call_output') && quirks.customTools !== true) ||
    (isHostedType(type) && quirks.hostedHistory !== true) ||
    // The item is not stored anywhere.
    type === 'item_reference' ||
    !fits(item.call_id, quirks) ||
    partsOf(item, 'content', 'output').some(
      (part) =>
        (part.type === 'input_file' && refusesFiles(quirks)) ||
        (part.type === 'refusal' && quirks.refusalAsText === true),
    ) ||
    // The edit of the table opens the envelopes of reasoning items.
    (type !== 'reasoning' && hasIssued(item, never))
  )
}

/** The rules of each protocol that clients and upstreams share. */
export const HUB_RULES: Partial<Record<WireName, HubRules>> = {
  'openai-chat': { history: 'messages', settings: chatSettings, entry: chatEntry },
  'anthropic-messages': { history: 'messages', settings: never, entry: never },
  'gemini-generate': { history: 'contents', settings: never, entry: geminiEntry },
  'ollama-chat': { history: 'messages', settings: movesRules, entry: never },
  'openai-responses': { history: 'input', opensEnvelopes: true, settings: responsesSettings, entry: responsesEntry },
}
