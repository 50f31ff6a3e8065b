import { nearestStep } from '../../../models/efforts.ts'
import type { ModelFacts } from '../../../models/facts.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import { dropped, type Loss, mapped, SENT_AS_USER } from '../../../protocol/loss.ts'
import { isObject, toArray } from '../../../text/json.ts'
import type { EditBody, EditedBody, HubRules, RequestPassthrough } from '../../passthrough-contract.ts'
import { hasBillingLine, keepsBillingLine, withoutBillingLine } from '../../shared/billing-line.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'
import {
  gatewayMembers,
  lossless,
  modelName,
  settingsEdit,
  toolSettings,
  unchanged,
} from '../../shared/passthrough/edits.ts'
import { changeEntries, withMember, withValue } from '../../shared/passthrough/members.ts'
import { openTexts } from '../../shared/passthrough/sealed-texts.ts'
import { BEFORE_CALLS, withCallsLast } from '../../shared/upstream/conversation.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { LEAST_BUDGET } from '../../shared/upstream/reasoning-budget.ts'
import { hasOtherMessages, withOtherMembers } from '../client/other-members.ts'
import { inOwnForm, withUsualFormat } from '../client/usual-form.ts'
import { messagesSealedTexts } from '../sealed-texts.ts'
import { VERTEX_VERSION } from '../upstream/request.ts'
import { isBlankText, refusesMessagesEntries } from './refused-entries.ts'

/** Vertex names the model in the path and the version in the body. */
const vertexVersion = lossless((body, { quirks }) =>
  quirks.rawPredict === true
    ? withMember(withMember(body, 'model', undefined), 'anthropic_version', VERTEX_VERSION)
    : body,
)

/** Claude Code's billing line is meant for Anthropic: anywhere else it breaks the cache of the prompt. */
const billing = lossless((body, { model, quirks }) => {
  const { system } = body
  const texts =
    typeof system === 'string' ? [system] : toArray(system).map((block) => (isObject(block) ? block.text : ''))
  const isPresent = texts.some((text) => typeof text === 'string' && hasBillingLine(text))
  if (!isPresent || keepsBillingLine(quirks, factsOf({ model, quirks }, 'anthropic-messages'))) return body
  if (typeof system === 'string') return withMember(body, 'system', withoutBillingLine(system).text || undefined)
  const blocks = (system as readonly Json[]).flatMap((block): Json[] => {
    if (!isObject(block) || typeof block.text !== 'string' || !hasBillingLine(block.text)) return [block]
    const { text } = withoutBillingLine(block.text)
    return text === '' ? [] : [{ ...(block as JsonObject), text }]
  })
  return withMember(body, 'system', blocks.length === 0 ? undefined : blocks)
})

/**
 * A system message between the messages, which only some models of Claude accept, is one of the user in the same place:
 * "messages[1].role: unknown variant `system`, expected `user` or `assistant`".
 */
const lateSystem: EditBody = (body, { model, quirks }) => {
  const { messages } = body
  if (!Array.isArray(messages) || factsOf({ model, quirks }, 'anthropic-messages').lateSystem === true)
    return { body, losses: [] }
  const list: readonly Json[] = messages
  const losses: Loss[] = []
  const edited = list.map((message, at): Json => {
    if (!isObject(message) || message.role !== 'system') return message
    losses.push(mapped(`messages[${at}]`, SENT_AS_USER))
    return { role: 'user', content: (message as JsonObject).content ?? '' }
  })
  return { body: losses.length === 0 ? body : withMember(body, 'messages', edited), losses }
}

const hasType =
  (type: string) =>
  (block: Json): boolean =>
    isObject(block) && block.type === type

const blocksOf = ({ content }: JsonRecord): readonly Json[] =>
  (typeof content === 'string' ? [{ type: 'text', text: content }] : toArray(content)) as readonly Json[]

/** Neighbours of one role are one answer: if its texts move, it becomes one message. */
const textsBehindCalls: EditBody = (body, { model, quirks }) => {
  const { messages } = body
  const { family = 'claude' } = factsOf({ model, quirks }, 'anthropic-messages')
  if (!Array.isArray(messages) || family !== 'claude') return unchanged(body)
  const list = messages as readonly JsonObject[]
  const losses: Loss[] = []
  const edited: JsonObject[] = []
  for (let at = 0; at < list.length; ) {
    let end = at
    while (list[end]?.role === 'assistant') end += 1
    const turn = list.slice(at, Math.max(end, at + 1))
    const moved = end === at ? null : withCallsLast(turn.flatMap(blocksOf), hasType('tool_use'), hasType('text'))
    if (moved === null) edited.push(...turn)
    else {
      edited.push({ ...turn[0], content: moved.parts })
      losses.push(mapped(`messages[${at}]`, BEFORE_CALLS))
    }
    at += turn.length
  }
  return losses.length === 0 ? unchanged(body) : { body: withMember(body, 'messages', edited), losses }
}

const ownForms: EditBody = (body) => {
  const own = inOwnForm(withOtherMembers(body).body)
  const formed = withUsualFormat(own.body)
  return { body: formed.body, losses: [...own.losses, ...formed.losses] }
}

/**
 * "tools[0]: unknown variant `custom`": vendors of other models have the usual tool without its word. They show all tools
 * to the model from the start.
 */
const typesOfTools = lossless((body, { model, quirks }) => {
  const { tools } = body
  const { family = 'claude' } = factsOf({ model, quirks }, 'anthropic-messages')
  if (!Array.isArray(tools) || family === 'claude') return body
  const bare = changeEntries(tools as Json, (tool) => (isObject(tool) ? usualTool(tool as JsonObject) : tool))
  return bare === tools ? body : withMember(body, 'tools', bare)
})

function usualTool(tool: JsonObject): JsonObject {
  const shown = withMember(tool, 'defer_loading', undefined)
  return shown.type === 'custom' ? withMember(shown, 'type', undefined) : shown
}

/** The protocol's own setting of sampling, which a request of the hub has no place for. */
const OWN_SAMPLING = 'top_k'

/** Why the model refuses `top_k` in this request; null if it does not. */
function topKRefusal(body: JsonRecord, facts: ModelFacts): string | null {
  if (facts.sampling === 'none') return 'this model does not support it'
  return facts.samplingWhileReasoning === 'default' && asksForReasoning(body, facts)
    ? 'this model does not support it together with reasoning'
    : null
}

/** "temperature: range: 0..1". */
const MOST_TEMPERATURE = 1

const isHot = ({ temperature }: JsonRecord): boolean =>
  typeof temperature === 'number' && temperature > MOST_TEMPERATURE

/** The rules of the model decide about a temperature in the range, and whether the model reasons. */
const refusedSampling: EditBody = settingsEdit(
  (body) => isHot(body) || isPresent(body[OWN_SAMPLING]),
  function* (body, { model, quirks, settings }) {
    const facts = factsOf({ model, quirks }, 'anthropic-messages')
    const given = isPresent(body[OWN_SAMPLING]) ? topKRefusal(body, facts) : null
    // A rule may turn reasoning off.
    const why = given === null ? null : topKRefusal((yield* settings()).body, facts)
    return withoutSampling(body, isHot(body), why)
  },
)

function withoutSampling(body: JsonObject, isHigh: boolean, why: string | null): EditedBody {
  if (!isHigh && why === null) return unchanged(body)
  const lowered = isHigh ? withMember(body, 'temperature', MOST_TEMPERATURE) : body
  return {
    body: why === null ? lowered : withMember(lowered, OWN_SAMPLING, undefined),
    losses: [
      ...(isHigh ? [mapped('temperature', `lowered to ${MOST_TEMPERATURE}, the maximum of this upstream`)] : []),
      ...(why === null ? [] : [dropped(OWN_SAMPLING, why)]),
    ],
  }
}

// ---------------------------------------------------------------- members

/** "Input should be a valid list": null stands for a member that is left out, and an empty prompt for none. */
const emptyMembers = lossless((body) =>
  OPTIONAL.filter((name) => body[name] === null || (name === 'system' && body[name] === '')).reduce<JsonObject>(
    (edited, name) => withMember(edited, name, undefined),
    body,
  ),
)

const OPTIONAL = [
  ...['system', 'tools', 'tool_choice', 'stop_sequences', 'metadata', 'stream'],
  ...['temperature', 'top_k', 'top_p', 'thinking'],
] as const

/** "metadata.trace: Extra inputs are not permitted", "user_id: String should have at most 256 characters". */
const account: EditBody = (body) => {
  const { metadata } = body
  if (!isObject(metadata)) return { body, losses: [] }
  const kept = Object.entries(metadata as JsonObject).filter(
    ([name, value]) => name === 'user_id' && !(typeof value === 'string' && value.length > MAX_LENGTHS.user),
  )
  const names = Object.keys(metadata).filter((name) => !kept.some(([own]) => own === name))
  if (names.length === 0) return { body, losses: [] }
  const losses = names.map((name) =>
    dropped(
      `metadata.${name}`,
      name === 'user_id' ? `it is longer than ${MAX_LENGTHS.user} characters` : 'this upstream refuses it',
    ),
  )
  return { body: withMember(body, 'metadata', kept.length === 0 ? undefined : Object.fromEntries(kept)), losses }
}

const isWithheld: HubRules['isWithheld'] = (path) => path.startsWith('metadata.')

const settingsOfSome: HubRules['settingsOfSome'] = (_, facts, __, encoded) =>
  topKRefusal(encoded, facts) === null ? [] : [OWN_SAMPLING]

const NOTHING: JsonRecord = {}

const memberOf = (body: JsonRecord, name: string): JsonRecord => (isObject(body[name]) ? body[name] : NOTHING)

/** Whether Claude reasons in this request: an effort without `thinking` turns on what is on by default alone. */
function asksForReasoning(body: JsonRecord, { defaultEffort = 'none' }: ModelFacts): boolean {
  const { type } = memberOf(body, 'thinking')
  return isPresent(type) ? type !== 'disabled' : defaultEffort !== 'none'
}

/** "system: text content blocks must be non-empty", "cache_control: Extra inputs are not permitted". */
const messagesSettings: HubRules['settings'] = (body, { cacheMarks }) =>
  hasOtherMessages(body as JsonObject) ||
  (cacheMarks === 'blocks' && isPresent(body.cache_control)) ||
  toArray(body.system).some((block) => isObject(block) && isBlankText(block))

/** Whether the model refuses this form of reasoning, or this budget. */
function isRefusedForm(
  { type, budget_tokens: budget }: JsonRecord,
  limit: unknown,
  {
    family,
    betweenTools,
    reasoningBy,
    budgets,
    leastBudget = LEAST_BUDGET,
    mostBudget = Number.POSITIVE_INFINITY,
    mostOutput = Number.POSITIVE_INFINITY,
  }: ModelFacts,
): boolean {
  // "thinking.disabled.budget_tokens: Extra inputs are not permitted".
  if (type !== 'enabled' && type !== undefined && budget !== undefined) return true
  if (type === 'adaptive') return reasoningBy === 'budget'
  if (type === 'between_tools') return family === 'claude' && betweenTools !== true
  if (type !== 'enabled') return false
  const most = typeof limit === 'number' ? Math.min(limit, mostOutput) : mostOutput
  const isOutside = (tokens: number): boolean =>
    tokens < Math.max(LEAST_BUDGET, leastBudget) || tokens > mostBudget || tokens >= most
  return budgets === false || typeof budget !== 'number' || isOutside(budget)
}

/** A budget and an effort are two forms of one setting, of which a model may have one. */
const refusedForms: HubRules['refusedForms'] = (body, facts) =>
  isRefusedForm(memberOf(body, 'thinking'), body.max_tokens, facts)
    ? ['reasoning.effort', 'max_output_tokens']
    : isPresent(body.max_tokens)
      ? []
      : // "max_tokens: Field required".
        ['max_output_tokens']

/** A form that the model accepts stays. Another form leaves what the client wants to see of the reasoning. */
const joinMembers: HubRules['joinMembers'] = (path, own, encoded, body, facts) => {
  if (path === 'output_config.format') return { ...own, ...encoded }
  if (path !== 'thinking' || encoded.type === 'disabled') return encoded
  if (!isRefusedForm(own, body.max_tokens, facts) && own.type !== 'disabled') return own
  const { type: _, budget_tokens: __, ...kept } = own
  return { ...encoded, ...kept }
}

const EFFORT = 'output_config.effort'

/** The steps that the model accepts beside this form of reasoning; undefined if that is unknown. */
function stepsBeside(type: unknown, { family, efforts, effortsWhileOff = efforts }: ModelFacts): ModelFacts['efforts'] {
  return (type === 'disabled' ? effortsWhileOff : efforts) ?? (family === 'claude' ? [] : undefined)
}

/** An effort beside a budget, or beside reasoning that is off, for which a request of the hub has no place. */
const secondEffort: EditBody = (body, { model, quirks }) => {
  const { effort } = memberOf(body, 'output_config')
  const { type } = memberOf(body, 'thinking')
  if (!isPresent(effort) || (type !== 'disabled' && type !== 'enabled')) return { body, losses: [] }
  const facts = factsOf({ model, quirks }, 'anthropic-messages')
  const isOfRule =
    type === 'disabled' ? facts.reasons === 'always' : facts.reasons === 'never' || facts.reasoningBy === 'effort'
  const steps = stepsBeside(type, facts)
  const given = EVERY_STEP.find((step) => step === effort)
  if (isOfRule || given === undefined || steps === undefined || steps.includes(given)) return { body, losses: [] }
  const step = nearestStep(given, steps)
  const loss =
    step === undefined
      ? dropped(EFFORT, 'this model accepts no effort')
      : mapped(EFFORT, `${given} sent as ${step}, the nearest effort of this model`)
  return { body: withValue(body, EFFORT.split('.'), step), losses: [loss] }
}

const EVERY_STEP = ['low', 'medium', 'high', 'xhigh', 'max'] as const

export const messagesRequests: RequestPassthrough = {
  rules: {
    history: 'messages',
    settings: messagesSettings,
    entry: () => false,
    refusesEntries: refusesMessagesEntries,
    refusedForms,
    joinMembers,
    settingsOfSome,
    isWithheld,
  },
  edits: {
    model: modelName,
    'members of the gateway': gatewayMembers,
    'forms of other protocols': ownForms,
    'opened envelopes': openTexts(messagesSealedTexts),
    'empty members': emptyMembers,
    'identifier of the user': account,
    'version of Vertex': vertexVersion,
    'late system messages': lateSystem,
    'texts behind calls': textsBehindCalls,
    'types of tools': typesOfTools,
    'billing line': billing,
    'refused sampling': refusedSampling,
    'effort without reasoning': secondEffort,
    'settings of tools': toolSettings(['tool_choice']),
  },
}
