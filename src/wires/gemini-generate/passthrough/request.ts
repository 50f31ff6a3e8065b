import type { ModelFacts } from '../../../models/facts.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import { isNonEmptyString, isObject, toCamel } from '../../../text/json.ts'
import type { EditBody, HubRules, RequestPassthrough } from '../../passthrough-contract.ts'
import { isPresent, memberObjects } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers, lossless, unchanged } from '../../shared/passthrough/edits.ts'
import { withSmallSeed } from '../../shared/passthrough/google-seed.ts'
import { changeEntries, ownSteps, withMember, withValue } from '../../shared/passthrough/members.ts'
import { openTexts } from '../../shared/passthrough/sealed-texts.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { isSignature } from '../../shared/upstream/signature.ts'
import { inOwnForm } from '../client/usual-form.ts'
import { geminiSealedTexts } from '../sealed-texts.ts'
import { refusesGeminiEntries } from './refused-entries.ts'
import { emptyTools, geminiMember, refusesGeminiSettings } from './settings.ts'

/** Gemini refuses the calls of another model if the first of them is unsigned, and what is no signature. */
function geminiEntry(content: JsonRecord): boolean {
  const call = memberObjects(content, 'parts').find((part) => isPresent(part.functionCall ?? part.function_call))
  if (call === undefined) return false
  const signature = call.thoughtSignature ?? call.thought_signature
  return !isNonEmptyString(signature) || !isSignature(signature)
}

/** A budget of this many tokens leaves the decision to the model. */
const DYNAMIC = -1

const thinkingIn = (body: JsonRecord): JsonRecord | null => {
  const config = geminiMember(body, 'generationConfig', 'generation_config')
  const thinking = isObject(config) ? geminiMember(config, 'thinkingConfig', 'thinking_config') : undefined
  return isObject(thinking) ? thinking : null
}

const levelIn = (thinking: JsonRecord): unknown => geminiMember(thinking, 'thinkingLevel', 'thinking_level')
const budgetIn = (thinking: JsonRecord): unknown => geminiMember(thinking, 'thinkingBudget', 'thinking_budget')

/** "You can only set only one of thinking budget and thinking level": the form of the model stays. */
const oneForm: EditBody = (body, { model, quirks }) => {
  const thinking = thinkingIn(body)
  const isBoth = thinking !== null && isPresent(levelIn(thinking)) && isPresent(budgetIn(thinking))
  const by = isBoth ? factsOf({ model, quirks }, 'gemini-generate').reasoningBy : undefined
  if (by !== 'budget' && by !== 'effort') return { body, losses: [] }
  const other = by === 'budget' ? 'thinkingLevel' : 'thinkingBudget'
  const path = ownSteps(body, ['generationConfig', 'thinkingConfig', other])
  const loss = dropped(path.join('.'), 'this upstream accepts one of thinkingLevel and thinkingBudget')
  return { body: withValue(body, path, undefined), losses: [loss] }
}

/** "google_search_retrieval is not supported. Please use google_search tool instead." */
const currentSearch: EditBody = (body) => {
  const losses: Loss[] = []
  const tools = changeEntries(body.tools, (tool, at) => {
    const name = isObject(tool) ? Object.keys(tool).find((own) => toCamel(own) === 'googleSearchRetrieval') : undefined
    if (name === undefined) return tool
    const { [name]: earlier, ...others } = tool as JsonObject
    const settings = isObject(earlier) ? Object.keys(earlier) : []
    losses.push(...settings.map((setting) => dropped(`tools[${at}].${name}.${setting}`, 'only earlier models have it')))
    return { ...others, googleSearch: {} }
  })
  return tools === body.tools ? unchanged(body) : { body: withMember(body, 'tools', tools), losses }
}

const isOutside = (
  budget: number,
  { reasons, leastBudget = 0, mostBudget = Number.POSITIVE_INFINITY }: ModelFacts,
): boolean =>
  budget === 0 ? reasons === 'always' : budget !== DYNAMIC && (budget < leastBudget || budget > mostBudget)

/**
 * A model that has budgets refuses levels, and budgets beyond its bounds; one that never reasons refuses to show its
 * reasoning ("Thinking is not enabled for this model").
 */
const refusedForms: HubRules['refusedForms'] = (body, facts) => {
  const thinking = thinkingIn(body)
  const hasEffort = thinking !== null && isPresent(levelIn(thinking) ?? budgetIn(thinking))
  if (facts.reasons === 'never' && thinking !== null && !hasEffort) return ['reasoning.effort']
  if (facts.reasoningBy !== 'budget' || thinking === null) return []
  const budget = budgetIn(thinking)
  const isRefused = typeof budget === 'number' ? isOutside(budget, facts) : isPresent(levelIn(thinking))
  return isRefused ? ['reasoning.effort'] : []
}

const CONTROLS: ReadonlySet<string> = new Set(['thinkingLevel', 'thinkingBudget'])

/** Another form of reasoning leaves what the client wants to see of it. */
const joinMembers: HubRules['joinMembers'] = (path, own, encoded) =>
  path === 'generationConfig.thinkingConfig'
    ? {
        ...Object.fromEntries(Object.entries(own).filter(([name]) => !CONTROLS.has(toCamel(name)))),
        ...Object.fromEntries(Object.entries(encoded).filter(([name]) => CONTROLS.has(name))),
      }
    : encoded

const SERVER_TOOLS: ReadonlySet<string> = new Set([
  'googleSearch',
  'urlContext',
  'codeExecution',
  'googleMaps',
  'fileSearch',
])

/** "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling." */
const serverTools = lossless((body, { model, quirks }) => {
  const names = memberObjects(body, 'tools').flatMap(Object.keys).map(toCamel)
  const isMixed = names.includes('functionDeclarations') && names.some((name) => SERVER_TOOLS.has(name))
  if (!isMixed || quirks.platform === 'vertex') return body
  if (factsOf({ model, quirks }, 'gemini-generate').mixesTools !== true) return body
  const path = ownSteps(body, ['toolConfig', 'includeServerSideToolInvocations'])
  const [holder = '', name = ''] = path
  const config = isObject(body[holder]) ? (body[holder] as JsonObject) : {}
  return name in config ? body : withMember(body, holder, { ...config, [name]: true })
})

/** The model is in the path. */
export const geminiRequests: RequestPassthrough = {
  rules: {
    history: 'contents',
    settings: refusesGeminiSettings,
    entry: geminiEntry,
    refusesEntries: refusesGeminiEntries,
    refusedForms,
    joinMembers,
    mendOwn: withSmallSeed,
  },
  edits: {
    'members of the gateway': gatewayMembers,
    'forms of other protocols': lossless(inOwnForm),
    'opened envelopes': openTexts(geminiSealedTexts),
    'one form of reasoning': oneForm,
    'search of earlier models': currentSearch,
    'settings of tools': emptyTools,
    'server tools beside functions': serverTools,
    'size of the seed': withSmallSeed,
  },
}
