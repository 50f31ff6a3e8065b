import type { ModelFacts } from '../../../models/facts.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped } from '../../../protocol/loss.ts'
import { isObject, toArray } from '../../../text/json.ts'
import type { EditBody, HubRules, RequestPassthrough } from '../../passthrough-contract.ts'
import { hasBillingLine, keepsBillingLine, withoutBillingLine } from '../../shared/billing-line.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers, lossless, modelName } from '../../shared/passthrough/edits.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { openTexts } from '../../shared/passthrough/sealed-texts.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { messagesSealedTexts } from '../sealed-texts.ts'
import { LEAST_BUDGET } from '../upstream/body.ts'
import { VERTEX_VERSION } from '../upstream/request.ts'
import { isBlankText, refusesMessagesEntries } from './conversation.ts'

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

/** A system message that the model refuses between the messages is one of the user in the same place. */
const lateSystem: EditBody = (body, { model, quirks }) => {
  const { messages } = body
  if (!Array.isArray(messages) || factsOf({ model, quirks }, 'anthropic-messages').lateSystem !== false)
    return { body, losses: [] }
  const list: readonly Json[] = messages
  const losses: Loss[] = []
  const edited = list.map((message, at): Json => {
    if (!isObject(message) || message.role !== 'system') return message
    losses.push(mapped(`messages[${at}]`, 'sent as a message of the user'))
    return { role: 'user', content: (message as JsonObject).content ?? '' }
  })
  return { body: losses.length === 0 ? body : withMember(body, 'messages', edited), losses }
}

/** The protocol's own setting of sampling, which a request of the hub has no place for. */
const OWN_SAMPLING = 'top_k'

/** Why the model refuses `top_k` in this request; null if it does not. */
function topKRefusal(body: JsonRecord, { sampling, samplingWhileReasoning }: ModelFacts): string | null {
  if (sampling === 'none') return 'this model does not support it'
  return samplingWhileReasoning === 'default' && asksForReasoning(body)
    ? 'this model does not support it together with reasoning'
    : null
}

const refusedSampling: EditBody = (body, { model, quirks }) => {
  const why = isPresent(body[OWN_SAMPLING]) ? topKRefusal(body, factsOf({ model, quirks }, 'anthropic-messages')) : null
  return why === null
    ? { body, losses: [] }
    : { body: withMember(body, OWN_SAMPLING, undefined), losses: [dropped(OWN_SAMPLING, why)] }
}

const settingsOfSome: HubRules['settingsOfSome'] = (_, facts, body) =>
  topKRefusal(body, facts) === null ? [] : [OWN_SAMPLING]

function asksForReasoning({ thinking, output_config: output }: JsonRecord): boolean {
  if (isObject(thinking) && isPresent(thinking.type)) return thinking.type !== 'disabled'
  return isObject(output) && isPresent(output.effort)
}

const blocksOf = (message: unknown): readonly JsonRecord[] =>
  isObject(message) ? toArray(message.content).filter(isObject) : []

/** "system: text content blocks must be non-empty". */
const hasBlankRule = ({ system }: JsonRecord): boolean =>
  toArray(system).some((block) => isObject(block) && isBlankText(block))

/** With a budget, Claude refuses results of calls that follow no reasoning of its own: it does not reason in such a turn. */
const reasonsUnsigned: HubRules['settings'] = (body, _, __, { family, reasoningBy }) => {
  if (family !== 'claude' || reasoningBy !== 'budget' || !asksForReasoning(body)) return false
  const [answer, results] = toArray(body.messages).slice(-2)
  const first = blocksOf(answer)[0]?.type
  const isReasoned = first === 'thinking' || first === 'redacted_thinking'
  return !isReasoned && blocksOf(results).some(({ type }) => type === 'tool_result')
}

const settings: HubRules['settings'] = (body, ...rest) => hasBlankRule(body) || reasonsUnsigned(body, ...rest)

/** A budget and an effort are two forms of one setting, of which a model may have one. */
const refusedForms: HubRules['refusedForms'] = (
  body,
  {
    reasoningBy,
    budgets,
    leastBudget = LEAST_BUDGET,
    mostBudget = Number.POSITIVE_INFINITY,
    mostOutput = Number.POSITIVE_INFINITY,
  },
) => {
  const { thinking, output_config: output, max_tokens: limit } = body
  const { type, budget_tokens: budget } = isObject(thinking) ? thinking : NOTHING
  const most = typeof limit === 'number' ? Math.min(limit, mostOutput) : mostOutput
  const isRefused =
    (type === 'enabled' &&
      (budgets === false ||
        (typeof budget === 'number' &&
          !(budget >= Math.max(LEAST_BUDGET, leastBudget) && budget <= mostBudget && budget < most)))) ||
    (reasoningBy === 'budget' && (type === 'adaptive' || (isObject(output) && isPresent(output.effort))))
  return isRefused ? ['reasoning.effort', 'max_output_tokens'] : []
}

const NOTHING: JsonRecord = {}

/** Another form of reasoning leaves what the client wants to see of it. */
const joinMembers: HubRules['joinMembers'] = (path, own, encoded) => {
  if (path !== 'thinking' || encoded.type === 'disabled') return encoded
  const { type: _, budget_tokens: __, ...kept } = own
  return { ...encoded, ...kept }
}

export const messagesRequests: RequestPassthrough = {
  rules: {
    history: 'messages',
    settings,
    entry: () => false,
    refusesEntries: refusesMessagesEntries,
    refusedForms,
    joinMembers,
    settingsOfSome,
  },
  edits: {
    model: modelName,
    'members of the gateway': gatewayMembers,
    'opened envelopes': openTexts(messagesSealedTexts),
    'version of Vertex': vertexVersion,
    'late system messages': lateSystem,
    'billing line': billing,
    'refused sampling': refusedSampling,
  },
}
