import type { JsonRecord } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import type { RequestPassthrough } from '../../passthrough-contract.ts'
import { isPresent, memberObjects, movesRules } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers, modelName } from '../../shared/passthrough/edits.ts'

/** "cannot unmarshal string into Go struct field … arguments". */
const hasTextArguments = (message: JsonRecord): boolean =>
  memberObjects(message, 'tool_calls').some(
    ({ function: called }) => isObject(called) && isPresent(called.arguments) && !isObject(called.arguments),
  )

export const ollamaRequests: RequestPassthrough = {
  rules: { history: 'messages', settings: movesRules, entry: hasTextArguments },
  edits: { model: modelName, 'members of the gateway': gatewayMembers },
}
