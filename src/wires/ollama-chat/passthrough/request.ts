import type { RequestPassthrough } from '../../passthrough-contract.ts'
import { movesRules } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers, modelName } from '../../shared/passthrough/edits.ts'

export const ollamaRequests: RequestPassthrough = {
  rules: { history: 'messages', settings: movesRules, entry: () => false },
  edits: { model: modelName, 'members of the gateway': gatewayMembers },
}
