import type { Passthrough } from '../../passthrough-contract.ts'
import { movesRules } from '../../shared/passthrough/conditions.ts'
import { gatewayMembers, modelName } from '../../shared/passthrough/edits.ts'

export const ollamaRequests: Pick<Passthrough, 'rules' | 'edits'> = {
  rules: { history: 'messages', settings: movesRules, entry: () => false },
  edits: { model: modelName, 'members of the gateway': gatewayMembers },
}
