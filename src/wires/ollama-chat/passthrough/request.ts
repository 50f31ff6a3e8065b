import type { JsonRecord } from '../../../protocol/json.ts'
import { isObject, toArray } from '../../../text/json.ts'
import type { RequestPassthrough } from '../../passthrough-contract.ts'
import { isPresent, memberObjects, movesRules } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers, lossless, modelName } from '../../shared/passthrough/edits.ts'
import { inOwnForm } from '../client/usual-form.ts'

/** "cannot unmarshal string into Go struct field … arguments". */
const hasTextArguments = (message: JsonRecord): boolean =>
  memberObjects(message, 'tool_calls').some(
    ({ function: called }) => isObject(called) && isPresent(called.arguments) && !isObject(called.arguments),
  )

/** "cannot unmarshal array into Go struct field … content of type string", "illegal base64 data at input byte 4". */
const isRefused = (message: JsonRecord): boolean =>
  hasTextArguments(message) ||
  Array.isArray(message.content) ||
  message.role === 'developer' ||
  toArray(message.images).some((image) => typeof image === 'string' && image.startsWith('data:'))

export const ollamaRequests: RequestPassthrough = {
  rules: { history: 'messages', settings: movesRules, entry: isRefused },
  edits: {
    model: modelName,
    'members of the gateway': gatewayMembers,
    'forms of other protocols': lossless(inOwnForm),
  },
}
