import type { ModelFacts } from '../../../models/facts.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { dropped, NOT_SUPPORTED } from '../../../protocol/loss.ts'
import { isObject, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { isSearchTool } from '../../../validation/search/search-tool.ts'
import type { EditBody, EditContext, HubRules, RequestPassthrough } from '../../passthrough-contract.ts'
import type { Quirks } from '../../quirks.ts'
import {
  acceptsCallId,
  hasRefusedAudio,
  hasRefusedName,
  isPresent,
  memberObjects,
  movesRules,
  refusesFiles,
} from '../../shared/passthrough/conditions.ts'
import {
  gatewayMembers,
  hasSome,
  lossless,
  modelName,
  settingsEdit,
  toolSettings,
  unchanged,
} from '../../shared/passthrough/edits.ts'
import { changeEntries, withMember } from '../../shared/passthrough/members.ts'
import { openTexts } from '../../shared/passthrough/sealed-texts.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { hasOtherHistory, inOwnForm } from '../client/usual-form.ts'
import { readSignature, signatureMembers, UNSIGNED_CALL, whereGoogleReads } from '../sealed-reasoning.ts'
import { chatSealedTexts } from '../sealed-texts.ts'
import { NO_LIMIT } from '../terms.ts'
import { limitField, takesSampling } from '../upstream/request.ts'
import { isRefusedInMessages, mendNames, messageMembers } from './message-members.ts'
import { refusesChatEntries } from './refused-entries.ts'

// ---------------------------------------------------------------- edits

/** The gateway counts the tokens of each stream. Its client receives the counts only on request. */
const streamUsage: EditBody = (body, { quirks }) => {
  const { stream_options: options } = body
  if (quirks.noStreamOptions === true) {
    const others = isObject(options) && Object.keys(options).some((name) => name !== 'include_usage')
    return {
      body: withMember(body, 'stream_options', undefined),
      losses: others ? [dropped('stream_options', NOT_SUPPORTED)] : [],
    }
  }
  if (body.stream !== true || (isObject(options) && options.include_usage === true)) return unchanged(body)
  const given = isObject(options) ? (options as JsonObject) : {}
  return { body: withMember(body, 'stream_options', { ...given, include_usage: true }), losses: [] }
}

/** Both names of the limit; a vendor may know only one. */
const OTHER_LIMIT = { max_tokens: 'max_completion_tokens', max_completion_tokens: 'max_tokens' } as const

const limitOf = (context: EditContext) => limitField(factsOf(context, 'openai-chat'), context.quirks)

function hasOtherLimit(body: JsonObject, context: EditContext): boolean {
  const own = limitOf(context)
  // Each model of OpenAI accepts the newer name.
  const stays = own === 'max_tokens' && context.quirks.openaiModels === true && !Object.hasOwn(body, own)
  return Object.hasOwn(body, OTHER_LIMIT[own]) && !stays
}

const maxTokens = settingsEdit(hasOtherLimit, function* (body, context) {
  const own = limitOf(context)
  const other = OTHER_LIMIT[own]
  const value = (yield* context.settings()).body[own]
  if (value === undefined) return unchanged(body)
  if (Object.hasOwn(body, own)) {
    const edited = withMember(withMember(body, other, undefined), own, value)
    const isSecond = body[own] !== body[other]
    return { body: edited, losses: isSecond ? [dropped('max_tokens', 'max_completion_tokens takes precedence')] : [] }
  }
  const renamed = Object.entries(body).map(([name, member]) => (name === other ? [own, value] : [name, member]))
  return { body: Object.fromEntries(renamed), losses: [] }
})

/** Members that only OpenAI and some routers know. */
const OPENAI_MEMBERS = ['service_tier', 'verbosity', 'safety_identifier', 'prompt_cache_key'] as const

const hasForeignMembers = (body: JsonObject, { quirks }: EditContext): boolean =>
  quirks.openaiFields !== true && hasSome(body, OPENAI_MEMBERS)

const openaiMembers = settingsEdit(hasForeignMembers, function* (body, { settings }) {
  const names: readonly string[] = OPENAI_MEMBERS.filter((name) => Object.hasOwn(body, name))
  const { losses } = yield* settings()
  return {
    body: names.reduce<JsonObject>((edited, name) => withMember(edited, name, undefined), body),
    losses: losses.filter(({ path }) => names.includes(path)),
  }
})

const CHAT_SETTINGS = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'user',
  'stop',
  'parallel_tool_calls',
  'reasoning_effort',
  'logprobs',
  'top_logprobs',
] as const

/** A call with its signature where Google reads it. The first call of a message has Google's marker if it has none. */
function withSignature(call: Json, isFirst: boolean): Json {
  const found = isObject(call) ? readSignature(call) : null
  const signature = found === null ? UNSIGNED_CALL : whereGoogleReads(found)
  const isRead = signature === found || (found === null && !isFirst)
  return isRead || !isObject(call) ? call : { ...(call as JsonObject), ...signatureMembers(signature) }
}

function withSignatures(message: Json): Json {
  if (!isObject(message) || message.role !== 'assistant') return message
  const signed = changeEntries(message.tool_calls as Json, (call, at) => withSignature(call, at === 0))
  return withMember(message as JsonObject, 'tool_calls', signed)
}

const missingSignatures = lossless((body, { quirks }) =>
  quirks.signsCalls === true ? withMember(body, 'messages', changeEntries(body.messages, withSignatures)) : body,
)

// ---------------------------------------------------------------- rules

/** Quirks that change a whole conversation. */
const changesConversation = ({ strictTurns, noUserAfterTool, alwaysSearches }: Quirks): boolean =>
  strictTurns === true || noUserAfterTool === true || alwaysSearches === true

/** "invalid thinking.type: "enabled" (allowed: adaptive, disabled)", "thinking … (expected type object) is illegal". */
const isOtherSwitch = ({ thinking }: JsonRecord, effort: Quirks['effort']): boolean =>
  !isObject(thinking) || (effort === 'minimax' && thinking.type === 'enabled')

/** The members for reasoning of some servers, with the style of those that read them. */
const OF_SERVERS = [
  ['enable_thinking', 'alibaba'],
  ['thinking_budget', 'alibaba'],
  ['chat_template_kwargs', 'template'],
  ['think', null],
] as const

/** Of these, those that this vendor does not read. Others than it may read them if nothing is known about its style. */
const foreignWords = (body: JsonRecord, { effort, refusesMembers }: Quirks): readonly string[] =>
  OF_SERVERS.flatMap(([name, style]) =>
    isPresent(body[name]) && (effort === undefined ? refusesMembers?.includes(name) === true : effort !== style)
      ? [name]
      : [],
  )

/** Each vendor has its own members for reasoning, so that those of other vendors are translated. */
function foreignReasoning(body: JsonRecord, quirks: Quirks): boolean {
  const { effort = 'openai' } = quirks
  if (foreignWords(body, quirks).length > 0) return true
  if (isPresent(body.reasoning_effort) && effort !== 'openai') return true
  if (effort === 'nested') return false
  const isSwitched = effort === 'deepseek' || effort === 'minimax' || effort === 'moonshot' || effort === 'zai'
  return (
    isPresent(body.reasoning) ||
    isPresent(body.include_reasoning) ||
    isPresent(body.usage) ||
    (isPresent(body.thinking) && (!isSwitched || isOtherSwitch(body, effort)))
  )
}

function changesChoice(body: JsonRecord, { requiredWord, noNamedChoice, noToolChoice, refuses }: Quirks): boolean {
  const limited = requiredWord !== undefined || noNamedChoice === true || noToolChoice === true
  return (
    (limited && isPresent(body.tool_choice)) || (refuses?.includes('tools') === true && toArray(body.tools).length > 0)
  )
}

/** The client that requests one answer reads one choice and each piece of a call once; the hub joins both as they are. */
export const joinsCalls = ({ n, tools }: JsonRecord, { splitsAnswers, resendsArguments }: Quirks): boolean =>
  (splitsAnswers === true || resendsArguments === true) &&
  toArray(tools).length > 0 &&
  !(typeof n === 'number' && n > 1)

/** "Missing required parameter: 'tools[0].type'". */
const hasTypes = (body: JsonRecord): boolean => memberObjects(body, 'tools').every(({ type }) => isPresent(type))

const chatSettings: HubRules['settings'] = (body, quirks, request, facts) =>
  (facts.streamsOnly === true && body.stream !== true) ||
  !hasTypes(body) ||
  hasOtherHistory(body as JsonObject) ||
  hasRefusedName(isObject(body.response_format) ? body.response_format.json_schema : undefined, quirks) ||
  changesConversation(quirks) ||
  joinsCalls(body, quirks) ||
  movesRules(body, quirks, request, facts) ||
  isPresent(body.functions) ||
  isPresent(body.function_call) ||
  isPresent(body.x_search_filter) ||
  request.tools.some(isSearchTool) ||
  foreignReasoning(body, quirks) ||
  changesChoice(body, quirks)

const CHAT_PARTS: Readonly<Record<string, (quirks: Quirks) => boolean>> = {
  text: ({ plainContent }) => plainContent === true,
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
  hasFragments(memberObjects(message, 'reasoning_details'))

const chatEntry: HubRules['entry'] = (message, quirks) =>
  (message.role === 'developer' && quirks.developerRole !== true) ||
  message.role === 'function' ||
  isPresent(message.function_call) ||
  (isPresent(message.refusal) && quirks.refusalAsText === true) ||
  (quirks.plainContent === true && !isPresent(message.content)) ||
  foreignHistory(message, quirks) ||
  !acceptsCallId(message.tool_call_id, quirks) ||
  memberObjects(message, 'tool_calls').some(
    ({ id, type }) => !acceptsCallId(id, quirks) || (type === 'custom' && quirks.customTools !== true),
  ) ||
  memberObjects(message, 'content').some(
    (part) =>
      (typeof part.type === 'string' && lookup(CHAT_PARTS, part.type)?.(quirks) === true) ||
      // "text content is empty".
      (part.text === '' && quirks.openaiModels !== true) ||
      hasRefusedAudio(part, quirks),
  )

/** Whether the model refuses to favour tokens, as other settings of sampling. */
function refusesBias({ reasoning_effort: asked }: JsonRecord, facts: ModelFacts): boolean {
  const { family, sampling, reasons, defaultEffort = 'none' } = facts
  if (family !== 'gpt' || reasons === 'never') return false
  return sampling === 'none' || (sampling === 'without-reasoning' && (asked ?? defaultEffort) !== 'none')
}

const BIAS = 'logit_bias'

const refusedSampling: EditBody = (body, context) =>
  isPresent(body.logit_bias) && refusesBias(body, factsOf(context, 'openai-chat'))
    ? { body: withMember(body, BIAS, undefined), losses: [dropped(BIAS, 'this model does not support it')] }
    : unchanged(body)

const NO_LIMITS = ['max_tokens', 'max_completion_tokens'] as const

/** "stream_options … only allowed when stream is enabled", "'stop': empty array", "logprobs must be true". */
const idleSettings = lossless((body, { quirks }) => {
  let edited = body
  for (const { name, isIdle } of IDLE)
    if (Object.hasOwn(body, name) && isIdle(body, quirks)) edited = withMember(edited, name, undefined)
  return edited
})

const IDLE: readonly { readonly name: string; readonly isIdle: (body: JsonObject, quirks: Quirks) => boolean }[] = [
  { name: 'n', isIdle: ({ n }, { refusesMembers }) => n === 1 && refusesMembers?.includes('n') === true },
  { name: 'stream_options', isIdle: ({ stream }) => stream !== true },
  { name: 'stop', isIdle: ({ stop }) => Array.isArray(stop) && stop.length === 0 },
  { name: 'top_logprobs', isIdle: ({ top_logprobs, logprobs }) => isPresent(top_logprobs) && logprobs !== true },
  ...NO_LIMITS.map((name) => ({
    name,
    isIdle: (body: JsonObject, { effort }: Quirks) =>
      body[name] === NO_LIMIT && effort !== 'template' && effort !== 'ollama',
  })),
]

const METADATA = 'metadata'

/** "The 'metadata' parameter is only allowed when 'store' is enabled." */
const storedMetadata: EditBody = (body, { quirks }) =>
  quirks.openaiFields === true && isPresent(body[METADATA]) && body.store !== true
    ? {
        body: withMember(body, METADATA, undefined),
        losses: [dropped(METADATA, 'this upstream keeps it with stored answers only')],
      }
    : unchanged(body)

const settingsOfSome: HubRules['settingsOfSome'] = (quirks, facts, body) => [
  // A body of the hub stores nothing.
  ...(quirks.openaiFields === true ? [METADATA] : []),
  ...foreignWords(body, quirks),
  ...(refusesBias(body, facts) ? [BIAS] : []),
  'reasoning',
  'thinking',
  'usage',
  'web_search_options',
  ...(quirks.noStreamOptions === true ? ['stream_options'] : []),
]

export const chatRequests: RequestPassthrough = {
  rules: {
    history: 'messages',
    settings: chatSettings,
    entry: chatEntry,
    refusesEntries: refusesChatEntries,
    settingsOfSome,
    isWithheld: isRefusedInMessages,
    mendOwn: mendNames,
    settingsOfVendors: { paths: CHAT_SETTINGS, together: ['logprobs', 'top_logprobs'], takes: takesSampling },
  },
  edits: {
    model: modelName,
    'members of the gateway': gatewayMembers,
    'forms of other protocols': lossless((body) => inOwnForm(body).body),
    'opened envelopes': openTexts(chatSealedTexts),
    'settings without effect': idleSettings,
    'metadata of stored answers': storedMetadata,
    'usage of streams': streamUsage,
    'name of the limit': maxTokens,
    'members of OpenAI': openaiMembers,
    'refused sampling': refusedSampling,
    'missing signatures': missingSignatures,
    'members of messages': messageMembers,
    'settings of tools': toolSettings(['tools', 'tool_choice', 'parallel_tool_calls']),
  },
}
