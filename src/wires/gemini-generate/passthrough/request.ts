import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { HubRules, RequestPassthrough } from '../../passthrough-contract.ts'
import { isPresent, memberObjects } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers } from '../../shared/passthrough/edits.ts'
import { openTexts } from '../../shared/passthrough/sealed-texts.ts'
import { geminiSealedTexts } from '../sealed-texts.ts'

/** Gemini refuses the calls of another model if the first of them is unsigned. */
function geminiEntry(content: JsonRecord): boolean {
  const call = memberObjects(content, 'parts').find((part) => isPresent(part.functionCall ?? part.function_call))
  return call !== undefined && !isNonEmptyString(call.thoughtSignature ?? call.thought_signature)
}

/** A model that has budgets refuses levels. */
const refusedForms: HubRules['refusedForms'] = (body, { reasoningBy }) => {
  const config = geminiMember(body, 'generationConfig', 'generation_config')
  const thinking = isObject(config) ? geminiMember(config, 'thinkingConfig', 'thinking_config') : undefined
  const level = isObject(thinking) ? geminiMember(thinking, 'thinkingLevel', 'thinking_level') : undefined
  return reasoningBy === 'budget' && isPresent(level) ? ['reasoning.effort'] : []
}

const geminiMember = (body: JsonRecord, name: string, snake: string): unknown => body[name] ?? body[snake]

/** The model is in the path. */
export const geminiRequests: RequestPassthrough = {
  rules: { history: 'contents', settings: () => false, entry: geminiEntry, refusedForms },
  edits: { 'members of the gateway': gatewayMembers, 'opened envelopes': openTexts(geminiSealedTexts) },
}
