import type { RequestPassthrough } from '../../passthrough-contract.ts'
import { gatewayMembers, modelName } from '../../shared/passthrough/edits.ts'

export const ollamaRequests: RequestPassthrough = {
  rules: { history: 'messages', settings: () => false, entry: () => false },
  edits: { model: modelName, 'members of the gateway': gatewayMembers },
}
