import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import type { RequestPassthrough } from '../../passthrough-contract.ts'
import { isPresent, memberObjects } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers } from '../../shared/passthrough/edits.ts'
import { openTexts } from '../../shared/passthrough/sealed-texts.ts'
import { geminiSealedTexts } from '../sealed-texts.ts'

/** Gemini refuses the calls of another model if the first of them is unsigned. */
function geminiEntry(content: JsonRecord): boolean {
  const call = memberObjects(content, 'parts').find((part) => isPresent(part.functionCall ?? part.function_call))
  return call !== undefined && !isNonEmptyString(call.thoughtSignature ?? call.thought_signature)
}

/** The model is in the path. */
export const geminiRequests: RequestPassthrough = {
  rules: { history: 'contents', settings: () => false, entry: geminiEntry },
  edits: { 'members of the gateway': gatewayMembers, 'opened envelopes': openTexts(geminiSealedTexts) },
}
