import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isHostedType } from '../../../responses/hosted-tools.ts'
import { isObject } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { hasUsualSettings, usualItem } from '../../../validation/input/usual-form.ts'
import { isSearchTool } from '../../../validation/search/search-tool.ts'
import type { EditBody, EditedBody, EncodedSettings, HubRules, RequestPassthrough } from '../../passthrough-contract.ts'
import { INPUT_CHANGES } from '../../quirks.ts'
import {
  acceptsCallId,
  hasIssued,
  hasRefusedAudio,
  hasRefusedName,
  isPresent,
  memberObjects,
  refusesFiles,
} from '../../shared/passthrough/conditions.ts'
import { gatewayMembers, lossless, modelName, unchanged } from '../../shared/passthrough/edits.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { staysInPlace } from '../../shared/upstream/input/in-place.ts'
import { hasToolSearch, supportsToolSearch } from '../../shared/upstream/input/tool-search.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { SAME_FIELDS } from '../upstream/request.ts'
import { isOpenaiSearch } from '../upstream/search.ts'
import { isRefusedInItems, openEnvelopes, withOneRule, withoutItemIds, withoutNames } from './input-items.ts'

// ---------------------------------------------------------------- edits

const has = (list: unknown, value: Json): boolean => Array.isArray(list) && list.includes(value)

/** Left out, the setting means that the upstream stores the answer. */
const storesNothing = lossless((body) => withMember(body, 'store', false))

/**
 * Requests encrypted reasoning, because nothing is stored at the upstream, and leaves out what its model refuses to
 * include.
 */
const included: EditBody = (body, { model, quirks, settings }) => {
  const requested = Array.isArray(body.include) ? (body.include as readonly Json[]) : []
  if (INCLUDED.some((name) => requested.includes(name))) return includedOf(body, requested, settings())
  const isPlain = factsOf({ model, quirks }, 'openai-responses').reasons === 'never'
  return { body: isPlain ? body : withMember(body, 'include', [...requested, INCLUDED[0]]), losses: [] }
}

const INCLUDED = ['reasoning.encrypted_content', 'message.output_text.logprobs'] as const

function* includedOf(
  body: JsonObject,
  requested: readonly Json[],
  settings: Steps<EncodedSettings>,
): Steps<EditedBody> {
  const { body: encoded, losses } = yield* settings
  const kept = requested.filter((name) => !has(INCLUDED, name) || has(encoded.include, name))
  const missing = has(encoded.include, INCLUDED[0]) && !kept.includes(INCLUDED[0]) ? [INCLUDED[0]] : []
  if (kept.length === requested.length && missing.length === 0) return unchanged(body)
  const found = kept.length === requested.length ? [] : losses.filter(({ path }) => path === 'include')
  return { body: withMember(body, 'include', [...kept, ...missing]), losses: found }
}

const RETENTION = 'prompt_cache_retention'

/** OpenAI's documents had this word with a hyphen, which its API refuses. */
const hasOldRetention = (body: JsonObject): boolean => body[RETENTION] === 'in-memory'

const vendorMembers = lossless((body, { model, quirks }) => {
  const named = hasOldRetention(body) ? withMember(body, RETENTION, 'in_memory') : body
  const streamsOnly = quirks.streamsOnly === true || factsOf({ model, quirks }, 'openai-responses').streamsOnly === true
  const streamed = streamsOnly ? withMember(named, 'stream', true) : named
  const { instructions = null } = streamed
  return quirks.needsInstructions === true && instructions === null
    ? withMember(streamed, 'instructions', '')
    : streamed
})

const oneRule: EditBody = (body, { model, quirks }) =>
  factsOf({ model, quirks }, 'openai-responses').oneSystem === true ? withOneRule(body) : unchanged(body)

const RESPONSES_SETTINGS = [
  ...SAME_FIELDS,
  'max_output_tokens',
  'truncation',
  'service_tier',
  'top_logprobs',
  'reasoning.effort',
  'reasoning.summary',
] as const

// ---------------------------------------------------------------- rules

const never = (): boolean => false

const responsesSettings: HubRules['settings'] = (body, quirks, { names, tools }) =>
  (Object.keys(names).length > 0 && quirks.namespaces !== true) ||
  (hasToolSearch({ tools }) && !supportsToolSearch({ tools }, quirks)) ||
  isPresent(body.x_search_filter) ||
  !hasUsualSettings(body) ||
  hasRefusedName(isObject(body.text) ? body.text.format : undefined, quirks) ||
  quirks.reasoningHistory !== undefined ||
  (isObject(body.reasoning) && (quirks.effort ?? 'openai') !== 'openai') ||
  tools.some((tool) => isSearchTool(tool) && ((quirks.webSearch ?? 'openai') !== 'openai' || !isOpenaiSearch(tool)))

const responsesEntry: HubRules['entry'] = (item, quirks) => {
  const { type = 'message', role } = item
  return (
    (role === 'developer' && quirks.developerRole !== true) ||
    (role === 'system' && quirks.noSystemRole === true) ||
    ((type === 'custom_tool_call' || type === 'custom_tool_call_output') && quirks.customTools !== true) ||
    (isHostedType(type) && quirks.hostedHistory !== true) ||
    (isPresent(item.namespace) && quirks.namespaces !== true) ||
    (INPUT_CHANGES.has(type) && !staysInPlace(item, quirks)) ||
    // The item is not stored anywhere.
    type === 'item_reference' ||
    !acceptsCallId(item.call_id, quirks) ||
    memberObjects(item, 'content', 'output').some(
      (part) =>
        (part.type === 'input_file' && (refusesFiles(quirks) || quirks.videoParts === true)) ||
        (part.type === 'refusal' && quirks.refusalAsText === true) ||
        hasRefusedAudio(part, quirks),
    ) ||
    // The edit of the table opens the envelopes of reasoning items.
    (type !== 'reasoning' && hasIssued(item, never, () => undefined))
  )
}

export const responsesRequests: RequestPassthrough = {
  rules: {
    history: 'input',
    opensEnvelopes: true,
    settings: responsesSettings,
    entry: responsesEntry,
    refusesEntries: () => (item) => usualItem(item) !== item,
    isWithheld: isRefusedInItems,
    editedSettings: ['include'],
    settingsOfVendors: { paths: RESPONSES_SETTINGS },
  },
  edits: {
    model: modelName,
    'members of the gateway': gatewayMembers,
    'ids of items': lossless(withoutItemIds),
    'members of messages': withoutNames,
    'opened envelopes': openEnvelopes,
    'one system message': oneRule,
    'nothing stored': storesNothing,
    'encrypted reasoning': included,
    'members of the vendor': vendorMembers,
  },
}
